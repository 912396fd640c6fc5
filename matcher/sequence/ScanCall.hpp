// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_SCAN_CALL_HPP
#define KINDRED_MATCHER_SEQUENCE_SCAN_CALL_HPP

#include "HostPatterns.hpp"
#include "MeasureOperations.hpp"
#include "PostingsIndex.hpp"
#include "WordForms.hpp"

#include <kindred/core/common/Array.hpp>
#include <kindred/core/sequence/EditDistance.hpp>
#include <kindred/core/sequence/LengthBound.hpp>
#include <kindred/core/sequence/PairScores.hpp>
#include <kindred/core/sequence/PairValues.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// A matrix of the caller: one row per query of a call, one column per pattern.
struct ValueTarget {
  void* data;
  bool on_device;
  DataType type;             ///< float32, float64, int32 or uint8
  std::uint64_t row_stride;  ///< in elements
};

/// The lengths of the patterns that can reach `options.threshold` with a query of \p length
/// symbols.
inline LengthBound lengths_reaching(const MatchOptions& options, std::uint64_t length) {
  const MeasureInfo& info = info_of(options.measure);
  double ratio = 0.0;
  if (info.comparison != Comparison::score) {
    ratio = length_ratio(info.scale(), options.threshold);
  } else if (options.measure == Measure::jaro_winkler) {
    ratio = jaro_winkler_length_ratio(options.threshold);
  }
  return lengths_within(ratio, static_cast<std::uint32_t>(length));
}

/// Parameters of a scan.
struct ScanCall {
  const HostPatterns& store;
  RaggedSpan<Symbol> queries;  ///< dense symbols
  std::span<const std::size_t> rows;
  const MatchOptions& options;
  std::span<const std::uint32_t> index_limits;
  const PostingsIndex* postings = nullptr;  ///< null unless queries may use postings
  std::optional<TileRange> range = {};      ///< the tiles to scan; no value: all

  /// The same for up to \p count of the rows, from \p begin on.
  ScanCall part(std::size_t begin, std::size_t count) const {
    ScanCall some = *this;
    some.rows = rows.subspan(begin, std::min(count, rows.size() - begin));
    return some;
  }
  TileRange tiles() const { return range.value_or(TileRange{0, store.tiles.tiles}); }
  /// Number of patterns in these tiles.
  std::uint64_t patterns() const { return store.patterns_in(tiles()); }
  std::uint32_t slots() const { return tiles().count() * tile_patterns; }
  /// The lengths of the patterns in these slots, ascending.
  const std::uint32_t* lengths() const {
    return store.tiles.lengths.data() + std::size_t{tiles().begin} * tile_patterns;
  }
  /// The dense symbols of the pattern in \p slot of these tiles.
  std::vector<Symbol> pattern(std::uint32_t slot) const {
    return store.pattern(tiles().begin * tile_patterns + slot);
  }
  /// \brief Number of slots, from the first one on, whose patterns have run matrices of a size that
  /// kernels take, with a query of \p length symbols, not 0. Other pairs are matched on the host,
  /// in memory proportional to their lengths.
  std::uint32_t run_slots(std::uint64_t length) const {
    constexpr std::uint64_t words_max = 1ULL << 21U;
    const std::uint64_t longest = words_max / quotient_up(length, word_symbols);
    return static_cast<std::uint32_t>(std::upper_bound(lengths(), lengths() + slots(), longest) -
                                      lengths());
  }
  Comparison comparison() const { return info_of(options.measure).comparison; }
  SimilarityScale scale() const { return info_of(options.measure).scale(); }
  ShortRecurrence recurrence() const {
    return comparison() == Comparison::lcs     ? ShortRecurrence::lcs
           : comparison() == Comparison::score ? ShortRecurrence::jaro_winkler
           : options.measure == Measure::osa   ? ShortRecurrence::osa
                                               : ShortRecurrence::levenshtein;
  }
  /// The dense symbol that separates words; that of the padding if no pattern contains it.
  Symbol separator() const {
    const Symbol dense = store.symbols[word_separator];
    return dense == unknown_symbol ? store.tiles.vocabulary : dense;
  }
  std::uint64_t k() const { return std::min<std::uint64_t>(options.top, patterns()); }
};

/// \brief How the best k of many patterns are selected while they are scanned.
///
/// The k-th best of a sample, which consists of every `stride`-th tile, is a lower bound for the
/// k-th best of all. About stride · k patterns reach it; the size of sample and candidates together
/// is smallest for a stride of √(patterns / k).
struct SelectionSampling {
  SelectionSampling(std::uint64_t patterns, std::uint64_t k) {
    while (4ULL * stride * stride * k <= patterns) stride *= 2;
    // Five standard deviations, and a margin for samples of few tiles.
    const auto deviations = static_cast<std::uint64_t>(5 * std::sqrt(static_cast<double>(k)) + 4);
    capacity = stride * (k + deviations) + 512;
    pays = stride >= 4 && 4 * capacity <= patterns;
  }

  std::uint32_t stride = 1;
  /// Maximum number of candidates per query. If a query has more, the scan is repeated and keeps
  /// the counts of all patterns.
  std::uint64_t capacity = 0;
  bool pays = false;
};

/// \brief How Ratcliff-Obershelp matching is bounded. The LCS is never smaller than the
/// Ratcliff-Obershelp count. The `probed` patterns with the best LCS are matched; the k-th best of
/// them bounds the k-th best of all, and only patterns whose LCS reaches this bound are matched as
/// well.
struct ProbeSampling {
  /// \param least probing fewer patterns than this saves no time
  ProbeSampling(std::uint64_t patterns, std::uint64_t k, std::uint64_t least)
      : probed(std::max(8 * k, least)), stride(static_cast<std::uint32_t>(probed / rank)) {
    pays = 8 * probed <= patterns;
  }
  /// The LCS of this rank in the sample estimates the LCS of rank `probed` among all patterns.
  static constexpr std::uint64_t rank = 16;

  std::uint64_t probed;
  std::uint32_t stride;  ///< of the sample of tiles
  bool pays;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_SCAN_CALL_HPP

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
  Comparison comparison() const { return info_of(options.measure).comparison; }
  SimilarityScale scale() const { return info_of(options.measure).scale(); }
  EditKind edits() const {
    return options.measure == Measure::osa ? EditKind::osa : EditKind::levenshtein;
  }
  ShortRecurrence recurrence() const {
    return comparison() == Comparison::lcs     ? ShortRecurrence::lcs
           : comparison() == Comparison::score ? ShortRecurrence::jaro_winkler
           : options.measure == Measure::osa   ? ShortRecurrence::osa
                                               : ShortRecurrence::levenshtein;
  }
  PairScore score() const {
    return options.measure == Measure::token_set ? PairScore::token_set : PairScore::jaro_winkler;
  }
  /// The dense symbol that separates words; that of the padding if no pattern contains it.
  Symbol separator() const {
    const Symbol dense = store.symbols[word_separator];
    return dense == unknown_symbol ? store.tiles.vocabulary : dense;
  }
  std::uint64_t k() const { return std::min<std::uint64_t>(options.top, patterns()); }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_SCAN_CALL_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_PAIR_SCORES_KERNEL_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_PAIR_SCORES_KERNEL_HPP

#include <kindred/core/arch/launch/KernelCancel.hpp>
#include <kindred/core/sequence/LengthBound.hpp>
#include <kindred/core/sequence/PairScores.hpp>
#include <kindred/core/sequence/impl/JaroWinklerScore.hpp>
#include <kindred/core/sequence/impl/MatchKey.hpp>
#include <kindred/core/sequence/impl/TilePair.hpp>
#include <kindred/core/sequence/impl/TokenSetScore.hpp>
#include <kindred/core/sequence/special/ByteColumns.hpp>
#include <kindred/core/sequence/special/JaroWinklerColumns.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Kindred::Impl {

/// Where the symbols of the patterns occur in a query that is one segment.
template <class ExecutionSpace>
class SegmentMasks {
 public:
  KOKKOS_INLINE_FUNCTION SegmentMasks(const QueryTables<ExecutionSpace>& queries,
                                      std::uint32_t query)
      : m_segment(queries.first_segment(query)) {
    if (m_segment == queries.first_segment(query + 1)) return;
    const QuerySegment& segment = queries.segments(m_segment);
    m_words = queries.words.data() + segment.first_word;
    m_count = segment.words;
    if (queries.codes.size() > 0) {
      m_codes = queries.codes.data() + m_segment * queries.code_stride;
    } else {
      m_hash = queries.symbol_hash(segment);
    }
  }

  /// The code of \p symbol.
  KOKKOS_FORCEINLINE_FUNCTION std::uint8_t find(std::uint32_t symbol) const {
    if (m_count == 0) return no_code;
    return m_codes != nullptr ? m_codes[symbol]
                              : static_cast<std::uint8_t>(m_hash.code(symbol, no_code));
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t word(std::uint8_t code, std::uint32_t w) const {
    return w < m_count ? m_words[w].mask(code) : 0;
  }

 private:
  std::uint32_t m_segment;
  std::uint32_t m_count = 0;
  const WordTable* m_words = nullptr;
  const std::uint8_t* m_codes = nullptr;
  SymbolHash m_hash{nullptr, 0, 0};
};

/// The same for a query of any number of segments.
template <class ExecutionSpace>
class SegmentedMasks {
 public:
  KOKKOS_INLINE_FUNCTION SegmentedMasks(const QueryTables<ExecutionSpace>& queries,
                                        std::uint32_t query)
      : m_queries(&queries),
        m_first(queries.first_segment(query)),
        m_end(queries.first_segment(query + 1)) {}

  KOKKOS_INLINE_FUNCTION std::uint32_t find(std::uint32_t symbol) const { return symbol; }
  KOKKOS_INLINE_FUNCTION std::uint64_t word(std::uint32_t symbol, std::uint32_t w) const {
    if (m_first == m_end) return 0;
    const std::uint32_t at = m_queries->segments(m_first).first_word + w;
    // Segments have up to `segment_words` words. Words are mostly asked for in ascending order.
    if (m_queries->segments(m_segment).first_word > at) m_segment = m_first + w / segment_words;
    while (at >= end_of(m_segment)) {
      if (m_segment + 1 == m_end) return 0;
      ++m_segment;
    }
    return m_queries->words(at).mask(m_queries->code(m_segment, symbol));
  }

 private:
  KOKKOS_INLINE_FUNCTION std::uint32_t end_of(std::uint32_t segment) const {
    const QuerySegment& s = m_queries->segments(segment);
    return s.first_word + s.words;
  }

  const QueryTables<ExecutionSpace>* m_queries;
  std::uint32_t m_first;
  std::uint32_t m_end;
  mutable std::uint32_t m_segment = m_first;  ///< of the last word
};

/// Words of a query up to which the state of a pair is in registers.
inline constexpr std::uint32_t near_words_max = segment_words;

/// \brief The keys of all pairs, one after the other.
/// \tparam Words maximum of a query, all of which are one segment; 0: any number, in the workspace
template <class ExecutionSpace, class SymbolType, PairScore score, std::uint32_t Words>
struct PairScoresKernel {
  PatternTiles<ExecutionSpace> tiles;
  QueryTables<ExecutionSpace> queries;
  ArrayView<std::uint64_t, ExecutionSpace> workspace;
  ArrayView<WideRank, ExecutionSpace> keys;
  double threshold;
  std::uint32_t separator;
  std::uint32_t slots;
  std::uint32_t words;    ///< of a bit set in the workspace
  std::uint64_t workers;  ///< that share the pairs
  Arch::KernelCancel<ExecutionSpace> cancel = {};

  KOKKOS_FUNCTION void operator()(std::uint64_t worker) const {
    const std::uint64_t pairs = std::uint64_t{queries.queries} * slots;
    for (std::uint64_t pair = worker; pair < pairs && !cancel.is_requested(); pair += workers)
      set_key(static_cast<std::uint32_t>(pair / slots), static_cast<std::uint32_t>(pair % slots),
              worker);
  }

  KOKKOS_INLINE_FUNCTION void set_key(std::uint32_t query, std::uint32_t slot,
                                      std::uint64_t worker) const {
    const std::uint32_t index = tiles.indices(slot);
    WideRank key = key_none<WideRank>();
    if (index < queries.index_limit(query) && can_reach(query).contains(tiles.lengths(slot))) {
      const double value = similarity(query, slot, worker);
      if (value >= threshold) key = match_key<WideRank>(value, index);
    }
    keys(query * std::uint64_t{slots} + slot) = key;
  }

  /// The lengths of patterns that can reach the threshold.
  KOKKOS_INLINE_FUNCTION LengthBound can_reach(std::uint32_t query) const {
    if constexpr (score == PairScore::jaro_winkler)
      return lengths_within(jaro_winkler_length_ratio(threshold), queries.lengths(query));
    return {};
  }

  KOKKOS_INLINE_FUNCTION double similarity(std::uint32_t query, std::uint32_t slot,
                                           std::uint64_t worker) const {
    if constexpr (Words > 0) {
      return similarity(query, slot, SegmentMasks<ExecutionSpace>(queries, query),
                        NearWords<Words>());
    } else {
      return similarity(query, slot, SegmentedMasks<ExecutionSpace>(queries, query),
                        FarWords(workspace.data() + 2 * words * worker, words));
    }
  }

  template <class Masks, class State>
  KOKKOS_INLINE_FUNCTION double similarity(std::uint32_t query, std::uint32_t slot,
                                           const Masks& masks, const State& state) const {
    const SymbolType* symbols = tiles.template slot_symbols<SymbolType>(slot);
    const auto symbol_at = [&](std::uint32_t j) {
      return std::uint32_t{symbols[std::size_t{tile_patterns} * j]};
    };
    const std::uint32_t length = tiles.lengths(slot);
    const std::uint32_t query_length = queries.lengths(query);
    if constexpr (score == PairScore::jaro_winkler) {
      return JaroWinklerScore<State>(state)(symbol_at, length, masks, query_length).similarity;
    } else {
      return TokenSetScore<State>(state, separator)(symbol_at, length, masks, query_length)
          .similarity;
    }
  }
};

/// \brief The keys of a query and two tiles, by byte planes. Queries of several runs of columns,
/// and patterns longer than `pack_rows`, are left to `one`; those whose length rules them out are
/// left out.
template <class SymbolType>
struct JaroWinklerTilesKernel {
  PairScoresKernel<HostSpace, SymbolType, PairScore::jaro_winkler, near_words_max> one;

  void operator()(std::uint32_t query, const TilePair<SymbolType>& pair) const {
    const std::uint32_t first = pair.first_slot;
    const std::uint32_t segment = one.queries.first_segment(query);
    const std::uint32_t query_length = one.queries.lengths(query);
    const bool empty = segment == one.queries.first_segment(query + 1);
    const bool all_alone = empty || one.queries.segments(segment).columns > 1;
    const LengthBound bound = one.can_reach(query);
    std::uint32_t lengths[pack_lanes] = {};  // of the patterns that are counted together
    std::uint64_t counted = 0;               // their lanes; the others' counts mean nothing
    std::uint32_t rows = 0;
    for (std::uint32_t l = 0; l < pair.slots; ++l) {
      if (all_alone || pair.lengths[l] > pack_rows) {
        one.set_key(query, first + l, 0);
      } else if (bound.contains(pair.lengths[l])) {
        lengths[l] = pair.lengths[l];
        counted |= std::uint64_t{1} << l;
        rows = std::max(rows, lengths[l]);
      }
    }
    if (all_alone) return;
    const QuerySegment& s = one.queries.segments(segment);
    const QueryColumns& columns = one.queries.columns(s.first_columns);
    RowPlaces<Arch::Bytes64> places;
    JaroWinklerCounts counts;
    JaroWinklerColumns<Arch::Bytes64>::count(
        columns,
        places.find(one.queries.codes.data() + segment * one.queries.code_stride, columns, pair, 0,
                    rows),
        rows, lengths, counts);
    double values[pack_lanes];
    for (unsigned l = 0; l < pack_lanes; ++l) {
      const std::uint32_t length = lengths[l] > 0 ? lengths[l] : 1;
      values[l] = jaro_winkler_similarity(counts.common[l], counts.out_of_order[l], length,
                                          query_length, counts.prefix[l]);
    }
    const std::uint32_t limit = one.queries.index_limit(query);
    const std::uint32_t* indices = one.tiles.indices.data() + first;
    WideRank* keys = one.keys.data() + query * std::uint64_t{one.slots} + first;
    for (unsigned l = 0; l < pair.slots; ++l) {
      if (pair.lengths[l] > pack_rows) continue;
      const bool listed =
          (counted >> l & 1U) != 0 && indices[l] < limit && values[l] >= one.threshold;
      keys[l] = listed ? match_key<WideRank>(values[l], indices[l]) : key_none<WideRank>();
    }
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_PAIR_SCORES_KERNEL_HPP

// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/Lcs.hpp>

#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/sequence/LengthBound.hpp>
#include <kindred/core/sequence/Similarity.hpp>
#include <kindred/core/sequence/impl/MatchKey.hpp>
#include <kindred/core/sequence/impl/SequenceChecks.hpp>
#include <kindred/core/sequence/impl/SequencePack.hpp>

#include <type_traits>

namespace Kindred::Impl {

/// \brief One segment of every query against every tile, or every `stride`-th tile.
///
/// A team processes a run of tiles of one query and keeps the query's masks in fast memory; a work
/// item (a host thread with two tiles, a warp with one) advances all words of the segment in one
/// pass over the rows. Teams of the same tiles are consecutive, so that a batch of queries streams
/// the patterns once.
/// \tparam Words maximum per segment; queries of several segments need `segment_words`
template <class ExecutionSpace, class SymbolType, unsigned Words>
struct LcsKernel {
  using pack = SequencePack<ExecutionSpace>;
  using member_type = Launch::Member<ExecutionSpace>;
  static constexpr bool is_light = true;
  static constexpr unsigned threads_max = 256;
  static constexpr unsigned teams_at_once = Words == 1 ? 6 : Words == 2 ? 5 : 3;
  /// Segments of queries that have several are longer.
  static constexpr bool chained = Words > 2;

  PatternTiles<ExecutionSpace> tiles;
  QueryTables<ExecutionSpace> queries;
  ArrayView<std::uint64_t, ExecutionSpace> carry;
  ArrayView<std::uint32_t, ExecutionSpace> matched;  ///< empty: candidates are stored instead
  LcsCandidates<ExecutionSpace> candidates;
  double threshold;
  std::uint64_t sampled;  ///< number of tiles that are scanned
  std::uint32_t stride;
  std::uint32_t segment;
  std::uint32_t tiles_per_team;

  /// \brief The tiles of a work item. What is needed after the last row only is computed there: it
  /// would take registers in which a device loads masks ahead.
  struct WorkItem {
    const SymbolType* symbols[pack::tiles];
    std::uint32_t tile_rows[pack::tiles];
    std::uint32_t rows;
    std::uint32_t slots;
    std::uint32_t tile;  ///< the first of them
    std::uint32_t query;
    std::uint32_t need;  ///< a count below it does not matter
    bool matters;        ///< whether any pattern can reach it
    std::uint64_t* plane;
    bool chained_in;
    bool chained_out;
    std::uint32_t lane;
  };

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& team) const {
    const auto league = static_cast<std::uint32_t>(team.league_rank());
    const std::uint32_t query = league % queries.queries;
    const std::uint32_t at = queries.first_segment(query) + segment;
    const std::uint32_t end_segment = queries.first_segment(query + 1);
    const bool empty = at >= end_segment;
    if (empty && segment > 0) return;
    const QuerySegment s = empty ? QuerySegment{0, 0, 0} : queries.segments(at);
    const typename pack::Tables tables =
        pack::template make<SymbolType, Words>(team, queries, at, s, tiles.vocabulary);
    const std::uint32_t begin = league / queries.queries * tiles_per_team;
    const std::uint32_t count = sampled_tiles(tiles.tiles, stride);
    const std::uint32_t end = begin + tiles_per_team < count ? begin + tiles_per_team : count;
    const double least = least_similarity(query);
    const std::uint32_t longest =
        lengths_within(length_ratio(SimilarityScale::total, least), queries.lengths(query)).most;
    const auto step = static_cast<std::uint32_t>(team.team_size()) * pack::tiles;
    for (std::uint32_t tile = begin + static_cast<std::uint32_t>(team.team_rank()) * pack::tiles;
         tile < end; tile += step) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, pack::lanes), [&](const unsigned lane) {
        WorkItem work_item;
        work_item.query = query;
        work_item.lane = lane;
        work_item.chained_in = chained && segment > 0;
        work_item.chained_out = chained && at + 1 < end_segment;
        take(work_item, tile, end, least, longest);
        scan_work_item(tables, s.words, work_item);
      });
    }
  }

  /// The similarity that a count of the query must reach to matter.
  KOKKOS_INLINE_FUNCTION double least_similarity(std::uint32_t query) const {
    if (matched.size() > 0) return threshold;
    const Rank bound = candidates.bound(query);
    if (bound == rank_none) return threshold;
    const double value = key_similarity(bound);
    return value > threshold ? value : threshold;
  }

  /// \param longest no longer pattern reaches \p least: rows after it are not scanned
  KOKKOS_INLINE_FUNCTION void take(WorkItem& work_item, std::uint32_t tile, std::uint32_t end,
                                   double least, std::uint32_t longest) const {
    work_item.rows = 0;
    const std::uint32_t count = end - tile < pack::tiles ? end - tile : pack::tiles;
    for (unsigned t = 0; t < pack::tiles; ++t) {
      const std::uint32_t own = (tile + (t < count ? t : 0)) * stride;
      const std::uint64_t offset = tiles.offsets(own);
      work_item.symbols[t] = tiles.template symbols<SymbolType>() + offset;
      work_item.tile_rows[t] =
          t < count ? static_cast<std::uint32_t>((tiles.offsets(own + 1) - offset) / tile_patterns)
                    : 0;
      if (work_item.tile_rows[t] > longest) work_item.tile_rows[t] = longest;
      if (work_item.tile_rows[t] > work_item.rows) work_item.rows = work_item.tile_rows[t];
    }
    work_item.slots = count * tile_patterns;
    work_item.tile = tile;
    work_item.plane = carry.data();
    if (work_item.chained_in || work_item.chained_out) {
      work_item.plane += work_item.query * (tiles.rows + 16 * std::uint64_t{tiles.tiles}) +
                         tiles.offsets(tile) / tile_patterns + 16 * std::uint64_t{tile};
    }
    // Slots are sorted by length: the first one of a work item needs the fewest matches.
    work_item.need = 0;
    if (least > 0.0) {
      work_item.need = fewest_matched(least, std::uint64_t{tiles.lengths(first_slot(work_item))} +
                                                 queries.lengths(work_item.query));
    }
    const std::uint32_t length = queries.lengths(work_item.query);
    work_item.matters = (work_item.rows < length ? work_item.rows : length) >= work_item.need;
    // One segment of several has only a part of the count.
    if (work_item.chained_in || work_item.chained_out) work_item.need = 0;
  }

  KOKKOS_INLINE_FUNCTION void scan_work_item(const typename pack::Tables& tables, unsigned words,
                                             const WorkItem& work_item) const {
    const std::uint32_t length = queries.lengths(work_item.query);
    if (words == 0 || !work_item.matters) {
      leave(work_item);
    } else if constexpr (Arch::is_device<ExecutionSpace>) {
      scan_words(tables, work_item, words, length);
    } else {
      pack::scan(tables, work_item, length, work_item.need, *this);
    }
  }

  KOKKOS_INLINE_FUNCTION void scan_words(const typename pack::Tables& tables,
                                         const WorkItem& work_item, unsigned words,
                                         std::uint32_t length) const {
    if (words == 1) {
      if constexpr (chained) {
        if (work_item.chained_in || work_item.chained_out) {
          scan<1, true>(tables, work_item);
          return;
        }
      }
      scan<1, false>(tables, work_item);
    } else if constexpr (Words > 1) {
      if (words == 2) {
        // With two words, scanning the first one alone is worthwhile only if it must match more
        // than half.
        if (work_item.need > length - word_symbols / 2 - word_symbols / 16) {
          std::uint64_t first;
          if (!advance<1, false>(tables, work_item, work_item.need - (length - word_symbols),
                                 &first)) {
            leave(work_item);
            return;
          }
        }
        scan<2, chained>(tables, work_item);
      } else if constexpr (Words > 2) {
        if (words == 3) {
          scan<3, true>(tables, work_item);
        } else {
          scan<4, true>(tables, work_item);
        }
      }
    }
  }

  template <unsigned Count, bool Chained>
  KOKKOS_INLINE_FUNCTION static bool advance(const typename pack::Tables& tables,
                                             const WorkItem& work_item, std::uint32_t need,
                                             std::uint64_t* state) {
    return pack::template advance<pack::template lookup<SymbolType, Words>, Count, Chained>(
        tables, work_item, need, state);
  }

  template <unsigned Count, bool Chained>
  KOKKOS_INLINE_FUNCTION void scan(const typename pack::Tables& tables,
                                   const WorkItem& work_item) const {
    std::uint64_t state[Count];
    if (advance<Count, Chained>(tables, work_item, work_item.need, state)) {
      const std::uint32_t count = pack::template zeros<Count>(state);
      finish(work_item, work_item.lane, &count, 1);
    } else {
      leave(work_item);
    }
  }

  KOKKOS_INLINE_FUNCTION std::uint32_t first_slot(const WorkItem& work_item) const {
    return work_item.tile * stride * tile_patterns;
  }
  /// Where the counts of the work item are.
  KOKKOS_INLINE_FUNCTION std::uint32_t* matched_of(const WorkItem& work_item) const {
    return matched.data() + (work_item.query * sampled + work_item.tile) * tile_patterns;
  }

  /// The patterns of the work item do not matter.
  KOKKOS_INLINE_FUNCTION void leave(const WorkItem& work_item) const {
    if (matched.size() > 0)
      pack::write_zero(matched_of(work_item), work_item.slots, work_item.lane);
  }

  /// Receives the counts of \p slots slots of the work item from slot \p first on.
  template <class Count>
  KOKKOS_INLINE_FUNCTION void finish(const WorkItem& work_item, unsigned first, const Count* counts,
                                     unsigned slots) const {
    if (matched.size() > 0) {
      std::uint32_t* sums = matched_of(work_item) + first;
      const bool adds = work_item.chained_in;
      for (unsigned l = 0; l < slots; ++l) sums[l] = (adds ? sums[l] : 0) + counts[l];
    } else {
      for (unsigned l = 0; l < slots; ++l) {
        if (counts[l] >= work_item.need)
          keep(work_item, first_slot(work_item) + first + l, counts[l]);
      }
    }
  }

  /// Appends a pattern unless it ranks after the bound.
  KOKKOS_INLINE_FUNCTION void keep(const WorkItem& work_item, std::uint32_t slot,
                                   std::uint32_t count) const {
    const std::uint32_t index = tiles.indices(slot);
    if (index >= queries.index_limit(work_item.query)) return;
    const double value =
        similarity(count, std::uint64_t{tiles.lengths(slot)} + queries.lengths(work_item.query));
    if (value < threshold) return;
    const Rank key = match_key<Rank>(value, index);
    if (candidates.bound(work_item.query) < key) return;
    const Rank place = Kokkos::atomic_fetch_add(&candidates.counters(work_item.query), Rank{1}) + 1;
    if (place < candidates.capacity) {
      candidates.keys(work_item.query * std::uint64_t{candidates.capacity} + place) = key;
    }
  }
};

/// Launches the segments in turn, with the kernel for the fewest words that suffices.
template <class ExecutionSpace>
void lcs_scan(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
              const QueryTables<ExecutionSpace>& queries, double threshold, std::uint32_t stride,
              const std::type_identity_t<ArrayView<std::uint64_t, ExecutionSpace>>& carry,
              const std::type_identity_t<ArrayView<std::uint32_t, ExecutionSpace>>& matched,
              const std::type_identity_t<LcsCandidates<ExecutionSpace>>& candidates) {
  if (tiles.tiles == 0 || queries.queries == 0) return;
  with_symbol_type(tiles, [&](auto symbol) {
    const auto launch = [&](auto words, std::uint32_t segment) {
      launch_segment<decltype(symbol), words()>(
          "Kindred::Sequence::lcs_lengths::scan", exec_space, sampled_tiles(tiles.tiles, stride),
          LcsKernel<ExecutionSpace, decltype(symbol), decltype(words)::value>{
              tiles, queries, carry, matched, candidates, threshold,
              sampled_tiles(tiles.tiles, stride), stride, segment, 0});
    };
    launch_segments(queries, launch);
  });
}

}  // namespace Kindred::Impl

namespace Kindred {

template <class ExecutionSpace>
std::uint64_t lcs_carry_words(const PatternTiles<ExecutionSpace>& tiles, std::uint32_t queries,
                              std::uint32_t segments_max) {
  return segments_max < 2 ? 0 : queries * (tiles.rows + 16 * std::uint64_t{tiles.tiles});
}

template <class ExecutionSpace>
void lcs_lengths(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                 const QueryTables<ExecutionSpace>& queries, double threshold,
                 const ArrayView<std::uint64_t, ExecutionSpace>& carry,
                 const ArrayView<std::uint32_t, ExecutionSpace>& matched, std::uint32_t stride) {
  const Impl::ArgumentCheck check("lcs_lengths");
  Impl::check_tiles(check, tiles);
  Impl::check_tables(check, queries, tiles);
  check.is_at_least("stride", stride, 1);
  if (queries.segments_max > 1) check.is_at_most("stride", stride, 1);
  check.has("carry", carry, lcs_carry_words(tiles, queries.queries, queries.segments_max));
  check.has("matched", matched,
            Impl::extent_of(queries.queries, sampled_tiles(tiles.tiles, stride), tile_patterns));
  Impl::lcs_scan(exec_space, tiles, queries, threshold, stride, carry, matched, {});
}

template <class ExecutionSpace>
void lcs_candidates(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                    const QueryTables<ExecutionSpace>& queries, double threshold,
                    const LcsCandidates<ExecutionSpace>& candidates) {
  const Impl::ArgumentCheck check("lcs_candidates");
  Impl::check_tiles(check, tiles);
  Impl::check_tables(check, queries, tiles);
  check.is_at_most("queries.segments_max", queries.segments_max, 1);
  check.is_at_least("candidates.bound_stride", candidates.bound_stride, 1);
  check.has("candidates.bounds", candidates.bounds,
            Impl::extent_of(queries.queries, candidates.bound_stride));
  check.has("candidates.keys", candidates.keys,
            Impl::extent_of(queries.queries, candidates.capacity));
  check.has("candidates.counters", candidates.counters, queries.queries);
  Impl::lcs_scan(exec_space, tiles, queries, threshold, 1, {}, {}, candidates);
}

KINDRED_INSTANTIATE_FOR_SPACES(lcs_carry_words);
KINDRED_INSTANTIATE_FOR_SPACES(lcs_lengths);
KINDRED_INSTANTIATE_FOR_SPACES(lcs_candidates);

}  // namespace Kindred

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_LCS_KERNEL_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_LCS_KERNEL_HPP

#include <kindred/core/arch/SegmentTables.hpp>
#include <kindred/core/arch/SequencePack.hpp>
#include <kindred/core/sequence/Lcs.hpp>
#include <kindred/core/sequence/Similarity.hpp>

namespace Kindred::Impl {

/// \brief One segment of every query against every tile.
///
/// A team owns a run of tiles of one query and keeps the query's masks near; a unit (a host thread
/// with two tiles, a warp with one) advances all words of the segment in one pass over the rows.
template <class ExecutionSpace, class SymbolType>
struct LcsKernel {
  using pack = Arch::SequencePack<ExecutionSpace>;
  using member_type = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  static constexpr std::uint32_t check_rows = 32;

  PatternTiles<ExecutionSpace> tiles;
  QueryTables<ExecutionSpace> queries;
  ArrayView<std::uint64_t, ExecutionSpace> carry;
  ArrayView<std::uint32_t, ExecutionSpace> matched;
  double threshold;
  std::uint32_t segment;
  std::uint32_t teams_per_query;
  std::uint32_t tiles_per_team;

  /// The tiles of a unit.
  struct Unit {
    const SymbolType* symbols[pack::tiles];
    std::uint32_t tile_rows[pack::tiles];
    std::uint32_t rows;
    std::uint32_t slots;
    std::uint64_t* plane;
    std::uint32_t* matched;
    bool chained_in;
    bool chained_out;
    std::uint32_t lane;
  };

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& team) const {
    const auto league = static_cast<std::uint32_t>(team.league_rank());
    const std::uint32_t query = league / teams_per_query;
    const std::uint32_t at = queries.first_segment(query) + segment;
    const std::uint32_t end_segment = queries.first_segment(query + 1);
    const bool empty = at >= end_segment;
    if (empty && segment > 0) return;
    const QuerySegment s = empty ? QuerySegment{0, 0, 0} : queries.segments(at);
    const typename pack::Tables tables = Arch::SegmentTables<ExecutionSpace>::make(
        team, queries, s, queries.codes.data() + at * queries.code_stride, tiles.vocabulary);
    const std::uint32_t begin = league % teams_per_query * tiles_per_team;
    const std::uint32_t end =
        begin + tiles_per_team < tiles.tiles ? begin + tiles_per_team : tiles.tiles;
    const auto step = static_cast<std::uint32_t>(team.team_size()) * pack::tiles;
    for (std::uint32_t tile = begin + static_cast<std::uint32_t>(team.team_rank()) * pack::tiles;
         tile < end; tile += step) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, pack::lanes), [&](const unsigned lane) {
        const bool only = segment == 0 && at + 1 == end_segment;
        scan_tiles(tables, s.words, query, tile, end, lane, segment > 0, at + 1 < end_segment,
                   only);
      });
    }
  }

  KOKKOS_INLINE_FUNCTION void scan_tiles(const typename pack::Tables& tables, unsigned words,
                                         std::uint32_t query, std::uint32_t tile, std::uint32_t end,
                                         unsigned lane, bool chained_in, bool chained_out,
                                         bool only) const {
    Unit unit;
    unit.rows = 0;
    unit.lane = lane;
    unit.chained_in = chained_in;
    unit.chained_out = chained_out;
    const std::uint32_t count = end - tile < pack::tiles ? end - tile : pack::tiles;
    for (unsigned t = 0; t < pack::tiles; ++t) {
      const std::uint64_t offset = tiles.offsets(tile + (t < count ? t : 0));
      unit.symbols[t] = tiles.template symbols<SymbolType>() + offset;
      unit.tile_rows[t] =
          t < count
              ? static_cast<std::uint32_t>((tiles.offsets(tile + t + 1) - offset) / tile_patterns)
              : 0;
      if (unit.tile_rows[t] > unit.rows) unit.rows = unit.tile_rows[t];
    }
    unit.slots = count * tile_patterns;
    unit.plane =
        carry.data() + (chained_in || chained_out
                            ? query * (tiles.rows + 16 * std::uint64_t{tiles.tiles}) +
                                  tiles.offsets(tile) / tile_patterns + 16 * std::uint64_t{tile}
                            : 0);
    unit.matched = matched.data() + (query * std::uint64_t{tiles.tiles} + tile) * tile_patterns;

    // Slots are sorted by length: the first one of a unit needs the fewest matches.
    std::uint32_t need = 0;
    const std::uint32_t length = queries.lengths(query);
    if (only && threshold > 0.0) {
      const std::uint32_t shortest = tiles.lengths(tile * tile_patterns);
      need = static_cast<std::uint32_t>(least_matched(threshold, std::uint64_t{shortest} + length));
      if ((unit.rows < length ? unit.rows : length) < need) {
        pack::write_zero(unit.matched, unit.slots, lane);
        return;
      }
    }
    if (words == 0) {
      pack::write_zero(unit.matched, unit.slots, lane);
    } else if constexpr (Arch::is_device<ExecutionSpace>) {
      scan_words(tables, unit, words, need, length);
    } else {
      pack::scan(tables, unit, length, need);
    }
  }

  KOKKOS_INLINE_FUNCTION void scan_words(const typename pack::Tables& tables, const Unit& unit,
                                         unsigned words, std::uint32_t need,
                                         std::uint32_t length) const {
    // A second word is worth a look at the first one alone where that must match more than half.
    if (words == 2 && need > length - word_symbols / 2 - word_symbols / 16 &&
        !scan<1, false, true>(tables, unit, need - (length - word_symbols))) {
      pack::write_zero(unit.matched, unit.slots, unit.lane);
      return;
    }
    if (words == 1 && !unit.chained_in && !unit.chained_out) {
      scan<1, false, false>(tables, unit, need);
    } else if (words == 1) {
      scan<1, true, false>(tables, unit, need);
    } else if (words == 2) {
      scan<2, true, false>(tables, unit, need);
    } else if (words == 3) {
      scan<3, true, false>(tables, unit, need);
    } else {
      scan<4, true, false>(tables, unit, need);
    }
  }

  /// Advances the words over all rows. Returns false when no lane can reach \p need; unless it is a
  /// \p Trial, which writes nothing, the counts are then written as 0.
  template <unsigned Words, bool Linked, bool Trial>
  KOKKOS_INLINE_FUNCTION bool scan(const typename pack::Tables& tables, const Unit& unit,
                                   std::uint32_t need) const {
    constexpr bool places = Words == 1 && !Trial;  // the codes of a segment of one word
    typename pack::Word state[Words];
    for (unsigned w = 0; w < Words; ++w) state[w] = pack::ones();
    typename pack::Codes codes;
    typename pack::Carry carried;
    for (std::uint32_t block = 0; block < unit.rows; block += check_rows) {
      const std::uint32_t left = unit.rows - block;
      const std::uint32_t count = left < check_rows ? left : check_rows;
      for (std::uint32_t row = block; row < block + count; row += pack::rows) {
        const std::uint32_t rows =
            block + count - row < pack::rows ? block + count - row : pack::rows;
        pack::translate(tables, unit.symbols, unit.tile_rows, row, rows, unit.lane, codes);
        if constexpr (Linked) {
          if (unit.chained_in) {
            pack::load(carried, unit.plane, row, rows, unit.lane);
          } else {
            pack::clear(carried);
          }
        }
        for (unsigned w = 0; w < Words; ++w) {
          pack::template advance<!places, Linked>(tables, w, codes, rows, carried, state[w]);
        }
        if constexpr (Linked) {
          if (unit.chained_out) pack::store(carried, unit.plane, row, rows, unit.lane);
        }
      }
      if (need > 0 && pack::most_zeros(state, Words) + (left - count) < need) {
        if constexpr (!Trial) pack::write_zero(unit.matched, unit.slots, unit.lane);
        return false;
      }
    }
    if constexpr (!Trial) {
      pack::write(state, Words, unit.chained_in, unit.matched, unit.slots, unit.lane);
    }
    return true;
  }
};

template <class ExecutionSpace, class SymbolType>
void lcs_segment(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                 const QueryTables<ExecutionSpace>& queries, double threshold,
                 std::uint32_t segment, const ArrayView<std::uint64_t, ExecutionSpace>& carry,
                 const ArrayView<std::uint32_t, ExecutionSpace>& matched) {
  using shape = Arch::LaunchShape<ExecutionSpace>;
  using tables = Arch::SegmentTables<ExecutionSpace>;
  LcsKernel<ExecutionSpace, SymbolType> kernel{tiles,     queries, carry, matched,
                                               threshold, segment, 0,     0};
  kernel.tiles_per_team = tables::tiles_per_team(exec_space, tiles.tiles, queries.queries);
  kernel.teams_per_query = (tiles.tiles + kernel.tiles_per_team - 1) / kernel.tiles_per_team;
  Kokkos::TeamPolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>> policy(
      exec_space, static_cast<int>(kernel.teams_per_query * queries.queries), shape::team_size,
      shape::vector_length);
  policy.set_scratch_size(
      0, Kokkos::PerTeam(tables::scratch_bytes(queries.words_max, tiles.vocabulary)));
  Kokkos::parallel_for("Kindred::Sequence::lcs_lengths::scan", policy, kernel);
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_LCS_KERNEL_HPP

// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/CommonEnds.hpp>

#include <kindred/core/arch/Special.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/sequence/impl/SequenceChecks.hpp>
#include <kindred/core/sequence/impl/TilePair.hpp>
#include <kindred/core/sequence/special/ByteColumns.hpp>
#include <kindred/core/sequence/special/CommonEndColumns.hpp>

namespace Kindred {

namespace Impl {

template <class ExecutionSpace, class SymbolType>
struct CommonEndsKernel {
  PatternTiles<ExecutionSpace> tiles;
  QueryTables<ExecutionSpace> queries;
  SequenceEnd end;
  ArrayView<std::uint32_t, ExecutionSpace> matched;  ///< `queries × slots`
  std::uint32_t slots;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    count_pair(static_cast<std::uint32_t>(i / slots), static_cast<std::uint32_t>(i % slots));
  }

  /// \param count of symbols that are known to be common
  KOKKOS_INLINE_FUNCTION void count_pair(std::uint32_t query, std::uint32_t slot,
                                         std::uint32_t count = 0) const {
    const std::uint32_t length = tiles.lengths(slot);
    const std::uint32_t query_length = queries.lengths(query);
    const std::uint32_t shorter = length < query_length ? length : query_length;
    if (shorter > count) {
      const SymbolType* symbols = tiles.template slot_symbols<SymbolType>(slot);
      for (; count < shorter; ++count) {
        const bool first = end == SequenceEnd::prefix;
        const std::uint32_t at = first ? count : length - 1 - count;
        if (!queries.has(query, first ? count : query_length - 1 - count,
                         symbols[std::size_t{tile_patterns} * at]))
          break;
      }
    }
    matched(query * std::uint64_t{slots} + slot) = count;
  }
};

/// \brief A query against two tiles, by the byte planes of its first or last run of columns. Pairs
/// that agree in all of it are continued by `one`.
template <class SymbolType>
struct CommonEndTilesKernel {
  CommonEndsKernel<HostSpace, SymbolType> one;

  void operator()(std::uint32_t query, const TilePair<SymbolType>& pair) const {
    if (one.queries.lengths(query) == 0) {
      for (std::uint32_t l = 0; l < pair.slots; ++l) one.count_pair(query, pair.first_slot + l);
      return;
    }
    const bool forward = one.end == SequenceEnd::prefix;
    const std::uint32_t segment =
        forward ? one.queries.first_segment(query) : one.queries.first_segment(query + 1) - 1;
    const QuerySegment& place = one.queries.segments(segment);
    const QueryColumns& columns =
        one.queries.columns(place.first_columns + (forward ? 0 : place.columns - 1));
    const std::uint8_t* codes = one.queries.codes.data() + segment * one.queries.code_stride;
    RowPlaces<Arch::Bytes64> places;
    alignas(64) std::uint8_t counts[pack_lanes];
    CommonEndColumns<Arch::Bytes64>::count(
        one.end, columns,
        [&](std::uint32_t row, std::uint32_t rows) {
          return places.find(codes, columns, pair, row, rows);
        },
        pair.rows, pair.lengths, counts);
    const std::uint64_t first = query * std::uint64_t{one.slots} + pair.first_slot;
    std::copy_n(counts, pair.slots, one.matched.data() + first);
    if (columns.symbols == one.queries.lengths(query)) return;
    for (std::uint32_t l = 0; l < pair.slots; ++l)
      if (counts[l] == columns.symbols) one.count_pair(query, pair.first_slot + l, counts[l]);
  }
};

}  // namespace Impl

template <class ExecutionSpace>
void common_ends(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                 const QueryTables<ExecutionSpace>& queries, SequenceEnd end,
                 const ArrayView<std::uint32_t, ExecutionSpace>& matched) {
  const Impl::ArgumentCheck check("common_ends");
  Impl::check_tiles(check, tiles);
  Impl::check_tables(check, queries, tiles);
  check.has("matched", matched, Impl::pairs_of(queries, tiles));
  if (tiles.tiles == 0 || queries.queries == 0) return;
  with_symbol_type(tiles, [&](auto symbol) {
    using enum Special::Form;
    if constexpr (Special::is_compiled<common_end_columns, ExecutionSpace>) {
      if (Special::is_used<common_end_columns, ExecutionSpace>()) {
        Impl::for_each_tile_pair<decltype(symbol)>(
            "Kindred::Sequence::common_ends::count_tiles", exec_space, tiles, queries.queries,
            Impl::CommonEndTilesKernel<decltype(symbol)>{
                {tiles, queries, end, matched, tiles.slots()}});
        return;
      }
    }
    Launch::for_each_index<Launch::Coarse>(exec_space, "Kindred::Sequence::common_ends::count",
                                           std::uint64_t{queries.queries} * tiles.slots(),
                                           Impl::CommonEndsKernel<ExecutionSpace, decltype(symbol)>{
                                               tiles, queries, end, matched, tiles.slots()});
  });
}

KINDRED_INSTANTIATE_FOR_SPACES(common_ends);

}  // namespace Kindred

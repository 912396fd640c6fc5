// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/CommonEnds.hpp>

#include <kindred/core/common/Range.hpp>

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
    const auto query = static_cast<std::uint32_t>(i / slots);
    const auto slot = static_cast<std::uint32_t>(i % slots);
    const std::uint32_t length = tiles.lengths(slot);
    const std::uint32_t query_length = queries.lengths(query);
    const std::uint32_t shorter = length < query_length ? length : query_length;
    std::uint32_t count = 0;
    if (shorter > 0) {
      const SymbolType* symbols = tiles.template slot_symbols<SymbolType>(slot);
      for (; count < shorter; ++count) {
        const bool first = end == SequenceEnd::prefix;
        const std::uint32_t at = first ? count : length - 1 - count;
        if (!queries.has(query, first ? count : query_length - 1 - count,
                         symbols[std::size_t{tile_patterns} * at]))
          break;
      }
    }
    matched(i) = count;
  }
};

}  // namespace Impl

template <class ExecutionSpace>
void common_ends(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                 const QueryTables<ExecutionSpace>& queries, SequenceEnd end,
                 const ArrayView<std::uint32_t, ExecutionSpace>& matched) {
  if (tiles.tiles == 0 || queries.queries == 0) return;
  with_symbol_type(tiles, [&](auto symbol) {
    Kokkos::parallel_for(
        "Kindred::Sequence::common_ends::count",
        Impl::range<std::uint64_t>(exec_space, std::uint64_t{queries.queries} * tiles.slots()),
        Impl::CommonEndsKernel<ExecutionSpace, decltype(symbol)>{tiles, queries, end, matched,
                                                                 tiles.slots()});
  });
}

#define KINDRED_INSTANTIATE(ExecutionSpace)                                             \
  template void common_ends(const ExecutionSpace&, const PatternTiles<ExecutionSpace>&, \
                            const QueryTables<ExecutionSpace>&, SequenceEnd,            \
                            const ArrayView<std::uint32_t, ExecutionSpace>&);
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)

}  // namespace Kindred

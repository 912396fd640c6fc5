// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/Lcs.hpp>

#include <kindred/core/sequence/impl/LcsKernel.hpp>

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
                 const ArrayView<std::uint32_t, ExecutionSpace>& matched) {
  if (tiles.tiles == 0 || queries.queries == 0) return;
  const std::uint32_t segments = queries.segments_max > 0 ? queries.segments_max : 1;
  with_symbol_type(tiles, [&](auto symbol) {
    for (std::uint32_t segment = 0; segment < segments; ++segment) {
      Impl::lcs_segment<ExecutionSpace, decltype(symbol)>(exec_space, tiles, queries, threshold,
                                                          segment, carry, matched);
    }
  });
}

#define KINDRED_INSTANTIATE(ExecutionSpace)                                                  \
  template std::uint64_t lcs_carry_words(const PatternTiles<ExecutionSpace>&, std::uint32_t, \
                                         std::uint32_t);                                     \
  template void lcs_lengths(const ExecutionSpace&, const PatternTiles<ExecutionSpace>&,      \
                            const QueryTables<ExecutionSpace>&, double,                      \
                            const ArrayView<std::uint64_t, ExecutionSpace>&,                 \
                            const ArrayView<std::uint32_t, ExecutionSpace>&);
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)

}  // namespace Kindred

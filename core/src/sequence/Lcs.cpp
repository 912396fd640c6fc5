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
                 const ArrayView<std::uint32_t, ExecutionSpace>& matched, std::uint32_t stride) {
  Impl::lcs_scan(exec_space, tiles, queries, threshold, stride, carry, matched, {});
}

template <class ExecutionSpace>
void lcs_candidates(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                    const QueryTables<ExecutionSpace>& queries, double threshold,
                    const LcsCandidates<ExecutionSpace>& candidates) {
  Impl::lcs_scan(exec_space, tiles, queries, threshold, 1, {}, {}, candidates);
}

#define KINDRED_INSTANTIATE(ExecutionSpace)                                                  \
  template std::uint64_t lcs_carry_words(const PatternTiles<ExecutionSpace>&, std::uint32_t, \
                                         std::uint32_t);                                     \
  template void lcs_lengths(const ExecutionSpace&, const PatternTiles<ExecutionSpace>&,      \
                            const QueryTables<ExecutionSpace>&, double,                      \
                            const ArrayView<std::uint64_t, ExecutionSpace>&,                 \
                            const ArrayView<std::uint32_t, ExecutionSpace>&, std::uint32_t); \
  template void lcs_candidates(const ExecutionSpace&, const PatternTiles<ExecutionSpace>&,   \
                               const QueryTables<ExecutionSpace>&, double,                   \
                               const LcsCandidates<ExecutionSpace>&);
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)

}  // namespace Kindred

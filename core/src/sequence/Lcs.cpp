// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/Lcs.hpp>

#include <kindred/core/sequence/impl/LcsKernel.hpp>
#include <kindred/core/sequence/impl/SequenceChecks.hpp>

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

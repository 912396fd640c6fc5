// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/MatchKeys.hpp>

#include <kindred/core/sequence/impl/MatchKeysKernel.hpp>

namespace Kindred {

template <class ExecutionSpace, class Key>
void match_keys(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                const QueryTables<ExecutionSpace>& queries, double threshold,
                const ArrayView<const std::uint32_t, ExecutionSpace>& matched,
                const ArrayView<Key, ExecutionSpace>& keys) {
  if (tiles.tiles == 0 || queries.queries == 0) return;
  using kernel_type = Impl::MatchKeysKernel<ExecutionSpace, Key>;
  using shape = Arch::LaunchShape<ExecutionSpace>;
  const std::uint32_t teams =
      (tiles.slots() + kernel_type::slots_per_team - 1) / kernel_type::slots_per_team;
  Kokkos::parallel_for(
      "Kindred::Sequence::match_keys::rank",
      Kokkos::TeamPolicy<ExecutionSpace>(exec_space, static_cast<int>(teams * queries.queries),
                                         shape::team_size, shape::vector_length),
      kernel_type{tiles, queries, matched, keys, threshold, teams});
}

#define KINDRED_INSTANTIATE_KEY(ExecutionSpace, Key)                                   \
  template void match_keys(const ExecutionSpace&, const PatternTiles<ExecutionSpace>&, \
                           const QueryTables<ExecutionSpace>&, double,                 \
                           const ArrayView<const std::uint32_t, ExecutionSpace>&,      \
                           const ArrayView<Key, ExecutionSpace>&);
#define KINDRED_INSTANTIATE(ExecutionSpace)     \
  KINDRED_INSTANTIATE_KEY(ExecutionSpace, Rank) \
  KINDRED_INSTANTIATE_KEY(ExecutionSpace, WideRank)
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)

}  // namespace Kindred

// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/graph/Hop.hpp>
#include <kindred/core/graph/impl/Hop.hpp>

namespace Kindred {

template <class ExecutionSpace>
std::uint64_t short_row_max() {
  return Arch::RowSums<ExecutionSpace>::short_max;
}

template <class ExecutionSpace>
void hop(const ExecutionSpace& exec_space,
         const GraphSide<typename ExecutionSpace::memory_space>& graph,
         const ArrayView<const float, ExecutionSpace>& x, const ArrayView<float, ExecutionSpace>& y,
         const ArrayView<double, ExecutionSpace>& partial) {
  Impl::HopUpdate<ExecutionSpace> update;
  update.state.next = y;
  update.state.partial = partial;
  Impl::launch_hop<ExecutionSpace, 1>(exec_space, graph, x.data(), update);
}

template <class ExecutionSpace>
void start_spreading(const ExecutionSpace& exec_space, const SpreadState<ExecutionSpace>& state,
                     const ArrayView<const std::uint64_t, ExecutionSpace>& places,
                     const ArrayView<const float, ExecutionSpace>& values) {
  Kokkos::deep_copy(exec_space, state.value, 0.0F);
  Kokkos::deep_copy(exec_space, state.passed, 0.0F);
  Kokkos::deep_copy(exec_space, state.tier, Impl::tier_untouched);
  Kokkos::deep_copy(exec_space, state.last, 0U);
  Kokkos::parallel_for("Kindred::SpreadingEngine::spread::sources",
                       Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(
                           exec_space, 0, places.extent(0)),
                       Impl::Sources<ExecutionSpace>{state, places, values});
}

template <class ExecutionSpace>
void spread_hop(const ExecutionSpace& exec_space,
                const GraphSide<typename ExecutionSpace::memory_space>& graph,
                const SpreadState<ExecutionSpace>& state, const HopParameters& parameters) {
  Impl::HopUpdate<ExecutionSpace> update;
  update.state = state;
  update.set(parameters);
  const float* x = state.passed.data();
  switch (state.width) {
    case HopWidth::one:
      return Impl::launch_hop<ExecutionSpace, 1>(exec_space, graph, x, update);
    case HopWidth::eight:
      return Impl::launch_hop<ExecutionSpace, 8>(exec_space, graph, x, update);
    case HopWidth::thirty_two:
      return Impl::launch_hop<ExecutionSpace, 32>(exec_space, graph, x, update);
  }
}

template <class ExecutionSpace>
void rank_nodes(const ExecutionSpace& exec_space, const SpreadState<ExecutionSpace>& state,
                std::size_t first_query, std::size_t queries,
                const ArrayView<Rank, ExecutionSpace>& keys) {
  const std::size_t nodes = state.value.extent(0) / static_cast<std::size_t>(state.width);
  Kokkos::parallel_for("Kindred::SpreadingEngine::spread::ranks",
                       Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(
                           exec_space, 0, nodes * queries),
                       Impl::NodeRanks<ExecutionSpace>{state, nodes, first_query, keys});
}

#define KINDRED_INSTANTIATE(SPACE)                                                               \
  template std::uint64_t short_row_max<SPACE>();                                                 \
  template void hop<SPACE>(const SPACE&, const GraphSide<typename SPACE::memory_space>&,         \
                           const ArrayView<const float, SPACE>&, const ArrayView<float, SPACE>&, \
                           const ArrayView<double, SPACE>&);                                     \
  template void start_spreading<SPACE>(const SPACE&, const SpreadState<SPACE>&,                  \
                                       const ArrayView<const std::uint64_t, SPACE>&,             \
                                       const ArrayView<const float, SPACE>&);                    \
  template void spread_hop<SPACE>(const SPACE&, const GraphSide<typename SPACE::memory_space>&,  \
                                  const SpreadState<SPACE>&, const HopParameters&);              \
  template void rank_nodes<SPACE>(const SPACE&, const SpreadState<SPACE>&, std::size_t,          \
                                  std::size_t, const ArrayView<Rank, SPACE>&);
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred

// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/graph/Frontier.hpp>

#include <kindred/core/arch/launch/Launch.hpp>
#include <kindred/core/graph/impl/Frontier.hpp>
#include <kindred/core/graph/impl/SmallFrontier.hpp>

#include <algorithm>

namespace Kindred {

template <class ExecutionSpace>
std::uint64_t FrontierShape::budget_of(std::size_t nodes, std::size_t edges) {
  // A device exhausts its minimum budget in the time that launching a few hops takes.
  constexpr std::uint64_t least = Arch::is_device<ExecutionSpace> ? 1U << 20U : 4096;
  constexpr std::uint64_t part = Arch::is_device<ExecutionSpace> ? 64 : 16;
  return std::max<std::uint64_t>(least, (edges + 4 * nodes) / part);
}

template <class ExecutionSpace>
FrontierSizes<ExecutionSpace>::FrontierSizes(const FrontierShape& shape) : rows(shape.rows()) {
  if constexpr (Arch::is_device<ExecutionSpace>) {
    using group_type = Impl::FrontierGroup<ExecutionSpace>;
    long_rows = shape.budget / group_type::short_max + 1;
    blocks = shape.budget / group_type::long_max + 1;
    wide = shape.budget / group_type::walk_max + 1;
    keys =
        std::max<std::size_t>(rows + long_rows + blocks, group_type::team_words + frontier_top_max);
  } else {
    keys = rows;
  }
}

template <class ExecutionSpace>
void clear_frontier(const ExecutionSpace& exec_space, const FrontierState<ExecutionSpace>& state) {
  Kokkos::deep_copy(exec_space, state.value, 0.0F);
  Kokkos::deep_copy(exec_space, state.passed, 0.0F);
  Kokkos::deep_copy(exec_space, state.tier, Impl::tier_untouched);
  Kokkos::deep_copy(exec_space, state.mark, 0U);
  Kokkos::deep_copy(exec_space, state.control, FrontierControl{});
}

template <class ExecutionSpace>
void spread_frontier(const ExecutionSpace& exec_space,
                     const GraphSide<typename ExecutionSpace::memory_space>& in,
                     const GraphSide<typename ExecutionSpace::memory_space>& out,
                     const FrontierState<ExecutionSpace>& state,
                     const FrontierQueries<ExecutionSpace>& queries, std::size_t top,
                     const ArrayView<Rank, ExecutionSpace>& ranks,
                     const ArrayView<std::uint8_t, ExecutionSpace>& done) {
  const std::size_t groups = std::min(state.shape.slots, queries.count);
  const Arch::LaunchConfig config{
      .label = "Kindred::SpreadingEngine::spread::frontier",
      .groups = groups,
      .kind = groups == 1 ? Arch::GroupKind::grid : Arch::GroupKind::cluster,
      .scratch_bytes = Impl::FrontierGroup<ExecutionSpace>::scratch_bytes};
  Arch::launch(exec_space, config,
               Impl::FrontierLaunch<ExecutionSpace>{
                   in, out, state, FrontierSizes<ExecutionSpace>(state.shape), queries, groups,
                   static_cast<std::uint32_t>(top), ranks, done});
  Arch::check_cancelled(exec_space);
}

template <class ExecutionSpace>
bool spread_small_frontier(const ExecutionSpace& exec_space,
                           const GraphSide<typename ExecutionSpace::memory_space>& in,
                           const GraphSide<typename ExecutionSpace::memory_space>& out,
                           const FrontierQueries<ExecutionSpace>& queries, std::size_t top,
                           const ArrayView<Rank, ExecutionSpace>& ranks,
                           const ArrayView<std::uint8_t, ExecutionSpace>& done) {
  const auto side = [](const auto& rows) {
    const auto part = [](const auto& of) { return Impl::general_edges<ExecutionSpace>(of, {}); };
    return Impl::SmallSide{part(rows.built), part(rows.delta)};
  };
  using functor = Impl::SmallFrontierLaunch<ExecutionSpace>;
  const Arch::LaunchConfig config{.label = "Kindred::SpreadingEngine::spread::small_frontier",
                                  .groups = queries.count,
                                  .kind = Arch::GroupKind::cluster,
                                  .scratch_bytes = sizeof(typename functor::Memory)};
  if (!Arch::can_launch<functor>(exec_space, config)) return false;
  Arch::launch(exec_space, config,
               functor{side(in), side(out), in.is_changed() || out.is_changed(), queries,
                       static_cast<std::uint32_t>(top), ranks, done});
  return true;
}

#define KINDRED_INSTANTIATE(SPACE)                                                                \
  template std::uint64_t FrontierShape::budget_of<SPACE>(std::size_t, std::size_t);               \
  template FrontierSizes<SPACE>::FrontierSizes(const FrontierShape&);                             \
  template void clear_frontier<SPACE>(const SPACE&, const FrontierState<SPACE>&);                 \
  template void spread_frontier<SPACE>(                                                           \
      const SPACE&, const GraphSide<typename SPACE::memory_space>&,                               \
      const GraphSide<typename SPACE::memory_space>&, const FrontierState<SPACE>&,                \
      const FrontierQueries<SPACE>&, std::size_t, const ArrayView<Rank, SPACE>&,                  \
      const ArrayView<std::uint8_t, SPACE>&);                                                     \
  template bool spread_small_frontier<SPACE>(                                                     \
      const SPACE&, const GraphSide<typename SPACE::memory_space>&,                               \
      const GraphSide<typename SPACE::memory_space>&, const FrontierQueries<SPACE>&, std::size_t, \
      const ArrayView<Rank, SPACE>&, const ArrayView<std::uint8_t, SPACE>&);
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred

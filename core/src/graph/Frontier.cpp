// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/core/graph/Frontier.hpp>

#include <kindred/core/arch/launch/Launch.hpp>
#include <kindred/core/graph/impl/Frontier.hpp>
#include <kindred/core/graph/impl/GraphChecks.hpp>
#include <kindred/core/graph/special/SmallFrontier.hpp>

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
    hubs = shape.budget / group_type::walk_max + 1;
    keys =
        std::max<std::size_t>(rows + long_rows + blocks, group_type::merged_max + frontier_top_max);
  } else {
    keys = rows;
  }
}

namespace {

/// \p state has a row of every array per slot.
template <class ExecutionSpace>
void check_state(const Impl::ArgumentCheck& check, const FrontierState<ExecutionSpace>& state) {
  const FrontierSizes<ExecutionSpace> sizes(state.shape);
  const std::uint64_t slots = state.shape.slots;
  const std::uint64_t places = Impl::extent_of(slots, state.shape.nodes);
  check.has("state.value", state.value, places);
  check.has("state.passed", state.passed, Impl::extent_of(3, places));
  check.has("state.tier", state.tier, places);
  check.has("state.mark", state.mark, places);
  check.has("state.control", state.control, slots);
  check.has("state.rows", state.rows, Impl::extent_of(slots, sizes.rows));
  check.has("state.long_rows", state.long_rows, Impl::extent_of(slots, sizes.long_rows));
  check.has("state.blocks", state.blocks, Impl::extent_of(slots, sizes.blocks));
  check.has("state.partial", state.partial, Impl::extent_of(slots, sizes.blocks));
  check.has("state.hubs", state.hubs, Impl::extent_of(slots, sizes.hubs));
  check.has("state.keys", state.keys, Impl::extent_of(slots, sizes.keys));
}

/// What both forms read of a call.
template <class ExecutionSpace>
void check_call(const Impl::ArgumentCheck& check,
                const GraphSide<typename ExecutionSpace::memory_space>& in,
                const GraphSide<typename ExecutionSpace::memory_space>& out,
                const FrontierQueries<ExecutionSpace>& queries) {
  Impl::check_graph(check, in);
  Impl::check_graph(check, out);
  check.is_at_most("out.nodes", out.nodes, in.nodes);
  check.is_at_least("out.nodes", out.nodes, in.nodes);
  if (queries.queries.size() == 0) {
    check.is_at_most("queries.count without an array", queries.count, 1);
    check.is_at_most("queries.only.sources", queries.only.sources, queries.few_sources);
  } else {
    check.has("queries.queries", queries.queries, queries.count);
    check.has("queries.taken", queries.taken, 1);
    check.is_aligned("queries.sources", queries.sources);
    check.is_aligned("queries.decays", queries.decays);
  }
  check.has("done", queries.done, queries.count);
}

}  // namespace

template <class ExecutionSpace>
void clear_frontier(const ExecutionSpace& exec_space, const FrontierState<ExecutionSpace>& state) {
  const Impl::ArgumentCheck check("clear_frontier");
  check_state(check, state);
  Arch::start_fill(exec_space, state.value, 0.0F);
  Arch::start_fill(exec_space, state.passed, 0.0F);
  Arch::start_fill(exec_space, state.tier, Impl::tier_untouched);
  Arch::start_fill(exec_space, state.mark, 0U);
  Arch::start_fill(exec_space, state.control, FrontierControl{});
}

template <class ExecutionSpace>
void spread_frontier(const ExecutionSpace& exec_space,
                     const GraphSide<typename ExecutionSpace::memory_space>& in,
                     const GraphSide<typename ExecutionSpace::memory_space>& out,
                     const FrontierState<ExecutionSpace>& state,
                     const FrontierQueries<ExecutionSpace>& queries) {
  const Impl::ArgumentCheck check("spread_frontier");
  check_state(check, state);
  check.is_at_most("in.nodes", in.nodes, state.shape.nodes);
  check_call<ExecutionSpace>(check, in, out, queries);
  if (queries.ranks.size() == 0 && queries.count != 0 && queries.top != 0) {
    check.is_at_most("queries.count without ranks", queries.count, state.shape.slots);
  } else {
    check.has("ranks", queries.ranks, Impl::extent_of(queries.count, queries.top));
  }
  const std::size_t groups = std::min(state.shape.slots, queries.count);
  const Arch::LaunchConfig config{
      .label = "Kindred::Graph::spread::frontier",
      .groups = groups,
      .kind = groups == 1 ? Arch::GroupKind::grid : Arch::GroupKind::cluster,
      .scratch_bytes = Impl::FrontierGroup<ExecutionSpace>::scratch_bytes};
  Arch::launch(exec_space, config,
               Impl::FrontierLaunch<ExecutionSpace>{
                   in, out, state, FrontierSizes<ExecutionSpace>(state.shape), queries, groups});
  Arch::check_cancelled(exec_space);
}

template <class ExecutionSpace>
bool spread_small_frontier(const ExecutionSpace& exec_space,
                           const GraphSide<typename ExecutionSpace::memory_space>& in,
                           const GraphSide<typename ExecutionSpace::memory_space>& out,
                           const FrontierQueries<ExecutionSpace>& queries) {
  const Impl::ArgumentCheck check("spread_small_frontier");
  check.is_at_least("top", queries.top, 1);
  check.is_at_most("top", queries.top, small_frontier_top_max);
  check_call<ExecutionSpace>(check, in, out, queries);
  check.has("ranks", queries.ranks, Impl::extent_of(queries.count, queries.top));
  const auto side = [](const auto& rows) {
    const auto part = [](const auto& of) { return Impl::general_edges<ExecutionSpace>(of, {}); };
    return Impl::SmallSide{part(rows.built), part(rows.delta), rows.is_changed()};
  };
  using functor = Impl::SmallFrontierLaunch<ExecutionSpace>;
  const Arch::LaunchConfig config{.label = "Kindred::Graph::spread::small_frontier",
                                  .groups = queries.count,
                                  .kind = Arch::GroupKind::cluster,
                                  .scratch_bytes = sizeof(typename functor::Memory)};
  if (!Arch::can_launch<functor>(exec_space, config)) return false;
  Arch::launch(exec_space, config, functor{side(in), side(out), queries});
  return true;
}

#define KINDRED_INSTANTIATE(SPACE)                                                    \
  template decltype(FrontierShape::budget_of<SPACE>) FrontierShape::budget_of<SPACE>; \
  template FrontierSizes<SPACE>::FrontierSizes(const FrontierShape&);                 \
  template decltype(clear_frontier<SPACE>) clear_frontier<SPACE>;                     \
  template decltype(spread_frontier<SPACE>) spread_frontier<SPACE>;                   \
  template decltype(spread_small_frontier<SPACE>) spread_small_frontier<SPACE>;
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred

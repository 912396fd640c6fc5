// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/launch/Policies.hpp>
#include <kindred/core/graph/PageRank.hpp>
#include <kindred/core/graph/impl/GraphChecks.hpp>
#include <kindred/core/graph/impl/Hop.hpp>
#include <kindred/core/graph/impl/PageRankKernels.hpp>

#include <algorithm>

namespace Kindred {

std::size_t page_rank_sums(std::size_t nodes, HopWidth width) {
  return (nodes + reproducible_block - 1) / reproducible_block * 2 *
         static_cast<std::size_t>(width);
}

namespace {

/// \p state has what every iteration reads and writes.
template <class ExecutionSpace, class Value>
void check_state(const Impl::ArgumentCheck& check,
                 const PageRankState<ExecutionSpace, Value>& state) {
  const auto columns = static_cast<std::uint64_t>(state.width);
  check.has("state.current", state.current, Impl::extent_of(state.nodes, columns));
  check.has("state.out_weights", state.out_weights, state.nodes);
  check.has("state.inverses", state.inverses, state.nodes);
  check.has("state.restart.named", state.restart.named, Impl::bit_words(state.nodes));
  check.has("state.restart.before", state.restart.before, Impl::bit_words(state.nodes));
  check.is_multiple("the size of state.restart.shares", state.restart.shares.size(), columns);
  check.is_aligned("state.restart.shares", state.restart.shares);
  check.has("state.sums", state.sums, page_rank_sums(state.nodes, state.width));
  check.has("state.progress", state.progress, columns);
  check.has("state.last", state.last, 1);
}

}  // namespace

template <class ExecutionSpace, class Value>
void start_page_rank(const ExecutionSpace& exec_space,
                     const PageRankState<ExecutionSpace, Value>& state, std::size_t queries,
                     const PageRankParameters& parameters) {
  const Impl::ArgumentCheck check("start_page_rank");
  check_state(check, state);
  check.is_at_most("queries", queries, static_cast<std::uint64_t>(state.width));
  const auto width = static_cast<std::size_t>(state.width);
  Kokkos::parallel_for("Kindred::SpreadingEngine::page_rank::columns",
                       Arch::range<std::size_t>(exec_space, width),
                       Impl::PageRankColumns<ExecutionSpace>{state.progress, state.last, queries});
  Kokkos::parallel_for("Kindred::SpreadingEngine::page_rank::start",
                       Arch::range<std::size_t>(exec_space, state.nodes * width),
                       Impl::PageRankStart<ExecutionSpace, Value>{state});
  PageRankParameters start = parameters;
  start.iteration = 0;
  Impl::with_width(state.width, [&]<class Width>(Width) {
    Impl::launch_page_rank_sums<ExecutionSpace, Value, Width::value>(
        exec_space, state, state.current.data(), state.current.data(), start);
  });
}

template <class ExecutionSpace, class Value>
void page_rank_step(const ExecutionSpace& exec_space,
                    const GraphSide<typename ExecutionSpace::memory_space>& graph,
                    const PageRankState<ExecutionSpace, Value>& state,
                    const PageRankParameters& parameters) {
  const Impl::ArgumentCheck check("page_rank_step");
  const auto columns = static_cast<std::uint64_t>(state.width);
  Impl::check_graph(check, graph);
  check.is_at_most("graph.nodes", graph.nodes, state.nodes);
  check_state(check, state);
  check.has("state.next", state.next, Impl::extent_of(state.nodes, columns));
  check.has("state.partial", state.partial, Impl::extent_of(graph.blocks(), columns));
  Impl::with_width(state.width, [&]<class Width>(Width) {
    Impl::launch_hop<ExecutionSpace, Width::value>(
        exec_space, graph, state.current.data(),
        Impl::PageRankUpdate<ExecutionSpace, Value, Width::value>{state, parameters.damping,
                                                                  parameters.iteration});
    Impl::launch_page_rank_sums<ExecutionSpace, Value, Width::value>(
        exec_space, state, state.current.data(), state.next.data(), parameters);
  });
}

template <class ExecutionSpace, class Value>
void take_page_rank_columns(const ExecutionSpace& exec_space,
                            const ArrayView<const Value, ExecutionSpace>& from, HopWidth from_width,
                            const ArrayView<const std::uint32_t, ExecutionSpace>& columns,
                            const PageRankState<ExecutionSpace, Value>& state) {
  const Impl::ArgumentCheck check("take_page_rank_columns");
  check.has("from", from, Impl::extent_of(state.nodes, static_cast<std::uint64_t>(from_width)));
  check.is_at_most("the size of columns", columns.size(), static_cast<std::uint64_t>(state.width));
  check.is_aligned("columns", columns);
  check.has("state.current", state.current,
            Impl::extent_of(state.nodes, static_cast<std::uint64_t>(state.width)));
  Kokkos::parallel_for(
      "Kindred::SpreadingEngine::page_rank::take_columns",
      Arch::range<std::size_t>(exec_space, state.nodes * static_cast<std::size_t>(state.width)),
      Impl::PageRankKept<ExecutionSpace, Value>{from, static_cast<std::size_t>(from_width), columns,
                                                state});
}

namespace {

template <class ExecutionSpace, class Value>
Impl::PageRankKey<ExecutionSpace, Value> key_of(const PageRankState<ExecutionSpace, Value>& state) {
  return {state.current.data(), static_cast<std::size_t>(state.width), state.out_weights.data()};
}

/// \p state has the columns of these queries.
template <class ExecutionSpace, class Value>
void check_columns(const Impl::ArgumentCheck& check,
                   const PageRankState<ExecutionSpace, Value>& state, std::size_t first_query,
                   std::size_t queries) {
  check.is_at_most("first_query + queries", Impl::extent_sum(first_query, queries),
                   static_cast<std::uint64_t>(state.width));
  check.has("state.current", state.current,
            Impl::extent_of(state.nodes, static_cast<std::uint64_t>(state.width)));
  check.has("state.out_weights", state.out_weights, state.nodes);
}

}  // namespace

template <class ExecutionSpace, class Value>
void rank_nodes(const ExecutionSpace& exec_space, const PageRankState<ExecutionSpace, Value>& state,
                std::size_t first_query, std::size_t queries,
                const ArrayView<Rank, ExecutionSpace>& keys) {
  const Impl::ArgumentCheck check("rank_nodes");
  check_columns(check, state, first_query, queries);
  check.has("keys", keys, Impl::extent_of(queries, state.nodes));
  Impl::launch_node_keys(exec_space, key_of(state), state.nodes, first_query, queries, keys);
}
template <class ExecutionSpace, class Value>
void rank_groups(const ExecutionSpace& exec_space,
                 const PageRankState<ExecutionSpace, Value>& state, std::size_t first_query,
                 std::size_t queries, std::size_t groups,
                 const ArrayView<Rank, ExecutionSpace>& keys) {
  const Impl::ArgumentCheck check("rank_groups");
  check_columns(check, state, first_query, queries);
  check.is_at_least("groups", groups, 1);
  check.has("keys", keys, Impl::extent_of(queries, groups));
  Impl::launch_group_keys(exec_space, key_of(state), state.nodes, first_query, queries, groups,
                          keys);
}
template <class ExecutionSpace, class Value>
void rank_members(const ExecutionSpace& exec_space,
                  const PageRankState<ExecutionSpace, Value>& state, std::size_t first_query,
                  std::size_t groups, std::size_t top,
                  const ArrayView<const Rank, ExecutionSpace>& best,
                  const ArrayView<Rank, ExecutionSpace>& keys) {
  const Impl::ArgumentCheck check("rank_members");
  check.is_at_least("groups", groups, 1);
  if (best.size() != 0) check.is_at_least("top", top, 1);
  check.is_multiple("the size of best", best.size(), std::max<std::size_t>(top, 1));
  check_columns(check, state, first_query, best.size() / std::max<std::size_t>(top, 1));
  check.is_aligned("best", best);
  check.has("keys", keys, Impl::extent_of(best.size(), group_members(state.nodes, groups)));
  Impl::launch_member_keys(exec_space, key_of(state), state.nodes, first_query, groups, top, best,
                           keys);
}

#define KINDRED_INSTANTIATE_VALUE(SPACE, VALUE)                                                    \
  template void start_page_rank<SPACE, VALUE>(const SPACE&, const PageRankState<SPACE, VALUE>&,    \
                                              std::size_t, const PageRankParameters&);             \
  template void page_rank_step<SPACE, VALUE>(                                                      \
      const SPACE&, const GraphSide<typename SPACE::memory_space>&,                                \
      const PageRankState<SPACE, VALUE>&, const PageRankParameters&);                              \
  template void take_page_rank_columns<SPACE, VALUE>(                                              \
      const SPACE&, const ArrayView<const VALUE, SPACE>&, HopWidth,                                \
      const ArrayView<const std::uint32_t, SPACE>&, const PageRankState<SPACE, VALUE>&);           \
  template void rank_nodes<SPACE, VALUE>(const SPACE&, const PageRankState<SPACE, VALUE>&,         \
                                         std::size_t, std::size_t, const ArrayView<Rank, SPACE>&); \
  template void rank_groups<SPACE, VALUE>(const SPACE&, const PageRankState<SPACE, VALUE>&,        \
                                          std::size_t, std::size_t, std::size_t,                   \
                                          const ArrayView<Rank, SPACE>&);                          \
  template void rank_members<SPACE, VALUE>(                                                        \
      const SPACE&, const PageRankState<SPACE, VALUE>&, std::size_t, std::size_t, std::size_t,     \
      const ArrayView<const Rank, SPACE>&, const ArrayView<Rank, SPACE>&);
#define KINDRED_INSTANTIATE(SPACE)        \
  KINDRED_INSTANTIATE_VALUE(SPACE, float) \
  KINDRED_INSTANTIATE_VALUE(SPACE, double)
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE
#undef KINDRED_INSTANTIATE_VALUE

}  // namespace Kindred

// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/graph/PageRank.hpp>
#include <kindred/core/graph/impl/GraphChecks.hpp>
#include <kindred/core/graph/impl/PageRankParts.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/math/ReproducibleSum.hpp>

#include <algorithm>

namespace Kindred::Impl {

/// The first iterate, and the progress of every column; those without a query are done immediately.
template <class ExecutionSpace, class Value>
struct PageRankStart {
  PageRankState<ExecutionSpace, Value> state;
  std::size_t queries;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t place) const {
    const auto width = static_cast<std::size_t>(state.width);
    const std::size_t node = place / width;
    const std::size_t query = place % width;
    if (node < state.nodes)
      state.current(place) =
          static_cast<Value>(state.restart.share(node, query, width) * state.inverses(node));
    if (node > 0) return;
    PageRankProgress start;
    start.is_done = query < queries ? 0 : 1;
    state.progress(query) = start;
    if (query == 0) state.last(0) = 0;
  }
};

/// Values of the columns that are kept.
template <class ExecutionSpace, class Value>
struct PageRankKept {
  ArrayView<const Value, ExecutionSpace> from;
  std::size_t from_width;
  ArrayView<const std::uint32_t, ExecutionSpace> columns;
  PageRankState<ExecutionSpace, Value> state;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t place) const {
    const auto width = static_cast<std::size_t>(state.width);
    const std::size_t column = place % width;
    state.current(place) =
        column < columns.extent(0) ? from(place / width * from_width + columns(column)) : Value(0);
  }
};

}  // namespace Kindred::Impl

namespace Kindred {

std::size_t page_rank_sums(std::size_t nodes, HopWidth width) {
  return reproducible_blocks(nodes) * 2 * static_cast<std::size_t>(width);
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
  // A graph without nodes has progress, too.
  const std::size_t rows = std::max<std::size_t>(state.nodes, 1);
  Launch::for_each_index(exec_space, "Kindred::Graph::page_rank::start",
                         rows * static_cast<std::size_t>(state.width),
                         Impl::PageRankStart<ExecutionSpace, Value>{state, queries});
  PageRankParameters start = parameters;
  start.iteration = 0;
  Impl::sum_page_rank(exec_space, state, state.current.data(), start);
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
  Impl::hop_page_rank(exec_space, graph, state, parameters);
  Impl::sum_page_rank(exec_space, state, state.next.data(), parameters);
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
  Launch::for_each_index(exec_space, "Kindred::Graph::page_rank::take_columns",
                         state.nodes * static_cast<std::size_t>(state.width),
                         Impl::PageRankKept<ExecutionSpace, Value>{
                             from, static_cast<std::size_t>(from_width), columns, state});
}

KINDRED_INSTANTIATE_FOR_SPACES(start_page_rank, float);
KINDRED_INSTANTIATE_FOR_SPACES(page_rank_step, float);
KINDRED_INSTANTIATE_FOR_SPACES(take_page_rank_columns, float);
KINDRED_INSTANTIATE_FOR_SPACES(start_page_rank, double);
KINDRED_INSTANTIATE_FOR_SPACES(page_rank_step, double);
KINDRED_INSTANTIATE_FOR_SPACES(take_page_rank_columns, double);

}  // namespace Kindred

// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/ArgumentCheck.hpp>
#include <kindred/core/graph/Hop.hpp>
#include <kindred/core/graph/PageRank.hpp>
#include <kindred/core/select/impl/TopKOf.hpp>

#include <cstddef>
#include <utility>

namespace Kindred {

namespace {

/// \brief The ranks of the nodes of a state for its queries from `first_query` on, as a source of
/// keys; a node of value 0 has none. Values are `width` per node.
/// \tparam IsWeighted values are multiplied by weights, as those of PageRank
template <class Value, bool IsWeighted>
struct RankedNodes {
  static constexpr bool is_computed = true;

  std::size_t nodes;
  std::size_t width;
  std::size_t first_query;
  const Value* values;
  const double* weights;  ///< not positive: the node's is 1

  struct Row {
    const RankedNodes& nodes;
    std::size_t query;

    KOKKOS_INLINE_FUNCTION Rank operator[](std::size_t node) const {
      const Value own = nodes.values[node * nodes.width + query];
      auto value = static_cast<float>(own);
      if constexpr (IsWeighted) {
        const double weight = nodes.weights[node] > 0.0 ? nodes.weights[node] : 1.0;
        value = static_cast<float>(static_cast<double>(own) * weight);
      }
      return value != 0.0F ? rank_descending(value, static_cast<std::uint32_t>(node)) : rank_none;
    }
  };
  KOKKOS_INLINE_FUNCTION std::uint64_t length(std::uint64_t) const { return nodes; }
  KOKKOS_INLINE_FUNCTION Row row(std::uint64_t query) const { return {*this, first_query + query}; }
  KOKKOS_INLINE_FUNCTION Rank operator()(std::uint64_t query, std::uint64_t node) const {
    return node < nodes ? row(query)[node] : rank_none;
  }
};

template <class ExecutionSpace>
RankedNodes<float, false> ranked_nodes(const Impl::ArgumentCheck& check,
                                       const SpreadState<ExecutionSpace>& state,
                                       std::size_t first_query, const TopKShape& shape) {
  const auto width = static_cast<std::size_t>(state.width);
  check.has("state.value", state.value, Impl::extent_of(shape.longest, width));
  return {shape.longest, width, first_query, state.value.data(), nullptr};
}
template <class ExecutionSpace, class Value>
RankedNodes<Value, true> ranked_nodes(const Impl::ArgumentCheck& check,
                                      const PageRankState<ExecutionSpace, Value>& state,
                                      std::size_t first_query, const TopKShape& shape) {
  const auto width = static_cast<std::size_t>(state.width);
  check.has("state.current", state.current, Impl::extent_of(shape.longest, width));
  check.has("state.out_weights", state.out_weights, shape.longest);
  return {shape.longest, width, first_query, state.current.data(), state.out_weights.data()};
}

template <class State>
using RankedNodesOf =
    decltype(ranked_nodes(std::declval<Impl::ArgumentCheck>(), std::declval<State>(), 0, {}));

}  // namespace

template <class ExecutionSpace, class State>
std::size_t rank_nodes_workspace(const TopKShape& shape) {
  return Impl::top_k_of_workspace<ExecutionSpace, Rank, RankedNodesOf<State>>(shape);
}

template <class ExecutionSpace, class State>
void rank_nodes(const ExecutionSpace& exec_space, const State& state, std::size_t first_query,
                const TopKShape& shape, const ArrayView<Rank, ExecutionSpace>& best,
                const ArrayView<Rank, ExecutionSpace>& workspace) {
  const Impl::ArgumentCheck check("rank_nodes");
  check.is_at_most("first_query + shape.rows", Impl::extent_sum(first_query, shape.rows),
                   static_cast<std::size_t>(state.width));
  const auto ranked = ranked_nodes(check, state, first_query, shape);
  check.has("best", best, Impl::extent_of(shape.rows, shape.k));
  check.has("workspace", workspace, rank_nodes_workspace<ExecutionSpace, State>(shape));
  Impl::top_k_of(exec_space, ranked, shape, best.data(), workspace.data());
}

#define KINDRED_INSTANTIATE_STATE(SPACE, ...)                 \
  template decltype(rank_nodes_workspace<SPACE, __VA_ARGS__>) \
      rank_nodes_workspace<SPACE, __VA_ARGS__>;               \
  template decltype(rank_nodes<SPACE, __VA_ARGS__>) rank_nodes<SPACE, __VA_ARGS__>;
#define KINDRED_INSTANTIATE(SPACE)                              \
  KINDRED_INSTANTIATE_STATE(SPACE, SpreadState<SPACE>)          \
  KINDRED_INSTANTIATE_STATE(SPACE, PageRankState<SPACE, float>) \
  KINDRED_INSTANTIATE_STATE(SPACE, PageRankState<SPACE, double>)
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE
#undef KINDRED_INSTANTIATE_STATE

}  // namespace Kindred

// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/common/ArgumentCheck.hpp>
#include <kindred/core/graph/Hop.hpp>
#include <kindred/core/graph/PageRank.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>

#include <algorithm>
#include <cstddef>

namespace Kindred {

namespace {

/// The nodes of a state and their values, `width` per node.
/// \tparam IsWeighted values are multiplied by weights, as those of PageRank
template <class Value, bool IsWeighted>
struct RankedNodes {
  std::size_t nodes;
  std::size_t width;
  const Value* values;
  const double* weights;  ///< not positive: the node's is 1

  /// The rank of a node for a query; a node of value 0 has none.
  KOKKOS_INLINE_FUNCTION Rank key(std::size_t node, std::size_t query) const {
    auto value = static_cast<float>(values[node * width + query]);
    if constexpr (IsWeighted) {
      const double weight = weights[node] > 0.0 ? weights[node] : 1.0;
      value = static_cast<float>(static_cast<double>(values[node * width + query]) * weight);
    }
    return value != 0.0F ? rank_descending(value, static_cast<std::uint32_t>(node)) : rank_none;
  }
};

/// The nodes of a state that has the queries `first_query … first_query + queries`.
template <class ExecutionSpace>
RankedNodes<float, false> ranked_nodes(const Impl::ArgumentCheck& check,
                                       const SpreadState<ExecutionSpace>& state,
                                       std::size_t first_query, std::size_t queries) {
  const auto width = static_cast<std::size_t>(state.width);
  check.is_at_most("first_query + queries", Impl::extent_sum(first_query, queries), width);
  check.is_aligned("state.value", state.value);
  return {state.value.extent(0) / width, width, state.value.data(), nullptr};
}
template <class ExecutionSpace, class Value>
RankedNodes<Value, true> ranked_nodes(const Impl::ArgumentCheck& check,
                                      const PageRankState<ExecutionSpace, Value>& state,
                                      std::size_t first_query, std::size_t queries) {
  const auto width = static_cast<std::size_t>(state.width);
  check.is_at_most("first_query + queries", Impl::extent_sum(first_query, queries), width);
  check.has("state.current", state.current, Impl::extent_of(state.nodes, width));
  check.has("state.out_weights", state.out_weights, state.nodes);
  return {state.nodes, width, state.current.data(), state.out_weights.data()};
}

/// The keys of every node; a node's values of successive queries are adjacent.
template <class Ranked>
struct NodeKeys {
  Ranked ranked;
  std::size_t first_query;
  std::size_t queries;
  Rank* keys;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t node) const {
    for (std::size_t query = 0; query < queries; ++query)
      keys[query * ranked.nodes + node] = ranked.key(node, first_query + query);
  }
};

/// The best key of every group of nodes; adjacent threads read adjacent values.
template <class Ranked>
struct GroupKeys {
  Ranked ranked;
  std::size_t first_query;
  std::size_t queries;
  std::size_t groups;
  Rank* keys;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t index) const {
    const std::size_t group = index / queries;
    const std::size_t query = index % queries;
    Rank best = rank_none;
    KINDRED_UNROLL_4
    for (std::size_t node = group; node < ranked.nodes; node += groups) {
      const Rank own = ranked.key(node, first_query + query);
      best = own < best ? own : best;
    }
    keys[query * groups + group] = best;
  }
};

/// The keys of the nodes of the best groups.
template <class Ranked>
struct MemberKeys {
  Ranked ranked;
  std::size_t first_query;
  std::size_t groups;
  std::size_t top;
  std::size_t members;
  const Rank* best;
  Rank* keys;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t index) const {
    const Rank group = best[index / members];
    Rank own = rank_none;
    if (group != rank_none) {
      const std::size_t node = rank_index(group) % groups + index % members * groups;
      if (node < ranked.nodes) own = ranked.key(node, first_query + index / (top * members));
    }
    keys[index] = own;
  }
};

}  // namespace

template <class ExecutionSpace, class State>
void rank_nodes(const ExecutionSpace& exec_space, const State& state, std::size_t first_query,
                std::size_t queries, const ArrayView<Rank, ExecutionSpace>& keys) {
  const Impl::ArgumentCheck check("rank_nodes");
  auto ranked = ranked_nodes(check, state, first_query, queries);
  check.has("keys", keys, Impl::extent_of(queries, ranked.nodes));
  Launch::for_each_index(exec_space, "Kindred::Graph::rank::nodes", ranked.nodes,
                         NodeKeys<decltype(ranked)>{ranked, first_query, queries, keys.data()});
}

template <class ExecutionSpace, class State>
void rank_groups(const ExecutionSpace& exec_space, const State& state, std::size_t first_query,
                 std::size_t queries, std::size_t groups,
                 const ArrayView<Rank, ExecutionSpace>& keys) {
  const Impl::ArgumentCheck check("rank_groups");
  auto ranked = ranked_nodes(check, state, first_query, queries);
  check.is_at_least("groups", groups, 1);
  check.has("keys", keys, Impl::extent_of(queries, groups));
  Launch::for_each_index(
      exec_space, "Kindred::Graph::rank::groups", groups * queries,
      GroupKeys<decltype(ranked)>{ranked, first_query, queries, groups, keys.data()});
}

template <class ExecutionSpace, class State>
void rank_members(const ExecutionSpace& exec_space, const State& state, std::size_t first_query,
                  std::size_t groups, std::size_t top,
                  const ArrayView<const Rank, ExecutionSpace>& best,
                  const ArrayView<Rank, ExecutionSpace>& keys) {
  const Impl::ArgumentCheck check("rank_members");
  check.is_at_least("groups", groups, 1);
  if (best.size() != 0) check.is_at_least("top", top, 1);
  const std::size_t top_or_1 = std::max<std::size_t>(top, 1);
  check.is_multiple("the size of best", best.size(), top_or_1);
  auto ranked = ranked_nodes(check, state, first_query, best.size() / top_or_1);
  check.is_aligned("best", best);
  const std::size_t members = group_members(ranked.nodes, groups);
  check.has("keys", keys, Impl::extent_of(best.size(), members));
  Launch::for_each_index(exec_space, "Kindred::Graph::rank::members", best.extent(0) * members,
                         MemberKeys<decltype(ranked)>{ranked, first_query, groups, top, members,
                                                      best.data(), keys.data()});
}

#define KINDRED_INSTANTIATE_STATE(SPACE, ...)                                         \
  template decltype(rank_nodes<SPACE, __VA_ARGS__>) rank_nodes<SPACE, __VA_ARGS__>;   \
  template decltype(rank_groups<SPACE, __VA_ARGS__>) rank_groups<SPACE, __VA_ARGS__>; \
  template decltype(rank_members<SPACE, __VA_ARGS__>) rank_members<SPACE, __VA_ARGS__>;
#define KINDRED_INSTANTIATE(SPACE)                              \
  KINDRED_INSTANTIATE_STATE(SPACE, SpreadState<SPACE>)          \
  KINDRED_INSTANTIATE_STATE(SPACE, PageRankState<SPACE, float>) \
  KINDRED_INSTANTIATE_STATE(SPACE, PageRankState<SPACE, double>)
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE
#undef KINDRED_INSTANTIATE_STATE

}  // namespace Kindred

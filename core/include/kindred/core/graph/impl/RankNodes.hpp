// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_RANK_NODES_HPP
#define KINDRED_CORE_GRAPH_IMPL_RANK_NODES_HPP

#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/common/ArgumentCheck.hpp>
#include <kindred/core/graph/Hop.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>

#include <algorithm>
#include <cstddef>

namespace Kindred {

namespace Impl {

/// \brief The nodes of a state: `key(node, query)` is the rank of a node for a query.
///
/// Each state has a function `ranked_nodes(check, state, first_query, queries)`, which checks that
/// the state has these queries and returns its nodes.
template <class Key>
struct RankedNodes {
  Key key;
  std::size_t nodes;
};

/// The keys of every node; a node's values of successive queries are adjacent.
template <class ExecutionSpace, class Ranked>
struct NodeKeys {
  Ranked ranked;
  std::size_t first_query;
  std::size_t queries;
  ArrayView<Rank, ExecutionSpace> keys;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t node) const {
    for (std::size_t query = 0; query < queries; ++query)
      keys(query * ranked.nodes + node) = ranked.key(node, first_query + query);
  }
};

/// The best key of every group of nodes; adjacent threads read adjacent values.
template <class ExecutionSpace, class Ranked>
struct GroupKeys {
  Ranked ranked;
  std::size_t first_query;
  std::size_t queries;
  std::size_t groups;
  ArrayView<Rank, ExecutionSpace> keys;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t index) const {
    const std::size_t group = index / queries;
    const std::size_t query = index % queries;
    Rank best = rank_none;
    KINDRED_UNROLL_4
    for (std::size_t node = group; node < ranked.nodes; node += groups) {
      const Rank own = ranked.key(node, first_query + query);
      best = own < best ? own : best;
    }
    keys(query * groups + group) = best;
  }
};

/// The keys of the nodes of the best groups.
template <class ExecutionSpace, class Ranked>
struct MemberKeys {
  Ranked ranked;
  std::size_t first_query;
  std::size_t groups;
  std::size_t top;
  std::size_t members;
  ArrayView<const Rank, ExecutionSpace> best;
  ArrayView<Rank, ExecutionSpace> keys;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t index) const {
    const Rank group = best(index / members);
    Rank own = rank_none;
    if (group != rank_none) {
      const std::size_t node = rank_index(group) % groups + index % members * groups;
      if (node < ranked.nodes) own = ranked.key(node, first_query + index / (top * members));
    }
    keys(index) = own;
  }
};

}  // namespace Impl

template <class ExecutionSpace, class State>
void rank_nodes(const ExecutionSpace& exec_space, const State& state, std::size_t first_query,
                std::size_t queries, const ArrayView<Rank, ExecutionSpace>& keys) {
  const Impl::ArgumentCheck check("rank_nodes");
  auto ranked = ranked_nodes(check, state, first_query, queries);
  check.has("keys", keys, Impl::extent_of(queries, ranked.nodes));
  Launch::for_each_index(
      exec_space, "Kindred::Graph::rank::nodes", ranked.nodes,
      Impl::NodeKeys<ExecutionSpace, decltype(ranked)>{ranked, first_query, queries, keys});
}

template <class ExecutionSpace, class State>
void rank_groups(const ExecutionSpace& exec_space, const State& state, std::size_t first_query,
                 std::size_t queries, std::size_t groups,
                 const ArrayView<Rank, ExecutionSpace>& keys) {
  const Impl::ArgumentCheck check("rank_groups");
  auto ranked = ranked_nodes(check, state, first_query, queries);
  check.is_at_least("groups", groups, 1);
  check.has("keys", keys, Impl::extent_of(queries, groups));
  Launch::for_each_index(exec_space, "Kindred::Graph::rank::groups", groups * queries,
                         Impl::GroupKeys<ExecutionSpace, decltype(ranked)>{ranked, first_query,
                                                                           queries, groups, keys});
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
                         Impl::MemberKeys<ExecutionSpace, decltype(ranked)>{
                             ranked, first_query, groups, top, members, best, keys});
}

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_IMPL_RANK_NODES_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_NODE_KEYS_HPP
#define KINDRED_CORE_GRAPH_IMPL_NODE_KEYS_HPP

#include <kindred/core/arch/launch/Policies.hpp>
#include <kindred/core/arch/simd/Lanes.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/common/Rank.hpp>
#include <kindred/core/graph/Hop.hpp>

#include <cstddef>

namespace Kindred::Impl {

/// The keys of every node; a node's values of successive queries are adjacent.
template <class ExecutionSpace, class Key>
struct NodeKeys {
  Key key;
  std::size_t first_query;
  std::size_t queries;
  std::size_t nodes;
  ArrayView<Rank, ExecutionSpace> keys;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t node) const {
    for (std::size_t query = 0; query < queries; ++query)
      keys(query * nodes + node) = key(node, first_query + query);
  }
};

/// The best key of every group of nodes; adjacent threads read adjacent values.
template <class ExecutionSpace, class Key>
struct GroupKeys {
  Key key;
  std::size_t first_query;
  std::size_t queries;
  std::size_t nodes;
  std::size_t groups;
  ArrayView<Rank, ExecutionSpace> keys;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t index) const {
    const std::size_t group = index / queries;
    const std::size_t query = index % queries;
    Rank best = rank_none;
    KINDRED_UNROLL_4
    for (std::size_t node = group; node < nodes; node += groups) {
      const Rank own = key(node, first_query + query);
      best = own < best ? own : best;
    }
    keys(query * groups + group) = best;
  }
};

/// The keys of the nodes of the best groups.
template <class ExecutionSpace, class Key>
struct MemberKeys {
  Key key;
  std::size_t first_query;
  std::size_t nodes;
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
      if (node < nodes) own = key(node, first_query + index / (top * members));
    }
    keys(index) = own;
  }
};

template <class ExecutionSpace, class Key>
void launch_node_keys(const ExecutionSpace& exec_space, const Key& key, std::size_t nodes,
                      std::size_t first_query, std::size_t queries,
                      const ArrayView<Rank, ExecutionSpace>& keys) {
  Kokkos::parallel_for("Kindred::SpreadingEngine::rank::nodes",
                       Arch::range<std::size_t>(exec_space, nodes),
                       NodeKeys<ExecutionSpace, Key>{key, first_query, queries, nodes, keys});
}
template <class ExecutionSpace, class Key>
void launch_group_keys(const ExecutionSpace& exec_space, const Key& key, std::size_t nodes,
                       std::size_t first_query, std::size_t queries, std::size_t groups,
                       const ArrayView<Rank, ExecutionSpace>& keys) {
  Kokkos::parallel_for(
      "Kindred::SpreadingEngine::rank::groups",
      Arch::range<std::size_t>(exec_space, groups * queries),
      GroupKeys<ExecutionSpace, Key>{key, first_query, queries, nodes, groups, keys});
}
template <class ExecutionSpace, class Key>
void launch_member_keys(const ExecutionSpace& exec_space, const Key& key, std::size_t nodes,
                        std::size_t first_query, std::size_t groups, std::size_t top,
                        const ArrayView<const Rank, ExecutionSpace>& best,
                        const ArrayView<Rank, ExecutionSpace>& keys) {
  const std::size_t members = group_members(nodes, groups);
  Kokkos::parallel_for(
      "Kindred::SpreadingEngine::rank::members",
      Arch::range<std::size_t>(exec_space, best.extent(0) * members),
      MemberKeys<ExecutionSpace, Key>{key, first_query, nodes, groups, top, members, best, keys});
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_IMPL_NODE_KEYS_HPP

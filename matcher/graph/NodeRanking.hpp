// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_NODE_RANKING_HPP
#define KINDRED_MATCHER_GRAPH_NODE_RANKING_HPP

#include <kindred/core/graph/PageRank.hpp>
#include <kindred/core/select/TopK.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>

#include <algorithm>
#include <cstddef>

namespace Kindred::Impl {

/// Ranks the best nodes of queries in a workspace that is kept between calls.
template <class ExecutionSpace>
class NodeRanking {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  /// Constructs empty buffers in \p memory.
  void bind(MemoryResource& memory) {
    m_keys = {memory, "Kindred::SpreadingEngine::keys", 0};
    m_members = {memory, "Kindred::SpreadingEngine::member_keys", 0};
    m_top = {memory, "Kindred::SpreadingEngine::top", 0};
    m_select = {memory, "Kindred::SpreadingEngine::select", 0};
  }

  /// \brief Writes the best \p top ranks of queries `first_query … first_query + queries` of \p
  /// state to \p ranks. Fences \p exec_space.
  /// \param nodes at least 1 \param least minimum number of queries that are ranked at a time,
  /// however many keys they have
  template <class State>
  void rank(const ExecutionSpace& exec_space, const State& state, std::size_t nodes,
            std::size_t first_query, std::size_t queries, std::size_t least, std::size_t top,
            Rank* ranks) {
    select_best(exec_space, state, nodes, first_query, queries, least, top,
                [&](std::size_t first, std::size_t count) {
                  download(exec_space, ranks + first * top, m_top.view(), count * top);
                });
  }
  /// \brief Selects the same ranks, in the memory of the space, for some queries at a time, and
  /// calls `take(first, count)` after each part: `best()` has `count × top` ranks of the queries
  /// `first_query + first …`. Does not fence.
  template <class State, class Take>
  void select_best(const ExecutionSpace& exec_space, const State& state, std::size_t nodes,
                   std::size_t first_query, std::size_t queries, std::size_t least, std::size_t top,
                   const Take& take) {
    if (Arch::is_device<ExecutionSpace> && nodes >= 4 * members_max * top) {
      rank_by_groups(exec_space, state, nodes, first_query, queries, top);
      return take(std::size_t{0}, queries);
    }
    constexpr std::size_t keys_max = std::size_t{1} << 24;
    const std::size_t step =
        std::clamp<std::size_t>(keys_max / nodes, std::min(least, queries), queries);
    for (std::size_t first = 0; first < queries; first += step) {
      const TopKShape shape{std::min(step, queries - first), nodes, top};
      m_keys.resize_discarding(shape.rows * nodes);
      rank_nodes(exec_space, state, first_query + first, shape.rows, m_keys.view());
      select(exec_space, m_keys.const_view(), shape);
      take(first, shape.rows);
    }
  }
  ArrayView<const Rank, ExecutionSpace> best() const { return m_top.const_view(); }

 private:
  static constexpr std::size_t members_max = 64;  // of a group

  /// The same for graphs whose nodes would need too many keys.
  template <class State>
  void rank_by_groups(const ExecutionSpace& exec_space, const State& state, std::size_t nodes,
                      std::size_t first_query, std::size_t queries, std::size_t top) {
    const std::size_t groups = (nodes + members_max - 1) / members_max;
    m_keys.resize_discarding(queries * groups);
    rank_groups(exec_space, state, first_query, queries, groups, m_keys.view());
    select(exec_space, m_keys.const_view(), {queries, groups, top});
    const TopKShape shape{queries, top * group_members(nodes, groups), top};
    m_members.resize_discarding(shape.rows * shape.longest);
    rank_members(exec_space, state, first_query, groups, top, m_top.const_view(), m_members.view());
    select(exec_space, m_members.const_view(), shape);
  }
  /// Writes the best of \p keys to `m_top`.
  void select(const ExecutionSpace& exec_space, const ArrayView<const Rank, ExecutionSpace>& keys,
              const TopKShape& shape) {
    m_top.resize_discarding(shape.rows * shape.k);
    m_select.resize_discarding(top_k_workspace<ExecutionSpace, Rank>(shape));
    top_k<ExecutionSpace, Rank>(exec_space, keys, shape, m_top.view(), m_select.view());
  }

  Buffer<Rank, memory_space> m_keys;
  Buffer<Rank, memory_space> m_members;  // keys of the best groups' nodes
  Buffer<Rank, memory_space> m_top;
  Buffer<Rank, memory_space> m_select;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_NODE_RANKING_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_NODE_RANKING_HPP
#define KINDRED_MATCHER_GRAPH_NODE_RANKING_HPP

#include <kindred/core/graph/PageRank.hpp>
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

  explicit NodeRanking(MemoryResource& memory)
      : m_keys(memory, "Kindred::SpreadingEngine::keys", 0),
        m_top(memory, "Kindred::SpreadingEngine::top", 0) {}

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
    // A device keeps the best key of every group of nodes, the host one per node.
    constexpr std::size_t keys_max = std::size_t{1} << (Arch::is_device<ExecutionSpace> ? 26 : 24);
    const auto keys_of = [&](std::size_t rows) {
      return rank_nodes_workspace<ExecutionSpace, State>({rows, nodes, top});
    };
    const std::size_t step = std::clamp<std::size_t>(
        keys_max / std::max<std::size_t>(keys_of(1), 1), std::min(least, queries), queries);
    for (std::size_t first = 0; first < queries; first += step) {
      const std::size_t rows = std::min(step, queries - first);
      m_top.resize_discarding(rows * top);
      m_keys.resize_discarding(keys_of(rows));
      rank_nodes(exec_space, state, first_query + first, {rows, nodes, top}, m_top.view(),
                 m_keys.view());
      take(first, rows);
    }
  }
  ArrayView<const Rank, ExecutionSpace> best() const { return m_top.const_view(); }

 private:
  Buffer<Rank, memory_space> m_keys;
  Buffer<Rank, memory_space> m_top;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_NODE_RANKING_HPP

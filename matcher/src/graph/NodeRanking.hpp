// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_GRAPH_NODE_RANKING_HPP
#define KINDRED_MATCHER_SRC_GRAPH_NODE_RANKING_HPP

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/select/TopK.hpp>
#include <kindred/memory/Buffer.hpp>

#include <algorithm>
#include <cstddef>

namespace Kindred::Impl {

/// The best nodes of some queries, and what they are ranked in, kept between calls.
template <class ExecutionSpace>
class NodeRanking {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  /// Empty buffers of \p memory.
  void bind(MemoryResource& memory) {
    m_keys = {memory, "Kindred::SpreadingEngine::keys", 0};
    m_top = {memory, "Kindred::SpreadingEngine::top", 0};
    m_select = {memory, "Kindred::SpreadingEngine::select", 0};
  }

  /// \brief Writes the best \p top ranks of every query to \p ranks. Fences \p exec_space.
  /// \param nodes at least 1 \param least queries at a time, even where their keys are many
  /// \param make_keys `(first, count, keys)` fills the keys of queries, `nodes` a query
  template <class MakeKeys>
  void rank(const ExecutionSpace& exec_space, std::size_t nodes, std::size_t queries,
            std::size_t least, std::size_t top, Rank* ranks, const MakeKeys& make_keys) {
    constexpr std::size_t keys_max = std::size_t{1} << 24;
    const std::size_t step =
        std::clamp<std::size_t>(keys_max / nodes, std::min(least, queries), queries);
    for (std::size_t first = 0; first < queries; first += step) {
      const TopKShape shape{std::min(step, queries - first), nodes, top};
      m_keys.resize_discarding(shape.rows * nodes);
      m_top.resize_discarding(shape.rows * top);
      m_select.resize_discarding(top_k_workspace<ExecutionSpace, Rank>(shape));
      make_keys(first, shape.rows, m_keys.view());
      top_k<ExecutionSpace, Rank>(exec_space, m_keys.const_view(), shape, m_top.view(),
                                  m_select.view());
      download(exec_space, ranks + first * top, m_top.view(), shape.rows * top);
    }
  }

 private:
  Buffer<Rank, memory_space> m_keys;
  Buffer<Rank, memory_space> m_top;
  Buffer<Rank, memory_space> m_select;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_GRAPH_NODE_RANKING_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_HOP_WORKSPACE_HPP
#define KINDRED_MATCHER_GRAPH_HOP_WORKSPACE_HPP

#include <kindred/core/graph/Hop.hpp>
#include <kindred/memory/Buffer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// The workspace of hops with any number of columns on one space.
template <class ExecutionSpace>
class HopWorkspace {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using words_type = ArrayView<const std::uint32_t, ExecutionSpace>;

  explicit HopWorkspace(MemoryResource& memory) : m_memory(memory) {}

  /// Whether a hop of \p columns from \p x over \p graph allocates nothing.
  bool fits(const GraphSide<memory_space>& graph, const float* x, std::size_t columns) const {
    const auto wide = static_cast<std::size_t>(width_of(columns));
    const std::size_t panel = reads_in_place(x, columns) ? 0 : graph.nodes * wide;
    return m_partial.bytes() >= graph.blocks() * wide * sizeof(double) &&
           std::min(m_panel_x.bytes(), m_panel_y.bytes()) >= panel * sizeof(float);
  }

  /// \brief `y = W x` for the rows of \p graph. Does not fence.
  /// \param x,y `graph.nodes × columns` values, aligned to their elements \param words see
  /// `SpreadState::kind_queries` \throws OutOfMemory
  void hop(const ExecutionSpace& exec_space, const GraphSide<memory_space>& graph,
           const ArrayView<const float, ExecutionSpace>& x,
           const ArrayView<float, ExecutionSpace>& y, std::size_t columns,
           const words_type& words = words_type()) {
    for (std::size_t first = 0; first < columns;) {
      const HopWidth width = width_of(columns - first);
      const auto wide = static_cast<std::size_t>(width);
      const std::size_t count = std::min(wide, columns - first);
      grow(m_partial, "Kindred::SpreadingEngine::hop_partial", graph.blocks() * wide);
      if (reads_in_place(x.data(), columns)) {
        Kindred::hop(exec_space, graph, width, x, y, m_partial.view(), words);
      } else {
        grow(m_panel_x, "Kindred::SpreadingEngine::panel_x", graph.nodes * wide);
        grow(m_panel_y, "Kindred::SpreadingEngine::panel_y", graph.nodes * wide);
        copy_columns<ExecutionSpace>(exec_space, {x, columns, first}, {m_panel_x.view(), wide},
                                     count, wide - count);
        Kindred::hop(exec_space, graph, width, m_panel_x.const_view(), m_panel_y.view(),
                     m_partial.view(), words);
        copy_columns<ExecutionSpace>(exec_space, {m_panel_y.const_view(), wide},
                                     {y, columns, first}, count);
      }
      first += count;
    }
  }

  std::uint64_t bytes() const { return m_partial.bytes() + m_panel_x.bytes() + m_panel_y.bytes(); }
  /// Releases its memory. No kernel may still use it.
  void release() {
    m_partial = {};
    m_panel_x = {};
    m_panel_y = {};
  }

 private:
  /// Whether the kernels read x and write y where they are; if not, panels of columns are copied.
  static bool reads_in_place(const float* x, std::size_t columns) {
    return columns == static_cast<std::size_t>(width_of(columns)) &&
           begin_at(hop_alignment<ExecutionSpace>, x);
  }
  template <class T>
  void grow(Buffer<T, memory_space>& buffer, const char* label, std::size_t size) {
    if (size * sizeof(T) > buffer.bytes())
      buffer = Buffer<T, memory_space>(m_memory, label, size);
    else
      buffer.resize_discarding(size);
  }

  MemoryResource& m_memory;
  Buffer<double, memory_space> m_partial;
  Buffer<float, memory_space> m_panel_x;  // columns, interleaved
  Buffer<float, memory_space> m_panel_y;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_HOP_WORKSPACE_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_FRONTIER_WORKSPACE_HPP
#define KINDRED_MATCHER_SRC_FRONTIER_WORKSPACE_HPP

#include <kindred/core/graph/Frontier.hpp>
#include <kindred/memory/Buffer.hpp>

namespace Kindred::Impl {

/// What `spread_frontier` works in, kept between calls.
class FrontierWorkspace {
 public:
  explicit FrontierWorkspace(MemoryResource& memory) : m_memory(memory) {}

  /// The state for \p shape. \throws OutOfMemory; then it holds nothing
  const FrontierState& state(const HostSpace& exec_space, const FrontierShape& shape) {
    if (shape.slots <= m_state.shape.slots) return m_state;
    m_state = {};
    try {
      const std::size_t places = shape.slots * shape.nodes;
      m_state.value = make(m_value, "Kindred::SpreadingEngine::frontier_value", places);
      m_state.passed = make(m_passed, "Kindred::SpreadingEngine::frontier_passed", places);
      m_state.next = make(m_next, "Kindred::SpreadingEngine::frontier_next", places);
      m_state.tier = make(m_tier, "Kindred::SpreadingEngine::frontier_tier", places);
      m_state.mark = make(m_mark, "Kindred::SpreadingEngine::frontier_mark", places);
      m_state.stamp = make(m_stamp, "Kindred::SpreadingEngine::frontier_stamp", shape.slots);
      m_state.last = make(m_last, "Kindred::SpreadingEngine::frontier_last", shape.slots);
      const std::size_t nodes = shape.slots * shape.list();
      m_state.lists = make(m_lists, "Kindred::SpreadingEngine::frontier_lists", 3 * nodes);
      m_state.keys = make(m_keys, "Kindred::SpreadingEngine::frontier_keys", nodes);
    } catch (const OutOfMemory&) {
      release();
      throw;
    }
    m_state.shape = shape;
    clear_frontier(exec_space, m_state);
    return m_state;
  }

  bool is_empty() const { return m_state.shape.slots == 0; }
  /// Gives its memory back, for whole hops to use.
  void release() {
    m_state = {};
    m_value = {};
    m_passed = {};
    m_next = {};
    m_tier = {};
    m_mark = {};
    m_stamp = {};
    m_last = {};
    m_lists = {};
    m_keys = {};
  }

 private:
  template <class T>
  using buffer = Buffer<T, Kokkos::HostSpace>;

  template <class T>
  ArrayView<T, HostSpace> make(buffer<T>& to, const char* label, std::size_t size) {
    to = {};
    to = buffer<T>(m_memory, label, size);
    return to.view();
  }

  MemoryResource& m_memory;
  FrontierState m_state;
  buffer<float> m_value;
  buffer<float> m_passed;
  buffer<float> m_next;
  buffer<std::uint8_t> m_tier;
  buffer<std::uint32_t> m_mark;
  buffer<std::uint32_t> m_stamp;
  buffer<std::uint32_t> m_last;
  buffer<std::uint32_t> m_lists;
  buffer<Rank> m_keys;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_FRONTIER_WORKSPACE_HPP

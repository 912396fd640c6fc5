// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_HELD_MEMORY_HPP
#define KINDRED_MATCHER_GRAPH_HELD_MEMORY_HPP

#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace Kindred::Impl {

/// Arrays in one memory space that are released together.
template <class MemorySpace>
class HeldMemory {
 public:
  explicit HeldMemory(MemoryResource& memory) : m_memory(memory) {}

  std::uint64_t bytes() const { return m_bytes; }
  /// No kernel may still use the arrays.
  void release() {
    m_held.clear();
    m_bytes = 0;
  }
  /// \throws OutOfMemory
  template <class T>
  auto make(const char* label, std::size_t size) {
    const auto made = std::make_shared<Buffer<T, MemorySpace>>(m_memory, label, size);
    m_held.push_back(made);
    m_bytes += made->bytes();
    return made->view();
  }
  /// A copy of \p values. Fences \p exec_space. \throws OutOfMemory
  template <class ExecutionSpace, class T>
  auto copy(const ExecutionSpace& exec_space, const char* label, const std::vector<T>& values) {
    const auto view = make<T>(label, values.size());
    upload(exec_space, view, values.data(), values.size());
    return view;
  }

 private:
  MemoryResource& m_memory;
  std::vector<std::shared_ptr<void>> m_held;
  std::uint64_t m_bytes = 0;
};

/// The elements of \p buffer, of which there are then \p size. Discards those that it had if it
/// grows. \throws OutOfMemory
template <class T, class MemorySpace>
auto sized(Buffer<T, MemorySpace>& buffer, std::size_t size) {
  buffer.resize_discarding(size);
  return buffer.view();
}

/// Overwrites \p buffer with \p values. Fences \p exec_space. \throws OutOfMemory
template <class ExecutionSpace, class T>
auto placed_in(const ExecutionSpace& exec_space,
               Buffer<T, typename ExecutionSpace::memory_space>& buffer,
               const std::vector<T>& values) {
  buffer.resize_discarding(values.size());
  upload(exec_space, buffer.view(), values.data(), values.size());
  return buffer.const_view();
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_HELD_MEMORY_HPP

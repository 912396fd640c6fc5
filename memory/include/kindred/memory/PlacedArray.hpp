// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MEMORY_PLACED_ARRAY_HPP
#define KINDRED_MEMORY_PLACED_ARRAY_HPP

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>

#include <span>

namespace Kindred::Impl {

/// \brief Makes a host array accessible to a space: in place on the host, otherwise through a
/// buffer that is kept for reuse.
template <class ExecutionSpace, class T>
class PlacedArray {
 public:
  PlacedArray(MemoryResource& memory, const char* label) : m_buffer(memory, label, 0) {}

  /// A readable copy of \p values, which must stay valid until \p exec_space is fenced. \throws
  /// OutOfMemory
  ArrayView<const T, ExecutionSpace> placed(const ExecutionSpace& exec_space,
                                            std::span<const T> values) {
    if constexpr (!Arch::is_device<ExecutionSpace>) {
      return ArrayView<const T, ExecutionSpace>(values.data(), values.size());
    } else {
      m_buffer.resize_discarding(values.size());
      start_upload(exec_space, m_buffer.view(), values.data(), values.size());
      return m_buffer.const_view();
    }
  }
  /// The memory that the space writes for \p values. \throws OutOfMemory
  ArrayView<T, ExecutionSpace> writable(std::span<T> values) {
    if constexpr (!Arch::is_device<ExecutionSpace>) {
      return ArrayView<T, ExecutionSpace>(values.data(), values.size());
    } else {
      m_buffer.resize_discarding(values.size());
      return m_buffer.view();
    }
  }
  /// Call this after the kernels that write `writable(values)`: waits for them, and leaves their
  /// results in \p values. Fences \p exec_space.
  void take(const ExecutionSpace& exec_space, std::span<T> values) const {
    if constexpr (Arch::is_device<ExecutionSpace>)
      download(exec_space, values.data(), m_buffer.view(), values.size());
    else
      Arch::fence(exec_space, "Kindred::PlacedArray::take");
  }

 private:
  Buffer<T, typename ExecutionSpace::memory_space> m_buffer;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MEMORY_PLACED_ARRAY_HPP

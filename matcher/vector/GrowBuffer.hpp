// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_GROW_BUFFER_HPP
#define KINDRED_MATCHER_VECTOR_GROW_BUFFER_HPP

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/memory/Buffer.hpp>

#include <cstddef>

namespace Kindred::Impl {

/// Ensures that a buffer has at least \p size elements; earlier kernels may still be using its old
/// contents.
template <class ExecutionSpace, class T>
void grow(const ExecutionSpace& exec_space,
          Buffer<T, typename ExecutionSpace::memory_space>& buffer, std::size_t size) {
  if (size * sizeof(T) > buffer.bytes()) Arch::fence(exec_space, "Kindred::VectorIndex::grow");
  buffer.resize_discarding(size);
}

/// Ensures that a buffer, which kernels leave as it was, has at least \p size zeros.
template <class ExecutionSpace, class T>
void grow_zeros(const ExecutionSpace& exec_space,
                Buffer<T, typename ExecutionSpace::memory_space>& buffer, std::size_t size) {
  if (buffer.size() >= size) return;
  grow(exec_space, buffer, size);
  Arch::start_fill(exec_space, buffer.view(), T{});
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_GROW_BUFFER_HPP

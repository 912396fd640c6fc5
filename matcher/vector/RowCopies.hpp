// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_ROW_COPIES_HPP
#define KINDRED_MATCHER_VECTOR_ROW_COPIES_HPP

#include <kindred/core/arch/StartCopy.hpp>

#include <cstddef>

namespace Kindred::Impl {

/// \brief Starts copies of \p count rows of \p length elements, which lie \p from_stride and
/// \p to_stride elements apart: one copy where both follow one another. Does not fence.
template <class ExecutionSpace, class T>
void start_row_copies(const ExecutionSpace& exec_space, const char* label, T* to,
                      std::size_t to_stride, const T* from, std::size_t from_stride,
                      std::size_t count, std::size_t length) {
  if (count == 0 || length == 0) return;
  if (to_stride == length && from_stride == length)
    return Arch::start_copy(exec_space, label, to, from, count * length * sizeof(T));
  for (std::size_t i = 0; i < count; ++i)
    Arch::start_copy(exec_space, label, to + i * to_stride, from + i * from_stride,
                     length * sizeof(T));
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_ROW_COPIES_HPP

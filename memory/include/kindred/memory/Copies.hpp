// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MEMORY_COPIES_HPP
#define KINDRED_MEMORY_COPIES_HPP

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/StartCopy.hpp>

#include <cstddef>
#include <type_traits>

namespace Kindred::Impl {

/// Starts a copy of \p values, which must not change until \p exec_space is fenced, to \p view.
/// Does not fence.
template <class ExecutionSpace, class View, class T>
void start_upload(const ExecutionSpace& exec_space, const View& view, const T* values,
                  std::size_t count) {
  static_assert(std::is_same_v<typename View::non_const_value_type, T>);
  if (count == 0) return;
  Arch::start_copy(exec_space, "Kindred::Impl::upload", view.data(), values, count * sizeof(T));
}

/// Copies \p values to \p view. Fences \p exec_space.
template <class ExecutionSpace, class View, class T>
void upload(const ExecutionSpace& exec_space, const View& view, const T* values,
            std::size_t count) {
  if (count == 0) return;
  start_upload(exec_space, view, values, count);
  Arch::fence(exec_space, "Kindred::Impl::upload");
}

/// Copies the first \p count elements of \p view to \p values. Fences \p exec_space.
template <class ExecutionSpace, class View, class T>
void download(const ExecutionSpace& exec_space, T* values, const View& view, std::size_t count) {
  static_assert(std::is_same_v<typename View::non_const_value_type, T>);
  if (count == 0) return;
  Arch::start_copy(exec_space, "Kindred::Impl::download", values, view.data(), count * sizeof(T));
  Arch::fence(exec_space, "Kindred::Impl::download");
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MEMORY_COPIES_HPP

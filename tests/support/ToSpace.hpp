// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_TO_SPACE_HPP
#define KINDRED_TESTS_SUPPORT_TO_SPACE_HPP

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/memory/Copies.hpp>

namespace Kindred::Testing {

template <class ExecutionSpace, class T>
using Array = Kokkos::View<T*, typename ExecutionSpace::memory_space>;

/// A copy of \p values in memory that \p exec_space can access.
template <class ExecutionSpace, class T>
Array<ExecutionSpace, T> to_space(const ExecutionSpace& exec_space, const std::vector<T>& values) {
  Array<ExecutionSpace, T> view("Kindred::Testing::values", values.size());
  Impl::upload(exec_space, view, values.data(), values.size());
  return view;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_TO_SPACE_HPP

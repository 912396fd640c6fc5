// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_TO_HOST_HPP
#define KINDRED_TESTS_SUPPORT_TO_HOST_HPP

#include <kindred/memory/Copies.hpp>

#include <vector>

namespace Kindred::Testing {

/// The elements of \p view, which \p exec_space can access.
template <class ExecutionSpace, class View>
auto to_host(const ExecutionSpace& exec_space, const View& view) {
  std::vector<typename View::non_const_value_type> out(view.size());
  Impl::download(exec_space, out.data(), view, out.size());
  return out;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_TO_HOST_HPP

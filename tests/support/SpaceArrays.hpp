// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_SPACE_ARRAYS_HPP
#define KINDRED_TESTS_SUPPORT_SPACE_ARRAYS_HPP

#include "ToSpace.hpp"

namespace Kindred::Testing {

/// \brief Arrays in memory that a space can access, which live as long as this object.
template <class ExecutionSpace>
class SpaceArrays {
 public:
  explicit SpaceArrays(const ExecutionSpace& exec_space) : m_exec_space(exec_space) {}

  template <class T>
  Array<ExecutionSpace, T> copy(const std::vector<T>& values) {
    return kept(to_space(m_exec_space, values));
  }
  /// \p size elements whose bytes are 0.
  template <class T>
  Array<ExecutionSpace, T> zeros(std::size_t size) {
    return kept(Array<ExecutionSpace, T>("Kindred::Testing::zeros", size));
  }

 private:
  template <class View>
  View kept(const View& view) {
    m_kept.push_back(std::make_shared<View>(view));
    return view;
  }

  ExecutionSpace m_exec_space;
  std::vector<std::shared_ptr<void>> m_kept;
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_SPACE_ARRAYS_HPP

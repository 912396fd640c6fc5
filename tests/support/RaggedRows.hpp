// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_RAGGED_ROWS_HPP
#define KINDRED_TESTS_SUPPORT_RAGGED_ROWS_HPP

#include <kindred/core/common/Ragged.hpp>

namespace Kindred::Testing {

/// \p rows in one array.
template <class T>
Ragged<T> ragged(const std::vector<std::vector<T>>& rows) {
  Ragged<T> packed;
  for (const std::vector<T>& row : rows) packed.push_row(row);
  return packed;
}

template <class T>
std::vector<T> to_vector(std::span<const T> row) {
  return {row.begin(), row.end()};
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_RAGGED_ROWS_HPP

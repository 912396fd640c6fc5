// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_COLUMNS_OF_HPP
#define KINDRED_TESTS_SUPPORT_COLUMNS_OF_HPP

#include <kindred/core/common/Array.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Kindred::Testing {

/// The array [rows, \p columns] of the \p values, a vector: of one that is constant for input.
template <class Values>
auto columns_of(Values& values, std::size_t columns) {
  using array_type = std::conditional_t<std::is_const_v<Values>, ConstArray, Kindred::Array>;
  using value_type = typename Values::value_type;
  const std::int64_t shape[] = {static_cast<std::int64_t>(values.size() / columns),
                                static_cast<std::int64_t>(columns)};
  return array_type(values.data(), data_type_of<value_type>, shape);
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_COLUMNS_OF_HPP

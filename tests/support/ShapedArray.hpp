// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_SHAPED_ARRAY_HPP
#define KINDRED_TESTS_SUPPORT_SHAPED_ARRAY_HPP

#include <kindred/core/common/Array.hpp>

#include <initializer_list>

namespace Kindred::Testing {

/// The array of the given \p shape over the \p values, a vector: of one that is constant for input.
/// Neither the shape nor the memory needs to be that of the vector.
template <class Values>
auto shaped(Values& values, std::initializer_list<std::int64_t> shape,
            DataType type = data_type_of<typename Values::value_type>,
            std::initializer_list<std::int64_t> strides = {},
            ArrayMemory memory = ArrayMemory::host) {
  using array_type = std::conditional_t<std::is_const_v<Values>, ConstArray, Kindred::Array>;
  return array_type(values.data(), type, {shape.begin(), shape.size()},
                    {strides.begin(), strides.size()}, memory);
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_SHAPED_ARRAY_HPP

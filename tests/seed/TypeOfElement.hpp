// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SEED_TYPE_OF_ELEMENT_HPP
#define KINDRED_TESTS_SEED_TYPE_OF_ELEMENT_HPP

#include <kindred/core/common/Array.hpp>

namespace Kindred::Testing::Seeds {

inline DataType type_of(DataType element) {
  if (element == DataType::float16) return DataType::float16;
  return element == DataType::bfloat16 ? DataType::bfloat16 : DataType::float32;
}

}  // namespace Kindred::Testing::Seeds

#endif  // KINDRED_TESTS_SEED_TYPE_OF_ELEMENT_HPP

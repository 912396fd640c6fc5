// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SEED_TYPE_OF_ELEMENT_HPP
#define KINDRED_TESTS_SEED_TYPE_OF_ELEMENT_HPP

#include <kindred/core/common/Array.hpp>
#include <kindred/core/vector/VectorElement.hpp>

namespace Kindred::Testing::Seeds {

inline DataType type_of(VectorElement element) {
  if (element == VectorElement::float16) return DataType::float16;
  return element == VectorElement::bfloat16 ? DataType::bfloat16 : DataType::float32;
}

}  // namespace Kindred::Testing::Seeds

#endif  // KINDRED_TESTS_SEED_TYPE_OF_ELEMENT_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_VECTOR_ELEMENT_HPP
#define KINDRED_CORE_VECTOR_VECTOR_ELEMENT_HPP

#include <kindred/core/common/Public.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace KINDRED_PUBLIC Kindred {

/// \brief How the elements of a row are stored. Scores are those of the float32 row it decodes to.
enum class DataType : std::uint8_t {
  float32,
  float16,   ///< IEEE binary16; widens exactly
  bfloat16,  ///< the upper half of a float32; widens exactly
  int8       ///< element v of a row of scale s is float32(s · v), rounded once
};
std::string_view to_string(DataType element) noexcept;

/// Bytes per element.
constexpr std::size_t size_of(DataType element) noexcept {
  switch (element) {
    case DataType::float32:
      return 4;
    case DataType::float16:
    case DataType::bfloat16:
      return 2;
    case DataType::int8:
      break;
  }
  return 1;
}

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_VECTOR_ELEMENT_HPP

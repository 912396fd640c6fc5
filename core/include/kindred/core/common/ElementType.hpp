// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_ELEMENT_TYPE_HPP
#define KINDRED_CORE_COMMON_ELEMENT_TYPE_HPP

#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Public.hpp>

#include <cstdint>
#include <string>

namespace KINDRED_PUBLIC Kindred {

/// \brief Calls `body(T())` with the type of C++ that corresponds to \p type.
/// \throws InvalidArgument for float16 and bfloat16, which have none
template <class Body>
decltype(auto) with_element_type(DataType type, const Body& body) {
  switch (type) {
    case DataType::int8:
      return body(std::int8_t());
    case DataType::int16:
      return body(std::int16_t());
    case DataType::int32:
      return body(std::int32_t());
    case DataType::int64:
      return body(std::int64_t());
    case DataType::uint8:
      return body(std::uint8_t());
    case DataType::uint16:
      return body(std::uint16_t());
    case DataType::uint32:
      return body(std::uint32_t());
    case DataType::uint64:
      return body(std::uint64_t());
    case DataType::float32:
      return body(float());
    case DataType::float64:
      return body(double());
    case DataType::boolean:
      return body(bool());
    default:
      throw InvalidArgument("the elements are " + std::string(to_string(type)) +
                            "; they must be bool, integers, float32 or float64");
  }
}

}  // namespace Kindred

#endif  // KINDRED_CORE_COMMON_ELEMENT_TYPE_HPP

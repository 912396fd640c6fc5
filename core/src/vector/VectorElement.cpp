// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Array.hpp>

namespace KINDRED_PUBLIC Kindred {

std::string_view to_string(DataType element) noexcept {
  switch (element) {
    case DataType::float32:
      return "float32";
    case DataType::float16:
      return "float16";
    case DataType::bfloat16:
      return "bfloat16";
    case DataType::int8:
      break;
  }
  return "int8";
}

}  // namespace Kindred

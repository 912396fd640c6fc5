// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/vector/VectorElement.hpp>

namespace KINDRED_PUBLIC Kindred {

std::string_view to_string(VectorElement element) noexcept {
  switch (element) {
    case VectorElement::float32:
      return "float32";
    case VectorElement::float16:
      return "float16";
    case VectorElement::bfloat16:
      return "bfloat16";
    case VectorElement::int8:
      break;
  }
  return "int8";
}

}  // namespace Kindred

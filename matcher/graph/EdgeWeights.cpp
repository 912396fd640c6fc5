// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/EdgeWeights.hpp>

namespace KINDRED_PUBLIC Kindred {

std::string_view to_string(EdgeWeights weights) noexcept {
  switch (weights) {
    case EdgeWeights::float32:
      return "float32";
    case EdgeWeights::bfloat16:
      return "bfloat16";
    case EdgeWeights::none:
      break;
  }
  return "none";
}

}  // namespace Kindred

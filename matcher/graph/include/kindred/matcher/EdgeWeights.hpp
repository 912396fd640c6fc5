// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_EDGE_WEIGHTS_HPP
#define KINDRED_MATCHER_EDGE_WEIGHTS_HPP

#include <kindred/core/common/Public.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace KINDRED_PUBLIC Kindred {

/// \brief Storage type of edge weights. Sums use the stored value, converted exactly to float32.
enum class EdgeWeights : std::uint8_t {
  float32,
  bfloat16,  ///< rounded to the nearest, ties to even
  none       ///< not stored: every weight must be 1
};
inline std::string_view to_string(EdgeWeights weights) noexcept {
  constexpr std::string_view names[] = {"float32", "bfloat16"};
  return weights < EdgeWeights::none ? names[static_cast<std::size_t>(weights)] : "none";
}

}  // namespace Kindred

#endif  // KINDRED_MATCHER_EDGE_WEIGHTS_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_EDGE_WEIGHTS_HPP
#define KINDRED_MATCHER_EDGE_WEIGHTS_HPP

#include <kindred/core/common/Names.hpp>
#include <kindred/core/common/Public.hpp>

#include <cstdint>
#include <string_view>

namespace KINDRED_PUBLIC Kindred {

/// \brief Storage type of edge weights. Sums use the stored value, converted exactly to float32.
enum class EdgeWeights : std::uint8_t {
  float32,
  bfloat16,  ///< rounded to the nearest, ties to even
  none       ///< not stored: every weight must be 1
};
template <>
inline constexpr auto enum_names<EdgeWeights> =
    std::to_array<std::string_view>({"float32", "bfloat16", "none"});

}  // namespace Kindred

#endif  // KINDRED_MATCHER_EDGE_WEIGHTS_HPP

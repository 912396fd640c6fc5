// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_DECAY_HPP
#define KINDRED_CORE_GRAPH_DECAY_HPP

#include <kindred/core/common/Public.hpp>

#include <cstdint>

namespace KINDRED_PUBLIC Kindred {

/// \brief The share of the activation that a hop passes on: D(d) for d = 1 … H, computed in double
/// on the host and rounded to float32 once (`portable_exp`, `portable_pow`).
struct Decay {
  enum class Kind : std::uint8_t {
    exponential,  ///< exp(−parameter·d)
    power,        ///< (d + 1)^−parameter
    linear,       ///< max(0, 1 − parameter·d)
    constant      ///< parameter
  };
  Kind kind = Kind::exponential;
  double parameter = 0.7;
};

/// D(\p hop) of \p decay, rounded to float32. Complexity O(1).
float decay_at(const Decay& decay, std::uint32_t hop);

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_DECAY_HPP

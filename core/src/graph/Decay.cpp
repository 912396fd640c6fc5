// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/graph/Decay.hpp>
#include <kindred/core/math/Pow.hpp>

#include <algorithm>

namespace KINDRED_PUBLIC Kindred {

float decay_at(const Decay& decay, std::uint32_t hop) {
  const double depth = hop;
  switch (decay.kind) {
    case Decay::Kind::exponential:
      return static_cast<float>(portable_exp(-decay.parameter * depth));
    case Decay::Kind::power:
      return static_cast<float>(portable_pow(depth + 1.0, -decay.parameter));
    case Decay::Kind::linear:
      return static_cast<float>(std::max(0.0, 1.0 - decay.parameter * depth));
    case Decay::Kind::constant:
      break;
  }
  return static_cast<float>(decay.parameter);
}

}  // namespace Kindred

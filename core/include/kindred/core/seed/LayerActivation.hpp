// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_LAYER_ACTIVATION_HPP
#define KINDRED_CORE_SEED_LAYER_ACTIVATION_HPP

#include <cstdint>

namespace Kindred {

/// What a layer does to each of its results.
enum class LayerActivation : std::uint8_t {
  none,
  relu,  ///< x, or +0 where x < 0; NaN stays
  gelu   ///< x·(1 + erf(x / √2)) / 2; not the form with tanh
};

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_LAYER_ACTIVATION_HPP

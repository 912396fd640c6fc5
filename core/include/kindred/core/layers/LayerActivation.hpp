// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LAYERS_LAYER_ACTIVATION_HPP
#define KINDRED_CORE_LAYERS_LAYER_ACTIVATION_HPP

#include <kindred/core/common/Public.hpp>

#include <cstdint>

namespace KINDRED_PUBLIC Kindred {

/// The activation function that a layer applies to each of its results.
enum class LayerActivation : std::uint8_t {
  none,
  relu,  ///< x, or +0 if x < 0; NaN stays NaN
  gelu   ///< x·(1 + erf(x / √2)) / 2; not the tanh approximation
};

}  // namespace Kindred

#endif  // KINDRED_CORE_LAYERS_LAYER_ACTIVATION_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LAYERS_IMPL_APPLY_ACTIVATION_HPP
#define KINDRED_CORE_LAYERS_IMPL_APPLY_ACTIVATION_HPP

#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/layers/LayerActivation.hpp>
#include <kindred/core/math/Gelu.hpp>

namespace Kindred::Impl {

KOKKOS_INLINE_FUNCTION float portable_relu(float x) { return x < 0.0F ? 0.0F : x; }

/// Applies \p activation to each of \p values.
template <int Count>
KOKKOS_INLINE_FUNCTION void activate(LayerActivation activation, float (&values)[Count]) {
  if (activation == LayerActivation::gelu) {
    KINDRED_UNROLL
    for (int i = 0; i < Count; ++i) values[i] = portable_gelu(values[i]);
  } else if (activation == LayerActivation::relu) {
    KINDRED_UNROLL
    for (int i = 0; i < Count; ++i) values[i] = portable_relu(values[i]);
  }
}

KOKKOS_INLINE_FUNCTION float apply_activation(LayerActivation activation, float value) {
  if (activation == LayerActivation::gelu) return portable_gelu(value);
  return activation == LayerActivation::relu ? portable_relu(value) : value;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_LAYERS_IMPL_APPLY_ACTIVATION_HPP

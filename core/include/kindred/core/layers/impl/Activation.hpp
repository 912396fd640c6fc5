// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LAYERS_IMPL_ACTIVATION_HPP
#define KINDRED_CORE_LAYERS_IMPL_ACTIVATION_HPP

#include <kindred/core/arch/RoundedProduct.hpp>
#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/layers/LayerActivation.hpp>
#include <kindred/core/math/Exp.hpp>
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

/// \brief The derivative of GELU, Φ(x) + x·φ(x), bit-identical on every space. The error is below
/// 2⁻²².
KOKKOS_INLINE_FUNCTION double portable_gelu_derivative(float x) {
  const float magnitude = Kokkos::fabs(x);
  const float bounded = magnitude < 9.0F ? magnitude : 9.0F;
  const auto tail = static_cast<double>(normal_tail<OneFloat>(magnitude, bounded));
  const double wide = static_cast<double>(x);
  constexpr double density_at_0 = 0.39894228040143267794;  // 1 / √(2π)
  const double density = Arch::rounded_product(
      density_at_0, portable_exp(Arch::rounded_product(Arch::rounded_product(-0.5, wide), wide)));
  const double below = x < 0.0F ? tail : 1.0 - tail;
  // ±∞ · 0 would be NaN.
  return x != x ? wide : below + (magnitude < 64.0F ? Arch::rounded_product(wide, density) : 0.0);
}

/// \brief The gradient with respect to the input \p z of an activation, from that of its result, in
/// double. A NaN in \p z is propagated; ReLU passes nothing back for z ≤ 0.
KOKKOS_INLINE_FUNCTION double activation_gradient(LayerActivation activation, float z,
                                                  float gradient) {
  const auto wide = static_cast<double>(gradient);
  if (activation == LayerActivation::none) return wide;
  if (activation == LayerActivation::gelu)
    return Arch::rounded_product(wide, portable_gelu_derivative(z));
  if (z <= 0.0F) return 0.0;
  return z != z ? static_cast<double>(z) : wide;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_LAYERS_IMPL_ACTIVATION_HPP

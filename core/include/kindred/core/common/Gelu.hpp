// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_GELU_HPP
#define KINDRED_CORE_COMMON_GELU_HPP

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_MathematicalFunctions.hpp>

#include <cstdint>

namespace Kindred {

/// \brief Φ(−t) = erfc(t / √2) / 2 for t ≥ 0, 0 from t = 9 on; the same bits on every space and
/// machine: fused operations where they are written, in one order.
///
/// −log₂ Φ(−t) = 1 + t·q(t), q of degree 9; a whole exponent and 2ᶠ, |f| ≤ ½, of degree 6. The
/// relative error is below 6·2⁻²⁴ up to t = 1, 80·2⁻²⁴ up to 3 and 2⁻¹² up to 9; Φ(−9)
/// is 1.1·10⁻¹⁹.
KOKKOS_INLINE_FUNCTION float normal_tail(float t) {
  const float x = t < 9.0F ? t : 9.0F;
  float q = -8.48417583e-09F;
  q = Kokkos::fma(q, x, 3.35425978e-07F);
  q = Kokkos::fma(q, x, -5.45893999e-06F);
  q = Kokkos::fma(q, x, 4.58597418e-05F);
  q = Kokkos::fma(q, x, -0.000182595501F);
  q = Kokkos::fma(q, x, -0.000179249685F);
  q = Kokkos::fma(q, x, 0.00713583876F);
  q = Kokkos::fma(q, x, -0.0525480062F);
  q = Kokkos::fma(q, x, -0.459192715F);
  q = Kokkos::fma(q, x, -1.15110663F);
  // 1.5 · 2²³ − 1: the low bits of a sum are a whole number less 1, the half of Φ(0).
  constexpr float rounder = 12582911.0F;
  const float whole = Kokkos::fma(q, x, rounder);
  const float f = Kokkos::fma(q, x, -(whole - rounder));
  float power = 0.000154762973F;
  power = Kokkos::fma(power, f, 0.00134002698F);
  power = Kokkos::fma(power, f, 0.0096180039F);
  power = Kokkos::fma(power, f, 0.0555032779F);
  power = Kokkos::fma(power, f, 0.240226513F);
  power = Kokkos::fma(power, f, 0.693147206F);
  power = Kokkos::fma(power, f, 1.0F);
  const std::uint32_t exponent = Kokkos::bit_cast<std::uint32_t>(whole) << 23U;
  const float tail = Kokkos::bit_cast<float>(Kokkos::bit_cast<std::uint32_t>(power) + exponent);
  return t < 9.0F ? tail : 0.0F;
}

/// \brief GELU(x) = x·Φ(x) = x·(1 + erf(x / √2)) / 2, the form with erf, as max(x, 0) −
/// |x|·Φ(−|x|).
///
/// The error is below 2⁻²³·|x| everywhere and below 2⁻²²·|GELU(x)| for x > −½; for smaller x it is
/// that of `normal_tail`, relative, and one rounding, where the form with 1 + erf loses all bits.
/// GELU(x) is −0 for x ≤ −9, x for x ≥ 9; −inf gives −0, NaN gives NaN.
KOKKOS_INLINE_FUNCTION float portable_gelu(float x) {
  const float magnitude = Kokkos::fabs(x);
  const float bounded = magnitude < 9.0F ? magnitude : 9.0F;
  return Kokkos::fma(-bounded, normal_tail(magnitude), x < 0.0F ? -0.0F : x);
}

}  // namespace Kindred

#endif  // KINDRED_CORE_COMMON_GELU_HPP

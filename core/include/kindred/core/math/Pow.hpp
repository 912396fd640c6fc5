// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_MATH_POW_HPP
#define KINDRED_CORE_MATH_POW_HPP

#include <kindred/core/math/Exp.hpp>
#include <kindred/core/math/Log.hpp>

namespace Kindred {

/// \brief \p base raised to \p exponent, for base ≥ 0; bit-identical on every space and machine.
///
/// Computed as e to the power of exponent · ln base, with that product in double-double precision.
/// The relative error is below 6·10⁻¹⁶ if the result is normal. The result is 1 if base is 1 or
/// exponent is 0, even if the other is NaN; the limits at 0 and ∞; NaN for base < 0.
KOKKOS_INLINE_FUNCTION double portable_pow(double base, double exponent) {
  if (base == 1.0 || exponent == 0.0) return 1.0;
  constexpr double largest = 0x1.fffffffffffffp1023;
  if (!(base > 0.0 && base <= largest)) return portable_exp(exponent * portable_log(base));
  const Impl::DoubleDouble log = Impl::natural_logarithm(base);
  const Impl::DoubleDouble power = Impl::exact_product(exponent, log.high);
  const double value = portable_exp(power.high);
  // 0 and ∞ are final: the low part of an infinite product is NaN and must not be added.
  if (!(value > 0.0 && value <= largest)) return value;
  return value + Arch::rounded_product(value, power.low + Arch::rounded_product(exponent, log.low));
}

}  // namespace Kindred

#endif  // KINDRED_CORE_MATH_POW_HPP

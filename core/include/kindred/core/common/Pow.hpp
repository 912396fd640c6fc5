// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_POW_HPP
#define KINDRED_CORE_COMMON_POW_HPP

#include <kindred/core/common/Exp.hpp>
#include <kindred/core/common/Log.hpp>

namespace Kindred {

/// \brief \p base to the power of \p exponent for base ≥ 0, the same bits on every space and
/// machine.
///
/// e to exponent · ln base, of which the exponent has twice the precision of double. The relative
/// error is below 6·10⁻¹⁶ where the result is normal. 1 if base is 1 or exponent 0, also of NaN;
/// the limits at 0 and ∞; NaN for base < 0.
KOKKOS_INLINE_FUNCTION double portable_pow(double base, double exponent) {
  if (base == 1.0 || exponent == 0.0) return 1.0;
  constexpr double largest = 0x1.fffffffffffffp1023;
  if (!(base > 0.0 && base <= largest)) return portable_exp(exponent * portable_log(base));
  const Impl::DoubleDouble log = Impl::natural_logarithm(base);
  const Impl::DoubleDouble power = Impl::exact_product(exponent, log.high);
  const double value = portable_exp(power.high);
  // 0 and infinity are final, and the lower half of an infinite product is NaN.
  if (!(value > 0.0 && value <= largest)) return value;
  return value + Arch::rounded_product(value, power.low + Arch::rounded_product(exponent, log.low));
}

}  // namespace Kindred

#endif  // KINDRED_CORE_COMMON_POW_HPP

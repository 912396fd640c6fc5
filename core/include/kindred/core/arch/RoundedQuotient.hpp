// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_ROUNDED_QUOTIENT_HPP
#define KINDRED_CORE_ARCH_ROUNDED_QUOTIENT_HPP

#include <kindred/core/numeric/CanonicalNan.hpp>

namespace Kindred::Arch {

/// `float(a / b)`, with NaN canonical and zero as +0; 0 if b is 0.
KOKKOS_INLINE_FUNCTION float rounded_quotient(double a, double b) {
  if (b == 0.0) return 0.0F;
  const auto rounded = static_cast<float>(a / b);
  return rounded == 0.0F ? 0.0F : with_canonical_nan(rounded);
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_ROUNDED_QUOTIENT_HPP

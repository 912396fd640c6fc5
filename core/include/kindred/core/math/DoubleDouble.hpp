// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_MATH_DOUBLE_DOUBLE_HPP
#define KINDRED_CORE_MATH_DOUBLE_DOUBLE_HPP

#include <kindred/core/arch/RoundedProduct.hpp>

#include <Kokkos_MathematicalFunctions.hpp>

namespace Kindred::Impl {

/// \brief high + low with |low| at most a few units in the last place of high: about 104 bits
/// (Dekker, Numerische Mathematik 18, 1971).
struct DoubleDouble {
  double high;
  double low;
};

/// a + b, exact if |a| ≥ |b| or a is 0.
KOKKOS_INLINE_FUNCTION DoubleDouble ordered_sum(double a, double b) {
  const double high = a + b;
  return {high, b - (high - a)};
}
/// a·b, exact unless something underflows.
KOKKOS_INLINE_FUNCTION DoubleDouble exact_product(double a, double b) {
  const double high = Arch::rounded_product(a, b);
  return {high, Kokkos::fma(a, b, -high)};
}
/// a·b with a relative error below 2⁻¹⁰⁰.
KOKKOS_INLINE_FUNCTION DoubleDouble product(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble leading = exact_product(a.high, b.high);
  const double cross = Arch::rounded_product(a.high, b.low) + Arch::rounded_product(a.low, b.high);
  return {leading.high, leading.low + cross};
}
/// a + b; requires |a| ≥ |b| or a = 0.
KOKKOS_INLINE_FUNCTION DoubleDouble ordered_sum(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble leading = ordered_sum(a.high, b.high);
  return ordered_sum(leading.high, leading.low + (a.low + b.low));
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_MATH_DOUBLE_DOUBLE_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_MATH_EXP_HPP
#define KINDRED_CORE_MATH_EXP_HPP

#include <kindred/core/arch/RoundedProduct.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_MathematicalFunctions.hpp>

#include <cstdint>

namespace Kindred {

/// \brief eˣ, bit-identical on every space and machine: a fixed order of additions and
/// multiplications.
///
/// Reduces x = k·ln 2 + r with |r| ≤ ln 2 / 2 and evaluates a polynomial of degree 13 for eʳ, whose
/// remainder is below 2⁻⁵⁷. The relative error is below 4·10⁻¹⁶ if the result is normal. NaN gives
/// NaN.
KOKKOS_INLINE_FUNCTION double portable_exp(double x) {
  // The special cases are selected at the end instead of branched to, so that loops vectorise.
  constexpr double most = 709.782712893384;
  constexpr double least = -745.1332191019412;
  const double inside = x > least ? (x < most ? x : most) : least;
  constexpr double ln2_high = 6.93147180369123816490e-01;  // 33 bits: k · ln2_high is exact
  constexpr double ln2_low = 1.90821492927058770002e-10;
  const double scaled = Arch::rounded_product(inside, 1.44269504088896338700);
  const auto k = static_cast<std::int64_t>(scaled < 0.0 ? scaled - 0.5 : scaled + 0.5);
  const auto powers = static_cast<double>(k);
  const double r = (inside - powers * ln2_high) - Arch::rounded_product(powers, ln2_low);
  double sum = 1.0 / 6227020800.0;
  sum = Arch::rounded_product(sum, r) + 1.0 / 479001600.0;
  sum = Arch::rounded_product(sum, r) + 1.0 / 39916800.0;
  sum = Arch::rounded_product(sum, r) + 1.0 / 3628800.0;
  sum = Arch::rounded_product(sum, r) + 1.0 / 362880.0;
  sum = Arch::rounded_product(sum, r) + 1.0 / 40320.0;
  sum = Arch::rounded_product(sum, r) + 1.0 / 5040.0;
  sum = Arch::rounded_product(sum, r) + 1.0 / 720.0;
  sum = Arch::rounded_product(sum, r) + 1.0 / 120.0;
  sum = Arch::rounded_product(sum, r) + 1.0 / 24.0;
  sum = Arch::rounded_product(sum, r) + 1.0 / 6.0;
  sum = Arch::rounded_product(sum, r) + 0.5;
  sum = Arch::rounded_product(sum * r, r) + r;
  sum = sum + 1.0;
  // 2ᵏ as a product of two factors, since the result may be denormal.
  const std::int64_t half = k / 2;
  const auto power = [](std::int64_t exponent) {
    return Kokkos::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52U);
  };
  const double value = Arch::rounded_product(sum * power(half), power(k - half));
  const double bounded =
      x > most ? Kokkos::bit_cast<double>(std::uint64_t{0x7FF0000000000000}) : value;
  return x != x ? x : (x < least ? 0.0 : bounded);
}

/// \brief 1 / (1 + e⁻ᶻ) without overflow; the relative error is below 10⁻¹⁵.
KOKKOS_INLINE_FUNCTION double portable_sigmoid(double z) {
  const double small = portable_exp(z < 0.0 ? z : -z);
  return z < 0.0 ? small / (1.0 + small) : 1.0 / (1.0 + small);
}

}  // namespace Kindred

#endif  // KINDRED_CORE_MATH_EXP_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_MATH_LOG_HPP
#define KINDRED_CORE_MATH_LOG_HPP

#include <kindred/core/arch/RoundedProduct.hpp>
#include <kindred/core/numeric/CanonicalNan.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_MathematicalFunctions.hpp>

#include <cstdint>

namespace Kindred {

namespace Impl {

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

/// ln x as k·ln 2 + ln m, where x = 2ᵏ·m with m in [√½, √2).
struct SplitLogarithm {
  double k;
  DoubleDouble rest;  ///< ln m
};

/// \brief The parts of the logarithm of a positive finite \p x.
///
/// ln m = 2·artanh(s), s = (m − 1) / (m + 1), by the series 2s + s·(2/3·s² + 2/5·s⁴ + … +
/// 2/25·s²⁴), whose remainder is below 2⁻⁷¹ of the sum, as |s| < 0.172. The dominant terms, s and
/// 2/3·s², are computed in double-double precision; the rounding of the other terms, at most s⁴/5
/// of the sum, leaves a relative error below 2⁻⁶³.
KOKKOS_INLINE_FUNCTION SplitLogarithm split_logarithm(double x) {
  constexpr double least_normal = 0x1p-1022;
  const bool is_denormal = x < least_normal;
  const auto bits = Kokkos::bit_cast<std::uint64_t>(is_denormal ? x * 0x1p54 : x);
  constexpr std::uint64_t root_of_half = 0x3FE6A09E667F3BCD;
  const std::int64_t exponent = static_cast<std::int64_t>(bits - root_of_half) >> 52;
  const auto m = Kokkos::bit_cast<double>(bits - (static_cast<std::uint64_t>(exponent) << 52U));

  const double above = m - 1.0;  // exact
  const DoubleDouble below = ordered_sum(2.0, above);
  const double inverse = 1.0 / below.high;
  DoubleDouble s{Arch::rounded_product(above, inverse), 0.0};
  s.low = (Kokkos::fma(-s.high, below.high, above) - Arch::rounded_product(s.high, below.low)) *
          inverse;
  const DoubleDouble square = product(s, s);
  const double z = square.high;
  const double z2 = z * z;
  const double z4 = z2 * z2;
  // Estrin's scheme: pairs, and pairs of pairs, that do not depend on each other.
  const auto pair = [](double a, double b, double y) { return a + Arch::rounded_product(b, y); };
  const double low = pair(pair(2.0 / 5.0, 2.0 / 7.0, z), pair(2.0 / 9.0, 2.0 / 11.0, z), z2);
  const double middle = pair(pair(2.0 / 13.0, 2.0 / 15.0, z), pair(2.0 / 17.0, 2.0 / 19.0, z), z2);
  const double high = pair(pair(2.0 / 21.0, 2.0 / 23.0, z), 2.0 / 25.0, z2);
  const double tail = pair(low, pair(middle, high, z4), z4);
  constexpr DoubleDouble two_thirds{0x1.5555555555555p-1, 0x1.5555555555555p-55};
  const DoubleDouble factor =
      ordered_sum(product(two_thirds, square), DoubleDouble{Arch::rounded_product(tail, z2), 0.0});
  return {static_cast<double>(exponent) - (is_denormal ? 54.0 : 0.0),
          ordered_sum(DoubleDouble{2.0 * s.high, 2.0 * s.low}, product(s, factor))};
}

/// ln x for a positive finite \p x.
KOKKOS_INLINE_FUNCTION DoubleDouble natural_logarithm(double x) {
  constexpr double ln2_high = 0x1.62e42fefa3800p-1;  // 42 bits: k · ln2_high is exact
  constexpr double ln2_low = 0x1.ef35793c76730p-45;
  const SplitLogarithm split = split_logarithm(x);
  return ordered_sum(DoubleDouble{split.k * ln2_high, Arch::rounded_product(split.k, ln2_low)},
                     split.rest);
}

/// `inside(x)` if \p x is positive and finite, else the limit: −∞ at ±0, +∞ at +∞, NaN below 0 and
/// for NaN.
template <class Inside>
KOKKOS_INLINE_FUNCTION double extended_logarithm(double x, const Inside& inside) {
  constexpr double largest = 0x1.fffffffffffffp1023;
  if (x > 0.0 && x <= largest) return inside(x);
  if (x == 0.0) return Kokkos::bit_cast<double>(std::uint64_t{0xFFF0000000000000U});
  return x < 0.0 ? canonical_nan<double>() : x;
}

}  // namespace Impl

/// \brief ln x, bit-identical on every space and machine.
///
/// Rounded from double-double precision: the error is below 0.501 units in the last place, and
/// nearly every value is the nearest double (all but 5 of 60,000 that were compared with a 200-bit
/// result). −∞ at 0, NaN for x < 0; ln 1 is +0.
KOKKOS_INLINE_FUNCTION double portable_log(double x) {
  return Impl::extended_logarithm(
      x, [](double inside) { return Impl::natural_logarithm(inside).high; });
}

/// \brief log₂ x with the same guarantees; exact if x is a power of two.
KOKKOS_INLINE_FUNCTION double portable_log2(double x) {
  return Impl::extended_logarithm(x, [](double inside) {
    using Impl::DoubleDouble;
    constexpr DoubleDouble per_ln2{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
    const Impl::SplitLogarithm split = Impl::split_logarithm(inside);
    return Impl::ordered_sum(DoubleDouble{split.k, 0.0}, Impl::product(per_ln2, split.rest)).high;
  });
}

}  // namespace Kindred

#endif  // KINDRED_CORE_MATH_LOG_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_MATH_GELU_HPP
#define KINDRED_CORE_MATH_GELU_HPP

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_MathematicalFunctions.hpp>

#include <cstdint>

namespace Kindred {

namespace Impl {

/// \brief The operations of a GELU on one float32, each rounded once. `Arch::HostFloatPack16`
/// provides the same operations on sixteen.
struct OneFloat {
  using Floats = float;

  KOKKOS_INLINE_FUNCTION static float all(float a) { return a; }
  KOKKOS_INLINE_FUNCTION static float magnitude(float a) { return Kokkos::fabs(a); }
  /// a·b + c
  KOKKOS_INLINE_FUNCTION static float fused(float a, float b, float c) {
    return Kokkos::fma(a, b, c);
  }
  KOKKOS_INLINE_FUNCTION static float subtract(float a, float b) { return a - b; }
  KOKKOS_INLINE_FUNCTION static float negative(float a) { return -a; }
  /// a < b ? then : otherwise
  KOKKOS_INLINE_FUNCTION static float if_less(float a, float b, float then, float otherwise) {
    return a < b ? then : otherwise;
  }
  /// a · 2ⁿ; n is in the low bits of \p whole.
  KOKKOS_INLINE_FUNCTION static float raised(float a, float whole) {
    return Kokkos::bit_cast<float>(Kokkos::bit_cast<std::uint32_t>(a) +
                                   (Kokkos::bit_cast<std::uint32_t>(whole) << 23U));
  }
};

/// \brief Φ(−t) = erfc(t / √2) / 2 for t ≥ 0, and 0 for t ≥ 9. Bit-identical on every space and
/// machine: operations are fused exactly where written and evaluated in a fixed order.
///
/// −log₂ Φ(−t) = 1 + t·q(t) with q of degree 9; the result is an integer power of two times 2ᶠ with
/// |f| ≤ ½, approximated in degree 6. The relative error is below 6·2⁻²⁴ up to t = 1, 80·2⁻²⁴ up to
/// 3 and 2⁻¹² up to 9; Φ(−9) is 1.1·10⁻¹⁹.
/// \param x min(t, 9)
template <class S, class Floats = typename S::Floats>
KOKKOS_INLINE_FUNCTION Floats normal_tail(const Floats& t, const Floats& x) {
  Floats q = S::fused(S::all(-8.48417583e-09F), x, S::all(3.35425978e-07F));
  q = S::fused(q, x, S::all(-5.45893999e-06F));
  q = S::fused(q, x, S::all(4.58597418e-05F));
  q = S::fused(q, x, S::all(-0.000182595501F));
  q = S::fused(q, x, S::all(-0.000179249685F));
  q = S::fused(q, x, S::all(0.00713583876F));
  q = S::fused(q, x, S::all(-0.0525480062F));
  q = S::fused(q, x, S::all(-0.459192715F));
  q = S::fused(q, x, S::all(-1.15110663F));
  // 1.5 · 2²³ − 1: the low bits of the sum are an integer minus 1; the 1 accounts for Φ(0) = ½.
  const Floats rounder = S::all(12582911.0F);
  const Floats whole = S::fused(q, x, rounder);
  const Floats f = S::fused(q, x, S::negative(S::subtract(whole, rounder)));
  Floats power = S::fused(S::all(0.000154762973F), f, S::all(0.00134002698F));
  power = S::fused(power, f, S::all(0.0096180039F));
  power = S::fused(power, f, S::all(0.0555032779F));
  power = S::fused(power, f, S::all(0.240226513F));
  power = S::fused(power, f, S::all(0.693147206F));
  power = S::fused(power, f, S::all(1.0F));
  return S::if_less(t, S::all(9.0F), S::raised(power, whole), S::all(0.0F));
}

/// `portable_gelu` on the float type of the operations \p S.
template <class S, class Floats = typename S::Floats>
KOKKOS_INLINE_FUNCTION Floats gelu_of(const Floats& x) {
  const Floats magnitude = S::magnitude(x);
  const Floats nine = S::all(9.0F);
  const Floats bounded = S::if_less(magnitude, nine, magnitude, nine);
  // x < |x| is x < 0. Clang 14 compiles `x < 0 ? -0.0F : x` so that it is −0 for x = 0, too.
  return S::fused(S::negative(bounded), normal_tail<S>(magnitude, bounded),
                  S::if_less(x, magnitude, S::all(-0.0F), x));
}

}  // namespace Impl

/// \brief The exact (erf) form GELU(x) = x·Φ(x) = x·(1 + erf(x / √2)) / 2, computed as max(x, 0) −
/// |x|·Φ(−|x|).
///
/// The error is below 2⁻²³·|x| everywhere and below 2⁻²²·|GELU(x)| for x > −½. For smaller x it is
/// the relative error of `normal_tail` plus one rounding, where the form with 1 + erf loses all
/// bits. GELU(x) is −0 for x ≤ −9 and x for x ≥ 9; −∞ gives −0, NaN gives NaN.
KOKKOS_INLINE_FUNCTION float portable_gelu(float x) { return Impl::gelu_of<Impl::OneFloat>(x); }

}  // namespace Kindred

#endif  // KINDRED_CORE_MATH_GELU_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_ELEMENT_BITS_HPP
#define KINDRED_CORE_ARCH_ELEMENT_BITS_HPP

#include <kindred/core/arch/RoundElement.hpp>
#include <kindred/core/numeric/CanonicalNan.hpp>

#include <cstdint>
#include <type_traits>

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#endif

namespace Kindred::Arch {

/// The unsigned type of an element's stored bits.
template <class Element>
using element_bits = std::conditional_t<sizeof(Element) == 4, std::uint32_t, std::uint16_t>;

template <class Element>
KOKKOS_INLINE_FUNCTION element_bits<Element> bits_of(Element element) {
  return Kokkos::bit_cast<element_bits<Element>>(element);
}

/// The NaN that replaces every computed NaN when it is stored.
template <class Element>
inline constexpr element_bits<Element> element_nan =
    std::is_same_v<Element, float> ? canonical_nan_bits
                                   : (std::is_same_v<Element, Float16> ? 0x7E00U : 0x7FC0U);

/// The bits of the largest element that counts as dead, |x| < 1e-8. For binary16 only zero is dead.
template <class Element>
inline constexpr element_bits<Element> dead_max =
    std::is_same_v<Element, float> ? 0x322BCC77U
                                   : (std::is_same_v<Element, Float16> ? 0U : 0x322BU);

/// `round_to` with canonical NaN.
template <class Element>
KOKKOS_INLINE_FUNCTION Element round_canonical(float value) {
  constexpr element_bits<Element> nan = element_nan<Element>;
  if (value != value) return Kokkos::bit_cast<Element>(nan);
  return round_to<Element>(value);
}

#if KINDRED_HAS_DEVICE_INSTRUCTIONS
/// `round_canonical` of two numbers to 16-bit elements, the first in the lower half.
template <class Element>
__device__ inline std::uint32_t round_pair(float first, float second) {
  std::uint32_t pair = 0;
  if constexpr (std::is_same_v<Element, Float16>) {
    const __half2 two = __floats2half2_rn(first, second);
    memcpy(&pair, &two, 4);
  } else {
    const __nv_bfloat162 two = __floats2bfloat162_rn(first, second);
    memcpy(&pair, &two, 4);
  }
  // A computed NaN is 0x7FFF here, which is the greatest signed number.
  return __vmins2(pair, element_nan<Element> * 0x10001U);
}
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_ELEMENT_BITS_HPP

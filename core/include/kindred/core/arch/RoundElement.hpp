// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_ROUND_ELEMENT_HPP
#define KINDRED_CORE_ARCH_ROUND_ELEMENT_HPP

#include <kindred/core/arch/Elements.hpp>

#include <type_traits>

namespace Kindred::Arch {

/// \brief Rounds a float32 to the nearest stored element, ties to even; infinite beyond its range.
/// In integer arithmetic; equivalent to the machine instructions. \p value must not be NaN.
KOKKOS_INLINE_FUNCTION Float16 round_to_float16_portable(float value) {
  const auto bits = Kokkos::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16U & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude >= 0x47800000U) return {static_cast<std::uint16_t>(sign | 0x7C00U)};
  if (magnitude < 0x38800000U) {
    // After adding ½, the last bit of the float32 is the last bit of a denormal binary16.
    const float shifted = Kokkos::bit_cast<float>(magnitude) + 0.5F;
    return {static_cast<std::uint16_t>(
        sign | (Kokkos::bit_cast<std::uint32_t>(shifted) - Kokkos::bit_cast<std::uint32_t>(0.5F)))};
  }
  const std::uint32_t rounded = magnitude + 0xFFFU + (magnitude >> 13U & 1U) - (112U << 23U);
  return {static_cast<std::uint16_t>(sign | rounded >> 13U)};
}

template <class Element>
KOKKOS_INLINE_FUNCTION Element round_to(float value) {
  if constexpr (std::is_same_v<Element, float>) {
    return value;
  } else if constexpr (std::is_same_v<Element, BFloat16>) {
    const auto bits = Kokkos::bit_cast<std::uint32_t>(value);
    return {static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16U & 1U)) >> 16U)};
  } else {
    static_assert(std::is_same_v<Element, Float16>);
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
    return {__half_as_ushort(__float2half_rn(value))};
#else
    return round_to_float16_portable(value);
#endif
  }
}

/// `round_to` of four values, and the rounded values as floats.
template <class Element>
KOKKOS_INLINE_FUNCTION void round_vec4(const float (&values)[4], Element (&out)[4],
                                       float (&rounded)[4]) {
  for (int i = 0; i < 4; ++i) {
    out[i] = round_to<Element>(values[i]);
    rounded[i] = to_float(out[i]);
  }
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_ROUND_ELEMENT_HPP

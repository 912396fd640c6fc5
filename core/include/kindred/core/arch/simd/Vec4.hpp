// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_VEC4_HPP
#define KINDRED_CORE_ARCH_SIMD_VEC4_HPP

#include <kindred/core/arch/ElementBits.hpp>
#include <kindred/core/arch/simd/Lanes.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace Kindred::Arch {

/// \brief Four adjacent elements, read and written together as words: if a device unpacks elements
/// before it needs them, it cannot read the next ones early.
template <class Element>
struct alignas(4 * sizeof(Element)) Vec4 {
  std::uint32_t word[sizeof(Element)];

  KOKKOS_INLINE_FUNCTION Element value(int i) const {
    if constexpr (sizeof(Element) == 4)
      return Kokkos::bit_cast<Element>(word[i]);
    else
      return {static_cast<std::uint16_t>(word[i / 2] >> (i % 2 * 16))};
  }
  KOKKOS_INLINE_FUNCTION void set(int i, Element element) {
    if constexpr (sizeof(Element) == 4) {
      word[i] = Kokkos::bit_cast<std::uint32_t>(element);
    } else {
      const int shift = i % 2 * 16;
      word[i / 2] = (word[i / 2] & ~(0xFFFFU << shift)) |
                    static_cast<std::uint32_t>(bits_of(element)) << shift;
    }
  }
};

template <class Element>
KOKKOS_INLINE_FUNCTION Vec4<Element> load_vec4(const Element* from) {
  Vec4<Element> out;
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
  out = *reinterpret_cast<const Vec4<Element>*>(from);
#else
  std::memcpy(&out, from, sizeof(out));
#endif
  return out;
}
template <class Element>
KOKKOS_INLINE_FUNCTION void store_vec4(Element* to, const Vec4<Element>& vec4) {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
  *reinterpret_cast<Vec4<Element>*>(to) = vec4;
#else
  std::memcpy(to, &vec4, sizeof(vec4));
#endif
}
template <class Element>
KOKKOS_INLINE_FUNCTION void to_floats(const Vec4<Element>& vec4, float (&out)[4]) {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
  if constexpr (std::is_same_v<Element, BFloat16>) {
    out[0] = __uint_as_float(vec4.word[0] << 16);
    out[1] = __uint_as_float(vec4.word[0] & 0xFFFF0000U);
    out[2] = __uint_as_float(vec4.word[1] << 16);
    out[3] = __uint_as_float(vec4.word[1] & 0xFFFF0000U);
    return;
  }
#endif
  for (int i = 0; i < 4; ++i) out[i] = to_float(vec4.value(i));
}

/// \brief Selects which of four elements are copied: all bits set where one is.
template <class Element>
struct Vec4Mask {
  std::uint32_t word[sizeof(Element)] = {};

  /// \param copies all bits set, or 0
  KOKKOS_INLINE_FUNCTION void set(int i, std::uint32_t copies) {
    if constexpr (sizeof(Element) == 4)
      word[i] = copies;
    else
      word[i / 2] |= copies & (0xFFFFU << (i % 2 * 16));
  }
};

/// `round_canonical` of four numbers, or \p copied where the mask selects it.
template <class Element>
KOKKOS_INLINE_FUNCTION Vec4<Element> round_or_copy(const float (&values)[4],
                                                   const Vec4<Element>& copied,
                                                   const Vec4Mask<Element>& copies) {
  Vec4<Element> out{};
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
  if constexpr (sizeof(Element) == 2) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const std::uint32_t pair = round_pair<Element>(values[2 * i], values[2 * i + 1]);
      out.word[i] = (pair & ~copies.word[i]) | (copied.word[i] & copies.word[i]);
    }
    return out;
  }
#endif
  for (int i = 0; i < 4; ++i) out.set(i, round_canonical<Element>(values[i]));
  for (unsigned i = 0; i < sizeof(Element); ++i)
    out.word[i] = (out.word[i] & ~copies.word[i]) | (copied.word[i] & copies.word[i]);
  return out;
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_VEC4_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_VEC4_HPP
#define KINDRED_CORE_ARCH_SIMD_VEC4_HPP

#include <kindred/core/arch/RoundElement.hpp>
#include <kindred/core/arch/simd/Lanes.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
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
inline constexpr element_bits<Element> canonical_nan =
    std::is_same_v<Element, float> ? 0x7FC00000U
                                   : (std::is_same_v<Element, Float16> ? 0x7E00U : 0x7FC0U);

/// The bits of the largest element that counts as dead, |x| < 1e-8. For binary16 only zero is dead.
template <class Element>
inline constexpr element_bits<Element> dead_max =
    std::is_same_v<Element, float> ? 0x322BCC77U
                                   : (std::is_same_v<Element, Float16> ? 0U : 0x322BU);

/// `round_to` with canonical NaN.
template <class Element>
KOKKOS_INLINE_FUNCTION Element round_canonical(float value) {
  constexpr element_bits<Element> nan = canonical_nan<Element>;
  if (value != value) return Kokkos::bit_cast<Element>(nan);
  return round_to<Element>(value);
}

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
  if constexpr (sizeof(Element) == 4) {
    const uint4 words = *reinterpret_cast<const uint4*>(from);
    out.word[0] = words.x;
    out.word[1] = words.y;
    out.word[2] = words.z;
    out.word[3] = words.w;
  } else {
    const uint2 words = *reinterpret_cast<const uint2*>(from);
    out.word[0] = words.x;
    out.word[1] = words.y;
  }
#else
  std::memcpy(&out, from, sizeof(out));
#endif
  return out;
}
template <class Element>
KOKKOS_INLINE_FUNCTION void store_vec4(Element* to, const Vec4<Element>& vec4) {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
  if constexpr (sizeof(Element) == 4)
    *reinterpret_cast<uint4*>(to) =
        make_uint4(vec4.word[0], vec4.word[1], vec4.word[2], vec4.word[3]);
  else
    *reinterpret_cast<uint2*>(to) = make_uint2(vec4.word[0], vec4.word[1]);
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

/// \brief `round_canonical` of four numbers, or \p copied where the mask selects it. A device
/// rounds two at a time.
template <class Element>
KOKKOS_INLINE_FUNCTION Vec4<Element> round_or_copy(const float (&values)[4],
                                                   const Vec4<Element>& copied,
                                                   const Vec4Mask<Element>& copies) {
  Vec4<Element> out{};
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
  if constexpr (sizeof(Element) == 2) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      // A computed NaN is 0x7FFF here, which is the greatest signed number.
      std::uint32_t pair = 0;
      if constexpr (std::is_same_v<Element, Float16>) {
        const __half2 two = __floats2half2_rn(values[2 * i], values[2 * i + 1]);
        memcpy(&pair, &two, 4);
      } else {
        const __nv_bfloat162 two = __floats2bfloat162_rn(values[2 * i], values[2 * i + 1]);
        memcpy(&pair, &two, 4);
      }
      pair = __vmins2(pair, canonical_nan<Element> * 0x10001U);
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

/// \brief Minimum and maximum of up to 65535 numbers in each of four columns, and the number of
/// dead elements. NaN is ignored.
template <class Element>
class ColumnExtremes {
 public:
  KOKKOS_INLINE_FUNCTION void add(const Vec4<Element>& vec4) {
    constexpr element_bits<Element> most = dead_max<Element>;
    for (int i = 0; i < 4; ++i) {
      const float value = to_float(vec4.value(i));
      // For a signalling NaN, host functions return NaN, whereas device instructions return the
      // number.
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
      m_min[i] = ::fminf(value, m_min[i]);
      m_max[i] = ::fmaxf(value, m_max[i]);
#else
      m_min[i] = value < m_min[i] ? value : m_min[i];
      m_max[i] = value > m_max[i] ? value : m_max[i];
#endif
      m_dead[i] += ::fabsf(value) <= to_float(Kokkos::bit_cast<Element>(most)) ? 1 : 0;
    }
  }
  KOKKOS_INLINE_FUNCTION float min(int column) const { return m_min[column]; }
  KOKKOS_INLINE_FUNCTION float max(int column) const { return m_max[column]; }
  KOKKOS_INLINE_FUNCTION std::uint32_t dead(int column) const { return m_dead[column]; }

 private:
  float m_min[4] = {HUGE_VALF, HUGE_VALF, HUGE_VALF, HUGE_VALF};
  float m_max[4] = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF, -HUGE_VALF};
  std::uint32_t m_dead[4] = {};
};

#if KINDRED_HAS_DEVICE_INSTRUCTIONS
/// The same for pairs of 16-bit elements.
template <class Element>
class PairExtremes {
 public:
  KOKKOS_INLINE_FUNCTION void add(const Vec4<Element>& vec4) {
    constexpr std::uint32_t most = dead_max<Element> * 0x10001U;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const pair two = pair_of(vec4.word[i]);
      m_min[i] = __hmin2(two, m_min[i]);
      m_max[i] = __hmax2(two, m_max[i]);
      m_dead[i] -= __hle2_mask(__habs2(two), pair_of(most));
    }
  }
  KOKKOS_INLINE_FUNCTION float min(int column) const { return half_of(m_min, column); }
  KOKKOS_INLINE_FUNCTION float max(int column) const { return half_of(m_max, column); }
  KOKKOS_INLINE_FUNCTION std::uint32_t dead(int column) const {
    // Subtracting a mask of the lower half adds one there and borrows one from the upper half.
    const std::uint32_t lower = m_dead[column / 2] & 0xFFFFU;
    return column % 2 == 0 ? lower : ((m_dead[column / 2] >> 16U) + lower) & 0xFFFFU;
  }

 private:
  static constexpr bool is_half = std::is_same_v<Element, Float16>;
  using pair = std::conditional_t<is_half, __half2, __nv_bfloat162>;

  KOKKOS_INLINE_FUNCTION static pair pair_of(std::uint32_t bits) {
    pair out;
    memcpy(&out, &bits, 4);
    return out;
  }
  KOKKOS_INLINE_FUNCTION static float half_of(const pair (&pairs)[2], int column) {
    std::uint32_t bits = 0;
    memcpy(&bits, &pairs[column / 2], 4);
    return to_float(Element{static_cast<std::uint16_t>(bits >> (column % 2 * 16))});
  }

  static constexpr std::uint32_t infinity = is_half ? 0x7C007C00U : 0x7F807F80U;
  pair m_min[2] = {pair_of(infinity), pair_of(infinity)};
  pair m_max[2] = {pair_of(infinity | 0x80008000U), pair_of(infinity | 0x80008000U)};
  std::uint32_t m_dead[2] = {};
};
template <class Element>
using Vec4Extremes =
    std::conditional_t<sizeof(Element) == 2, PairExtremes<Element>, ColumnExtremes<Element>>;
#else
template <class Element>
using Vec4Extremes = ColumnExtremes<Element>;
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_VEC4_HPP

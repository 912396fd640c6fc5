// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_VEC4_EXTREMES_HPP
#define KINDRED_CORE_ARCH_SIMD_VEC4_EXTREMES_HPP

#include <kindred/core/arch/simd/Vec4.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace Kindred::Arch {

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

#endif  // KINDRED_CORE_ARCH_SIMD_VEC4_EXTREMES_HPP

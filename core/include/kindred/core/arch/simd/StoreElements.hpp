// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_STORE_ELEMENTS_HPP
#define KINDRED_CORE_ARCH_SIMD_STORE_ELEMENTS_HPP

#include <kindred/core/arch/CachedAccess.hpp>
#include <kindred/core/arch/ElementBits.hpp>
#include <kindred/core/arch/simd/InstructionSets.hpp>
#include <kindred/core/arch/simd/Lanes.hpp>

#include <cstring>
#include <type_traits>

namespace Kindred::Arch {

/// `round_canonical` of 32 numbers on the host, of which the first \p count are written.
template <class Element>
void store_lanes(Element* out, const float (&values)[32], int count) {
  Element elements[32];
#if KINDRED_HAS_AVX2_FMA
  if constexpr (std::is_same_v<Element, Float16>) {
    for (int e = 0; e < 4; ++e) {
      const __m256 eight = _mm256_loadu_ps(values + e * 8);
      const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(element_nan<float>));
      const __m256 sane = _mm256_blendv_ps(eight, nan, _mm256_cmp_ps(eight, eight, _CMP_UNORD_Q));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(elements + e * 8),
                       _mm256_cvtps_ph(sane, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    }
    std::memcpy(out, elements, static_cast<std::size_t>(count) * sizeof(Element));
    return;
  }
#endif
  for (int l = 0; l < 32; ++l) elements[l] = round_canonical<Element>(values[l]);
  std::memcpy(out, elements, static_cast<std::size_t>(count) * sizeof(Element));
}

/// `round_canonical` of adjacent elements. \param out aligned to 16 bytes or to their total size
template <class Element, int Count>
KOKKOS_INLINE_FUNCTION void store_neighbours(Element* out, const float (&values)[Count]) {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
  if constexpr (!std::is_same_v<Element, float>) {
    Adjacent<std::uint32_t, Count / 2> pairs;
    KINDRED_UNROLL
    for (int i = 0; i < Count / 2; ++i)
      pairs.value[i] = round_pair<Element>(values[2 * i], values[2 * i + 1]);
    *reinterpret_cast<Adjacent<std::uint32_t, Count / 2>*>(out) = pairs;
    return;
  }
#endif
  Adjacent<Element, Count> all;
  KINDRED_UNROLL
  for (int i = 0; i < Count; ++i) all.value[i] = round_canonical<Element>(values[i]);
  *reinterpret_cast<Adjacent<Element, Count>*>(out) = all;
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_STORE_ELEMENTS_HPP

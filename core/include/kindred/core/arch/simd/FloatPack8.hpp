// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_FLOAT_PACK8_HPP
#define KINDRED_CORE_ARCH_SIMD_FLOAT_PACK8_HPP

#include <kindred/core/arch/Elements.hpp>
#include <kindred/core/arch/simd/SimdPack.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Arch {

/// \brief Eight adjacent floats or doubles on the host. \tparam Bytes \see SimdPack
template <unsigned Bytes>
struct FloatPack8 {
  using Floats = SimdPack<float, 8, Bytes>;
  using Doubles = SimdPack<double, 8, Bytes>;

  /// Stored elements of any type, as floats.
  static Floats load(const float* from) { return Floats::load(from); }
  static Floats load(const Float16* from) {
    return floats_of_halves(SimdPack<std::uint16_t, 8, Bytes>::load(&from->bits));
  }
  static Floats load(const BFloat16* from) {
    return (SimdPack<std::uint16_t, 8, Bytes>::load(&from->bits).template to<std::uint32_t>() << 16)
        .template as<float>();
  }
  static Floats load(const std::int8_t* from) {
    return SimdPack<std::int8_t, 8, Bytes>::load(from)
        .template to<std::int32_t>()
        .template to<float>();
  }
  /// `from[index[i]]`
  static Floats gather(const float* from, const std::uint32_t* index) {
#if KINDRED_HAS_AVX512_FLOATS
    // The instruction takes signed indices: an offset of 2³¹ is moved from the indices to the base.
    // That of AVX2 is no faster than scalar loads.
    if constexpr (Bytes == 64) {
      const __m256i unsigned_index = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(index));
      const char* base = reinterpret_cast<const char*>(from) + (std::ptrdiff_t{1} << 33);
      const __m256i flip = _mm256_set1_epi32(static_cast<int>(0x80000000U));
      return {{_mm256_mmask_i32gather_ps(_mm256_setzero_ps(), 255,
                                         _mm256_xor_si256(unsigned_index, flip), base, 4)}};
    }
#endif
    return Floats::of([&](unsigned i) { return from[index[i]]; });
  }
  /// `c + a·b` for products that are exact, such as those of two floats: fused or not, the bits are
  /// the same.
  static Doubles add_exact(const Doubles& a, const Doubles& b, const Doubles& c) {
    if constexpr (Bytes != 0)
      return Doubles::fused(a, b, c);
    else
      return c + a * b;
  }
};

using ScalarFloatPack8 = FloatPack8<0>;
using HostFloatPack8 = FloatPack8<float_register_bytes>;

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_FLOAT_PACK8_HPP

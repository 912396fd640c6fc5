// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_FLOAT_PACK8_HPP
#define KINDRED_CORE_ARCH_SIMD_FLOAT_PACK8_HPP

#include <kindred/core/arch/Elements.hpp>
#include <kindred/core/arch/RoundedProduct.hpp>
#include <kindred/core/arch/simd/InstructionSets.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>

namespace Kindred::Arch {

/// \brief Eight adjacent floats or doubles on the host, in plain loops: the definition of the
/// operations, to which every form in registers is bit-identical. A mask has one bit per element;
/// elements whose bit is 0 are not accessed and count as +0.
struct ScalarFloatPack8 {
  struct Floats {
    float value[8];
  };
  struct Doubles {
    double value[8];
  };

  static Doubles zero() { return {}; }
  static Doubles load(const double* from) { return load(from, 255); }
  static Doubles load(const double* from, unsigned mask) {
    return doubles([&](int i) { return (mask >> i & 1U) != 0 ? from[i] : 0.0; });
  }
  /// Elements `first … first + 8` of an array of \p count ≤ 32 elements, of which \p from is the
  /// first of these; elements at and beyond \p count are not accessed and count as +0.
  static Doubles load_below(const double* from, std::uint32_t first, std::uint32_t count) {
    return doubles(
        [&](int i) { return first + static_cast<std::uint32_t>(i) < count ? from[i] : 0.0; });
  }
  static void store(double* to, const Doubles& a) { std::memcpy(to, a.value, sizeof(a)); }
  static void store(double* to, const Doubles& a, unsigned mask) {
    for (int i = 0; i < 8; ++i) {
      if ((mask >> i & 1U) != 0) to[i] = a.value[i];
    }
  }
  /// Stored elements of any type, as floats.
  template <class Element>
  static Floats load(const Element* from) {
    return floats([&](int i) { return to_float(from[i]); });
  }
  static Floats load(const float* from, unsigned mask) {
    return floats([&](int i) { return (mask >> i & 1U) != 0 ? from[i] : 0.0F; });
  }
  static void store(float* to, const Floats& a) { std::memcpy(to, a.value, sizeof(a)); }
  static Floats all(float a) {
    return floats([&](int) { return a; });
  }
  static Doubles all(double a) {
    return doubles([&](int) { return a; });
  }
  /// `from[index[i]]`
  static Floats gather(const float* from, const std::uint32_t* index) {
    return floats([&](int i) { return from[index[i]]; });
  }
  static Floats multiply(const Floats& a, const Floats& b) {
    return floats([&](int i) { return a.value[i] * b.value[i]; });
  }
  static Doubles widen(const Floats& a) {
    return doubles([&](int i) { return static_cast<double>(a.value[i]); });
  }
  static Doubles add(const Doubles& a, const Doubles& b) {
    return doubles([&](int i) { return a.value[i] + b.value[i]; });
  }
  static Doubles subtract(const Doubles& a, const Doubles& b) {
    return doubles([&](int i) { return a.value[i] - b.value[i]; });
  }
  /// Never fused with an addition.
  static Doubles multiply(const Doubles& a, const Doubles& b) {
    return doubles([&](int i) { return rounded_product(a.value[i], b.value[i]); });
  }
  /// `c + a·b` for products that are exact, such as those of two floats: fused or not, the bits are
  /// the same.
  static Doubles add_exact(const Doubles& a, const Doubles& b, const Doubles& c) {
    return doubles([&](int i) { return c.value[i] + a.value[i] * b.value[i]; });
  }
  /// The pairwise tree reduction: 4, 2, 1.
  static double tree_sum(Doubles a) {
    for (int half = 4; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) a.value[i] += a.value[i + half];
    }
    return a.value[0];
  }

 private:
  template <class Value>
  static Floats floats(const Value& value) {
    Floats out;
    for (int i = 0; i < 8; ++i) out.value[i] = value(i);
    return out;
  }
  template <class Value>
  static Doubles doubles(const Value& value) {
    Doubles out;
    for (int i = 0; i < 8; ++i) out.value[i] = value(i);
    return out;
  }
};

#if KINDRED_HAS_AVX2_FMA
/// Floats in a 256-bit register: what the forms below have in common.
struct AvxFloats8 {
  using Floats = __m256;

  static Floats load(const float* from) { return _mm256_loadu_ps(from); }
  static Floats load(const Float16* from) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
  static Floats load(const BFloat16* from) {
    const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
  }
  static Floats load(const std::int8_t* from) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
  }
  static void store(float* to, Floats a) { _mm256_storeu_ps(to, a); }
  static Floats all(float a) { return _mm256_set1_ps(a); }
  static Floats multiply(Floats a, Floats b) { return _mm256_mul_ps(a, b); }
};
#endif

#if KINDRED_HAS_AVX512_FLOATS
/// \see ScalarFloatPack8
struct Avx512FloatPack8 : AvxFloats8 {
  using Doubles = __m512d;
  using AvxFloats8::all;
  using AvxFloats8::load;
  using AvxFloats8::multiply;
  using AvxFloats8::store;

  static Doubles zero() { return _mm512_setzero_pd(); }
  static Doubles load(const double* from) { return _mm512_loadu_pd(from); }
  static Doubles load(const double* from, unsigned mask) {
    return _mm512_maskz_loadu_pd(static_cast<__mmask8>(mask), from);
  }
  static Doubles load_below(const double* from, std::uint32_t first, std::uint32_t count) {
    const std::uint64_t below = (std::uint64_t{1} << count) - 1;
    return load(from, static_cast<unsigned>(below >> first & 255U));
  }
  static void store(double* to, Doubles a) { _mm512_storeu_pd(to, a); }
  static void store(double* to, Doubles a, unsigned mask) {
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>(mask), a);
  }
  static Floats load(const float* from, unsigned mask) {
    return _mm256_maskz_loadu_ps(static_cast<__mmask8>(mask), from);
  }
  static Doubles all(double a) { return _mm512_set1_pd(a); }
  /// The instruction takes signed indices: an offset of 2³¹ is moved from the indices to the base.
  static Floats gather(const float* from, const std::uint32_t* index) {
    const __m256i unsigned_index = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(index));
    const char* base = reinterpret_cast<const char*>(from) + (std::ptrdiff_t{1} << 33);
    const __m256i flip = _mm256_set1_epi32(static_cast<int>(0x80000000U));
    return _mm256_mmask_i32gather_ps(_mm256_setzero_ps(), full,
                                     _mm256_xor_si256(unsigned_index, flip), base, 4);
  }
  static Doubles widen(Floats a) { return _mm512_maskz_cvtps_pd(full, a); }
  static Doubles add(Doubles a, Doubles b) { return _mm512_add_pd(a, b); }
  static Doubles subtract(Doubles a, Doubles b) { return _mm512_sub_pd(a, b); }
  static Doubles multiply(Doubles a, Doubles b) { return uncontracted(_mm512_mul_pd(a, b)); }
  static Doubles add_exact(Doubles a, Doubles b, Doubles c) { return _mm512_fmadd_pd(a, b, c); }
  static double tree_sum(Doubles a) {
    const __m256d four = _mm256_add_pd(_mm512_maskz_extractf64x4_pd(full, a, 0),
                                       _mm512_maskz_extractf64x4_pd(full, a, 1));
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
  }

 private:
  /// Zero-masking forms with a full mask equal the plain instructions, without the false
  /// -Wmaybe-uninitialized that g++ 12 reports for the plain forms (GCC bug 105593).
  static constexpr __mmask8 full = 255;
};
using HostFloatPack8 = Avx512FloatPack8;

#elif KINDRED_HAS_AVX2_FMA
/// 32 elements with all bits set, then 32 zeros.
struct OnesThenZeros {
  alignas(64) std::int64_t bits[64] = {};

  constexpr OnesThenZeros() {
    for (int i = 0; i < 32; ++i) bits[i] = -1;
  }
};
inline constexpr OnesThenZeros ones_then_zeros;

/// \see ScalarFloatPack8
struct Avx2FloatPack8 : AvxFloats8 {
  struct Doubles {
    __m256d low;
    __m256d high;
  };
  using AvxFloats8::all;
  using AvxFloats8::load;
  using AvxFloats8::multiply;
  using AvxFloats8::store;

  static Doubles zero() { return {_mm256_setzero_pd(), _mm256_setzero_pd()}; }
  static Doubles load(const double* from) {
    return {_mm256_loadu_pd(from), _mm256_loadu_pd(from + 4)};
  }
  static Doubles load(const double* from, unsigned mask) {
    return {_mm256_maskload_pd(from, wide_mask(mask)),
            _mm256_maskload_pd(from + 4, wide_mask(mask >> 4U))};
  }
  static Doubles load_below(const double* from, std::uint32_t first, std::uint32_t count) {
    // Masks that are read take less time than masks that are computed.
    const std::int64_t* mask = ones_then_zeros.bits + (32 + first - count);
    const auto part = [&](int i) {
      return _mm256_maskload_pd(from + i,
                                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mask + i)));
    };
    return {part(0), part(4)};
  }
  static void store(double* to, Doubles a) {
    _mm256_storeu_pd(to, a.low);
    _mm256_storeu_pd(to + 4, a.high);
  }
  static void store(double* to, Doubles a, unsigned mask) {
    _mm256_maskstore_pd(to, wide_mask(mask), a.low);
    _mm256_maskstore_pd(to + 4, wide_mask(mask >> 4U), a.high);
  }
  static Floats load(const float* from, unsigned mask) {
    const __m256i bits = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
    const __m256i active = _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(mask & 255U)), bits);
    return _mm256_maskload_ps(from, _mm256_cmpeq_epi32(active, bits));
  }
  static Doubles all(double a) { return {_mm256_set1_pd(a), _mm256_set1_pd(a)}; }
  /// Scalar loads: an AVX2 gather takes signed indices and is no faster.
  static Floats gather(const float* from, const std::uint32_t* index) {
    return _mm256_set_ps(from[index[7]], from[index[6]], from[index[5]], from[index[4]],
                         from[index[3]], from[index[2]], from[index[1]], from[index[0]]);
  }
  static Doubles widen(Floats a) {
    return {_mm256_cvtps_pd(_mm256_castps256_ps128(a)),
            _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1))};
  }
  static Doubles add(Doubles a, Doubles b) {
    return {_mm256_add_pd(a.low, b.low), _mm256_add_pd(a.high, b.high)};
  }
  static Doubles subtract(Doubles a, Doubles b) {
    return {_mm256_sub_pd(a.low, b.low), _mm256_sub_pd(a.high, b.high)};
  }
  static Doubles multiply(Doubles a, Doubles b) {
    return {uncontracted(_mm256_mul_pd(a.low, b.low)), uncontracted(_mm256_mul_pd(a.high, b.high))};
  }
  static Doubles add_exact(Doubles a, Doubles b, Doubles c) {
    return {_mm256_fmadd_pd(a.low, b.low, c.low), _mm256_fmadd_pd(a.high, b.high, c.high)};
  }
  static double tree_sum(Doubles a) {
    const __m256d four = _mm256_add_pd(a.low, a.high);
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
  }

 private:
  /// All bits set in the elements that \p mask selects.
  static __m256i wide_mask(unsigned mask) {
    const __m256i bits = _mm256_set_epi64x(8, 4, 2, 1);
    return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(mask & 15U), bits), bits);
  }
};
using HostFloatPack8 = Avx2FloatPack8;

#elif KINDRED_HAS_NEON
/// \see ScalarFloatPack8
struct NeonFloatPack8 {
  struct Floats {
    float32x4_t part[2];
  };
  struct Doubles {
    float64x2_t part[4];
  };

  static Doubles zero() { return all(0.0); }
  static Doubles load(const double* from) {
    return doubles([&](int p) { return vld1q_f64(from + 2 * p); });
  }
  static Doubles load(const double* from, unsigned mask) {
    double values[8];
    for (int i = 0; i < 8; ++i) values[i] = (mask >> i & 1U) != 0 ? from[i] : 0.0;
    return load(values);
  }
  static Doubles load_below(const double* from, std::uint32_t first, std::uint32_t count) {
    const std::uint64_t below = (std::uint64_t{1} << count) - 1;
    return load(from, static_cast<unsigned>(below >> first & 255U));
  }
  static void store(double* to, const Doubles& a) {
    for (int p = 0; p < 4; ++p) vst1q_f64(to + 2 * p, a.part[p]);
  }
  static void store(double* to, const Doubles& a, unsigned mask) {
    double values[8];
    store(values, a);
    for (int i = 0; i < 8; ++i) {
      if ((mask >> i & 1U) != 0) to[i] = values[i];
    }
  }
  static Floats load(const float* from) { return {{vld1q_f32(from), vld1q_f32(from + 4)}}; }
  static Floats load(const Float16* from) {
    const float16x8_t halves =
        vreinterpretq_f16_u16(vld1q_u16(reinterpret_cast<const std::uint16_t*>(from)));
    return {{vcvt_f32_f16(vget_low_f16(halves)), vcvt_high_f32_f16(halves)}};
  }
  static Floats load(const BFloat16* from) {
    const uint16x8_t bits = vld1q_u16(reinterpret_cast<const std::uint16_t*>(from));
    return {{vreinterpretq_f32_u32(vshll_n_u16(vget_low_u16(bits), 16)),
             vreinterpretq_f32_u32(vshll_high_n_u16(bits, 16))}};
  }
  static Floats load(const std::int8_t* from) {
    const int16x8_t wide = vmovl_s8(vld1_s8(from));
    return {{vcvtq_f32_s32(vmovl_s16(vget_low_s16(wide))), vcvtq_f32_s32(vmovl_high_s16(wide))}};
  }
  static Floats load(const float* from, unsigned mask) {
    float values[8];
    for (int i = 0; i < 8; ++i) values[i] = (mask >> i & 1U) != 0 ? from[i] : 0.0F;
    return load(values);
  }
  static void store(float* to, const Floats& a) {
    vst1q_f32(to, a.part[0]);
    vst1q_f32(to + 4, a.part[1]);
  }
  static Floats all(float a) { return {{vdupq_n_f32(a), vdupq_n_f32(a)}}; }
  static Doubles all(double a) {
    return doubles([&](int) { return vdupq_n_f64(a); });
  }
  static Floats gather(const float* from, const std::uint32_t* index) {
    return {{four(from, index), four(from, index + 4)}};
  }
  static Floats multiply(const Floats& a, const Floats& b) {
    return {{vmulq_f32(a.part[0], b.part[0]), vmulq_f32(a.part[1], b.part[1])}};
  }
  static Doubles widen(const Floats& a) {
    return {{vcvt_f64_f32(vget_low_f32(a.part[0])), vcvt_high_f64_f32(a.part[0]),
             vcvt_f64_f32(vget_low_f32(a.part[1])), vcvt_high_f64_f32(a.part[1])}};
  }
  static Doubles add(const Doubles& a, const Doubles& b) {
    return doubles([&](int p) { return vaddq_f64(a.part[p], b.part[p]); });
  }
  static Doubles subtract(const Doubles& a, const Doubles& b) {
    return doubles([&](int p) { return vsubq_f64(a.part[p], b.part[p]); });
  }
  static Doubles multiply(const Doubles& a, const Doubles& b) {
    return doubles([&](int p) { return uncontracted(vmulq_f64(a.part[p], b.part[p])); });
  }
  static Doubles add_exact(const Doubles& a, const Doubles& b, const Doubles& c) {
    return doubles([&](int p) { return vfmaq_f64(c.part[p], a.part[p], b.part[p]); });
  }
  static double tree_sum(const Doubles& a) {
    const float64x2_t low = vaddq_f64(a.part[0], a.part[2]);
    const float64x2_t two = vaddq_f64(low, vaddq_f64(a.part[1], a.part[3]));
    return vgetq_lane_f64(two, 0) + vgetq_lane_f64(two, 1);
  }

 private:
  static float32x4_t four(const float* from, const std::uint32_t* index) {
    return float32x4_t{from[index[0]], from[index[1]], from[index[2]], from[index[3]]};
  }
  template <class Value>
  static Doubles doubles(const Value& value) {
    return {{value(0), value(1), value(2), value(3)}};
  }
};
using HostFloatPack8 = NeonFloatPack8;

#else
using HostFloatPack8 = ScalarFloatPack8;
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_FLOAT_PACK8_HPP

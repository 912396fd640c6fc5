// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_FLOAT_PACK16_HPP
#define KINDRED_CORE_ARCH_SIMD_FLOAT_PACK16_HPP

#include <kindred/core/arch/ElementBits.hpp>
#include <kindred/core/arch/RoundedProduct.hpp>
#include <kindred/core/arch/simd/InstructionSets.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>

namespace Kindred::Arch {

/// \brief Sixteen adjacent elements on the host, in plain loops: the portable form, to which the
/// vector form is bit-identical.
struct ScalarFloatPack16 {
  /// `condition ? a : b` without a load that depends on the condition: behind nvcc, GCC 13
  /// vectorises such loads with AVX-512 so that they return memory that was never written.
  template <class Element>
  static Element select_bits(bool condition, Element a, Element b) {
    const auto mask = static_cast<element_bits<Element>>(-static_cast<int>(condition));
    return Kokkos::bit_cast<Element>(
        static_cast<element_bits<Element>>((bits_of(a) & mask) | (bits_of(b) & ~mask)));
  }

  struct Floats {
    float value[16];
  };
  struct Doubles {
    double value[16];
  };
  using Mask = std::uint16_t;
  template <class Element>
  struct Raw {
    Element value[16];
  };

  /// Loads \p count elements, followed by zeros.
  template <class Element>
  static Raw<Element> load(const Element* from, unsigned count) {
    Raw<Element> out{};
    std::memcpy(&out, from, count * sizeof(Element));
    return out;
  }
  template <class Element>
  static Raw<Element> load(const Element* from) {
    return load(from, 16);
  }
  template <class Element>
  static void store(Element* to, const Raw<Element>& raw, unsigned count) {
    std::memcpy(to, &raw, count * sizeof(Element));
  }
  template <class Element>
  static void store(Element* to, const Raw<Element>& raw) {
    store(to, raw, 16);
  }
  static Floats load_floats(const float* from) { return copied<Floats>(from); }
  static Doubles load_doubles(const double* from) { return copied<Doubles>(from); }
  static void store_floats(float* to, const Floats& a) { std::memcpy(to, &a, sizeof(a)); }
  static void store_doubles(double* to, const Doubles& a) { std::memcpy(to, &a, sizeof(a)); }
  static Doubles no_doubles() { return {}; }

  template <class Element>
  static Floats widen(const Raw<Element>& raw) {
    return each<Floats>([&](int i) { return to_float(raw.value[i]); });
  }
  static Doubles widen(const Floats& a) {
    return each<Doubles>([&](int i) { return static_cast<double>(a.value[i]); });
  }
  static Floats multiply(const Floats& a, const Floats& b) {
    return each<Floats>([&](int i) { return rounded_product(a.value[i], b.value[i]); });
  }
  static Floats add(const Floats& a, const Floats& b) {
    return each<Floats>([&](int i) { return a.value[i] + b.value[i]; });
  }
  /// \name The operations of `Impl::OneFloat`
  ///@{
  static Floats all(float a) {
    return each<Floats>([&](int) { return a; });
  }
  static Floats magnitude(const Floats& a) {
    return each<Floats>([&](int i) { return std::fabs(a.value[i]); });
  }
  static Floats fused(const Floats& a, const Floats& b, const Floats& c) {
    return each<Floats>([&](int i) { return std::fma(a.value[i], b.value[i], c.value[i]); });
  }
  static Floats subtract(const Floats& a, const Floats& b) {
    return each<Floats>([&](int i) { return a.value[i] - b.value[i]; });
  }
  static Floats negative(const Floats& a) {
    return each<Floats>([&](int i) { return -a.value[i]; });
  }
  static Floats if_less(const Floats& a, const Floats& b, const Floats& then,
                        const Floats& otherwise) {
    return each<Floats>([&](int i) {
      return select_bits(a.value[i] < b.value[i], then.value[i], otherwise.value[i]);
    });
  }
  static Floats raised(const Floats& a, const Floats& whole) {
    return each<Floats>([&](int i) {
      return Kokkos::bit_cast<float>(Kokkos::bit_cast<std::uint32_t>(a.value[i]) +
                                     (Kokkos::bit_cast<std::uint32_t>(whole.value[i]) << 23U));
    });
  }
  ///@}
  static Floats choose(Mask mask, const Floats& a, const Floats& b) {
    return each<Floats>(
        [&](int i) { return select_bits((mask >> i & 1) != 0, a.value[i], b.value[i]); });
  }
  template <class Element>
  static Raw<Element> choose(Mask mask, const Raw<Element>& a, const Raw<Element>& b) {
    return each<Raw<Element>>(
        [&](int i) { return select_bits((mask >> i & 1) != 0, a.value[i], b.value[i]); });
  }
  static Doubles subtract(const Doubles& a, const Doubles& b) {
    return each<Doubles>([&](int i) { return a.value[i] - b.value[i]; });
  }
  static Doubles add(const Doubles& a, const Doubles& b) {
    return each<Doubles>([&](int i) { return a.value[i] + b.value[i]; });
  }
  static Doubles multiply_add(const Doubles& a, const Doubles& b, const Doubles& c) {
    return each<Doubles>([&](int i) { return std::fma(a.value[i], b.value[i], c.value[i]); });
  }
  /// `round_canonical`
  template <class Element>
  static Raw<Element> round(const Floats& a) {
    return each<Raw<Element>>([&](int i) { return round_canonical<Element>(a.value[i]); });
  }

 private:
  template <class Pack, class Value>
  static Pack each(const Value& value) {
    Pack out;
    for (int i = 0; i < 16; ++i) out.value[i] = value(i);
    return out;
  }
  template <class Pack, class T>
  static Pack copied(const T* from) {
    Pack out;
    std::memcpy(&out, from, sizeof(out));
    return out;
  }
};

#if KINDRED_HAS_AVX512_FLOATS
template <class Element>
struct Raw16 {
  __m256i value;
};
template <>
struct Raw16<float> {
  __m512i value;
};

/// The same in vector registers.
struct SimdFloatPack16 {
  using Floats = __m512;
  struct Doubles {
    __m512d low;
    __m512d high;
  };
  using Mask = std::uint16_t;
  template <class Element>
  using Raw = Raw16<Element>;
  // The zero-masking forms avoid a false warning of g++ 12 (GCC bug 105593).
  static constexpr __mmask8 eight = 0xFF;
  static constexpr __mmask16 sixteen = 0xFFFF;

  template <class Element>
  static Raw<Element> load(const Element* from, unsigned count) {
    const auto mask = static_cast<__mmask16>((1U << count) - 1U);
    if constexpr (sizeof(Element) == 4)
      return {_mm512_maskz_loadu_epi32(mask, from)};
    else
      return {_mm256_maskz_loadu_epi16(mask, from)};
  }
  template <class Element>
  static Raw<Element> load(const Element* from) {
    if constexpr (sizeof(Element) == 4)
      return {_mm512_loadu_si512(from)};
    else
      return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))};
  }
  template <class Element>
  static void store(Element* to, const Raw<Element>& raw, unsigned count) {
    const auto mask = static_cast<__mmask16>((1U << count) - 1U);
    if constexpr (sizeof(Element) == 4)
      _mm512_mask_storeu_epi32(to, mask, raw.value);
    else
      _mm256_mask_storeu_epi16(to, mask, raw.value);
  }
  template <class Element>
  static void store(Element* to, const Raw<Element>& raw) {
    if constexpr (sizeof(Element) == 4)
      _mm512_storeu_si512(to, raw.value);
    else
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), raw.value);
  }
  static Floats load_floats(const float* from) { return _mm512_loadu_ps(from); }
  static Doubles load_doubles(const double* from) {
    return {_mm512_loadu_pd(from), _mm512_loadu_pd(from + 8)};
  }
  static void store_floats(float* to, Floats a) { _mm512_storeu_ps(to, a); }
  static void store_doubles(double* to, const Doubles& a) {
    _mm512_storeu_pd(to, a.low);
    _mm512_storeu_pd(to + 8, a.high);
  }
  static Doubles no_doubles() { return {_mm512_setzero_pd(), _mm512_setzero_pd()}; }

  template <class Element>
  static Floats widen(const Raw<Element>& raw) {
    if constexpr (std::is_same_v<Element, float>)
      return _mm512_castsi512_ps(raw.value);
    else if constexpr (std::is_same_v<Element, BFloat16>)
      return _mm512_castsi512_ps(
          _mm512_maskz_slli_epi32(sixteen, _mm512_maskz_cvtepu16_epi32(sixteen, raw.value), 16));
    else
      return _mm512_maskz_cvtph_ps(sixteen, raw.value);
  }
  static Doubles widen(Floats a) {
    return {_mm512_maskz_cvtps_pd(eight, _mm512_maskz_extractf32x8_ps(eight, a, 0)),
            _mm512_maskz_cvtps_pd(eight, _mm512_maskz_extractf32x8_ps(eight, a, 1))};
  }
  static Floats multiply(Floats a, Floats b) { return uncontracted(_mm512_mul_ps(a, b)); }
  static Floats add(Floats a, Floats b) { return _mm512_add_ps(a, b); }
  static Floats all(float a) { return _mm512_set1_ps(a); }
  static Floats magnitude(Floats a) { return _mm512_abs_ps(a); }
  static Floats fused(Floats a, Floats b, Floats c) { return _mm512_fmadd_ps(a, b, c); }
  static Floats subtract(Floats a, Floats b) { return _mm512_sub_ps(a, b); }
  static Floats negative(Floats a) { return _mm512_xor_ps(a, _mm512_set1_ps(-0.0F)); }
  static Floats if_less(Floats a, Floats b, Floats then, Floats otherwise) {
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), otherwise, then);
  }
  static Floats raised(Floats a, Floats whole) {
    return _mm512_castsi512_ps(_mm512_add_epi32(
        _mm512_castps_si512(a), _mm512_maskz_slli_epi32(sixteen, _mm512_castps_si512(whole), 23)));
  }
  static Floats choose(Mask mask, Floats a, Floats b) { return _mm512_mask_blend_ps(mask, b, a); }
  template <class Element>
  static Raw<Element> choose(Mask mask, const Raw<Element>& a, const Raw<Element>& b) {
    if constexpr (sizeof(Element) == 4)
      return {_mm512_mask_blend_epi32(mask, b.value, a.value)};
    else
      return {_mm256_mask_blend_epi16(mask, b.value, a.value)};
  }
  static Doubles subtract(const Doubles& a, const Doubles& b) {
    return {_mm512_sub_pd(a.low, b.low), _mm512_sub_pd(a.high, b.high)};
  }
  static Doubles add(const Doubles& a, const Doubles& b) {
    return {_mm512_add_pd(a.low, b.low), _mm512_add_pd(a.high, b.high)};
  }
  static Doubles multiply_add(const Doubles& a, const Doubles& b, const Doubles& c) {
    return {_mm512_fmadd_pd(a.low, b.low, c.low), _mm512_fmadd_pd(a.high, b.high, c.high)};
  }
  /// In integer arithmetic for bfloat16, whose instruction treats denormals as zeros.
  template <class Element>
  static Raw<Element> round(Floats a) {
    const __mmask16 is_nan = _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q);
    if constexpr (std::is_same_v<Element, float>) {
      return {_mm512_mask_mov_epi32(_mm512_castps_si512(a), is_nan,
                                    _mm512_set1_epi32(element_nan<float>))};
    } else if constexpr (std::is_same_v<Element, BFloat16>) {
      const __m512i bits = _mm512_castps_si512(a);
      const __m512i odd =
          _mm512_and_si512(_mm512_maskz_srli_epi32(sixteen, bits, 16), _mm512_set1_epi32(1));
      const __m512i up = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7FFF)), odd);
      const __m256i upper =
          _mm512_maskz_cvtepi32_epi16(sixteen, _mm512_maskz_srli_epi32(sixteen, up, 16));
      return {_mm256_mask_mov_epi16(upper, is_nan, _mm256_set1_epi16(element_nan<BFloat16>))};
    } else {
      const __m256i halves = _mm512_maskz_cvtps_ph(sixteen, a, _MM_FROUND_TO_NEAREST_INT);
      return {_mm256_mask_mov_epi16(halves, is_nan, _mm256_set1_epi16(element_nan<Float16>))};
    }
  }
};
using HostFloatPack16 = SimdFloatPack16;
#else
using HostFloatPack16 = ScalarFloatPack16;
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_FLOAT_PACK16_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_PACK_LANES_HPP
#define KINDRED_CORE_ARCH_PACK_LANES_HPP

#include <kindred/core/arch/RoundedProduct.hpp>
#include <kindred/core/arch/ScalarLanes.hpp>

#include <cstdint>

// The device pass of nvcc parses host code too but does not support vector types: it uses the
// scalar form.
#if !defined(__CUDA_ARCH__) && defined(__F16C__) && \
    ((defined(__AVX512F__) && defined(__AVX512VL__)) || (defined(__AVX2__) && defined(__FMA__)))
#define KINDRED_HAS_PACK_LANES 1
#include <immintrin.h>
#else
#define KINDRED_HAS_PACK_LANES 0
#endif

namespace Kindred::Arch {

#if KINDRED_HAS_PACK_LANES

namespace Pack {

#if defined(__AVX512F__) && defined(__AVX512VL__)

/// Eight doubles.
struct Double {
  __m512d value;
};
inline constexpr int doubles = 8;
/// Zero-masking forms with a full mask equal the plain instructions, without the false
/// -Wmaybe-uninitialized that g++ 12 reports for the plain forms (GCC bug 105593).
inline constexpr __mmask8 full_mask = 255;

inline Double zero() { return {_mm512_setzero_pd()}; }
inline Double load(const double* data) { return {_mm512_loadu_pd(data)}; }
inline Double load(const double* data, unsigned mask) {
  return {_mm512_maskz_loadu_pd(static_cast<__mmask8>(mask), data)};
}
inline void store(double* data, Double a, unsigned mask) {
  _mm512_mask_storeu_pd(data, static_cast<__mmask8>(mask), a.value);
}
inline Double add(Double a, Double b) { return {_mm512_add_pd(a.value, b.value)}; }
inline Double subtract(Double a, Double b) { return {_mm512_sub_pd(a.value, b.value)}; }
inline Double multiply(Double a, Double b) {
  return {uncontracted(_mm512_mul_pd(a.value, b.value))};
}
inline Double fused(Double a, Double b, Double c) {
  return {_mm512_fmadd_pd(a.value, b.value, c.value)};
}
/// Part \p part of eight floats, widened.
template <int Part>
Double widen(__m256 a) {
  return Double{_mm512_maskz_cvtps_pd(full_mask, a)};
}
inline __m256 load(const float* data, unsigned mask) {
  return _mm256_maskz_loadu_ps(static_cast<__mmask8>(mask), data);
}
inline __m256 gather(const float* data, const std::uint32_t* index) {
  const __m512i wide = _mm512_maskz_cvtepu32_epi64(
      full_mask, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(index)));
  return _mm512_mask_i64gather_ps(_mm256_setzero_ps(), full_mask, wide, data, 4);
}
inline __m256 gather(const float* data, const std::uint32_t* index, unsigned mask) {
  const auto active = static_cast<__mmask8>(mask);
  const __m512i wide =
      _mm512_maskz_cvtepu32_epi64(full_mask, _mm256_maskz_loadu_epi32(active, index));
  return _mm512_mask_i64gather_ps(_mm256_setzero_ps(), active, wide, data, 4);
}
/// Pairwise tree reduction over eight: 4, 2, 1.
inline double tree_sum(Double a) {
  const __m256d four = _mm256_add_pd(_mm512_maskz_extractf64x4_pd(full_mask, a.value, 0),
                                     _mm512_maskz_extractf64x4_pd(full_mask, a.value, 1));
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

#else

/// Four doubles.
struct Double {
  __m256d value;
};
inline constexpr int doubles = 4;

/// All bits set in the elements that \p mask selects.
inline __m256i wide_mask(unsigned mask) {
  const __m256i bits = _mm256_set_epi64x(8, 4, 2, 1);
  return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(mask), bits), bits);
}
inline __m256i narrow_mask(unsigned mask) {
  const __m256i bits = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
  return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(static_cast<int>(mask)), bits),
                            bits);
}
inline Double zero() { return {_mm256_setzero_pd()}; }
inline Double load(const double* data) { return {_mm256_loadu_pd(data)}; }
inline Double load(const double* data, unsigned mask) {
  return {_mm256_maskload_pd(data, wide_mask(mask))};
}
inline void store(double* data, Double a, unsigned mask) {
  _mm256_maskstore_pd(data, wide_mask(mask), a.value);
}
inline Double add(Double a, Double b) { return {_mm256_add_pd(a.value, b.value)}; }
inline Double subtract(Double a, Double b) { return {_mm256_sub_pd(a.value, b.value)}; }
inline Double multiply(Double a, Double b) {
  return {uncontracted(_mm256_mul_pd(a.value, b.value))};
}
inline Double fused(Double a, Double b, Double c) {
  return {_mm256_fmadd_pd(a.value, b.value, c.value)};
}
template <int Part>
Double widen(__m256 a) {
  return Double{_mm256_cvtps_pd(_mm256_extractf128_ps(a, Part))};
}
inline __m256 load(const float* data, unsigned mask) {
  return _mm256_maskload_ps(data, narrow_mask(mask));
}
/// Scalar loads: an AVX2 gather takes signed indices and is no faster.
inline __m256 gather(const float* data, const std::uint32_t* index, unsigned mask) {
  alignas(32) float values[8];
  for (int i = 0; i < 8; ++i) values[i] = (mask >> i & 1U) != 0 ? data[index[i]] : 0.0F;
  return _mm256_load_ps(values);
}
inline __m256 gather(const float* data, const std::uint32_t* index) {
  return _mm256_set_ps(data[index[7]], data[index[6]], data[index[5]], data[index[4]],
                       data[index[3]], data[index[2]], data[index[1]], data[index[0]]);
}
inline double tree_sum(Double a) {
  const __m128d two =
      _mm_add_pd(_mm256_castpd256_pd128(a.value), _mm256_extractf128_pd(a.value, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

#endif

/// Eight stored elements as floats.
inline __m256 load_vec8(const float* data) { return _mm256_loadu_ps(data); }
inline __m256 load_vec8(const Float16* data) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(data)));
}
inline __m256 load_vec8(const BFloat16* data) {
  const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(data));
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
}
inline __m256 load_vec8(const std::int8_t* data) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(data));
  return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
}

}  // namespace Pack

/// \brief The 32 lanes in vector registers. Host only. \see ScalarLanes for the meaning of the
/// operations
class PackLanes {
  static constexpr int parts = 32 / Pack::doubles;
  static constexpr int parts_of_vec8 = 8 / Pack::doubles;
  static constexpr unsigned part_mask = (1U << Pack::doubles) - 1;

 public:
  // Plain arrays that are only accessed as vectors, so that they stay in registers: nvcc rejects
  // vector types in the signature of a host-and-device kernel.
  struct alignas(32) F32 {
    float lane[32];
  };
  struct alignas(64) F64 {
    double lane[32];
  };

  F64 zero() const {
    return make([](int) { return Pack::zero(); });
  }
  template <class Element>
  F32 load(const Element* data) const {
    return make_vec8s([&](int e) { return Pack::load_vec8(data + e * 8); });
  }
  template <class Element>
  F32 load(const Element* data, int count) const {
    Element padded[32] = {};
    for (int l = 0; l < count; ++l) padded[l] = data[l];
    return load(padded);
  }
  F32 load(const float* data, int count) const {
    const unsigned mask = lanes_below(count);
    return make_vec8s([&](int e) { return Pack::load(data + e * 8, mask >> (e * 8) & 255U); });
  }
  template <class Element>
  F32 load(const Element* data, int count, Element rest) const {
    Element padded[32];
    for (int l = 0; l < 32; ++l) padded[l] = l < count ? data[l] : rest;
    return load(padded);
  }
  F64 load(const double* data) const {
    return make([&](int p) { return Pack::load(data + p * Pack::doubles); });
  }
  F64 load(const double* data, int count) const {
    const unsigned mask = lanes_below(count);
    return make([&](int p) {
      return Pack::load(data + p * Pack::doubles, mask >> (p * Pack::doubles) & part_mask);
    });
  }
  void store(double* data, const F64& value, int count) const {
    const unsigned mask = lanes_below(count);
    for (int p = 0; p < parts; ++p) {
      Pack::store(data + p * Pack::doubles, get(value, p), mask >> (p * Pack::doubles) & part_mask);
    }
  }
  void store(float* data, const F32& value, int count) const {
    for (int l = 0; l < count; ++l) data[l] = value.lane[l];
  }
  F32 broadcast(float a) const {
    return make_vec8s([&](int) { return _mm256_set1_ps(a); });
  }
  F32 quotient(const F64& a, double b) const {
    F32 r;
    for (int l = 0; l < 32; ++l) r.lane[l] = rounded_quotient(a.lane[l], b);
    return r;
  }
  F32 multiply(const F32& a, float b) const {
    return make_vec8s([&](int e) {
      return _mm256_mul_ps(*reinterpret_cast<const __m256*>(a.lane + e * 8), _mm256_set1_ps(b));
    });
  }
  void prefetch(const char* data, std::uint64_t bytes) const {
    for (std::uint64_t i = 0; i < bytes; i += 64) _mm_prefetch(data + i, _MM_HINT_T0);
  }
  F32 gather(const float* data, const std::uint32_t* index) const {
    return make_vec8s([&](int e) { return Pack::gather(data, index + e * 8); });
  }
  F32 gather(const float* data, const std::uint32_t* index, int count) const {
    const unsigned mask = lanes_below(count);
    return make_vec8s(
        [&](int e) { return Pack::gather(data, index + e * 8, mask >> (e * 8) & 255U); });
  }
  F64 widen(const F32& a) const {
    F64 r;
    for (int e = 0; e < 4; ++e) {
      const __m256 eight = *reinterpret_cast<const __m256*>(a.lane + e * 8);
      set(r, e * parts_of_vec8, Pack::widen<0>(eight));
      if constexpr (parts_of_vec8 == 2) set(r, e * 2 + 1, Pack::widen<1>(eight));
    }
    return r;
  }
  F64 multiply_add(const F32& a, const F32& b, const F64& sum) const {
    return multiply_add(widen(a), widen(b), sum);
  }
  F64 multiply_add(const F64& a, const F64& b, const F64& sum) const {
    return make([&](int p) { return Pack::fused(get(a, p), get(b, p), get(sum, p)); });
  }
  F64 add_difference(const F32& a, const F32& b, const F64& sum) const {
    const F64 x = widen(a);
    const F64 y = widen(b);
    return make(
        [&](int p) { return Pack::add(get(sum, p), Pack::subtract(get(x, p), get(y, p))); });
  }
  F64 add_squared_difference(const F32& a, const F32& b, const F64& sum) const {
    return add_squared_difference(widen(a), widen(b), sum);
  }
  F64 add_squared_difference(const F64& a, const F64& b, const F64& sum) const {
    return make([&](int p) {
      const Pack::Double difference = Pack::subtract(get(a, p), get(b, p));
      return Pack::add(get(sum, p), Pack::multiply(difference, difference));
    });
  }
  F64 add(const F64& a, const F64& b) const {
    return make([&](int p) { return Pack::add(get(a, p), get(b, p)); });
  }
  double tree_sum(const F64& lanes) const {
    F64 sum = lanes;
    for (int half = parts / 2; half > 0; half /= 2) {
      for (int p = 0; p < half; ++p) set(sum, p, Pack::add(get(sum, p), get(sum, p + half)));
    }
    return Pack::tree_sum(get(sum, 0));
  }
  bool is_leader() const { return true; }

 private:
  static unsigned lanes_below(int count) { return count >= 32 ? ~0U : (1U << count) - 1; }

  using vector_type = decltype(Pack::Double::value);

  static Pack::Double get(const F64& a, int part) {
    return {*reinterpret_cast<const vector_type*>(a.lane + part * Pack::doubles)};
  }
  static void set(F64& a, int part, Pack::Double value) {
    *reinterpret_cast<vector_type*>(a.lane + part * Pack::doubles) = value.value;
  }
  template <class Part>
  static F64 make(const Part& part) {
    F64 r;
    for (int p = 0; p < parts; ++p) set(r, p, part(p));
    return r;
  }
  template <class Eight>
  static F32 make_vec8s(const Eight& eight) {
    F32 r;
    for (int e = 0; e < 4; ++e) *reinterpret_cast<__m256*>(r.lane + e * 8) = eight(e);
    return r;
  }
};

using HostLanes = PackLanes;

#else

using HostLanes = ScalarLanes;

#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_PACK_LANES_HPP

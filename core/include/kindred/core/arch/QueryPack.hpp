// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_QUERY_PACK_HPP
#define KINDRED_CORE_ARCH_QUERY_PACK_HPP

#include <kindred/core/arch/Elements.hpp>
#include <kindred/core/arch/RoundedProduct.hpp>

#if (defined(__AVX512F__) && defined(__AVX512VL__)) || (defined(__AVX2__) && defined(__FMA__))
#include <immintrin.h>
#endif

namespace Kindred::Arch {

/// The sums of `Width` queries in one host thread.
template <int Width>
struct QueryPack {
  double query[Width] = {};

  KOKKOS_INLINE_FUNCTION static double widen(double value) { return value; }
  template <class Value>
  KOKKOS_INLINE_FUNCTION static double widen(Value value) {
    return static_cast<double>(to_float(value));
  }

  /// Adds `values[query] · weight` to each sum.
  template <class Value>
  KOKKOS_INLINE_FUNCTION void add(const Value* values, double weight) {
    for (int q = 0; q < Width; ++q) query[q] += rounded_product(widen(values[q]), weight);
  }
  KOKKOS_INLINE_FUNCTION void store(double* to) const {
    for (int q = 0; q < Width; ++q) to[q] = query[q];
  }
  KOKKOS_INLINE_FUNCTION friend QueryPack operator+(const QueryPack& a, const QueryPack& b) {
    QueryPack r;
    for (int q = 0; q < Width; ++q) r.query[q] = a.query[q] + b.query[q];
    return r;
  }
};

#if defined(__AVX512F__) && defined(__AVX512VL__) && !defined(__CUDA_ARCH__)
template <>
struct QueryPack<8> {
  __m512d query = _mm512_setzero_pd();

  KOKKOS_INLINE_FUNCTION void add(const float* values, double weight) {
    // The product is exact, so a fused addition gives the same bits.
    query = _mm512_fmadd_pd(_mm512_maskz_cvtps_pd(0xFF, _mm256_loadu_ps(values)),
                            _mm512_set1_pd(weight), query);
  }
  KOKKOS_INLINE_FUNCTION void add(const BFloat16* values, double weight) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(values));
    const __m256i wide = _mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16);
    query = _mm512_fmadd_pd(_mm512_maskz_cvtps_pd(0xFF, _mm256_castsi256_ps(wide)),
                            _mm512_set1_pd(weight), query);
  }
  KOKKOS_INLINE_FUNCTION void add(const double* values, double weight) {
    const __m512d product = _mm512_mul_pd(_mm512_loadu_pd(values), _mm512_set1_pd(weight));
    query = _mm512_add_pd(query, uncontracted(product));
  }
  KOKKOS_INLINE_FUNCTION void store(double* to) const { _mm512_storeu_pd(to, query); }
  KOKKOS_INLINE_FUNCTION friend QueryPack operator+(const QueryPack& a, const QueryPack& b) {
    QueryPack r;
    r.query = _mm512_add_pd(a.query, b.query);
    return r;
  }
};
#elif defined(__AVX2__) && defined(__FMA__) && !defined(__CUDA_ARCH__)
template <>
struct QueryPack<8> {
  __m256d low = _mm256_setzero_pd();
  __m256d high = _mm256_setzero_pd();

  KOKKOS_INLINE_FUNCTION void add(const float* values, double weight) {
    add_exact(_mm_loadu_ps(values), _mm_loadu_ps(values + 4), weight);
  }
  KOKKOS_INLINE_FUNCTION void add(const BFloat16* values, double weight) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(values));
    const __m128i zero = _mm_setzero_si128();
    add_exact(_mm_castsi128_ps(_mm_unpacklo_epi16(zero, halves)),
              _mm_castsi128_ps(_mm_unpackhi_epi16(zero, halves)), weight);
  }
  KOKKOS_INLINE_FUNCTION void add(const double* values, double weight) {
    const __m256d all = _mm256_set1_pd(weight);
    low = _mm256_add_pd(low, uncontracted(_mm256_mul_pd(_mm256_loadu_pd(values), all)));
    high = _mm256_add_pd(high, uncontracted(_mm256_mul_pd(_mm256_loadu_pd(values + 4), all)));
  }
  KOKKOS_INLINE_FUNCTION void store(double* to) const {
    _mm256_storeu_pd(to, low);
    _mm256_storeu_pd(to + 4, high);
  }
  KOKKOS_INLINE_FUNCTION friend QueryPack operator+(const QueryPack& a, const QueryPack& b) {
    QueryPack r;
    r.low = _mm256_add_pd(a.low, b.low);
    r.high = _mm256_add_pd(a.high, b.high);
    return r;
  }

 private:
  /// The product of two floats is exact, so a fused addition gives the same bits.
  KOKKOS_INLINE_FUNCTION void add_exact(__m128 first, __m128 second, double weight) {
    const __m256d all = _mm256_set1_pd(weight);
    low = _mm256_fmadd_pd(_mm256_cvtps_pd(first), all, low);
    high = _mm256_fmadd_pd(_mm256_cvtps_pd(second), all, high);
  }
};
#endif

/// Named members stay in registers; an array would not.
template <>
struct QueryPack<32> {
  QueryPack<8> a;
  QueryPack<8> b;
  QueryPack<8> c;
  QueryPack<8> d;

  template <class Value>
  KOKKOS_INLINE_FUNCTION void add(const Value* values, double weight) {
    a.add(values, weight);
    b.add(values + 8, weight);
    c.add(values + 16, weight);
    d.add(values + 24, weight);
  }
  KOKKOS_INLINE_FUNCTION void store(double* to) const {
    a.store(to);
    b.store(to + 8);
    c.store(to + 16);
    d.store(to + 24);
  }
  KOKKOS_INLINE_FUNCTION friend QueryPack operator+(const QueryPack& x, const QueryPack& y) {
    QueryPack r;
    r.a = x.a + y.a;
    r.b = x.b + y.b;
    r.c = x.c + y.c;
    r.d = x.d + y.d;
    return r;
  }
};

/// Queries of a node that are summed in registers together: four sums of them fit.
#if defined(__AVX512F__) && defined(__AVX512VL__)
inline constexpr int query_columns = 32;
#else
inline constexpr int query_columns = 8;
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_QUERY_PACK_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_FLOAT_DISTANCE_HPP
#define KINDRED_CORE_ARCH_SIMD_FLOAT_DISTANCE_HPP

#include <kindred/core/arch/simd/InstructionSets.hpp>

#include <cstddef>

namespace Kindred::Arch {

/// Floats per chunk: rows and queries are padded with zeros to whole chunks.
inline constexpr std::size_t float_chunk = 16;

/// \brief Float32 sums over four rows, for rankings that need not be reproducible: 16 lanes, of
/// which lane l adds the elements l, l + 16, … with one rounding each, then a pairwise tree
/// reduction (8, 4, 2, 1).
///
/// All forms are bit-identical.
struct ScalarFloatDistance {
  /// Σ query · row.
  static void dot(const float* query, const float* const (&rows)[4], std::size_t chunks,
                  float (&sums)[4]) {
    for (int r = 0; r < 4; ++r) {
      sums[r] = sum_of(chunks, [&](std::size_t i, float sum) {
        return __builtin_fmaf(query[i], rows[r][i], sum);
      });
    }
  }
  /// Σ (query − unit · row)², where \p unit is a power of two; each difference is rounded once.
  static void squared(const float* query, const float* const (&rows)[4], std::size_t chunks,
                      float unit, float (&sums)[4]) {
    for (int r = 0; r < 4; ++r) {
      sums[r] = sum_of(chunks, [&](std::size_t i, float sum) {
        const float difference = __builtin_fmaf(-unit, rows[r][i], query[i]);
        return __builtin_fmaf(difference, difference, sum);
      });
    }
  }

 private:
  template <class Add>
  static float sum_of(std::size_t chunks, const Add& add) {
    float lanes[float_chunk] = {};
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      for (std::size_t lane = 0; lane < float_chunk; ++lane)
        lanes[lane] = add(chunk * float_chunk + lane, lanes[lane]);
    }
    for (std::size_t half = float_chunk / 2; half > 0; half /= 2) {
      for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
    }
    return lanes[0];
  }
};

#if KINDRED_HAS_AVX512_FLOATS
/// \see ScalarFloatDistance
struct Avx512FloatDistance {
  static void dot(const float* query, const float* const (&rows)[4], std::size_t chunks,
                  float (&sums)[4]) {
    four(query, rows, chunks, sums,
         [](__m512 q, __m512 row, __m512 sum) { return _mm512_fmadd_ps(q, row, sum); });
  }
  static void squared(const float* query, const float* const (&rows)[4], std::size_t chunks,
                      float unit, float (&sums)[4]) {
    const __m512 units = _mm512_set1_ps(unit);
    four(query, rows, chunks, sums, [units](__m512 q, __m512 row, __m512 sum) {
      const __m512 difference = _mm512_fnmadd_ps(units, row, q);
      return _mm512_fmadd_ps(difference, difference, sum);
    });
  }

 private:
  template <class Add>
  static void four(const float* query, const float* const (&rows)[4], std::size_t chunks,
                   float (&sums)[4], const Add& add) {
    __m512 a = _mm512_setzero_ps();
    __m512 b = _mm512_setzero_ps();
    __m512 c = _mm512_setzero_ps();
    __m512 d = _mm512_setzero_ps();
    for (std::size_t i = 0; i < chunks * float_chunk; i += float_chunk) {
      const __m512 q = _mm512_loadu_ps(query + i);
      a = add(q, _mm512_loadu_ps(rows[0] + i), a);
      b = add(q, _mm512_loadu_ps(rows[1] + i), b);
      c = add(q, _mm512_loadu_ps(rows[2] + i), c);
      d = add(q, _mm512_loadu_ps(rows[3] + i), d);
    }
    const __m128 ab = pairs(fold(a), fold(b));
    const __m128 cd = pairs(fold(c), fold(d));
    _mm_storeu_ps(sums, _mm_add_ps(_mm_movelh_ps(ab, cd), _mm_movehl_ps(cd, ab)));
  }
  static __m128 fold(__m512 sum) {
    const __m256 half =
        _mm256_add_ps(_mm512_castps512_ps256(sum), _mm512_maskz_extractf32x8_ps(0xFF, sum, 1));
    return _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
  }
  /// Adds lanes 0 and 1 to lanes 2 and 3 of both: a0, b0, a1, b1.
  static __m128 pairs(__m128 a, __m128 b) {
    return _mm_add_ps(_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
  }
};
using FloatDistance = Avx512FloatDistance;
#else
using FloatDistance = ScalarFloatDistance;
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_FLOAT_DISTANCE_HPP

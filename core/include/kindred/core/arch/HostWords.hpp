// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_HOST_WORDS_HPP
#define KINDRED_CORE_ARCH_HOST_WORDS_HPP

#include <kindred/core/sequence/WordTable.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

// The device pass of nvcc reads host code too, and knows no vector types.
#if !defined(__CUDA_ARCH__) && defined(__AVX512F__) && defined(__AVX512BW__) && \
    defined(__AVX512DQ__) && defined(__AVX512VBMI__) && defined(__AVX512VPOPCNTDQ__)
// GCC 12 takes the undefined operands of its own intrinsics for uninitialised variables.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#define KINDRED_HAS_AVX512_WORDS 1
#else
#define KINDRED_HAS_AVX512_WORDS 0
#endif

namespace Kindred::Arch {

/// \brief 64 words of 64 bits, one a pattern, in plain loops: the twin every other form must equal.
class PortableWords {
 public:
  static constexpr unsigned size = 64;

  static PortableWords ones() {
    PortableWords r;
    for (unsigned l = 0; l < size; ++l) r.m_lane[l] = ~std::uint64_t{0};
    return r;
  }

  /// Masks of 64 codes. `Recode` is false where codes are places already.
  template <bool Recode>
  class Lookup {
   public:
    explicit Lookup(const WordTable& table) : m_table(table) {}
    PortableWords operator()(const std::uint8_t* codes) const {
      PortableWords r;
      for (unsigned l = 0; l < size; ++l) {
        const std::uint8_t place = Recode ? m_table.place[codes[l]] : codes[l];
        r.m_lane[l] = m_table.masks[place & 63U] & ((std::uint64_t{place} >> 7U) - 1);
      }
      return r;
    }

   private:
    const WordTable& m_table;
  };

  /// One row of Hyyrö's recurrence: S' = (S + (S & M)) | (S & ~M).
  static PortableWords step(const PortableWords& s, const PortableWords& mask) {
    PortableWords r;
    for (unsigned l = 0; l < size; ++l) {
      r.m_lane[l] =
          (s.m_lane[l] + (s.m_lane[l] & mask.m_lane[l])) | (s.m_lane[l] & ~mask.m_lane[l]);
    }
    return r;
  }
  /// The same where the sum carries in and out; bit l of \p carry is lane l's.
  static PortableWords step(const PortableWords& s, const PortableWords& mask,
                            std::uint64_t& carry) {
    PortableWords r;
    std::uint64_t out = 0;
    for (unsigned l = 0; l < size; ++l) {
      const std::uint64_t both = s.m_lane[l] & mask.m_lane[l];
      const std::uint64_t sum = s.m_lane[l] + both + (carry >> l & 1U);
      out |= ((both | (s.m_lane[l] & ~sum)) >> 63U) << l;
      r.m_lane[l] = sum | (s.m_lane[l] & ~mask.m_lane[l]);
    }
    carry = out;
    return r;
  }
  /// Adds the number of zero bits of every lane to \p counts.
  void add_zeros(std::uint32_t* counts) const {
    for (unsigned l = 0; l < size; ++l) {
      counts[l] += static_cast<std::uint32_t>(std::popcount(~m_lane[l]));
    }
  }
  /// The most zero bits that a lane of \p words together has.
  static std::uint32_t most_zeros(const PortableWords* words, unsigned count) {
    std::uint32_t counts[size] = {};
    for (unsigned w = 0; w < count; ++w) words[w].add_zeros(counts);
    return *std::max_element(counts, counts + size);
  }
  /// Codes of two rows of 32 symbols.
  static void translate(const std::uint8_t* table, const std::uint8_t* first,
                        const std::uint8_t* second, std::uint8_t* codes) {
    for (unsigned l = 0; l < 32; ++l) codes[l] = table[first[l]];
    for (unsigned l = 0; l < 32; ++l) codes[32 + l] = table[second[l]];
  }
  std::uint64_t lane(unsigned l) const { return m_lane[l]; }

 private:
  alignas(64) std::uint64_t m_lane[size];
};

#if KINDRED_HAS_AVX512_WORDS

/// \brief The same in AVX-512: masks come from byte shuffles of registers, not from memory.
class Avx512Words {
 public:
  static constexpr unsigned size = 64;

  static Avx512Words ones() {
    Avx512Words r;
    for (auto& v : r.m_lanes) v = _mm512_set1_epi64(-1);
    return r;
  }

  template <bool Recode>
  class Lookup {
   public:
    explicit Lookup(const WordTable& table) {
      // Unpacking interleaves within 128-bit lanes; this order of the codes undoes it.
      alignas(64) std::uint8_t order[64];
      for (unsigned lane = 0; lane < 4; ++lane) {
        for (unsigned k = 0; k < 8; ++k) {
          order[16 * lane + 2 * k] = static_cast<std::uint8_t>(8 * k + 2 * lane);
          order[16 * lane + 2 * k + 1] = static_cast<std::uint8_t>(8 * k + 2 * lane + 1);
        }
      }
      m_order = _mm512_load_si512(order);
      for (unsigned b = 0; b < 8; ++b) m_planes[b] = _mm512_load_si512(table.planes[b]);
      if constexpr (Recode) {
        for (unsigned q = 0; q < 4; ++q) m_places[q] = _mm512_load_si512(table.place + 64 * q);
      }
    }
    Avx512Words operator()(const std::uint8_t* codes) const {
      __m512i place = _mm512_load_si512(codes);
      if constexpr (Recode) place = pick(m_places, place);
      place = _mm512_permutexvar_epi8(m_order, place);
      const __mmask64 known = _mm512_testn_epi8_mask(place, _mm512_set1_epi8(0x40));
      __m512i p[8];
      for (unsigned b = 0; b < 8; ++b) {
        p[b] = _mm512_maskz_permutexvar_epi8(known, place, m_planes[b]);
      }
      __m512i pair[8];
      for (unsigned b = 0; b < 4; ++b) {
        pair[2 * b] = _mm512_unpacklo_epi8(p[2 * b], p[2 * b + 1]);
        pair[2 * b + 1] = _mm512_unpackhi_epi8(p[2 * b], p[2 * b + 1]);
      }
      __m512i quad[8];  // [4 * half + k]: bytes 4·half … 4·half + 3 of the lanes of group k
      for (unsigned half = 0; half < 2; ++half) {
        for (unsigned k = 0; k < 2; ++k) {
          quad[4 * half + 2 * k] =
              _mm512_unpacklo_epi16(pair[4 * half + k], pair[4 * half + 2 + k]);
          quad[4 * half + 2 * k + 1] =
              _mm512_unpackhi_epi16(pair[4 * half + k], pair[4 * half + 2 + k]);
        }
      }
      Avx512Words r;
      for (unsigned k = 0; k < 4; ++k) {
        r.m_lanes[2 * k] = _mm512_unpacklo_epi32(quad[k], quad[4 + k]);
        r.m_lanes[2 * k + 1] = _mm512_unpackhi_epi32(quad[k], quad[4 + k]);
      }
      return r;
    }

   private:
    __m512i m_order;
    __m512i m_planes[8];
    __m512i m_places[Recode ? 4 : 1];
  };

  static Avx512Words step(const Avx512Words& s, const Avx512Words& mask) {
    Avx512Words r;
    for (unsigned v = 0; v < 8; ++v) {
      const __m512i sum =
          _mm512_add_epi64(s.m_lanes[v], _mm512_and_si512(s.m_lanes[v], mask.m_lanes[v]));
      r.m_lanes[v] = or_and_not(sum, s.m_lanes[v], mask.m_lanes[v]);
    }
    return r;
  }
  static Avx512Words step(const Avx512Words& s, const Avx512Words& mask, std::uint64_t& carry) {
    Avx512Words r;
    std::uint64_t out = 0;
    const __m512i minus_one = _mm512_set1_epi64(-1);
    for (unsigned v = 0; v < 8; ++v) {
      const __m512i both = _mm512_and_si512(s.m_lanes[v], mask.m_lanes[v]);
      __m512i sum = _mm512_add_epi64(s.m_lanes[v], both);
      sum = _mm512_mask_sub_epi64(sum, static_cast<__mmask8>(carry >> (8 * v)), sum, minus_one);
      const __m512i carried = or_and_not(both, s.m_lanes[v], sum);
      out |= std::uint64_t{_mm512_movepi64_mask(carried)} << (8 * v);
      r.m_lanes[v] = or_and_not(sum, s.m_lanes[v], mask.m_lanes[v]);
    }
    carry = out;
    return r;
  }
  void add_zeros(std::uint32_t* counts) const {
    for (unsigned v = 0; v < 8; ++v) {
      const __m256i zeros = _mm512_cvtepi64_epi32(zeros_of(m_lanes[v]));
      auto* at = reinterpret_cast<__m256i*>(counts + 8 * v);
      _mm256_storeu_si256(at, _mm256_add_epi32(_mm256_loadu_si256(at), zeros));
    }
  }
  static std::uint32_t most_zeros(const Avx512Words* words, unsigned count) {
    __m512i most = _mm512_setzero_si512();
    for (unsigned v = 0; v < 8; ++v) {
      __m512i zeros = zeros_of(words[0].m_lanes[v]);
      for (unsigned w = 1; w < count; ++w) {
        zeros = _mm512_add_epi64(zeros, zeros_of(words[w].m_lanes[v]));
      }
      most = _mm512_max_epu64(most, zeros);
    }
    return static_cast<std::uint32_t>(_mm512_reduce_max_epu64(most));
  }
  static void translate(const std::uint8_t* table, const std::uint8_t* first,
                        const std::uint8_t* second, std::uint8_t* codes) {
    const __m512i tables[4] = {_mm512_loadu_si512(table), _mm512_loadu_si512(table + 64),
                               _mm512_loadu_si512(table + 128), _mm512_loadu_si512(table + 192)};
    const auto half = [](const std::uint8_t* symbols) {
      return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(symbols));
    };
    const __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(half(first)), half(second), 1);
    _mm512_store_si512(codes, pick(tables, both));
  }
  std::uint64_t lane(unsigned l) const {
    alignas(64) std::uint64_t lanes[8];
    _mm512_store_si512(lanes, m_lanes[l / 8]);
    return lanes[l % 8];
  }

 private:
  /// a | (b & ~c)
  static __m512i or_and_not(__m512i a, __m512i b, __m512i c) {
    return _mm512_ternarylogic_epi64(a, b, c, 0xF4);
  }
  static __m512i zeros_of(__m512i v) {
    return _mm512_popcnt_epi64(_mm512_andnot_si512(v, _mm512_set1_epi64(-1)));
  }
  /// Entries of a table of 256 bytes.
  static __m512i pick(const __m512i* tables, __m512i index) {
    const __m512i low = _mm512_permutex2var_epi8(tables[0], index, tables[1]);
    const __m512i high = _mm512_permutex2var_epi8(tables[2], index, tables[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high);
  }

  __m512i m_lanes[8];
};
using HostWords = Avx512Words;

#else
using HostWords = PortableWords;
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_HOST_WORDS_HPP

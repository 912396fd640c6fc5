// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_NARROW_LOOKUPS64_HPP
#define KINDRED_CORE_ARCH_SIMD_NARROW_LOOKUPS64_HPP

#include <kindred/core/arch/simd/ByteRegisters.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace Kindred::Arch {

/// \brief 64 bytes whose lookups have 16 entries, in plain C++: the definition of the operations,
/// to which the forms in registers are bit-identical. \see Bytes64 for lookups in 64 entries, which
/// fewer processors have.
struct ScalarNarrowLookups64 : ByteRegisters<ScalarNarrowLookups64, PlainBytes> {
  /// 0xFF in the bytes whose bit 7 is set, else 0.
  ScalarNarrowLookups64 top_set() const {
    return each([&](int i) { return (*this)[i] >= 0x80 ? 0xFF : 0; });
  }
  /// 0xFF in the bytes that are 0, else 0.
  ScalarNarrowLookups64 zeros() const {
    return each([&](int i) { return (*this)[i] == 0 ? 0xFF : 0; });
  }
  /// The number of bits of every byte.
  ScalarNarrowLookups64 ones() const {
    return each([&](int i) { return std::popcount((*this)[i]); });
  }
  /// The index of every byte in the 16 from 16 · \p group on, for `lookup`; one that selects
  /// nothing for a byte outside. \param group below 16
  ScalarNarrowLookups64 in_group(unsigned group) const {
    return each([&](int i) { return std::min(255U, ((*this)[i] ^ (16U * group)) + 0x70U); });
  }
  /// `table[index & 15]`, or 0 where bit 7 of the index is set. \param table of 16 bytes
  static ScalarNarrowLookups64 lookup(const std::uint8_t* table,
                                      const ScalarNarrowLookups64& index) {
    return each([&](int i) { return index[i] >= 0x80 ? 0 : table[index[i] & 15U]; });
  }
};

#if KINDRED_HAS_AVX512_FLOATS
/// The same in a register. \see ScalarNarrowLookups64
struct Avx512NarrowLookups64 : Avx512ByteRegister<Avx512NarrowLookups64> {
  Avx512NarrowLookups64 top_set() const {
    return of(_mm512_movm_epi8(_mm512_movepi8_mask(whole())));
  }
  Avx512NarrowLookups64 zeros() const {
    return of(_mm512_movm_epi8(_mm512_testn_epi8_mask(whole(), whole())));
  }
  Avx512NarrowLookups64 ones() const {
    const __m512i counts =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m512i nibble = _mm512_set1_epi8(0x0F);
    const __m512i low = _mm512_and_si512(whole(), nibble);
    const __m512i high = _mm512_and_si512(_mm512_srli_epi16(whole(), 4), nibble);
    return of(_mm512_add_epi8(_mm512_shuffle_epi8(counts, low), _mm512_shuffle_epi8(counts, high)));
  }
  Avx512NarrowLookups64 in_group(unsigned group) const {
    const __m512i first = _mm512_set1_epi8(static_cast<char>(16 * group));
    return of(_mm512_adds_epu8(_mm512_xor_si512(whole(), first), _mm512_set1_epi8(0x70)));
  }
  static Avx512NarrowLookups64 lookup(const std::uint8_t* table, Avx512NarrowLookups64 index) {
    const __m128i entries = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table));
    return of(_mm512_shuffle_epi8(_mm512_broadcast_i32x4(entries), index.whole()));
  }
};
using NarrowLookups64 = Avx512NarrowLookups64;
#elif KINDRED_HAS_AVX2_FMA
/// The same in two registers. \see ScalarNarrowLookups64
struct Avx2NarrowLookups64 : ByteRegisters<Avx2NarrowLookups64, Avx2Bytes> {
  Avx2NarrowLookups64 top_set() const {
    return map([](__m256i bytes) { return _mm256_cmpgt_epi8(_mm256_setzero_si256(), bytes); });
  }
  Avx2NarrowLookups64 zeros() const {
    return map([](__m256i bytes) { return _mm256_cmpeq_epi8(_mm256_setzero_si256(), bytes); });
  }
  Avx2NarrowLookups64 ones() const {
    const __m256i counts =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m256i nibble = _mm256_set1_epi8(0x0F);
    return map([&](__m256i bytes) {
      const __m256i low = _mm256_and_si256(bytes, nibble);
      const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble);
      return _mm256_add_epi8(_mm256_shuffle_epi8(counts, low), _mm256_shuffle_epi8(counts, high));
    });
  }
  Avx2NarrowLookups64 in_group(unsigned group) const {
    const __m256i first = _mm256_set1_epi8(static_cast<char>(16 * group));
    return map([&](__m256i bytes) {
      return _mm256_adds_epu8(_mm256_xor_si256(bytes, first), _mm256_set1_epi8(0x70));
    });
  }
  static Avx2NarrowLookups64 lookup(const std::uint8_t* table, Avx2NarrowLookups64 index) {
    const __m256i entries =
        _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table)));
    return index.map([&](__m256i bytes) { return _mm256_shuffle_epi8(entries, bytes); });
  }

 private:
  /// \p function of both registers.
  template <class Function>
  Avx2NarrowLookups64 map(const Function& function) const {
    return each([&](int r) {
      return __builtin_bit_cast(Register, function(__builtin_bit_cast(__m256i, (*this)[r])));
    });
  }
};
using NarrowLookups64 = Avx2NarrowLookups64;
#else
using NarrowLookups64 = ScalarNarrowLookups64;
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_NARROW_LOOKUPS64_HPP

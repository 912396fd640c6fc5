// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_NARROW_LOOKUPS64_HPP
#define KINDRED_CORE_ARCH_SIMD_NARROW_LOOKUPS64_HPP

#include <kindred/core/arch/simd/InstructionSets.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace Kindred::Arch {

/// \brief 64 bytes on the host whose lookups have 16 entries, in plain loops: the definition of the
/// operations, to which the forms in registers are bit-identical. \see Bytes64 for lookups in 64
/// entries, which fewer processors have.
struct ScalarNarrowLookups64 {
  /// Whether the operations are instructions.
  static constexpr bool is_native = false;
  std::uint8_t value[64];

  static ScalarNarrowLookups64 all(std::uint8_t byte) {
    return each([&](int) { return byte; });
  }
  /// The bytes of two halves.
  static ScalarNarrowLookups64 load(const std::uint8_t* first, const std::uint8_t* second) {
    ScalarNarrowLookups64 out;
    std::memcpy(out.value, first, 32);
    std::memcpy(out.value + 32, second, 32);
    return out;
  }
  void store(std::uint8_t* to) const { std::memcpy(to, value, 64); }

  ScalarNarrowLookups64 operator&(const ScalarNarrowLookups64& b) const {
    return each([&](int i) { return value[i] & b.value[i]; });
  }
  ScalarNarrowLookups64 operator|(const ScalarNarrowLookups64& b) const {
    return each([&](int i) { return value[i] | b.value[i]; });
  }
  ScalarNarrowLookups64 operator^(const ScalarNarrowLookups64& b) const {
    return each([&](int i) { return value[i] ^ b.value[i]; });
  }
  ScalarNarrowLookups64 operator+(const ScalarNarrowLookups64& b) const {
    return each([&](int i) { return value[i] + b.value[i]; });
  }
  ScalarNarrowLookups64 operator-(const ScalarNarrowLookups64& b) const {
    return each([&](int i) { return value[i] - b.value[i]; });
  }
  /// a & ~b
  static ScalarNarrowLookups64 and_not(const ScalarNarrowLookups64& a,
                                       const ScalarNarrowLookups64& b) {
    return each([&](int i) { return a.value[i] & ~b.value[i]; });
  }
  /// 0xFF in the bytes whose bit 7 is set, else 0.
  ScalarNarrowLookups64 signs() const {
    return each([&](int i) { return value[i] >= 0x80 ? 0xFF : 0; });
  }
  /// 0xFF in the bytes that are 0, else 0.
  ScalarNarrowLookups64 zeros() const {
    return each([&](int i) { return value[i] == 0 ? 0xFF : 0; });
  }
  /// The number of bits of every byte.
  ScalarNarrowLookups64 ones() const {
    return each([&](int i) { return std::popcount(value[i]); });
  }
  /// The index of every byte in the 16 from 16 · \p group on, for `lookup`; one that selects
  /// nothing for a byte outside. \param group below 16
  ScalarNarrowLookups64 in_group(unsigned group) const {
    return each([&](int i) { return std::min(255U, (value[i] ^ (16U * group)) + 0x70U); });
  }
  /// `table[index & 15]`, or 0 where bit 7 of the index is set. \param table of 16 bytes
  static ScalarNarrowLookups64 lookup(const std::uint8_t* table,
                                      const ScalarNarrowLookups64& index) {
    return each([&](int i) { return index.value[i] >= 0x80 ? 0 : table[index.value[i] & 15U]; });
  }

 private:
  template <class Value>
  static ScalarNarrowLookups64 each(const Value& value) {
    ScalarNarrowLookups64 out;
    for (int i = 0; i < 64; ++i) out.value[i] = static_cast<std::uint8_t>(value(i));
    return out;
  }
};

#if KINDRED_HAS_AVX512_FLOATS
/// The same in a register. \see ScalarNarrowLookups64
struct Avx512NarrowLookups64 {
  static constexpr bool is_native = true;
  __m512i value;

  static Avx512NarrowLookups64 all(std::uint8_t byte) {
    return {_mm512_set1_epi8(static_cast<char>(byte))};
  }
  static Avx512NarrowLookups64 load(const std::uint8_t* first, const std::uint8_t* second) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(first));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(second));
    return {_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1)};
  }
  void store(std::uint8_t* to) const { _mm512_storeu_si512(to, value); }

  Avx512NarrowLookups64 operator&(Avx512NarrowLookups64 b) const {
    return {_mm512_and_si512(value, b.value)};
  }
  Avx512NarrowLookups64 operator|(Avx512NarrowLookups64 b) const {
    return {_mm512_or_si512(value, b.value)};
  }
  Avx512NarrowLookups64 operator^(Avx512NarrowLookups64 b) const {
    return {_mm512_xor_si512(value, b.value)};
  }
  Avx512NarrowLookups64 operator+(Avx512NarrowLookups64 b) const {
    return {_mm512_add_epi8(value, b.value)};
  }
  Avx512NarrowLookups64 operator-(Avx512NarrowLookups64 b) const {
    return {_mm512_sub_epi8(value, b.value)};
  }
  static Avx512NarrowLookups64 and_not(Avx512NarrowLookups64 a, Avx512NarrowLookups64 b) {
    return {_mm512_andnot_si512(b.value, a.value)};
  }
  Avx512NarrowLookups64 signs() const { return {_mm512_movm_epi8(_mm512_movepi8_mask(value))}; }
  Avx512NarrowLookups64 zeros() const {
    return {_mm512_movm_epi8(_mm512_testn_epi8_mask(value, value))};
  }
  Avx512NarrowLookups64 ones() const {
    const __m512i counts =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m512i nibble = _mm512_set1_epi8(0x0F);
    const __m512i low = _mm512_and_si512(value, nibble);
    const __m512i high = _mm512_and_si512(_mm512_srli_epi16(value, 4), nibble);
    return {_mm512_add_epi8(_mm512_shuffle_epi8(counts, low), _mm512_shuffle_epi8(counts, high))};
  }
  Avx512NarrowLookups64 in_group(unsigned group) const {
    const __m512i index = _mm512_xor_si512(value, _mm512_set1_epi8(static_cast<char>(16 * group)));
    return {_mm512_adds_epu8(index, _mm512_set1_epi8(0x70))};
  }
  static Avx512NarrowLookups64 lookup(const std::uint8_t* table, Avx512NarrowLookups64 index) {
    const __m128i entries = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table));
    return {_mm512_shuffle_epi8(_mm512_broadcast_i32x4(entries), index.value)};
  }
};
using NarrowLookups64 = Avx512NarrowLookups64;
#elif KINDRED_HAS_AVX2_FMA
/// The same in two registers. \see ScalarNarrowLookups64
struct Avx2NarrowLookups64 {
  static constexpr bool is_native = true;
  __m256i low, high;

  static Avx2NarrowLookups64 all(std::uint8_t byte) {
    const __m256i bytes = _mm256_set1_epi8(static_cast<char>(byte));
    return {bytes, bytes};
  }
  static Avx2NarrowLookups64 load(const std::uint8_t* first, const std::uint8_t* second) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(first)),
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(second))};
  }
  void store(std::uint8_t* to) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), low);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 32), high);
  }

  Avx2NarrowLookups64 operator&(Avx2NarrowLookups64 b) const {
    return {_mm256_and_si256(low, b.low), _mm256_and_si256(high, b.high)};
  }
  Avx2NarrowLookups64 operator|(Avx2NarrowLookups64 b) const {
    return {_mm256_or_si256(low, b.low), _mm256_or_si256(high, b.high)};
  }
  Avx2NarrowLookups64 operator^(Avx2NarrowLookups64 b) const {
    return {_mm256_xor_si256(low, b.low), _mm256_xor_si256(high, b.high)};
  }
  Avx2NarrowLookups64 operator+(Avx2NarrowLookups64 b) const {
    return {_mm256_add_epi8(low, b.low), _mm256_add_epi8(high, b.high)};
  }
  Avx2NarrowLookups64 operator-(Avx2NarrowLookups64 b) const {
    return {_mm256_sub_epi8(low, b.low), _mm256_sub_epi8(high, b.high)};
  }
  static Avx2NarrowLookups64 and_not(Avx2NarrowLookups64 a, Avx2NarrowLookups64 b) {
    return {_mm256_andnot_si256(b.low, a.low), _mm256_andnot_si256(b.high, a.high)};
  }
  Avx2NarrowLookups64 signs() const {
    const __m256i zero = _mm256_setzero_si256();
    return {_mm256_cmpgt_epi8(zero, low), _mm256_cmpgt_epi8(zero, high)};
  }
  Avx2NarrowLookups64 zeros() const {
    const __m256i zero = _mm256_setzero_si256();
    return {_mm256_cmpeq_epi8(zero, low), _mm256_cmpeq_epi8(zero, high)};
  }
  Avx2NarrowLookups64 ones() const { return {ones(low), ones(high)}; }
  Avx2NarrowLookups64 in_group(unsigned group) const {
    const __m256i first = _mm256_set1_epi8(static_cast<char>(16 * group));
    const __m256i outside = _mm256_set1_epi8(0x70);
    return {_mm256_adds_epu8(_mm256_xor_si256(low, first), outside),
            _mm256_adds_epu8(_mm256_xor_si256(high, first), outside)};
  }
  static Avx2NarrowLookups64 lookup(const std::uint8_t* table, Avx2NarrowLookups64 index) {
    const __m256i entries =
        _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table)));
    return {_mm256_shuffle_epi8(entries, index.low), _mm256_shuffle_epi8(entries, index.high)};
  }

 private:
  static __m256i ones(__m256i bytes) {
    const __m256i counts =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m256i nibble = _mm256_set1_epi8(0x0F);
    const __m256i even = _mm256_shuffle_epi8(counts, _mm256_and_si256(bytes, nibble));
    const __m256i odd =
        _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble));
    return _mm256_add_epi8(even, odd);
  }
};
using NarrowLookups64 = Avx2NarrowLookups64;
#else
using NarrowLookups64 = ScalarNarrowLookups64;
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_NARROW_LOOKUPS64_HPP

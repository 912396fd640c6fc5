// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_BYTES64_HPP
#define KINDRED_CORE_ARCH_SIMD_BYTES64_HPP

#include <kindred/core/arch/simd/ByteRegisters.hpp>
#include <kindred/core/arch/simd/HostExtensions.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace Kindred::Arch {

/// \brief 64 bytes with lookups in 64 entries, in plain C++: the definition of the operations, to
/// which the forms in registers are bit-identical.
struct ScalarBytes64 : ByteRegisters<ScalarBytes64, PlainBytes> {
  /// Whether the processor can execute the operations.
  static bool is_usable() { return true; }
  /// Calls \p function, compiled for the operations.
  template <class Function>
  static auto call(Function function) {
    return function();
  }

  /// Byte i plus bit i of \p bits.
  ScalarBytes64 plus_bits(std::uint64_t bits) const {
    return each([&](int i) { return (*this)[i] + (bits >> i & 1U); });
  }
  /// Bit 7 of byte i as bit i.
  std::uint64_t sign_bits() const {
    std::uint64_t bits = 0;
    for (int i = 0; i < 64; ++i) bits |= std::uint64_t{(*this)[i]} >> 7U << i;
    return bits;
  }
  /// The number of zero bits of every byte among those of \p mask.
  ScalarBytes64 zeros(std::uint8_t mask) const {
    return each(
        [&](int i) { return std::popcount(static_cast<std::uint8_t>(~(*this)[i] & mask)); });
  }
  /// `table[index & 63]`
  static ScalarBytes64 lookup(const ScalarBytes64& table, const ScalarBytes64& index) {
    return each([&](int i) { return table[index[i] & 63]; });
  }
  /// The same, and 0 where the index has a bit of \p none. \param none of the bits 0x40 and 0x80
  static ScalarBytes64 lookup(const ScalarBytes64& table, const ScalarBytes64& index,
                              const ScalarBytes64& none) {
    return each([&](int i) { return (index[i] & none[i]) == 0 ? table[index[i] & 63] : 0; });
  }
  /// This where \p a is unlike \p b, else \p other.
  ScalarBytes64 replaced_where_equal(const ScalarBytes64& a, const ScalarBytes64& b,
                                     const ScalarBytes64& other) const {
    return each([&](int i) { return a[i] == b[i] ? other[i] : (*this)[i]; });
  }
  /// Adds every byte to the counter of its lane. \param counts 64, aligned to 64 bytes
  void add_to(std::uint16_t* counts) const {
    for (int i = 0; i < 64; ++i) counts[i] = static_cast<std::uint16_t>(counts[i] + (*this)[i]);
  }

  /// A table of 256 bytes.
  class Table {
   public:
    explicit Table(const std::uint8_t* table) : m_table(table) {}
    ScalarBytes64 operator[](const ScalarBytes64& index) const {
      return each([&](int i) { return m_table[index[i]]; });
    }

   private:
    const std::uint8_t* m_table;
  };

  /// The low and the high bytes of 64 numbers times \p multiplier, in two halves of 32 numbers.
  static void multiply(const std::uint16_t* first, const std::uint16_t* second,
                       std::uint16_t multiplier, ScalarBytes64& low, ScalarBytes64& high) {
    for (int i = 0; i < 64; ++i) {
      const std::uint32_t number = i < 32 ? first[i] : second[i - 32];
      low.value.val[i] = static_cast<std::uint8_t>(number * multiplier);
      high.value.val[i] = static_cast<std::uint8_t>(number * multiplier >> 8U);
    }
  }
};

#if KINDRED_HAS_NEON
/// The same in four registers, the table of one lookup. \see ScalarBytes64
struct NeonBytes64 : ByteRegisters<NeonBytes64, uint8x16x4_t> {
  static bool is_usable() { return true; }
  template <class Function>
  static auto call(Function function) {
    return function();
  }

  static NeonBytes64 select(const NeonBytes64& mask, const NeonBytes64& a, const NeonBytes64& b) {
    return each([&](int r) { return vbslq_u8(mask[r], a[r], b[r]); });
  }
  NeonBytes64 plus_bits(std::uint64_t bits) const {
    const uint8x16_t low = vcombine_u8(vdup_n_u8(0), vdup_n_u8(1));
    const uint8x16_t eight = vreinterpretq_u8_u64(vdupq_n_u64(bits));
    return each([&](int r) {
      const uint8x16_t byte = vaddq_u8(low, vdupq_n_u8(static_cast<std::uint8_t>(2 * r)));
      return vsubq_u8((*this)[r], vtstq_u8(vqtbl1q_u8(eight, byte), bit_of_lane()));
    });
  }
  std::uint64_t sign_bits() const {
    uint8x16_t bits[4];
    for (int r = 0; r < 4; ++r) {
      const int8x16_t sign = vshrq_n_s8(vreinterpretq_s8_u8((*this)[r]), 7);
      bits[r] = vandq_u8(vreinterpretq_u8_s8(sign), bit_of_lane());
    }
    const uint8x16_t pairs = vpaddq_u8(vpaddq_u8(bits[0], bits[1]), vpaddq_u8(bits[2], bits[3]));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(pairs, pairs)), 0);
  }
  NeonBytes64 zeros(std::uint8_t mask) const {
    return each([&](int r) { return vcntq_u8(vbicq_u8(vdupq_n_u8(mask), (*this)[r])); });
  }
  static NeonBytes64 lookup(const NeonBytes64& table, const NeonBytes64& index) {
    return each([&](int r) { return vqtbl4q_u8(table.value, vandq_u8(index[r], vdupq_n_u8(63))); });
  }
  /// The instruction yields 0 for an index that is not in the table.
  static NeonBytes64 lookup(const NeonBytes64& table, const NeonBytes64& index,
                            const NeonBytes64& none) {
    return each([&](int r) {
      return vqtbl4q_u8(table.value, vandq_u8(index[r], vorrq_u8(none[r], vdupq_n_u8(63))));
    });
  }
  NeonBytes64 replaced_where_equal(const NeonBytes64& a, const NeonBytes64& b,
                                   const NeonBytes64& other) const {
    return each([&](int r) { return vbslq_u8(vceqq_u8(a[r], b[r]), other[r], (*this)[r]); });
  }
  void add_to(std::uint16_t* counts) const {
    for (int r = 0; r < 4; ++r) {
      std::uint16_t* at = counts + 16 * r;
      vst1q_u16(at, vaddw_u8(vld1q_u16(at), vget_low_u8((*this)[r])));
      vst1q_u16(at + 8, vaddw_high_u8(vld1q_u16(at + 8), (*this)[r]));
    }
  }

  class Table {
   public:
    explicit Table(const std::uint8_t* table) {
      for (unsigned q = 0; q < 4; ++q) m_quarters[q] = load(table + 64 * q).value;
    }
    NeonBytes64 operator[](const NeonBytes64& index) const {
      return each([&](int r) {
        const uint8x16_t quarter = vdupq_n_u8(64);
        uint8x16_t at = index[r];
        uint8x16_t found = vqtbl4q_u8(m_quarters[0], at);
        for (int q = 1; q < 4; ++q) {
          at = vsubq_u8(at, quarter);
          found = vqtbx4q_u8(found, m_quarters[q], at);
        }
        return found;
      });
    }

   private:
    uint8x16x4_t m_quarters[4];
  };

  static void multiply(const std::uint16_t* first, const std::uint16_t* second,
                       std::uint16_t multiplier, NeonBytes64& low, NeonBytes64& high) {
    for (int r = 0; r < 4; ++r) {
      const std::uint16_t* numbers = (r < 2 ? first : second) + 16 * (r % 2);
      const uint8x16_t a = vreinterpretq_u8_u16(vmulq_n_u16(vld1q_u16(numbers), multiplier));
      const uint8x16_t b = vreinterpretq_u8_u16(vmulq_n_u16(vld1q_u16(numbers + 8), multiplier));
      low.value.val[r] = vuzp1q_u8(a, b);
      high.value.val[r] = vuzp2q_u8(a, b);
    }
  }

 private:
  static uint8x16_t bit_of_lane() {
    return vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201ULL));
  }
};
using Bytes64 = NeonBytes64;
#elif KINDRED_USE_BYTE_LOOKUPS
/// Indices of the even bytes of a pair of registers.
struct alignas(64) EvenBytes {
  std::uint8_t value[64];

  constexpr EvenBytes() : value() {
    for (unsigned l = 0; l < 64; ++l) value[l] = static_cast<std::uint8_t>(2 * l);
  }
};
inline constexpr EvenBytes even_bytes{};

/// The same in a register, if the processor has `ByteLookups`. \see ScalarBytes64
struct Avx512Bytes64 : Avx512ByteRegister<Avx512Bytes64> {
  static bool is_usable() { return has_extension<ByteLookups>(); }
  template <class Function>
  static auto call(Function function) {
    return ByteLookups::call(function);
  }

  // The compiler does not always find the one instruction of these.
  static Avx512Bytes64 xor_or(Avx512Bytes64 a, Avx512Bytes64 b, Avx512Bytes64 c) {
    return by_truth_table<0xBE>(a, b, c);
  }
  static Avx512Bytes64 or_nor(Avx512Bytes64 a, Avx512Bytes64 b, Avx512Bytes64 c) {
    return by_truth_table<0xF1>(a, b, c);
  }
  static Avx512Bytes64 select(Avx512Bytes64 mask, Avx512Bytes64 a, Avx512Bytes64 b) {
    return by_truth_table<0xCA>(mask, a, b);
  }
  static Avx512Bytes64 or_and_not(Avx512Bytes64 a, Avx512Bytes64 b, Avx512Bytes64 c) {
    return by_truth_table<0xF4>(a, b, c);
  }
  Avx512Bytes64 plus_bits(std::uint64_t bits) const {
    return of(_mm512_mask_sub_epi8(whole(), bits, whole(), _mm512_set1_epi8(-1)));
  }
  KINDRED_USES_BYTE_LOOKUPS Avx512Bytes64 high_bits() const {
    const __m512i matrix = _mm512_set1_epi64(static_cast<long long>(0x8000000000000000ULL));
    return of(_mm512_gf2p8affine_epi64_epi8(whole(), matrix, 0));
  }
  std::uint64_t sign_bits() const { return _mm512_movepi8_mask(whole()); }
  KINDRED_USES_BYTE_LOOKUPS Avx512Bytes64 zeros(std::uint8_t mask) const {
    return of(_mm512_popcnt_epi8(
        _mm512_andnot_si512(whole(), _mm512_set1_epi8(static_cast<char>(mask)))));
  }
  KINDRED_USES_BYTE_LOOKUPS static Avx512Bytes64 lookup(Avx512Bytes64 table, Avx512Bytes64 index) {
    return of(_mm512_permutexvar_epi8(index.whole(), table.whole()));
  }
  KINDRED_USES_BYTE_LOOKUPS static Avx512Bytes64 lookup(Avx512Bytes64 table, Avx512Bytes64 index,
                                                        Avx512Bytes64 none) {
    return of(_mm512_maskz_permutexvar_epi8(_mm512_testn_epi8_mask(index.whole(), none.whole()),
                                            index.whole(), table.whole()));
  }
  Avx512Bytes64 replaced_where_equal(Avx512Bytes64 a, Avx512Bytes64 b, Avx512Bytes64 other) const {
    return of(
        _mm512_mask_mov_epi8(whole(), _mm512_cmpeq_epi8_mask(a.whole(), b.whole()), other.whole()));
  }
  void add_to(std::uint16_t* counts) const {
    for (unsigned half = 0; half < 2; ++half) {
      auto* at = counts + 32 * half;
      const __m256i part =
          half == 0 ? _mm512_castsi512_si256(whole()) : _mm512_extracti64x4_epi64(whole(), 1);
      _mm512_store_si512(at, _mm512_add_epi16(_mm512_load_si512(at), _mm512_cvtepu8_epi16(part)));
    }
  }

  class Table {
   public:
    explicit Table(const std::uint8_t* table) {
      for (unsigned q = 0; q < 4; ++q) m_quarters[q] = _mm512_loadu_si512(table + 64 * q);
    }
    KINDRED_USES_BYTE_LOOKUPS Avx512Bytes64 operator[](Avx512Bytes64 index) const {
      const __m512i at = index.whole();
      const __m512i low = _mm512_permutex2var_epi8(m_quarters[0], at, m_quarters[1]);
      const __m512i high = _mm512_permutex2var_epi8(m_quarters[2], at, m_quarters[3]);
      return of(_mm512_mask_blend_epi8(_mm512_movepi8_mask(at), low, high));
    }

   private:
    __m512i m_quarters[4];
  };

  KINDRED_USES_BYTE_LOOKUPS static void multiply(const std::uint16_t* first,
                                                 const std::uint16_t* second,
                                                 std::uint16_t multiplier, Avx512Bytes64& low,
                                                 Avx512Bytes64& high) {
    const __m512i low_bytes = _mm512_load_si512(even_bytes.value);
    const __m512i high_bytes = _mm512_add_epi8(low_bytes, _mm512_set1_epi8(1));
    const __m512i factor = _mm512_set1_epi16(static_cast<short>(multiplier));
    const __m512i a = _mm512_mullo_epi16(_mm512_loadu_si512(first), factor);
    const __m512i b = _mm512_mullo_epi16(_mm512_loadu_si512(second), factor);
    high = of(_mm512_permutex2var_epi8(a, high_bytes, b));
    low = of(_mm512_permutex2var_epi8(a, low_bytes, b));
  }

 private:
  template <int table>
  static Avx512Bytes64 by_truth_table(Avx512Bytes64 a, Avx512Bytes64 b, Avx512Bytes64 c) {
    return of(_mm512_ternarylogic_epi64(a.whole(), b.whole(), c.whole(), table));
  }
};
using Bytes64 = Avx512Bytes64;
#else
using Bytes64 = ScalarBytes64;
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_BYTES64_HPP

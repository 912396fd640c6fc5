// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_BYTE_REGISTERS_HPP
#define KINDRED_CORE_ARCH_SIMD_BYTE_REGISTERS_HPP

#include <kindred/core/arch/simd/InstructionSets.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace Kindred::Arch {

/// 64 registers of a byte each: plain C++.
struct PlainBytes {
  std::uint8_t val[64];
};

/// \brief 64 bytes on the host in the registers \p Registers: the operations for which C++ has an
/// operator, which GCC and Clang extend to vectors. `Kokkos::simd` has no packs of bytes.
/// \tparam Pack derives from it, and adds operations that need instructions of their own
template <class Pack, class Registers>
struct ByteRegisters {
  using Register = std::remove_cvref_t<decltype(Registers::val[0])>;
  static constexpr int count = 64 / sizeof(Register);
  Registers value;

  static Pack all(std::uint8_t byte) {
    return each([&](int) { return Register{} + byte; });
  }
  static Pack load(const std::uint8_t* from) { return load(from, from + 32); }
  /// The bytes of two halves.
  static Pack load(const std::uint8_t* first, const std::uint8_t* second) {
    return each([&](int r) {
      Register part;
      const int at = r * static_cast<int>(sizeof(part));
      std::memcpy(&part, at < 32 ? first + at : second + at - 32, sizeof(part));
      return part;
    });
  }
  void store(std::uint8_t* to) const {
    for (const Register part : value.val) {
      std::memcpy(to, &part, sizeof(part));
      to += sizeof(part);
    }
  }

  Register operator[](int r) const { return value.val[r]; }
  Pack operator&(const Pack& b) const {
    return each([&](int r) { return (*this)[r] & b[r]; });
  }
  Pack operator|(const Pack& b) const {
    return each([&](int r) { return (*this)[r] | b[r]; });
  }
  Pack operator^(const Pack& b) const {
    return each([&](int r) { return (*this)[r] ^ b[r]; });
  }
  Pack operator+(const Pack& b) const {
    return each([&](int r) { return (*this)[r] + b[r]; });
  }
  Pack operator-(const Pack& b) const {
    return each([&](int r) { return (*this)[r] - b[r]; });
  }
  /// a & ~b
  static Pack and_not(const Pack& a, const Pack& b) {
    return each([&](int r) { return a[r] & ~b[r]; });
  }
  /// (a ^ b) | c
  static Pack xor_or(const Pack& a, const Pack& b, const Pack& c) {
    return each([&](int r) { return (a[r] ^ b[r]) | c[r]; });
  }
  /// a | ~(b | c)
  static Pack or_nor(const Pack& a, const Pack& b, const Pack& c) {
    return each([&](int r) { return a[r] | ~(b[r] | c[r]); });
  }
  /// The bits of \p a where \p mask has ones, those of \p b elsewhere.
  static Pack select(const Pack& mask, const Pack& a, const Pack& b) {
    return each([&](int r) { return (mask[r] & a[r]) | (~mask[r] & b[r]); });
  }
  /// a | (b & ~c)
  static Pack or_and_not(const Pack& a, const Pack& b, const Pack& c) {
    return each([&](int r) { return a[r] | (b[r] & ~c[r]); });
  }
  /// Bit 7 of every byte, as a byte.
  Pack high_bits() const {
    return each([&](int r) { return (*this)[r] >> 7; });
  }

 protected:
  /// The pack whose register r is `part(r)`.
  template <class Part>
  static Pack each(const Part& part) {
    const auto at = [&](int r) { return static_cast<Register>(part(r)); };
    // In one expression, so that registers do not pass through memory.
    if constexpr (count == 1) {
      return Pack{{{{at(0)}}}};
    } else if constexpr (count == 2) {
      return Pack{{{{at(0), at(1)}}}};
    } else if constexpr (count == 4) {
      return Pack{{{{at(0), at(1), at(2), at(3)}}}};
    } else {
      Pack pack;
      for (int r = 0; r < count; ++r) pack.value.val[r] = at(r);
      return pack;
    }
  }
};

#if KINDRED_HAS_AVX512_FLOATS
struct Avx512Bytes {
  // NOLINTNEXTLINE(modernize-use-using): with its attribute
  typedef std::uint8_t type __attribute__((vector_size(64)));
  type val[1];
};
/// The same in one register.
template <class Pack>
struct Avx512ByteRegister : ByteRegisters<Pack, Avx512Bytes> {
  static Pack of(__m512i whole) {
    return Pack{{{{{__builtin_bit_cast(Avx512Bytes::type, whole)}}}}};
  }
  __m512i whole() const { return __builtin_bit_cast(__m512i, this->value.val[0]); }

  static Pack load(const std::uint8_t* from) { return of(_mm512_loadu_si512(from)); }
  static Pack load(const std::uint8_t* first, const std::uint8_t* second) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(first));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(second));
    return of(_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1));
  }
  void store(std::uint8_t* to) const { _mm512_storeu_si512(to, whole()); }
};
#elif KINDRED_HAS_AVX2_FMA
struct Avx2Bytes {
  typedef std::uint8_t type __attribute__((vector_size(32)));
  type val[2];
};
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_BYTE_REGISTERS_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_WORDS8_HPP
#define KINDRED_CORE_ARCH_SIMD_WORDS8_HPP

#include <kindred/core/arch/simd/InstructionSets.hpp>

#include <cstdint>

namespace Kindred::Arch {

/// Eight words of 64 bits on the host, in plain loops.
struct ScalarWords8 {
  static constexpr unsigned size = 8;
  std::uint64_t value[size];

  static ScalarWords8 zero() { return {}; }
  /// Sets the bits of `from[0 … 8)` that are in \p mask.
  void add_bits(const std::uint64_t* from, std::uint64_t mask) {
    for (unsigned i = 0; i < size; ++i) value[i] |= from[i] & mask;
  }
  /// Bit i is set if word i has a bit.
  unsigned nonzero() const {
    unsigned bits = 0;
    for (unsigned i = 0; i < size; ++i) bits |= (value[i] != 0 ? 1U : 0U) << i;
    return bits;
  }
};

#if KINDRED_HAS_AVX512_FLOATS
/// The same in a register. \see ScalarWords8
struct Avx512Words8 {
  static constexpr unsigned size = 8;
  __m512i value;

  static Avx512Words8 zero() { return {_mm512_setzero_si512()}; }
  void add_bits(const std::uint64_t* from, std::uint64_t mask) {
    value = _mm512_ternarylogic_epi64(value, _mm512_loadu_si512(from),
                                      _mm512_set1_epi64(static_cast<long long>(mask)), 0xF8);
  }
  unsigned nonzero() const { return _mm512_test_epi64_mask(value, value); }
};
using Words8 = Avx512Words8;
#else
using Words8 = ScalarWords8;
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_WORDS8_HPP

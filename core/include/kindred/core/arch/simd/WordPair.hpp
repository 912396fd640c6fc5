// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_WORD_PAIR_HPP
#define KINDRED_CORE_ARCH_SIMD_WORD_PAIR_HPP

#include <kindred/core/arch/simd/InstructionSets.hpp>

#include <cstdint>

namespace Kindred::Arch {

/// Two words of 64 bits on the host, in plain loops.
struct ScalarWordPair {
  std::uint64_t value[2];

  static ScalarWordPair load(const std::uint64_t* from) { return {{from[0], from[1]}}; }
  void store(std::uint64_t* to) const {
    to[0] = value[0];
    to[1] = value[1];
  }
  /// `table[first]` and `table[second]`
  static ScalarWordPair pick(const std::uint64_t* table, std::uint8_t first, std::uint8_t second) {
    return {{table[first], table[second]}};
  }
  ScalarWordPair operator&(const ScalarWordPair& b) const {
    return {{value[0] & b.value[0], value[1] & b.value[1]}};
  }
  ScalarWordPair operator+(const ScalarWordPair& b) const {
    return {{value[0] + b.value[0], value[1] + b.value[1]}};
  }
  /// a | (b & ~c)
  static ScalarWordPair or_and_not(const ScalarWordPair& a, const ScalarWordPair& b,
                                   const ScalarWordPair& c) {
    return {{a.value[0] | (b.value[0] & ~c.value[0]), a.value[1] | (b.value[1] & ~c.value[1])}};
  }
};

#if KINDRED_HAS_NEON
/// The same in a register. \see ScalarWordPair
struct NeonWordPair {
  uint64x2_t value;

  static NeonWordPair load(const std::uint64_t* from) { return {vld1q_u64(from)}; }
  void store(std::uint64_t* to) const { vst1q_u64(to, value); }
  static NeonWordPair pick(const std::uint64_t* table, std::uint8_t first, std::uint8_t second) {
    return {vcombine_u64(vld1_u64(table + first), vld1_u64(table + second))};
  }
  NeonWordPair operator&(NeonWordPair b) const { return {vandq_u64(value, b.value)}; }
  NeonWordPair operator+(NeonWordPair b) const { return {vaddq_u64(value, b.value)}; }
  static NeonWordPair or_and_not(NeonWordPair a, NeonWordPair b, NeonWordPair c) {
    return {vorrq_u64(a.value, vbicq_u64(b.value, c.value))};
  }
};
using WordPair = NeonWordPair;
#else
using WordPair = ScalarWordPair;
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_WORD_PAIR_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_CODE_DOT_HPP
#define KINDRED_CORE_ARCH_SIMD_CODE_DOT_HPP

#include <kindred/core/arch/simd/InstructionSets.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Arch {

/// Codes per chunk: rows and queries of codes are padded to whole chunks.
inline constexpr std::size_t code_chunk = 64;
/// Maximum number of codes for which a sum is certain to fit 32 bits.
inline constexpr std::size_t code_count_max = 65536;

/// \brief Σ row · query for four rows of unsigned bytes and a query of signed bytes: exact, hence
/// independent of the order of summation.
struct ScalarCodeDot {
  static void four(const std::int8_t* query, const std::uint8_t* const (&rows)[4],
                   std::size_t chunks, std::int32_t (&sums)[4]) {
    for (int r = 0; r < 4; ++r) {
      std::int32_t sum = 0;
      for (std::size_t i = 0; i < chunks * code_chunk; ++i)
        sum += std::int32_t{rows[r][i]} * std::int32_t{query[i]};
      sums[r] = sum;
    }
  }
};

#if KINDRED_HAS_NEON_DOT
/// Signed times signed bytes: the codes of a row are shifted by −128, which the sum of the query's
/// codes compensates. Sums wrap around. \see ScalarCodeDot
struct NeonCodeDot {
  static void four(const std::int8_t* query, const std::uint8_t* const (&rows)[4],
                   std::size_t chunks, std::int32_t (&sums)[4]) {
    const uint8x16_t shift = vdupq_n_u8(128);
    int32x4_t sum[4] = {vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0)};
    int32x4_t codes = vdupq_n_s32(0);
    for (std::size_t i = 0; i < chunks * code_chunk; i += 16) {
      const int8x16_t q = vld1q_s8(query + i);
      codes = vdotq_s32(codes, q, vdupq_n_s8(1));
      for (int r = 0; r < 4; ++r) {
        const uint8x16_t row = veorq_u8(vld1q_u8(rows[r] + i), shift);
        sum[r] = vdotq_s32(sum[r], vreinterpretq_s8_u8(row), q);
      }
    }
    const int32x4_t shifted = vpaddq_s32(vpaddq_s32(sum[0], sum[1]), vpaddq_s32(sum[2], sum[3]));
    vst1q_s32(sums, vaddq_s32(shifted, vshlq_n_s32(vdupq_n_s32(vaddvq_s32(codes)), 7)));
  }
};
using CodeDot = NeonCodeDot;
#else
using CodeDot = ScalarCodeDot;
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_CODE_DOT_HPP

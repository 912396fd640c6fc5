// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_WORD_LANES_HPP
#define KINDRED_CORE_ARCH_SIMD_WORD_LANES_HPP

#include <kindred/core/arch/simd/SimdPack.hpp>

namespace Kindred::Arch {

/// Bytes of a register of words.
inline constexpr unsigned word_lanes_bytes = KINDRED_HAS_AVX2_FMA != 0 ? 32 : 16;

/// Words of a register: 8, 16, 32 or 64 bits each.
template <class Word>
inline constexpr unsigned word_lanes = word_lanes_bytes / sizeof(Word);

/// A register of words on the host.
template <class Word>
using WordLanes = SimdPack<Word, word_lanes<Word>,
                           KINDRED_HAS_SSE2 != 0 || KINDRED_HAS_NEON != 0 ? word_lanes_bytes : 0>;
template <class Word>
using ScalarWordLanes = SimdPack<Word, word_lanes<Word>, 0>;

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_WORD_LANES_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_NUMERIC_REPRODUCIBLE_BLOCK_HPP
#define KINDRED_CORE_NUMERIC_REPRODUCIBLE_BLOCK_HPP

#include <kindred/core/common/QuotientUp.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace Kindred {

/// Elements per block of a reproducible sum.
inline constexpr std::uint64_t reproducible_block = 4096;

/// Blocks of \p count elements.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t reproducible_blocks(std::uint64_t count) {
  return quotient_up(count, reproducible_block);
}
/// Elements of the block that begins with element \p begin and does not pass \p end.
KOKKOS_INLINE_FUNCTION constexpr std::uint32_t block_length(std::uint64_t begin,
                                                            std::uint64_t end) {
  return static_cast<std::uint32_t>(end - begin < reproducible_block ? end - begin
                                                                     : reproducible_block);
}

}  // namespace Kindred

#endif  // KINDRED_CORE_NUMERIC_REPRODUCIBLE_BLOCK_HPP

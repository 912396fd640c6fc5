// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_WORD_TABLE_HPP
#define KINDRED_CORE_SEQUENCE_WORD_TABLE_HPP

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace Kindred {

/// Query symbols per machine word of a bit-parallel recurrence.
inline constexpr unsigned word_symbols = 64;

/// Words of a query that share one table from symbols to codes, so that a code fits into one byte.
inline constexpr unsigned segment_words = 4;

/// Code of every symbol that a segment does not contain.
inline constexpr std::uint8_t no_code = 255;

/// \brief Where the symbols of one query word occur: code of the segment → slot → mask.
struct alignas(64) WordTable {
  std::uint8_t place[256];  ///< code → slot in `masks`, < 64, or `no_code`
  std::uint64_t masks[64];  ///< bit j: symbol j of the word is the symbol of this slot

  /// The mask of a code, 0 for `no_code`.
  KOKKOS_INLINE_FUNCTION constexpr std::uint64_t mask(std::uint8_t code) const {
    const std::uint8_t at = place[code];
    // No branch: whether a symbol occurs cannot be predicted.
    return masks[at & 63U] & ((std::uint64_t{at} >> 7U) - 1);
  }
};

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_WORD_TABLE_HPP

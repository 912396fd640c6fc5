// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_QUERY_COLUMNS_HPP
#define KINDRED_CORE_SEQUENCE_QUERY_COLUMNS_HPP

#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/core/sequence/WordTable.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred {

/// Query symbols per plane: their state is one byte per pattern.
inline constexpr unsigned plane_symbols = 8;

/// Maximum number of planes that are advanced together, as many as fit the registers: for a single
/// run, and for a run that passes its carries to the next one.
inline constexpr unsigned column_planes = 12;
inline constexpr unsigned linked_planes = 8;

/// Maximum number of runs of columns per segment: each but the last has at least eight planes.
inline constexpr unsigned segment_columns = segment_words;

/// \brief Maps 16-bit symbols to slots by byte shuffles alone, where a table indexed by symbol
/// would be too large for them.
///
/// The product with an odd number, modulo 2¹⁶, identifies a symbol: its high byte selects a bucket
/// of up to two entries, its low byte decides which of them matches, if any.
struct SlotHash {
  std::uint16_t multiplier;        ///< 0: there is no hash
  std::uint8_t remainder[2][256];  ///< bucket → low byte of an entry
  std::uint8_t place[2][256];      ///< bucket → slot, or `no_code` where there is no entry
};

/// \brief Up to 96 consecutive symbols of a query, at most 64 of them distinct, in the layout that
/// host threads advance: code of the segment → slot → one bit for every equal symbol.
struct alignas(64) QueryColumns {
  std::uint8_t place[256];                 ///< code → slot, < 64, or `no_code`
  std::uint8_t planes[column_planes][64];  ///< bit i of planes[b][p]: symbol 8 · b + i has slot p
  std::uint64_t masks[2][64];              ///< the same bits in words
  SlotHash hash;
  std::uint32_t symbols;
  bool codes_are_places;
  bool full;  ///< slot 63 is used; then all its bits are in the last plane

  unsigned plane_count() const { return quotient_up(symbols, plane_symbols); }
};

/// \brief Cuts a segment into runs of columns and appends them to \p columns.
/// \param codes of its symbols, numbered by first occurrence; `no_code` for unknown symbols
/// \param distinct number of distinct codes
void append_columns(std::vector<QueryColumns>& columns, std::span<const std::uint8_t> codes,
                    std::uint32_t distinct);

/// \brief Fills the hash of \p columns, if one is found.
/// \param symbols of the run \param codes of these symbols
void hash_symbols(QueryColumns& columns, std::span<const Symbol> symbols,
                  std::span<const std::uint8_t> codes);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_QUERY_COLUMNS_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_QUERY_COLUMNS_HPP
#define KINDRED_CORE_SEQUENCE_QUERY_COLUMNS_HPP

#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/core/sequence/WordTable.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred {

/// Query symbols whose state is one byte of a pattern: a plane.
inline constexpr unsigned plane_symbols = 8;

/// Planes that are advanced together at most, as many as registers hold: alone, and where a run
/// hands its carries to the next one.
inline constexpr unsigned column_planes = 12;
inline constexpr unsigned linked_planes = 8;

/// Runs of columns that a segment has at most: each but the last has eight planes or more.
inline constexpr unsigned segment_columns = segment_words;

/// \brief Symbols of 16 bits → places by byte shuffles alone, where a table by symbol is too large
/// for them.
///
/// The product with an odd number, modulo 2¹⁶, tells symbols apart: its high byte is a bucket of up
/// to two entries, its low byte tells which of them it is, if any.
struct SymbolHash {
  std::uint16_t multiplier;        ///< 0: there is no hash
  std::uint8_t remainder[2][256];  ///< bucket → low byte of an entry
  std::uint8_t place[2][256];      ///< bucket → its place, or `no_code` where there is no entry
};

/// \brief Up to 96 consecutive symbols of a query, at most 64 of them different, as host threads
/// advance them: a segment's code → place → a bit for every symbol equal to it.
struct alignas(64) QueryColumns {
  std::uint8_t place[256];                 ///< code → place, < 64, or `no_code`
  std::uint8_t planes[column_planes][64];  ///< bit i of planes[b][p]: symbol 8 · b + i is place p's
  std::uint64_t masks[2][64];              ///< the same bits by words
  SymbolHash hash;
  std::uint32_t symbols;
  bool codes_are_places;
  bool full;  ///< place 63 is taken; then its bits are all in the last plane

  unsigned plane_count() const { return (symbols + plane_symbols - 1) / plane_symbols; }
};

/// \brief Cuts a segment into runs of columns and appends them to \p columns.
/// \param codes of its symbols, numbered as they first occur; `no_code` for unknown ones
/// \param distinct different codes
void append_columns(std::vector<QueryColumns>& columns, std::span<const std::uint8_t> codes,
                    std::uint32_t distinct);

/// \brief Fills the hash of \p columns, if one is found.
/// \param symbols of the run \param codes of them
void hash_symbols(QueryColumns& columns, std::span<const Symbol> symbols,
                  std::span<const std::uint8_t> codes);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_QUERY_COLUMNS_HPP

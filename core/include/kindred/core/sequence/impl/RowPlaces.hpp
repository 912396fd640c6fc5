// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_ROW_PLACES_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_ROW_PLACES_HPP

#include <kindred/core/arch/simd/Bytes64.hpp>
#include <kindred/core/sequence/PatternTiles.hpp>
#include <kindred/core/sequence/WordTable.hpp>
#include <kindred/core/sequence/impl/LcsColumns.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Kindred::Impl {

/// \brief Translates the symbols in some rows of two tiles to slots of query columns, 64 per row,
/// with margins of `no_code`, which a skewed step reads. For one host thread.
/// \tparam Bytes `Arch::Bytes64`, or its scalar form
template <class Bytes>
class RowPlaces {
 public:
  static constexpr unsigned tiles = 2;
  static constexpr bool is_native = !std::is_same_v<Bytes, Arch::ScalarBytes64>;

  RowPlaces() {
    for (auto* all : {m_codes, m_places}) std::fill_n(all, pack_lanes * pack_margin, no_code);
  }

  /// \param codes the code table of the columns' segment
  /// \param work_item has `symbols` and `tile_rows` of both tiles
  /// \param rows ≤ `pack_rows`, from \p row on
  template <class WorkItem>
  const std::uint8_t* find(const std::uint8_t* codes, const QueryColumns& columns,
                           const WorkItem& work_item, std::uint32_t row, std::uint32_t rows) {
    // Without instructions for it, hashing takes longer than two tables.
    if constexpr (is_native && sizeof(*work_item.symbols[0]) == 2) {
      if (columns.hash.multiplier != 0) {
        fill_rows(
            work_item, row, rows, places(),
            [&](const auto* first, const auto* second, std::uint32_t full, std::uint8_t* out) {
              find_places(columns.hash, first, second, full, out);
            },
            [&](const auto symbol) { return columns.place[codes[symbol]]; });
        return places();
      }
    }
    if (m_translated_by != codes || m_row != row) {
      fill_rows(
          work_item, row, rows, this->codes(),
          [&](const auto* first, const auto* second, std::uint32_t full, std::uint8_t* out) {
            translate(codes, first, second, full, out);
          },
          [&](const auto symbol) { return codes[symbol]; });
      m_translated_by = codes;
      m_row = row;
    }
    if (columns.codes_are_places) return this->codes();
    recode(columns.place, this->codes(), rows + pack_margin, places());
    return places();
  }

  /// Translates \p rows rows of two tiles to codes, 64 per row. \p table has at least 256 entries.
  template <class SymbolType>
  static void translate(const std::uint8_t* table, const SymbolType* first,
                        const SymbolType* second, unsigned rows, std::uint8_t* codes) {
    if constexpr (is_native && sizeof(SymbolType) == 1) {
      Bytes::call([=] {
        const typename Bytes::Table entries(table);
        for (std::size_t r = 0; r < rows; ++r)
          entries[Bytes::load(first + 32 * r, second + 32 * r)].store(codes + 64 * r);
      });
    } else {
      for (std::size_t r = 0; r < rows; ++r) {
        for (unsigned l = 0; l < 32; ++l) codes[64 * r + l] = table[first[32 * r + l]];
        for (unsigned l = 0; l < 32; ++l) codes[64 * r + 32 + l] = table[second[32 * r + l]];
      }
    }
  }
  /// Finds the slots of the symbols in \p rows rows of two tiles, 64 per row.
  static void find_places(const SlotHash& hash, const std::uint16_t* first,
                          const std::uint16_t* second, unsigned rows, std::uint8_t* places) {
    Bytes::call([=, &hash] {
      using Table = typename Bytes::Table;
      const Table remainder[2] = {Table(hash.remainder[0]), Table(hash.remainder[1])};
      const Table place[2] = {Table(hash.place[0]), Table(hash.place[1])};
      const Bytes none = Bytes::all(no_code);
      for (std::size_t r = 0; r < rows; ++r) {
        Bytes rest;
        Bytes bucket;
        Bytes::multiply(first + 32 * r, second + 32 * r, hash.multiplier, rest, bucket);
        // An empty way yields `no_code` for any remainder; an entry of the first way takes
        // precedence.
        none.replaced_where_equal(rest, remainder[1][bucket], place[1][bucket])
            .replaced_where_equal(rest, remainder[0][bucket], place[0][bucket])
            .store(places + 64 * r);
      }
    });
  }
  /// Looks up codes in a table of 256 entries.
  static void recode(const std::uint8_t* table, const std::uint8_t* codes, unsigned rows,
                     std::uint8_t* out) {
    Bytes::call([=] {
      const typename Bytes::Table entries(table);
      for (std::size_t r = 0; r < rows; ++r)
        entries[Bytes::load(codes + 64 * r)].store(out + 64 * r);
    });
  }

 private:
  static constexpr std::size_t all_rows = pack_rows + 2 * pack_margin;

  std::uint8_t* codes() { return m_codes + pack_lanes * pack_margin; }
  std::uint8_t* places() { return m_places + pack_lanes * pack_margin; }

  /// \brief Fills 64 bytes per row, and the margin after them: `whole(first, second, rows, out)`
  /// for rows that both tiles have, `one(symbol)` beyond; a tile without the row gets `no_code`.
  template <class WorkItem, class Whole, class One>
  static void fill_rows(const WorkItem& work_item, std::uint32_t row, std::uint32_t rows,
                        std::uint8_t* out, const Whole& whole, const One& one) {
    const auto* first = work_item.symbols[0] + tile_patterns * std::size_t{row};
    const auto* second = work_item.symbols[1] + tile_patterns * std::size_t{row};
    const std::uint32_t both = std::min(work_item.tile_rows[0], work_item.tile_rows[1]);
    const std::uint32_t full = std::min(rows, both > row ? both - row : 0);
    whole(first, second, full, out);
    for (std::uint32_t r = full; r < rows; ++r) {
      for (unsigned t = 0; t < tiles; ++t) {
        const bool inside = row + r < work_item.tile_rows[t];
        const auto* symbols = (t == 0 ? first : second) + tile_patterns * std::size_t{r};
        std::uint8_t* half = out + pack_lanes * std::size_t{r} + tile_patterns * t;
        for (unsigned l = 0; l < tile_patterns; ++l) half[l] = inside ? one(symbols[l]) : no_code;
      }
    }
    std::fill_n(out + pack_lanes * std::size_t{rows}, pack_lanes * pack_margin, no_code);
  }

  alignas(64) std::uint8_t m_codes[pack_lanes * all_rows];
  alignas(64) std::uint8_t m_places[pack_lanes * all_rows];
  const std::uint8_t* m_translated_by = nullptr;  ///< the table that `m_codes` were looked up in
  std::uint32_t m_row = 0;                        ///< the first row of `m_codes`
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_ROW_PLACES_HPP

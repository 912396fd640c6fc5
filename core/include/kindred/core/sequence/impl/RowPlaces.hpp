// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_ROW_PLACES_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_ROW_PLACES_HPP

#include <kindred/core/sequence/PatternTiles.hpp>
#include <kindred/core/sequence/WordTable.hpp>
#include <kindred/core/sequence/impl/LcsColumns.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief Translates the symbols in some rows of two tiles to slots of query columns, 64 per row,
/// with margins of `no_code`, which a skewed step reads. For one host thread.
/// \tparam Columns `WordColumns`, `ByteColumns` or `PairColumns`
template <class Columns>
class RowPlaces {
 public:
  static constexpr unsigned tiles = 2;

  RowPlaces() {
    for (auto* all : {m_codes, m_places}) std::fill_n(all, pack_lanes * pack_margin, no_code);
  }

  /// \param codes the code table of the columns' segment
  /// \param work_item has `symbols` and `tile_rows` of both tiles
  /// \param rows ≤ `pack_rows`, from \p row on
  template <class WorkItem>
  const std::uint8_t* find(const std::uint8_t* codes, const QueryColumns& columns,
                           const WorkItem& work_item, std::uint32_t row, std::uint32_t rows) {
    if constexpr (Columns::hashes && sizeof(*work_item.symbols[0]) == 2) {
      if (columns.hash.multiplier != 0) {
        fill_rows(
            work_item, row, rows, places(),
            [&](const auto* first, const auto* second, std::uint32_t full, std::uint8_t* out) {
              Columns::find_places(columns.hash, first, second, full, out);
            },
            [&](const auto symbol) { return columns.place[codes[symbol]]; });
        return places();
      }
    }
    if (m_translated_by != codes || m_row != row) {
      fill_rows(
          work_item, row, rows, this->codes(),
          [&](const auto* first, const auto* second, std::uint32_t full, std::uint8_t* out) {
            Columns::translate(codes, first, second, full, out);
          },
          [&](const auto symbol) { return codes[symbol]; });
      m_translated_by = codes;
      m_row = row;
    }
    if (columns.codes_are_places) return this->codes();
    Columns::recode(columns.place, this->codes(), rows + pack_margin, places());
    return places();
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

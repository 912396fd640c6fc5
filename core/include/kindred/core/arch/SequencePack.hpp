// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SEQUENCE_PACK_HPP
#define KINDRED_CORE_ARCH_SEQUENCE_PACK_HPP

#include <kindred/core/arch/HostColumns.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/sequence/PatternTiles.hpp>
#include <kindred/core/sequence/WordTable.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace Kindred::Arch {

/// \brief The patterns that one unit of a sequence kernel advances together.
///
/// On the host a thread carries two tiles (64 patterns) and 128 rows at a time; on a device a lane
/// carries one pattern of its warp's tile, row by row.
template <class ExecutionSpace>
class SequencePack;

template <>
class SequencePack<HostSpace> {
 public:
  static constexpr unsigned tiles = 2;
  static constexpr unsigned lanes = 1;

  /// Columns of a segment.
  struct Tables {
    const QueryColumns* columns;
    unsigned count;
    const std::uint8_t* codes;
  };

  /// \brief Advances all columns of a segment over all rows of \p unit and writes (or adds) the
  /// counts of its slots.
  /// \param length of the query, where this is its only segment
  /// \param need a count that no pattern needs to reach may be written smaller than it is; 0 for
  /// none, also where this is not the only segment
  template <class Unit>
  static void scan(const Tables& tables, const Unit& unit, std::uint32_t length,
                   std::uint32_t need) {
    Scratch scratch;
    scratch.clear();
    HostColumns state[segment_columns];
    for (unsigned c = 0; c < tables.count; ++c) state[c].reset();
    const Band band{unit.rows, length, need};
    for (std::uint32_t row = 0; row < unit.rows;) {
      const std::uint32_t rows = band.rows_from(row);
      advance(tables, band, unit, row, rows, scratch, state);
      row += rows;
      if (!band.reachable(row, tables, state)) {
        write_zero(unit.matched, unit.slots, 0);
        return;
      }
    }
    LaneCounts counts{};
    for (unsigned c = 0; c < tables.count; ++c) {
      state[c].add_matched(tables.columns[c].symbols, counts);
    }
    for (unsigned l = 0; l < unit.slots; ++l) {
      unit.matched[l] = (unit.chained_in ? unit.matched[l] : 0) + counts.lane[l];
    }
  }

  static void write_zero(std::uint32_t* matched, unsigned slots, unsigned) {
    for (unsigned l = 0; l < slots; ++l) matched[l] = 0;
  }

 private:
  /// Codes and carries of some rows, with the margins that a skewed step reads.
  class Scratch {
   public:
    void clear() {
      for (auto* all : {m_codes, m_places}) std::fill_n(all, pack_lanes * pack_margin, no_code);
    }
    std::uint8_t* codes() { return m_codes + pack_lanes * pack_margin; }
    std::uint8_t* places() { return m_places + pack_lanes * pack_margin; }
    std::uint64_t* links() { return m_links + pack_margin; }

   private:
    static constexpr std::size_t all_rows = pack_rows + 2 * pack_margin;
    alignas(64) std::uint8_t m_codes[pack_lanes * all_rows];
    alignas(64) std::uint8_t m_places[pack_lanes * all_rows];
    std::uint64_t m_links[all_rows];
  };

  /// \brief What a pattern that reaches `need` can use: it leaves out at most rows − need of its
  /// symbols and length − need of the query's, so that it stays near the diagonal.
  struct Band {
    std::uint32_t rows;
    std::uint32_t length;
    std::uint32_t need;

    /// How many rows to advance from \p row on.
    std::uint32_t rows_from(std::uint32_t row) const {
      const std::uint32_t left = rows - row;
      if (need == 0) return std::min(left, pack_rows);
      // As long as the rest alone could reach it, nothing can be told.
      const std::uint32_t first = rows - need + need / 4;
      return std::min({left, pack_rows, row < first ? first - row : 8U});
    }
    /// The columns [begin, end) of \p count rows from \p row on.
    std::uint32_t begin(std::uint32_t row) const {
      return need == 0 || row < rows - need ? 0 : row - (rows - need);
    }
    std::uint32_t end(std::uint32_t row, std::uint32_t count) const {
      return need == 0 ? ~0U : row + count + (length - need);
    }
    /// Whether a lane can still reach `need` after \p row rows.
    bool reachable(std::uint32_t row, const Tables& tables, const HostColumns* state) const {
      const std::uint32_t left = rows - row;
      if (left >= need || left == 0) return true;
      // Of k columns before the cut and the others after it, k = length − left allows the most.
      std::uint32_t columns = length > left ? length - left : 0;
      LaneCounts counts{};
      for (unsigned c = 0; c < tables.count && columns > 0; ++c) {
        const std::uint32_t here = std::min(columns, tables.columns[c].symbols);
        state[c].add_matched(here, counts);
        columns -= here;
      }
      return counts.any_reaches(need - left);
    }
  };

  /// Where the symbols are that will be translated next.
  template <class Unit>
  static Ahead ahead(const Unit& unit, std::uint32_t row, bool may_end) {
    constexpr std::size_t row_bytes = tile_patterns * sizeof(*unit.symbols[0]);
    const auto at = [&](unsigned t, std::uint32_t r) {
      return reinterpret_cast<const char*>(unit.symbols[t]) + row_bytes * r;
    };
    if (row < unit.rows && !may_end) return {{at(0, row), at(1, row)}, row_bytes};
    // The next unit begins where this one ends, and is about as long.
    return {{at(1, unit.tile_rows[1]), at(1, unit.tile_rows[1] + unit.rows)}, row_bytes};
  }

  /// \brief Fills 64 bytes a row, and the margin after them: `whole(first, second, rows, out)`
  /// where both tiles have rows, `one(symbol)` beyond; a tile without the row gets `no_code`.
  template <class Unit, class Whole, class One>
  static void fill_rows(const Unit& unit, std::uint32_t row, std::uint32_t rows, std::uint8_t* out,
                        const Whole& whole, const One& one) {
    const auto* first = unit.symbols[0] + tile_patterns * std::size_t{row};
    const auto* second = unit.symbols[1] + tile_patterns * std::size_t{row};
    const std::uint32_t both = std::min(unit.tile_rows[0], unit.tile_rows[1]);
    const std::uint32_t full = std::min(rows, both > row ? both - row : 0);
    whole(first, second, full, out);
    for (std::uint32_t r = full; r < rows; ++r) {
      for (unsigned t = 0; t < tiles; ++t) {
        const bool inside = row + r < unit.tile_rows[t];
        const auto* symbols = (t == 0 ? first : second) + tile_patterns * std::size_t{r};
        std::uint8_t* half = out + pack_lanes * std::size_t{r} + tile_patterns * t;
        for (unsigned l = 0; l < tile_patterns; ++l) half[l] = inside ? one(symbols[l]) : no_code;
      }
    }
    std::fill_n(out + pack_lanes * std::size_t{rows}, pack_lanes * pack_margin, no_code);
  }

  /// \brief The places of some rows in a run of columns. \p translated tells whether the codes of
  /// these rows are there.
  template <class Unit>
  static const std::uint8_t* places(const Tables& tables, const QueryColumns& columns,
                                    const Unit& unit, std::uint32_t row, std::uint32_t rows,
                                    Scratch& scratch, bool& translated) {
    const std::uint8_t* codes = tables.codes;
    if constexpr (HostColumns::hashes && sizeof(*unit.symbols[0]) == 2) {
      if (columns.hash.multiplier != 0) {
        fill_rows(
            unit, row, rows, scratch.places(),
            [&](const auto* first, const auto* second, std::uint32_t full, std::uint8_t* out) {
              HostColumns::find_places(columns.hash, first, second, full, out);
            },
            [&](const auto symbol) { return columns.place[codes[symbol]]; });
        return scratch.places();
      }
    }
    if (!translated) {
      fill_rows(
          unit, row, rows, scratch.codes(),
          [&](const auto* first, const auto* second, std::uint32_t full, std::uint8_t* out) {
            HostColumns::translate(codes, first, second, full, out);
          },
          [&](const auto symbol) { return codes[symbol]; });
      translated = true;
    }
    if (columns.codes_are_places) return scratch.codes();
    HostColumns::recode(columns.place, scratch.codes(), rows + pack_margin, scratch.places());
    return scratch.places();
  }

  template <class Unit>
  static void advance(const Tables& tables, const Band& band, const Unit& unit, std::uint32_t row,
                      std::uint32_t rows, Scratch& scratch, HostColumns* state) {
    const std::uint64_t* carry_in = unit.chained_in ? unit.plane + row : nullptr;
    std::uint64_t* carry_out = unit.chained_out ? unit.plane + row : nullptr;
    const Ahead next = ahead(unit, row + rows, band.need > 0);
    bool translated = false;
    const std::uint32_t begin = band.begin(row);
    const std::uint32_t end = band.end(row, rows);
    std::uint64_t* links = scratch.links();
    bool linked = carry_in != nullptr;
    if (linked) {
      std::copy_n(carry_in, rows, links);
      std::fill_n(links + rows, pack_margin, 0);
    }
    std::uint32_t at = 0;  // the first column of the run
    for (unsigned c = 0; c < tables.count && at < end; ++c) {
      const QueryColumns& columns = tables.columns[c];
      const std::uint32_t past = at + columns.symbols;
      if (past > begin) {
        const bool goes_on = carry_out != nullptr || (c + 1 < tables.count && past < end);
        if (goes_on && !linked) std::fill_n(links, rows + pack_margin, 0);
        linked = linked || goes_on;
        const unsigned first_plane = begin > at ? (begin - at) / plane_symbols : 0;
        const unsigned last_plane =
            past <= end ? columns.plane_count() : (end - at + plane_symbols - 1) / plane_symbols;
        state[c].advance(columns, first_plane, last_plane,
                         places(tables, columns, unit, row, rows, scratch, translated), rows,
                         linked ? links : nullptr, next);
      }
      at = past;
    }
    if (carry_out != nullptr) std::copy_n(links, rows, carry_out);
  }
};

#if KINDRED_HAS_DEVICE
template <>
class SequencePack<DeviceSpace> {
 public:
  static constexpr unsigned tiles = 1;
  static constexpr unsigned rows = 1;
  static constexpr unsigned lanes = 32;

  using Word = std::uint64_t;
  using Codes = std::uint32_t;
  using Carry = std::uint64_t;
  /// Masks of the words of a segment, in scratch: `masks[w * codes_count + code]`.
  struct Tables {
    const std::uint64_t* masks;
    const std::uint8_t* codes;  ///< null where a symbol is its own code
    std::uint32_t stride;       ///< of a word in `masks`; the last entry of a word is zero
  };

  KOKKOS_INLINE_FUNCTION static Word ones() { return ~Word{0}; }

  template <class SymbolType>
  KOKKOS_INLINE_FUNCTION static void translate(const Tables& tables,
                                               const SymbolType* const* symbols,
                                               const std::uint32_t*, std::uint32_t row, unsigned,
                                               unsigned lane, Codes& codes) {
    const std::uint32_t symbol = symbols[0][32 * std::size_t{row} + lane];
    codes = tables.codes == nullptr ? symbol : tables.codes[symbol];
  }

  KOKKOS_INLINE_FUNCTION static void clear(Carry& carry) { carry = 0; }
  KOKKOS_INLINE_FUNCTION static void load(Carry& carry, const std::uint64_t* plane,
                                          std::uint32_t row, unsigned, unsigned lane) {
    const auto* bits = reinterpret_cast<const std::uint32_t*>(plane);
    carry = bits[(row & ~31U) + lane] >> (row & 31U) & 1U;
  }
  KOKKOS_INLINE_FUNCTION static void store(const Carry& carry, std::uint64_t* plane,
                                           std::uint32_t row, unsigned, unsigned lane) {
    auto& bits = reinterpret_cast<std::uint32_t*>(plane)[(row & ~31U) + lane];
    const std::uint32_t bit = 1U << (row & 31U);
    bits = carry != 0 ? bits | bit : bits & ~bit;
  }

  template <bool Recode, bool WithCarry>
  KOKKOS_INLINE_FUNCTION static void advance(const Tables& tables, unsigned w, const Codes& codes,
                                             unsigned, Carry& carry, Word& state) {
    const Word mask = tables.masks[w * tables.stride + codes];
    const Word both = state & mask;
    Word sum = state + both;
    if constexpr (WithCarry) {
      sum += carry;
      carry = (both | (state & ~sum)) >> 63U;
    }
    state = sum | (state & ~mask);
  }

  KOKKOS_INLINE_FUNCTION static std::uint32_t most_zeros(const Word* words, unsigned count) {
    std::uint32_t zeros = 0;
    for (unsigned w = 0; w < count; ++w) {
      zeros += static_cast<std::uint32_t>(Kokkos::popcount(~words[w]));
    }
    return zeros;
  }
  KOKKOS_INLINE_FUNCTION static void write(const Word* words, unsigned count, bool add,
                                           std::uint32_t* matched, unsigned, unsigned lane) {
    matched[lane] = (add ? matched[lane] : 0) + most_zeros(words, count);
  }
  KOKKOS_INLINE_FUNCTION static void write_zero(std::uint32_t* matched, unsigned, unsigned lane) {
    matched[lane] = 0;
  }
};
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SEQUENCE_PACK_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_SEQUENCE_PACK_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_SEQUENCE_PACK_HPP

#include <kindred/core/arch/ScratchReader.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/simd/Lanes.hpp>
#include <kindred/core/sequence/CodeHash.hpp>
#include <kindred/core/sequence/PatternTiles.hpp>
#include <kindred/core/sequence/WordTable.hpp>
#include <kindred/core/sequence/impl/ByteColumns.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief The patterns that one work item of a sequence kernel advances together.
///
/// On the host a thread carries two tiles (64 patterns) and 128 rows at a time; on a device a lane
/// carries one pattern of its warp's tile, eight rows at a time.
template <class ExecutionSpace>
class SequencePack;

template <>
class SequencePack<HostSpace> {
 public:
  static constexpr unsigned tiles = 2;
  static constexpr unsigned lanes = 1;

  /// The columns of a segment.
  struct Tables {
    const QueryColumns* columns;
    unsigned count;
    const std::uint8_t* codes;
  };

  /// \brief Advances all columns of a segment over all rows of \p work_item and passes the counts
  /// of its slots to \p sink, or reports to it that none matters.
  /// \param length of the query, if this is its only segment
  /// \param need counts below it may be reported smaller than they are; 0 for none, and if this is
  /// not the only segment
  template <class WorkItem, class Sink>
  static void scan(const Tables& tables, const WorkItem& work_item, std::uint32_t length,
                   std::uint32_t need, const Sink& sink) {
    Scratch scratch;
    scratch.clear();
    HostColumns state[segment_columns];
    for (unsigned c = 0; c < tables.count; ++c) state[c].reset();
    const Band band{work_item.rows, length, need};
    std::int64_t spare = 0;
    for (std::uint32_t row = 0; row < work_item.rows;) {
      const std::uint32_t rows = band.rows_from(row, spare);
      advance(tables, band, work_item, row, rows, scratch, state);
      row += rows;
      spare = band.spare(row, tables, state);
      if (spare < 0) {
        sink.leave(work_item);
        return;
      }
    }
    LaneCounts counts{};
    for (unsigned c = 0; c < tables.count; ++c) {
      state[c].add_matched(tables.columns[c].symbols, counts);
    }
    for (unsigned l = 0; l < work_item.slots; ++l) sink.finish(work_item, l, counts.lane[l]);
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

  /// \brief The band that a pattern which reaches `need` can use: it skips at most rows − need of
  /// its own symbols and length − need of the query's, so it stays near the diagonal.
  struct Band {
    std::uint32_t rows;
    std::uint32_t length;
    std::uint32_t need;

    /// How many rows to advance from \p row on if the best lane has \p spare matches more than it
    /// needs.
    std::uint32_t rows_from(std::uint32_t row, std::int64_t spare) const {
      const std::uint32_t left = rows - row;
      if (need == 0) return std::min(left, pack_rows);
      // While the remaining rows alone could reach it, nothing can be decided.
      const std::uint32_t first = rows - need + need / 4;
      // A row reduces the spare by at most one, and only if nothing in it matches.
      const std::uint32_t next =
          row < first ? first - row : 2 * static_cast<std::uint32_t>(spare) + plane_symbols;
      // Blocks of few rows consist mostly of margins.
      return std::min(left < next + plane_symbols ? left : next, pack_rows);
    }
    /// The columns [begin, end) of \p count rows from \p row on.
    std::uint32_t begin(std::uint32_t row) const {
      return need == 0 || row < rows - need ? 0 : row - (rows - need);
    }
    std::uint32_t end(std::uint32_t row, std::uint32_t count) const {
      return need == 0 ? ~0U : row + count + (length - need);
    }
    /// By how much a lane can still exceed `need` after \p row rows, at most; negative if none
    /// reaches it.
    std::int64_t spare(std::uint32_t row, const Tables& tables, const HostColumns* state) const {
      const std::uint32_t left = rows - row;
      if (left >= need || left == 0) return left;
      // With k columns before the cut and the others after it, k = length − left is the most
      // permissive.
      std::uint32_t columns = length > left ? length - left : 0;
      LaneCounts counts{};
      for (unsigned c = 0; c < tables.count && columns > 0; ++c) {
        const std::uint32_t here = std::min(columns, tables.columns[c].symbols);
        state[c].add_matched(here, counts);
        columns -= here;
      }
      return std::int64_t{counts.most()} + left - need;
    }
  };

  /// The location of the symbols that will be translated next.
  template <class WorkItem>
  static Ahead ahead(const WorkItem& work_item, std::uint32_t row, bool may_end) {
    constexpr std::size_t row_bytes = tile_patterns * sizeof(*work_item.symbols[0]);
    const auto at = [&](unsigned t, std::uint32_t r) {
      return reinterpret_cast<const char*>(work_item.symbols[t]) + row_bytes * r;
    };
    if (row < work_item.rows && !may_end) return {{at(0, row), at(1, row)}, row_bytes};
    // The next work item begins where this one ends and has about the same length.
    return {{at(1, work_item.tile_rows[1]), at(1, work_item.tile_rows[1] + work_item.rows)},
            row_bytes};
  }

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

  /// \brief The slots of some rows in a run of columns. \p translated: the codes of these rows are
  /// already there.
  template <class WorkItem>
  static const std::uint8_t* places(const Tables& tables, const QueryColumns& columns,
                                    const WorkItem& work_item, std::uint32_t row,
                                    std::uint32_t rows, Scratch& scratch, bool& translated) {
    const std::uint8_t* codes = tables.codes;
    if constexpr (HostColumns::hashes && sizeof(*work_item.symbols[0]) == 2) {
      if (columns.hash.multiplier != 0) {
        fill_rows(
            work_item, row, rows, scratch.places(),
            [&](const auto* first, const auto* second, std::uint32_t full, std::uint8_t* out) {
              HostColumns::find_places(columns.hash, first, second, full, out);
            },
            [&](const auto symbol) { return columns.place[codes[symbol]]; });
        return scratch.places();
      }
    }
    if (!translated) {
      fill_rows(
          work_item, row, rows, scratch.codes(),
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

  template <class WorkItem>
  static void advance(const Tables& tables, const Band& band, const WorkItem& work_item,
                      std::uint32_t row, std::uint32_t rows, Scratch& scratch, HostColumns* state) {
    const std::uint64_t* carry_in = work_item.chained_in ? work_item.plane + row : nullptr;
    std::uint64_t* carry_out = work_item.chained_out ? work_item.plane + row : nullptr;
    const Ahead next = ahead(work_item, row + rows, band.need > 0);
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
                         places(tables, columns, work_item, row, rows, scratch, translated), rows,
                         linked ? links : nullptr, next);
      }
      at = past;
    }
    if (carry_out != nullptr) std::copy_n(links, rows, carry_out);
  }
};

template <>
class SequencePack<DeviceSpace> {
 public:
  static constexpr unsigned tiles = 1;
  static constexpr unsigned lanes = 32;
  /// Bytes for the masks of one code, replicated so that every lane reads its own banks.
  static constexpr std::uint32_t mask_bytes = 128;

  using Word = std::uint64_t;

  /// How a symbol is mapped to its masks.
  enum class Lookup : std::uint8_t { symbol, near_hash, far_hash };
  /// One-byte symbols are slots themselves; a hash stays in scratch if the masks leave space for
  /// it.
  template <class SymbolType, unsigned Words>
  static constexpr Lookup lookup = sizeof(SymbolType) == 1 ? Lookup::symbol
                                   : Words <= 2            ? Lookup::near_hash
                                                           : Lookup::far_hash;

  /// Masks of the words of a segment, in scratch; the masks of the slot for absent symbols are
  /// zero.
  struct Tables {
    std::uint32_t masks = 0;      ///< address in scratch
    std::uint32_t near_hash = 0;  ///< address in scratch
    CodeHash hash{nullptr, 1, 1};
    std::uint32_t none = 0;        ///< the code of absent symbols
    std::uint32_t padding = 0;     ///< a symbol that the query does not contain
    std::uint32_t copy_bytes = 8;  ///< bytes of one copy: the words of the segment

    /// The masks of \p symbol in the copy at \p own.
    template <Lookup From>
    KOKKOS_INLINE_FUNCTION std::uint32_t address(std::uint32_t symbol, std::uint32_t own) const {
      std::uint32_t place = symbol;
      if constexpr (From == Lookup::near_hash) {
        // As CodeHash::code, with a multiplication instead of a shift.
        const std::uint32_t entry = symbol * hash.multiplier >> (32 - hash.bits);
        place = Arch::ScratchReader::word(near_hash + entry * 4) ^
                symbol * (hash.multiplier << hash.bits);
        place = place < none ? place : none;
      } else if constexpr (From == Lookup::far_hash) {
        place = hash.code(symbol, none);
      }
      return place * mask_bytes + own;
    }
    /// The copy that \p lane reads.
    KOKKOS_INLINE_FUNCTION std::uint32_t own_masks(unsigned lane) const {
      return masks + lane * copy_bytes % mask_bytes;
    }
  };

  /// \brief Advances the words of a segment over all rows of \p work_item. Returns false as soon as
  /// no lane can reach \p need.
  /// \tparam Chained reads the carries of the preceding segment and writes those for the next
  template <Lookup From, unsigned Words, bool Chained, class WorkItem>
  KOKKOS_INLINE_FUNCTION static bool advance(const Tables& tables, const WorkItem& work_item,
                                             std::uint32_t need, Word* state) {
    const std::uint32_t own = tables.own_masks(work_item.lane);
    const auto* next = work_item.symbols[0] + work_item.lane;
    KINDRED_UNROLL
    for (unsigned w = 0; w < Words; ++w) state[w] = ~Word{0};
    for (std::uint32_t row = 0; row < work_item.rows; row += group) {
      std::uint32_t symbol[group];
      fetch(next, work_item.rows - row, tables.padding, symbol);
      next += group * lanes;
      std::uint32_t at[group];
      KINDRED_UNROLL
      for (unsigned r = 0; r < group; ++r) at[r] = tables.template address<From>(symbol[r], own);
      std::uint32_t carry = 0;
      if constexpr (Chained) {
        if (work_item.chained_in)
          carry = carries(work_item.plane, row, work_item.lane) >> (row & 31U) & 0xFFU;
      }
      if constexpr (Words <= 2) {
        MaskRow<Words> masks[group];
        KINDRED_UNROLL
        for (unsigned r = 0; r < group; ++r) masks[r].load(at[r]);
        KINDRED_UNROLL
        for (unsigned r = 0; r < group; ++r) step<Words, Chained>(masks[r], r, carry, state);
      } else {
        KINDRED_UNROLL
        for (unsigned r = 0; r < group; ++r) {
          MaskRow<Words> masks;
          masks.load(at[r]);
          step<Words, Chained>(masks, r, carry, state);
        }
      }
      if constexpr (Chained) {
        if (work_item.chained_out) {
          std::uint32_t& bits = carries(work_item.plane, row, work_item.lane);
          bits = (bits & ~(0xFFU << (row & 31U))) | carry << (row & 31U);
        }
      }
      if (need > 0 && (row & 31U) == 32 - group) {
        const std::uint32_t left = work_item.rows - row > group ? work_item.rows - row - group : 0;
        if (zeros<Words>(state) + left < need) return false;
      }
    }
    return true;
  }

  /// The count that the state words encode.
  template <unsigned Words>
  KOKKOS_INLINE_FUNCTION static std::uint32_t zeros(const Word* state) {
    std::uint32_t count = 0;
    KINDRED_UNROLL
    for (unsigned w = 0; w < Words; ++w) {
      count += static_cast<std::uint32_t>(Kokkos::popcount(~state[w]));
    }
    return count;
  }

  /// Loads the masks of one symbol.
  template <Lookup From, unsigned Words>
  KOKKOS_INLINE_FUNCTION static void masks(const Tables& tables, std::uint32_t symbol,
                                           unsigned lane, Word* words) {
    MaskRow<Words> row;
    row.load(tables.template address<From>(symbol, tables.own_masks(lane)));
    for (unsigned w = 0; w < Words; ++w) words[w] = row.word[w];
  }

  KOKKOS_INLINE_FUNCTION static void write_zero(std::uint32_t* matched, unsigned, unsigned lane) {
    matched[lane] = 0;
  }

 private:
  /// Rows whose symbols are loaded together.
  static constexpr unsigned group = 8;

  /// The masks of a code's words; one load reads two.
  template <unsigned Words>
  struct MaskRow {
    Word word[Words + Words % 2];

    KOKKOS_INLINE_FUNCTION void load(std::uint32_t address) {
      if constexpr (Words == 1) {
        word[0] = Arch::ScratchReader::wide(address);
      } else {
        KINDRED_UNROLL
        for (unsigned w = 0; w < Words; w += 2) {
          Arch::ScratchReader::pair(address + 8 * w, word[w], word[w + 1]);
        }
      }
    }
  };

  /// Loads the symbols of the lane in at most `group` rows from \p from on, of which \p left > 0
  /// remain; padding has no effect.
  template <class SymbolType>
  KOKKOS_INLINE_FUNCTION static void fetch(const SymbolType* from, std::uint32_t left,
                                           std::uint32_t padding, std::uint32_t* symbol) {
    if (left >= group) {
      KINDRED_UNROLL
      for (unsigned r = 0; r < group; ++r) symbol[r] = from[lanes * r];
    } else {
      KINDRED_UNROLL
      for (unsigned r = 0; r < group; ++r) symbol[r] = r < left ? from[lanes * r] : padding;
    }
  }

  /// The carries of 32 rows in one word: bit i belongs to row i of the 32 that contain \p row.
  KOKKOS_INLINE_FUNCTION static std::uint32_t& carries(std::uint64_t* plane, std::uint32_t row,
                                                       unsigned lane) {
    return reinterpret_cast<std::uint32_t*>(plane)[(row & ~31U) + lane];
  }

  /// One row of the recurrence over all words, two of which form one 128-bit number.
  template <unsigned Words, bool Chained>
  KOKKOS_INLINE_FUNCTION static void step(const MaskRow<Words>& masks, unsigned r,
                                          std::uint32_t& carry, Word* state) {
    using Two = unsigned __int128;
    Word carried = Chained ? carry >> r & 1U : 0;
    KINDRED_UNROLL
    for (unsigned w = 0; w < Words; w += 2) {
      if (w + 1 < Words) {
        const Two s = Two{state[w + 1]} << 64U | state[w];
        const Two mask = Two{masks.word[w + 1]} << 64U | masks.word[w];
        const Two both = s & mask;
        const Two sum = s + both + carried;
        carried = static_cast<Word>((both | (s & ~sum)) >> 127U);
        const Two next = sum | (s & ~mask);
        state[w] = static_cast<Word>(next);
        state[w + 1] = static_cast<Word>(next >> 64U);
      } else {
        const Word s = state[w];
        const Word both = s & masks.word[w];
        const Word sum = s + both + carried;
        carried = (both | (s & ~sum)) >> 63U;
        state[w] = sum | (s & ~masks.word[w]);
      }
    }
    if constexpr (Chained) {
      carry = (carry & ~(1U << r)) | static_cast<std::uint32_t>(carried) << r;
    }
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_SEQUENCE_PACK_HPP

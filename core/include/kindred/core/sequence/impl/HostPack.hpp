// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_HOST_PACK_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_HOST_PACK_HPP

#include <kindred/core/arch/Special.hpp>
#include <kindred/core/sequence/QueryTables.hpp>
#include <kindred/core/sequence/TileShape.hpp>
#include <kindred/core/sequence/impl/LcsColumns.hpp>
#include <kindred/core/sequence/impl/RowPlaces.hpp>
#include <kindred/core/sequence/special/ByteColumns.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Kindred::Impl {

/// The patterns of a host thread, and the columns of a query in place. \see SequencePack
class HostPack {
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
    Special::choose<Special::Form::byte_columns, HostSpace>([&](auto is_special) {
      // Registers of NEON look up bytes, too, but do not add them as fast as words.
      constexpr bool looks_up =
          decltype(is_special)::value ||
          (Arch::ByteLookups::use == Arch::ExtensionUse::always && !Arch::ByteLookups::holds_64);
      using Bytes = std::conditional_t<looks_up, Arch::Bytes64, Arch::ScalarBytes64>;
      using Columns =
          std::conditional_t<decltype(is_special)::value, ByteColumns<Bytes>, WordColumns>;
      scan_columns<Columns, Bytes>(tables, work_item, length, need, sink);
    });
  }

  static constexpr std::uint32_t near_bits_max = 32;

  template <class SymbolType, unsigned Words, class Member, class Queries>
  static Tables make(const Member&, const Queries& queries, std::uint32_t segment,
                     const QuerySegment& s, std::uint32_t) {
    return {queries.columns.data() + s.first_columns, s.columns,
            queries.codes.data() + segment * queries.code_stride};
  }
  template <class SymbolType, unsigned Words, class Queries>
  static std::size_t scratch_bytes(const Queries&, std::uint32_t) {
    return 0;
  }
  /// Few enough that threads share the work evenly, enough that a task outweighs its overhead.
  static std::uint32_t tiles_per_team(const HostSpace&, std::uint32_t, std::uint32_t) { return 32; }

  static void write_zero(std::uint32_t* matched, unsigned slots, unsigned) {
    for (unsigned l = 0; l < slots; ++l) matched[l] = 0;
  }

 private:
  template <class Columns, class Bytes, class WorkItem, class Sink>
  static void scan_columns(const Tables& tables, const WorkItem& work_item, std::uint32_t length,
                           std::uint32_t need, const Sink& sink) {
    RowPlaces<Bytes> places;
    std::uint64_t links[pack_rows + 2 * pack_margin];
    Columns state[segment_columns];
    for (unsigned c = 0; c < tables.count; ++c) state[c].reset();
    const Band band{work_item.rows, length, need};
    std::int64_t spare = 0;
    for (std::uint32_t row = 0; row < work_item.rows;) {
      const std::uint32_t rows = band.rows_from(row, spare);
      advance(tables, band, work_item, row, rows, places, links + pack_margin, state);
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
    sink.finish(work_item, 0, counts.lane, work_item.slots);
  }

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
    template <class Columns>
    std::int64_t spare(std::uint32_t row, const Tables& tables, const Columns* state) const {
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

  template <class Columns, class Bytes, class WorkItem>
  static void advance(const Tables& tables, const Band& band, const WorkItem& work_item,
                      std::uint32_t row, std::uint32_t rows, RowPlaces<Bytes>& places,
                      std::uint64_t* links, Columns* state) {
    const std::uint64_t* carry_in = work_item.chained_in ? work_item.plane + row : nullptr;
    std::uint64_t* carry_out = work_item.chained_out ? work_item.plane + row : nullptr;
    const Ahead next = ahead(work_item, row + rows, band.need > 0);
    const std::uint32_t begin = band.begin(row);
    const std::uint32_t end = band.end(row, rows);
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
            past <= end ? columns.plane_count() : quotient_up(end - at, plane_symbols);
        state[c].advance(columns, first_plane, last_plane,
                         places.find(tables.codes, columns, work_item, row, rows), rows,
                         linked ? links : nullptr, next);
      }
      at = past;
    }
    if (carry_out != nullptr) std::copy_n(links, rows, carry_out);
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_HOST_PACK_HPP

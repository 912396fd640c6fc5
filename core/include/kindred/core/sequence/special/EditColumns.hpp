// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_SPECIAL_EDIT_COLUMNS_HPP
#define KINDRED_CORE_SEQUENCE_SPECIAL_EDIT_COLUMNS_HPP

/// \file
/// A special form for AVX-512 VBMI, BITALG, GFNI; NEON: 5.5 × on `peers/levenshtein-20-64`,
/// 2026-11-30, Zen 4. \see SpecialForms.hpp

#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/simd/Bytes64.hpp>
#include <kindred/core/sequence/EditDistance.hpp>
#include <kindred/core/sequence/LengthBound.hpp>
#include <kindred/core/sequence/impl/RowPlaces.hpp>
#include <kindred/core/sequence/impl/TilePair.hpp>
#include <kindred/core/sequence/special/ByteColumns.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief What the columns of a query pass on in some rows, one bit per lane; \see EditCarry.
struct EditLinks {
  std::uint64_t rise[pack_rows];
  std::uint64_t fall[pack_rows];
  std::uint64_t swap[pack_rows];
};

/// \brief In which rows the lanes have symbols: 0xFF, or 0 after the end of a pattern and in the
/// margins.
template <class Bytes>
class ActiveRows {
 public:
  ActiveRows() { std::fill_n(m_bytes, sizeof(m_bytes), std::uint8_t{0}); }

  /// \param lengths of the lanes
  void set(const std::uint32_t* lengths, std::uint32_t shortest, std::uint32_t row,
           std::uint32_t rows) {
    std::uint8_t* at = m_bytes + pack_lanes * pack_margin;
    for (std::uint32_t r = row; r < row + rows; ++r, at += pack_lanes) {
      if (r < shortest) {
        std::fill_n(at, pack_lanes, std::uint8_t{0xFF});
      } else {
        for (unsigned l = 0; l < pack_lanes; ++l) at[l] = r < lengths[l] ? 0xFF : 0;
      }
    }
    std::fill_n(at, pack_lanes * pack_margin, std::uint8_t{0});
  }
  /// \param row from −`pack_margin` on
  const std::uint8_t* operator[](std::ptrdiff_t row) const {
    return m_bytes + static_cast<std::ptrdiff_t>(pack_lanes) * (pack_margin + row);
  }

 private:
  alignas(64) std::uint8_t m_bytes[pack_lanes * (pack_rows + 2 * pack_margin)];
};

/// \brief `EditState` for one run of query columns and 64 patterns, in one byte of every pattern
/// per plane of eight query symbols, for hosts with `Arch::ByteLookups`.
///
/// As in `ByteColumns`, steps are skewed: in a step plane b processes row t − b, and all planes of
/// the step are independent.
/// \tparam Bytes `Arch::Bytes64`, or its scalar form
template <EditKind kind, class Bytes>
class EditColumns {
 public:
  static constexpr bool swaps = kind == EditKind::osa;

  void reset() {
    std::fill_n(m_rises, column_planes, Bytes::all(0xFF));
    std::fill_n(m_falls, column_planes, Bytes::all(0));
    if constexpr (swaps) {
      std::fill_n(m_equal, column_planes, Bytes::all(0));
      std::fill_n(m_zero_diagonal, column_planes, Bytes::all(0));
    }
  }

  /// \param places of \p rows rows, with margins \param links into these columns, replaced by those
  /// out of them; used if \p linked_in or \p linked_out
  void advance(const QueryColumns& columns, const std::uint8_t* places,
               const ActiveRows<Bytes>& active, unsigned rows, EditLinks& links, bool linked_in,
               bool linked_out) {
    with_planes(columns.plane_count(), [&](auto planes) {
      run<planes()>(columns, places, active, rows, links, linked_in, linked_out);
    });
  }

  /// Adds the vertical differences of the first \p symbols columns to those of every lane.
  void add_heights(unsigned symbols, std::int32_t* heights) const {
    alignas(64) std::uint16_t rises[pack_lanes] = {};
    alignas(64) std::uint16_t falls[pack_lanes] = {};
    Bytes::call([=, this, &rises, &falls] {
      for (unsigned plane = 0; plane * plane_symbols < symbols; ++plane) {
        const unsigned left = std::min(symbols - plane * plane_symbols, plane_symbols);
        const auto mask = static_cast<std::uint8_t>((1U << left) - 1);
        m_rises[plane].zeros(mask).add_to(rises);
        m_falls[plane].zeros(mask).add_to(falls);
      }
    });
    for (unsigned l = 0; l < pack_lanes; ++l) heights[l] += falls[l] - rises[l];
  }

 private:
  template <unsigned Planes>
  [[gnu::noinline]] void run(const QueryColumns& columns, const std::uint8_t* places,
                             const ActiveRows<Bytes>& active, unsigned rows, EditLinks& links,
                             bool linked_in, bool linked_out) {
    Bytes::call([&] {
      advance_planes<Planes>(columns, places, active, rows, links, linked_in, linked_out);
    });
  }

  template <unsigned Planes>
  KINDRED_FLATTENED void advance_planes(const QueryColumns& columns, const std::uint8_t* places,
                                        const ActiveRows<Bytes>& active, unsigned rows,
                                        EditLinks& links, bool linked_in, bool linked_out) {
    const Bytes none = Bytes::all(0);
    const Bytes one = Bytes::all(1);
    // No plane before the last has bits in slot 63, which `no_code` selects.
    const Bytes unknown = Bytes::all(columns.full ? 0x40 : 0);
    // In registers only because the loops over planes are unrolled.
    Bytes rises[Planes];
    Bytes falls[Planes];
    Bytes rise[Planes];  // out of the plane
    Bytes fall[Planes];
    Bytes swap[swaps ? Planes : 1];
    KINDRED_UNROLL
    for (unsigned b = 0; b < Planes; ++b) {
      rises[b] = m_rises[b];
      falls[b] = m_falls[b];
      rise[b] = fall[b] = none;
      if constexpr (swaps) swap[b] = none;
    }
    for (unsigned t = 0; t < rows + Planes - 1; ++t) {
      // Backwards from the last plane, which still needs the carries of the plane before it.
      KINDRED_UNROLL
      for (unsigned i = 0; i < Planes; ++i) {
        const unsigned b = Planes - 1 - i;
        const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(t) - static_cast<std::ptrdiff_t>(b);
        const Bytes place = Bytes::load(places + static_cast<std::ptrdiff_t>(pack_lanes) * row);
        const Bytes table = Bytes::load(columns.planes[b]);
        const Bytes mask =
            b + 1 < Planes ? Bytes::lookup(table, place) : Bytes::lookup(table, place, unknown);
        Bytes rise_in = b > 0 ? rise[b > 0 ? b - 1 : 0] : one;
        Bytes fall_in = b > 0 ? fall[b > 0 ? b - 1 : 0] : none;
        const bool has_row = t >= b && t - b < rows;
        if (b == 0 && linked_in && has_row) {
          rise_in = none.plus_bits(links.rise[t]);
          fall_in = none.plus_bits(links.fall[t]);
        }
        const Bytes equal = mask | fall_in;
        Bytes zero_diagonal =
            Bytes::xor_or((equal & rises[b]) + rises[b], rises[b], equal) | falls[b];
        const Bytes use = Bytes::load(active[row]);
        if constexpr (swaps) {
          Bytes swap_in = b > 0 ? swap[b > 0 ? b - 1 : 0] : none;
          if (b == 0 && linked_in && has_row) swap_in = none.plus_bits(links.swap[t]);
          const Bytes begins = Bytes::and_not(mask, m_zero_diagonal[b]);
          zero_diagonal = zero_diagonal | (((begins + begins) | swap_in) & m_equal[b]);
          swap[b] = begins.high_bits();
          if (b + 1 == Planes && linked_out && has_row) links.swap[t - b] = begins.sign_bits();
          m_equal[b] = Bytes::select(use, mask, m_equal[b]);
          m_zero_diagonal[b] = Bytes::select(use, zero_diagonal, m_zero_diagonal[b]);
        }
        const Bytes right_rises = Bytes::or_nor(falls[b], zero_diagonal, rises[b]);
        const Bytes right_falls = zero_diagonal & rises[b];
        if (b + 1 < Planes) {
          rise[b] = right_rises.high_bits();
          fall[b] = right_falls.high_bits();
        } else if (linked_out && has_row) {
          links.rise[t - b] = right_rises.sign_bits();
          links.fall[t - b] = right_falls.sign_bits();
        }
        const Bytes above_rises = (right_rises + right_rises) | rise_in;
        const Bytes above_falls = (right_falls + right_falls) | fall_in;
        rises[b] =
            Bytes::select(use, Bytes::or_nor(above_falls, zero_diagonal, above_rises), rises[b]);
        falls[b] = Bytes::select(use, above_rises & zero_diagonal, falls[b]);
      }
    }
    KINDRED_UNROLL
    for (unsigned b = 0; b < Planes; ++b) {
      m_rises[b] = rises[b];
      m_falls[b] = falls[b];
    }
  }

  Bytes m_rises[column_planes];
  Bytes m_falls[column_planes];
  // Of the preceding symbol, for transpositions.
  Bytes m_equal[swaps ? column_planes : 1];
  Bytes m_zero_diagonal[swaps ? column_planes : 1];
};

/// The edit distances of a query of up to `segments_max` segments and two tiles.
template <EditKind kind, class SymbolType>
struct EditTilesKernel {
  static constexpr std::uint32_t segments_max = 4;

  PatternTiles<HostSpace> tiles;
  QueryTables<HostSpace> queries;
  ArrayView<std::uint32_t, HostSpace> matched;  ///< `queries × slots`
  double ratio;  ///< of the lengths of pairs that matter, \see length_ratio

  void operator()(std::uint32_t query, const TilePair<SymbolType>& work_item) const {
    const std::uint32_t query_length = queries.lengths(query);
    const LengthBound bound = lengths_within(ratio, query_length);
    std::uint32_t* out =
        matched.data() + std::uint64_t{query} * tiles.slots() + work_item.first_slot;
    // Rows after the longest pattern that matters are not scanned.
    std::uint32_t longest = 0;
    for (unsigned l = 0; l < work_item.slots; ++l)
      if (bound.contains(work_item.lengths[l])) longest = std::max(longest, work_item.lengths[l]);
    if (longest == 0) {
      std::fill_n(out, work_item.slots, 0);
      return;
    }
    columns_type state[segments_max * segment_columns];
    unsigned runs = 0;
    for_each_run(query, [&](const std::uint8_t*, const QueryColumns&) { state[runs++].reset(); });
    RowPlaces<Arch::Bytes64> places;
    ActiveRows<Arch::Bytes64> active;
    EditLinks links;
    for (std::uint32_t row = 0; row < longest; row += pack_rows) {
      const std::uint32_t rows = std::min(longest - row, pack_rows);
      active.set(work_item.lengths, work_item.shortest, row, rows);
      unsigned run = 0;
      for_each_run(query, [&](const std::uint8_t* codes, const QueryColumns& columns) {
        state[run].advance(columns, places.find(codes, columns, work_item, row, rows), active, rows,
                           links, run > 0, run + 1 < runs);
        ++run;
      });
    }
    std::int32_t heights[pack_lanes] = {};
    unsigned run = 0;
    for_each_run(query, [&](const std::uint8_t*, const QueryColumns& columns) {
      state[run++].add_heights(columns.symbols, heights);
    });
    for (unsigned l = 0; l < work_item.slots; ++l) {
      const std::uint32_t length = work_item.lengths[l];
      out[l] = bound.contains(length) ? std::max(length, query_length) - length -
                                            static_cast<std::uint32_t>(heights[l])
                                      : 0;
    }
  }

 private:
  using columns_type = EditColumns<kind, Arch::Bytes64>;

  /// Calls `function(codes, columns)` for every run of columns of the query.
  template <class Function>
  void for_each_run(std::uint32_t query, const Function& function) const {
    for (std::uint32_t at = queries.first_segment(query); at < queries.first_segment(query + 1);
         ++at) {
      const QuerySegment& segment = queries.segments(at);
      const std::uint8_t* codes = queries.codes.data() + at * queries.code_stride;
      for (std::uint32_t c = 0; c < segment.columns; ++c)
        function(codes, queries.columns(segment.first_columns + c));
    }
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_SPECIAL_EDIT_COLUMNS_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_SPECIAL_SHORT_COLUMNS_HPP
#define KINDRED_CORE_SEQUENCE_SPECIAL_SHORT_COLUMNS_HPP

#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/simd/NarrowLookups64.hpp>
#include <kindred/core/sequence/PairValues.hpp>
#include <kindred/core/sequence/QueryColumns.hpp>
#include <kindred/core/sequence/TileShape.hpp>
#include <kindred/core/sequence/impl/WithConstant.hpp>
#include <kindred/core/sequence/special/JaroWinklerColumns.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// Planes of a short query: the counts of a pattern fit one byte.
inline constexpr unsigned short_planes_max = 31;
/// Places of the symbols of a short query, in groups of 16, of which one lookup selects.
inline constexpr unsigned short_groups_max = 4;
inline constexpr unsigned group_places = 16;

/// \brief Where the symbols of a short query occur: place → one bit for every equal symbol.
struct ShortQuery {
  unsigned symbols = 0;
  unsigned groups = 1;
  /// Bit i of `planes[b][p / 16][p % 16]`: symbol 8 · b + i has place p.
  std::uint8_t planes[short_planes_max][short_groups_max][group_places];

  unsigned plane_count() const { return (symbols + plane_symbols - 1) / plane_symbols; }
  void clear(unsigned length) {
    symbols = length;
    groups = 1;
    std::fill_n(&planes[0][0][0], plane_count() * sizeof(planes[0]), std::uint8_t{0});
  }
  /// Sets the bits of \p word, which holds the symbols from 64 · \p w on, at \p place.
  void add(unsigned place, unsigned w, std::uint64_t word) {
    groups = std::max(groups, place / group_places + 1);
    for (unsigned b = 8 * w; word != 0; ++b, word >>= 8U)
      planes[b][place / group_places][place % group_places] |= static_cast<std::uint8_t>(word);
  }
};

/// The indices of the places of a row in the groups of 16.
template <unsigned Groups, class Bytes>
class ShortIndices {
 public:
  explicit ShortIndices(const Bytes& place) {
    KINDRED_UNROLL
    for (unsigned g = 0; g < Groups; ++g) m_index[g] = place.in_group(g);
  }
  /// The masks of a plane.
  Bytes mask(const std::uint8_t (*plane)[group_places]) const {
    Bytes mask = Bytes::lookup(plane[0], m_index[0]);
    KINDRED_UNROLL
    for (unsigned g = 1; g < Groups; ++g) mask = mask | Bytes::lookup(plane[g], m_index[g]);
    return mask;
  }

 private:
  Bytes m_index[Groups];
};

/// \brief Hyyrö's recurrences for a short query and the 64 patterns of two tiles, one byte of each
/// per plane of eight query symbols, for hosts whose registers look up 16 bytes.
///
/// A row passes its carries from plane to plane as bytes that are 0 or −1. Rows do not wait for
/// each other beyond one plane, so that a processor that reorders instructions overlaps them, and
/// with them the tiles. \see ByteColumns, EditColumns
/// \tparam Bytes `Arch::NarrowLookups64`, or its scalar form
template <ShortRecurrence recurrence, class Bytes>
class ShortColumns {
 public:
  static constexpr bool edits = recurrence != ShortRecurrence::lcs;
  static constexpr bool swaps = recurrence == ShortRecurrence::osa;

  /// The places of the symbols of two tiles in some rows, 32 bytes each; a symbol without one has
  /// one beyond the groups.
  struct Places {
    const std::uint8_t* at[2];
    std::size_t row_bytes;

    void next() {
      for (const auto*& place : at) place += row_bytes;
    }
  };

  explicit ShortColumns(const ShortQuery& query) : m_query(&query) {
    const unsigned planes = query.plane_count();
    std::fill_n(m_state, planes, Bytes::all(0xFF));
    if constexpr (edits) std::fill_n(m_falls, planes, Bytes::all(0));
    if constexpr (swaps) {
      std::fill_n(m_equal, planes, Bytes::all(0));
      std::fill_n(m_zero_diagonal, planes, Bytes::all(0));
    }
  }

  void advance(const Places& places, std::uint32_t rows) {
    with_constant<1U, 2U, short_groups_max>(m_query->groups,
                                            [&](auto groups) { pick<groups()>(places, rows); });
  }

  /// Writes the count of every lane: under `lcs` the matched symbols, else by how many more
  /// symbols the query's columns rise than fall, modulo 256. \param counts 64
  void count(std::uint8_t* counts) const {
    const unsigned planes = m_query->plane_count();
    Bytes sum = Bytes::all(0);
    for (unsigned b = 0; b < planes; ++b) {
      const unsigned left = m_query->symbols - b * plane_symbols;
      const Bytes mask = Bytes::all(
          left < plane_symbols ? static_cast<std::uint8_t>((1U << left) - 1) : std::uint8_t{0xFF});
      if constexpr (edits) {
        sum = sum + (m_state[b] & mask).ones() - (m_falls[b] & mask).ones();
      } else {
        sum = sum + Bytes::and_not(mask, m_state[b]).ones();
      }
    }
    sum.store(counts);
  }

 private:
  /// Planes whose state fits the registers of AVX2.
  static constexpr unsigned register_planes = swaps ? 1 : 4;

  template <unsigned Groups, unsigned Planes = 1>
  void pick(const Places& places, std::uint32_t rows) {
    if (m_query->plane_count() == Planes) return run<Groups, Planes>(places, rows);
    if constexpr (Planes < register_planes) {
      pick<Groups, Planes + 1>(places, rows);
    } else {
      run<Groups, 0>(places, rows);
    }
  }

  /// \tparam Planes of the query, whose state is in registers; 0: any number, in memory
  template <unsigned Groups, unsigned Planes>
  [[gnu::noinline]] void run(Places places, std::uint32_t rows) {
    if constexpr (Planes == 0) {
      const unsigned planes = m_query->plane_count();
      for (std::uint32_t r = 0; r < rows; ++r, places.next()) {
        Row<Groups> row(Bytes::load(places.at[0], places.at[1]));
        for (unsigned b = 0; b < planes; ++b) step(row, b, *this);
      }
    } else {
      State<Planes> state(*this);
      for (std::uint32_t r = 0; r < rows; ++r, places.next()) {
        Row<Groups> row(Bytes::load(places.at[0], places.at[1]));
        KINDRED_UNROLL
        for (unsigned b = 0; b < Planes; ++b) step(row, b, state);
      }
      state.put(*this);
    }
  }

  /// What a row passes from plane to plane.
  template <unsigned Groups>
  struct Row {
    explicit Row(const Bytes& place) : indices(place) {}

    ShortIndices<Groups, Bytes> indices;
    Bytes carry = Bytes::all(edits ? 0xFF : 0);  ///< of the sum, or where the column rises
    Bytes fall = Bytes::all(0);
    Bytes swap = Bytes::all(0);
  };

  /// The state of some planes in registers.
  template <unsigned Planes>
  struct State {
    explicit State(const ShortColumns& from) {
      KINDRED_UNROLL
      for (unsigned b = 0; b < Planes; ++b) {
        m_state[b] = from.m_state[b];
        if constexpr (edits) m_falls[b] = from.m_falls[b];
        if constexpr (swaps) {
          m_equal[b] = from.m_equal[b];
          m_zero_diagonal[b] = from.m_zero_diagonal[b];
        }
      }
      m_query = from.m_query;
    }
    void put(ShortColumns& to) const {
      KINDRED_UNROLL
      for (unsigned b = 0; b < Planes; ++b) {
        to.m_state[b] = m_state[b];
        if constexpr (edits) to.m_falls[b] = m_falls[b];
        if constexpr (swaps) {
          to.m_equal[b] = m_equal[b];
          to.m_zero_diagonal[b] = m_zero_diagonal[b];
        }
      }
    }

    const ShortQuery* m_query;
    Bytes m_state[Planes];
    Bytes m_falls[edits ? Planes : 1];
    Bytes m_equal[swaps ? Planes : 1];
    Bytes m_zero_diagonal[swaps ? Planes : 1];
  };

  template <unsigned Groups, class States>
  static void step(Row<Groups>& row, unsigned b, States& all) {
    const Bytes mask = row.indices.mask(all.m_query->planes[b]);
    const Bytes state = all.m_state[b];
    if constexpr (!edits) {
      const Bytes both = state & mask;
      const Bytes sum = state + both - row.carry;
      row.carry = (both | Bytes::and_not(state, sum)).signs();
      all.m_state[b] = sum | Bytes::and_not(state, mask);
    } else {
      const Bytes ones = Bytes::all(0xFF);
      const Bytes falls = all.m_falls[b];
      const Bytes equal = mask | (row.fall & Bytes::all(1));
      Bytes zero_diagonal = (((equal & state) + state) ^ state) | equal | falls;
      if constexpr (swaps) {
        const Bytes begins = Bytes::and_not(mask, all.m_zero_diagonal[b]);
        zero_diagonal = zero_diagonal | ((begins + begins - row.swap) & all.m_equal[b]);
        row.swap = begins.signs();
        all.m_equal[b] = mask;
        all.m_zero_diagonal[b] = zero_diagonal;
      }
      const Bytes right_rises = falls | Bytes::and_not(ones, zero_diagonal | state);
      const Bytes right_falls = zero_diagonal & state;
      const Bytes above_rises = right_rises + right_rises - row.carry;
      const Bytes above_falls = right_falls + right_falls - row.fall;
      row.carry = right_rises.signs();
      row.fall = right_falls.signs();
      all.m_state[b] = above_falls | Bytes::and_not(ones, zero_diagonal | above_rises);
      all.m_falls[b] = above_rises & zero_diagonal;
    }
  }

  const ShortQuery* m_query;
  Bytes m_state[short_planes_max];  ///< of the LCS, or where the column rises
  Bytes m_falls[edits ? short_planes_max : 1];
  // Of the preceding row, for transpositions.
  Bytes m_equal[swaps ? short_planes_max : 1];
  Bytes m_zero_diagonal[swaps ? short_planes_max : 1];
};

/// \brief `JaroWinklerColumns` for a short query and the 64 patterns of two tiles, with lookups in
/// 16 entries. \tparam Bytes `Arch::NarrowLookups64`, or its scalar form
template <class Bytes>
class ShortJaro {
 public:
  /// Of the longest pattern.
  static constexpr std::uint32_t rows_max = 128;

  /// The places of row \p r, to be filled before `count`.
  std::uint8_t* places(std::uint32_t r) { return m_places + std::size_t{pack_lanes} * r; }

  /// \param rows ≤ `rows_max` \param lengths of the \p lanes lanes that are used
  void count(const ShortQuery& query, std::uint32_t rows, const std::uint32_t* lengths,
             std::uint32_t lanes, JaroWinklerCounts& counts) {
    find_windows(lengths, lanes, query.symbols);
    with_constant<1U, 2U, short_groups_max>(
        query.groups, [&](auto groups) { run<groups()>(query, rows, counts); });
  }

 private:
  /// The lanes whose patterns have the same window: 0xFF in their bytes.
  struct WindowLanes {
    std::uint32_t window;
    std::uint8_t lanes[pack_lanes];
  };

  /// Groups the lanes by their windows, which are few because patterns are sorted by length.
  void find_windows(const std::uint32_t* lengths, std::uint32_t lanes, std::uint32_t query_length) {
    m_window_count = 0;
    for (std::uint32_t l = 0; l < lanes; ++l) {
      const std::uint32_t window = jaro_window(lengths[l], query_length);
      // Lengths ascend, and windows with them.
      if (m_window_count == 0 || m_windows[m_window_count - 1].window != window) {
        m_windows[m_window_count].window = window;
        std::fill_n(m_windows[m_window_count++].lanes, pack_lanes, std::uint8_t{0});
      }
      m_windows[m_window_count - 1].lanes[l] = 0xFF;
    }
  }

  /// The bits of plane \p b that the symbols in a row may be matched with.
  Bytes near(std::uint32_t row, unsigned b) const {
    if (m_window_count == 1) return Bytes::all(jaro_window_bits(row, m_windows[0].window, b));
    Bytes near = Bytes::all(0);
    for (unsigned i = 0; i < m_window_count; ++i) {
      const std::uint8_t* lanes = m_windows[i].lanes;
      near = near | (Bytes::all(jaro_window_bits(row, m_windows[i].window, b)) &
                     Bytes::load(lanes, lanes + pack_lanes / 2));
    }
    return near;
  }

  template <unsigned Groups>
  [[gnu::noinline]] void run(const ShortQuery& query, std::uint32_t rows,
                             JaroWinklerCounts& counts) {
    const Bytes none = Bytes::all(0);
    const Bytes ones = Bytes::all(0xFF);
    const unsigned planes = query.plane_count();
    // The widest window is the last.
    const std::uint32_t widest = m_windows[m_window_count - 1].window;
    std::fill_n(m_taken, planes, none);
    Bytes common = none;
    Bytes prefix = none;
    Bytes in_prefix = ones;
    for (std::uint32_t row = 0; row < rows; ++row) {
      const ShortIndices<Groups, Bytes> indices(load(row));
      const unsigned first = row > widest ? (row - widest) / plane_symbols : 0;
      const unsigned last = std::min((row + widest) / plane_symbols + 1, planes);
      Bytes open = ones;  // where no symbol is taken yet
      for (unsigned b = first; b < last; ++b) {
        const Bytes mask = indices.mask(query.planes[b]);
        const Bytes free = Bytes::and_not(mask & near(row, b), m_taken[b]) & open;
        const Bytes bit = free & (none - free);
        m_taken[b] = m_taken[b] | bit;
        open = open & bit.zeros();
        if (b == 0 && row < 4) {
          const Bytes equal = mask & Bytes::all(static_cast<std::uint8_t>(1U << row));
          in_prefix = Bytes::and_not(in_prefix, equal.zeros());
          prefix = prefix - in_prefix;
        }
      }
      m_matched[row] = Bytes::and_not(ones, open);
      common = common - m_matched[row];
    }
    Bytes out_of_order = none;
    for (std::uint32_t row = 0; row < rows; ++row) {
      const ShortIndices<Groups, Bytes> indices(load(row));
      Bytes open = m_matched[row];
      Bytes equal = none;
      for (unsigned b = 0; b < planes; ++b) {
        const Bytes next = m_taken[b] & (none - m_taken[b]) & open;
        m_taken[b] = Bytes::and_not(m_taken[b], next);
        equal = equal | (indices.mask(query.planes[b]) & next);
        open = open & next.zeros();
      }
      out_of_order = out_of_order - (m_matched[row] & equal.zeros());
    }
    common.store(counts.common);
    out_of_order.store(counts.out_of_order);
    prefix.store(counts.prefix);
  }

  Bytes load(std::uint32_t row) const {
    const std::uint8_t* places = m_places + std::size_t{pack_lanes} * row;
    return Bytes::load(places, places + pack_lanes / 2);
  }

  std::uint8_t m_places[pack_lanes * rows_max];
  Bytes m_matched[rows_max];  ///< 0xFF where the symbol in the row is matched
  Bytes m_taken[short_planes_max];
  WindowLanes m_windows[pack_lanes];
  unsigned m_window_count = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_SPECIAL_SHORT_COLUMNS_HPP

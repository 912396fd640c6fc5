// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_SPECIAL_SHORT_COLUMNS_HPP
#define KINDRED_CORE_SEQUENCE_SPECIAL_SHORT_COLUMNS_HPP

#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/simd/NarrowLookups64.hpp>
#include <kindred/core/sequence/PairValues.hpp>
#include <kindred/core/sequence/QueryColumns.hpp>
#include <kindred/core/sequence/TileShape.hpp>
#include <kindred/core/sequence/impl/ColumnState.hpp>
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

  unsigned plane_count() const { return quotient_up(symbols, plane_symbols); }
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

/// The masks of a row of a short query.
template <unsigned Groups, class Bytes>
class ShortMasks {
 public:
  ShortMasks(const ShortQuery& query, const Bytes& place) : m_query(&query) {
    KINDRED_UNROLL
    for (unsigned g = 0; g < Groups; ++g) m_index[g] = place.in_group(g);
  }
  /// Those of plane \p b.
  Bytes mask(unsigned b) const {
    const auto& plane = m_query->planes[b];
    Bytes mask = Bytes::lookup(plane[0], m_index[0]);
    KINDRED_UNROLL
    for (unsigned g = 1; g < Groups; ++g) mask = mask | Bytes::lookup(plane[g], m_index[g]);
    return mask;
  }

 private:
  const ShortQuery* m_query;
  Bytes m_index[Groups];  ///< of the places in the groups of 16
};

/// The places of the symbols of two tiles in some rows, 32 bytes each; a symbol without one has one
/// beyond the groups.
struct ShortTextRows {
  const std::uint8_t* at[2];
  std::size_t row_bytes;

  void next() {
    for (const auto*& place : at) place += row_bytes;
  }
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

  explicit ShortColumns(const ShortQuery& query) : m_query(&query) {
    for (unsigned b = 0; b < query.plane_count(); ++b) m_states[b].reset();
  }

  void advance(const ShortTextRows& places, std::uint32_t rows) {
    const unsigned planes = m_query->plane_count();
    with_constant<1U, 2U, short_groups_max>(m_query->groups, [&](auto groups) {
      // The state of so many planes fits the registers of AVX2.
      if constexpr (swaps) {
        with_constant<1U, 0U>(planes, [&](auto some) { run<groups(), some()>(places, rows); });
      } else {
        with_constant<1U, 2U, 3U, 4U, 0U>(planes,
                                          [&](auto some) { run<groups(), some()>(places, rows); });
      }
    });
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
        sum = sum + (m_states[b].state & mask).ones() - (m_states[b].falls & mask).ones();
      } else {
        sum = sum + Bytes::and_not(mask, m_states[b].state).ones();
      }
    }
    sum.store(counts);
  }

 private:
  /// \tparam Planes of the query, whose state is in registers; 0: any number, in memory
  template <unsigned Groups, unsigned Planes>
  [[gnu::noinline]] void run(ShortTextRows places, std::uint32_t rows) {
    // In registers only because the loops over them are unrolled.
    State states[std::max(Planes, 1U)];
    KINDRED_UNROLL
    for (unsigned b = 0; b < Planes; ++b) states[b] = m_states[b];
    for (std::uint32_t r = 0; r < rows; ++r, places.next()) {
      const ShortMasks<Groups, Bytes> masks(*m_query, Bytes::load(places.at[0], places.at[1]));
      ColumnCarry<Bytes> carry;
      if constexpr (Planes > 0) {
        KINDRED_UNROLL
        for (unsigned b = 0; b < Planes; ++b)
          states[b].step(masks.mask(b), carry, b == 0, b + 1 == Planes);
      } else {
        for (unsigned b = 0; b < m_query->plane_count(); ++b)
          m_states[b].step(masks.mask(b), carry, false, false);
      }
    }
    KINDRED_UNROLL
    for (unsigned b = 0; b < Planes; ++b) m_states[b] = states[b];
  }

  using State = ColumnState<recurrence, Bytes, false>;

  const ShortQuery* m_query;
  State m_states[short_planes_max];
};

/// \brief `JaroWinklerRows` for a short query.
/// \param places 64 per row
/// \tparam Bytes `Arch::NarrowLookups64`, or its scalar form
template <unsigned Groups, class Bytes>
[[gnu::noinline]] void count_short_jaro(const JaroWinklerRows<Bytes>& jaro, const ShortQuery& query,
                                        const std::uint8_t* places, unsigned rows,
                                        JaroWinklerCounts& counts) {
  jaro.template count<0, short_planes_max>(
      query.plane_count(), rows,
      [&](unsigned row) {
        return ShortMasks<Groups, Bytes>(query,
                                         Bytes::load(places + std::size_t{pack_lanes} * row));
      },
      counts);
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_SPECIAL_SHORT_COLUMNS_HPP

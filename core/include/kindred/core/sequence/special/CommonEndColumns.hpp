// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_SPECIAL_COMMON_END_COLUMNS_HPP
#define KINDRED_CORE_SEQUENCE_SPECIAL_COMMON_END_COLUMNS_HPP

/// \file
/// A special form for AVX-512 VBMI, BITALG, GFNI: 2.4 × on `peers/prefix-20`, 2026-11-30, Zen 4.
/// \see SpecialForms.hpp

#include <kindred/core/arch/simd/Bytes64.hpp>
#include <kindred/core/sequence/CommonEnds.hpp>
#include <kindred/core/sequence/impl/RowPlaces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief The lengths of the common prefixes, or postfixes, of one run of query columns and 64
/// patterns, for hosts with `Arch::ByteLookups`.
///
/// It reads the rows of the tiles from the first, or from the last, until no pattern continues.
/// \tparam Bytes `Arch::Bytes64`, or its scalar form
template <class Bytes>
class CommonEndColumns {
 public:
  /// \param places_of returns the places of \p count rows from \p row on
  /// \param lengths of the lanes; \p rows the largest \param counts 64, aligned to 64 bytes
  template <class PlacesOf>
  static void count(SequenceEnd end, const QueryColumns& columns, const PlacesOf& places_of,
                    std::uint32_t rows, const std::uint32_t* lengths, std::uint8_t* counts) {
    Bytes::call([&] { count_rows(end, columns, places_of, rows, lengths, counts); });
  }

 private:
  template <class PlacesOf>
  KINDRED_FLATTENED static void count_rows(SequenceEnd end, const QueryColumns& columns,
                                           const PlacesOf& places_of, std::uint32_t rows,
                                           const std::uint32_t* lengths, std::uint8_t* counts) {
    // Most pairs differ in the first symbols.
    constexpr std::uint32_t rows_together = 4;
    Group groups[pack_lanes];
    const unsigned group_count = find_groups(end, columns.symbols, lengths, groups);
    Bytes count = Bytes::all(0);
    std::uint64_t open = ~std::uint64_t{0};
    for (std::uint32_t done = 0; done < rows && open != 0;) {
      const std::uint32_t some = std::min(rows - done, rows_together);
      const bool forward = end == SequenceEnd::prefix;
      const std::uint32_t first = forward ? done : rows - done - some;
      const std::uint8_t* places = places_of(first, some);
      std::uint64_t waiting = 0;  // lanes whose pattern ends before the row
      for (std::uint32_t i = 0; i < some && open != 0; ++i) {
        const std::uint32_t at = forward ? i : some - 1 - i;
        const Bytes place = Bytes::load(places + std::size_t{pack_lanes} * at);
        std::uint64_t matched = 0;
        waiting = 0;
        for (unsigned g = 0; g < group_count; ++g) {
          if (!forward && first + at >= groups[g].length) {
            waiting |= groups[g].lanes;
          } else {
            matched |= groups[g].lanes & equal_lanes(columns, place, groups[g].shift + first + at);
          }
        }
        open &= matched | waiting;
        count = count.plus_bits(open & matched);
      }
      done += some;
      // All patterns that remain may end before the next row.
      if (waiting != 0) done = std::max(done, rows - longest_of(groups, group_count, open));
    }
    count.store(counts);
  }

  /// Lanes whose row r is compared with symbol r + shift of the query.
  struct Group {
    std::int64_t shift;
    std::uint32_t length;
    std::uint64_t lanes;
  };

  /// The length of the longest pattern in \p lanes.
  static std::uint32_t longest_of(const Group* groups, unsigned count, std::uint64_t lanes) {
    std::uint32_t longest = 0;
    for (unsigned g = 0; g < count; ++g)
      if ((groups[g].lanes & lanes) != 0) longest = std::max(longest, groups[g].length);
    return longest;
  }

  /// The lanes whose symbol is symbol \p at of the query.
  KINDRED_FLATTENED static std::uint64_t equal_lanes(const QueryColumns& columns,
                                                     const Bytes& place, std::int64_t at) {
    if (at < 0 || at >= columns.symbols) return 0;
    const auto plane = static_cast<unsigned>(at) / plane_symbols;
    // Slot 63, which `no_code` selects, has bits only in the last plane, if it is used.
    const Bytes unknown = Bytes::all(columns.full ? 0x40 : 0);
    const Bytes none = Bytes::all(0);
    const Bytes bits = Bytes::lookup(Bytes::load(columns.planes[plane]), place, unknown) &
                       Bytes::all(static_cast<std::uint8_t>(1U << at % plane_symbols));
    return ~none.replaced_where_equal(bits, none, Bytes::all(0xFF)).sign_bits();
  }

  /// The lanes of each length, which are few because patterns are sorted by length. For prefixes,
  /// all lanes are one group: what follows a pattern is in no query.
  static unsigned find_groups(SequenceEnd end, std::uint32_t query_length,
                              const std::uint32_t* lengths, Group* groups) {
    if (end == SequenceEnd::prefix) {
      groups[0] = {0, 0, ~std::uint64_t{0}};
      return 1;
    }
    unsigned count = 0;
    for (unsigned l = 0; l < pack_lanes; ++l) {
      unsigned g = 0;
      while (g < count && groups[g].length != lengths[l]) ++g;
      if (g == count) groups[count++] = {std::int64_t{query_length} - lengths[l], lengths[l], 0};
      groups[g].lanes |= std::uint64_t{1} << l;
    }
    return count;
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_SPECIAL_COMMON_END_COLUMNS_HPP

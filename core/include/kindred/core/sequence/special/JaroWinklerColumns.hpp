// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_SPECIAL_JARO_WINKLER_COLUMNS_HPP
#define KINDRED_CORE_SEQUENCE_SPECIAL_JARO_WINKLER_COLUMNS_HPP

/// \file
/// A special form for AVX-512 VBMI, BITALG, GFNI; NEON: 7.9 × on `peers/jaro-winkler-20-64`,
/// 2026-11-30, Zen 4. \see SpecialForms.hpp

#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/simd/Bytes64.hpp>
#include <kindred/core/sequence/impl/JaroWinklerScore.hpp>
#include <kindred/core/sequence/impl/RowPlaces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// The bits of a plane that the symbol in a row may be matched with, for patterns of one window.
inline std::uint8_t jaro_window_bits(std::uint32_t row, std::uint32_t window, unsigned plane) {
  const std::uint32_t first = plane * plane_symbols;
  const std::uint32_t begin = row > window ? row - window : 0;
  const std::uint32_t end = row + window + 1;
  if (end <= first || begin >= first + plane_symbols) return 0;
  const std::uint32_t from = begin > first ? begin - first : 0;
  const std::uint32_t to = end < first + plane_symbols ? end - first : plane_symbols;
  return static_cast<std::uint8_t>((1U << to) - (1U << from));
}

/// What 64 patterns have in common with a query, one byte each.
struct JaroWinklerCounts {
  alignas(64) std::uint8_t common[pack_lanes];
  alignas(64) std::uint8_t out_of_order[pack_lanes];
  alignas(64) std::uint8_t prefix[pack_lanes];
};

/// \brief `JaroWinklerScore` for a query and 64 patterns of up to `pack_rows` symbols, in one byte
/// of every pattern per plane of eight query symbols.
/// \tparam Bytes 64 bytes in registers, or their scalar form
template <class Bytes>
class JaroWinklerRows {
 public:
  /// \param lengths of the \p lanes lanes that are used; the counts of the others mean nothing
  JaroWinklerRows(const std::uint32_t* lengths, unsigned lanes, std::uint32_t query_length) {
    // Few windows, because patterns are sorted by length.
    for (unsigned l = 0; l < lanes; ++l) {
      const std::uint32_t window = jaro_window(lengths[l], query_length);
      unsigned at = 0;
      while (at < m_count && m_windows[at].window != window) ++at;
      if (at == m_count) {
        m_windows[m_count].window = window;
        std::fill_n(m_windows[m_count++].lanes, pack_lanes, std::uint8_t{0});
      }
      m_windows[at].lanes[l] = 0xFF;
      m_widest = std::max(m_widest, window);
    }
  }

  /// \tparam Planes of the query, whose state is in registers; 0: any number up to \p PlanesMax, in
  /// memory \param masks_of returns the masks of a row: `mask(b)`, those of plane b
  template <unsigned Planes, unsigned PlanesMax, class MasksOf>
  KINDRED_FLATTENED void count(unsigned planes, unsigned rows, const MasksOf& masks_of,
                               JaroWinklerCounts& counts) const {
    const Bytes none = Bytes::all(0);
    const Bytes ones = Bytes::all(0xFF);
    // In registers only because the loops over planes are unrolled.
    Bytes taken[PlanesMax];
    for_planes<Planes>(0, planes, [&](unsigned b) { taken[b] = none; });
    Bytes matched[pack_rows];  // 0xFF where the symbol in the row is matched
    Bytes common = none;
    Bytes prefix = none;
    Bytes in_prefix = ones;
    for (unsigned row = 0; row < rows; ++row) {
      const auto masks = masks_of(row);
      Bytes open = ones;  // where no symbol is taken yet
      const unsigned first = row > m_widest ? (row - m_widest) / plane_symbols : 0;
      const unsigned last = std::min((row + m_widest) / plane_symbols + 1, planes);
      for_planes<Planes>(first, last, [&](unsigned b) {
        const Bytes mask = masks.mask(b);
        const Bytes free = Bytes::and_not(mask & near(row, b), taken[b]) & open;
        const Bytes bit = free & (none - free);
        taken[b] = taken[b] | bit;
        open = where_zero(bit, open);
        if (b == 0 && row < 4) {
          const Bytes equal = mask & Bytes::all(static_cast<std::uint8_t>(1U << row));
          in_prefix = Bytes::and_not(in_prefix, where_zero(equal, ones));
          prefix = prefix - in_prefix;
        }
      });
      matched[row] = Bytes::and_not(ones, open);
      common = common - matched[row];
    }
    Bytes out_of_order = none;
    for (unsigned row = 0; row < rows; ++row) {
      const auto masks = masks_of(row);
      Bytes open = matched[row];
      Bytes equal = none;
      for_planes<Planes>(0, planes, [&](unsigned b) {
        const Bytes next = taken[b] & (none - taken[b]) & open;
        taken[b] = Bytes::and_not(taken[b], next);
        equal = equal | (masks.mask(b) & next);
        open = where_zero(next, open);
      });
      out_of_order = out_of_order - where_zero(equal, matched[row]);
    }
    common.store(counts.common);
    out_of_order.store(counts.out_of_order);
    prefix.store(counts.prefix);
  }

 private:
  /// The lanes whose patterns have the same window: 0xFF in their bytes.
  struct WindowLanes {
    std::uint32_t window;
    std::uint8_t lanes[pack_lanes];
  };

  /// Calls `function(b)` for the planes [\p first, \p last), or for all of a known number.
  template <unsigned Planes, class Function>
  KINDRED_FLATTENED static void for_planes(unsigned first, unsigned last,
                                           const Function& function) {
    if constexpr (Planes > 0) {
      KINDRED_UNROLL
      for (unsigned b = 0; b < Planes; ++b) function(b);
    } else {
      for (unsigned b = first; b < last; ++b) function(b);
    }
  }

  /// \p value in the bytes where \p condition is 0, else 0.
  KINDRED_FLATTENED static Bytes where_zero(const Bytes& condition, const Bytes& value) {
    if constexpr (requires { condition.zeros(); }) {
      return value & condition.zeros();
    } else {
      const Bytes none = Bytes::all(0);
      return none.replaced_where_equal(condition, none, value);
    }
  }

  /// The bits of plane \p b that the symbols in a row may be matched with.
  KINDRED_FLATTENED Bytes near(std::uint32_t row, unsigned b) const {
    Bytes near = Bytes::all(jaro_window_bits(row, m_windows[0].window, b));
    if (m_count == 1) return near;
    near = near & Bytes::load(m_windows[0].lanes);
    for (unsigned i = 1; i < m_count; ++i) {
      near = near | (Bytes::all(jaro_window_bits(row, m_windows[i].window, b)) &
                     Bytes::load(m_windows[i].lanes));
    }
    return near;
  }

  WindowLanes m_windows[pack_lanes];
  unsigned m_count = 0;
  std::uint32_t m_widest = 0;
};

/// \brief `JaroWinklerRows` for one run of query columns, for hosts with `Arch::ByteLookups`.
/// \tparam Bytes `Arch::Bytes64`, or its scalar form
template <class Bytes>
class JaroWinklerColumns {
 public:
  /// \param places of \p rows rows \param lengths of the lanes
  static void count(const QueryColumns& columns, const std::uint8_t* places, unsigned rows,
                    const std::uint32_t* lengths, JaroWinklerCounts& counts) {
    const JaroWinklerRows<Bytes> jaro(lengths, pack_lanes, columns.symbols);
    with_planes(columns.plane_count(),
                [&](auto planes) { run<planes()>(jaro, columns, places, rows, counts); });
  }

 private:
  template <unsigned Planes>
  [[gnu::noinline]] static void run(const JaroWinklerRows<Bytes>& jaro, const QueryColumns& columns,
                                    const std::uint8_t* places, unsigned rows,
                                    JaroWinklerCounts& counts) {
    Bytes::call([&] {
      // No plane before the last has bits in slot 63, which `no_code` selects.
      const Masks<Planes> none{columns, {}, Bytes::all(columns.full ? 0x40 : 0)};
      jaro.template count<Planes, Planes>(
          Planes, rows,
          [&](unsigned row) {
            Masks<Planes> masks = none;
            masks.place = Bytes::load(places + std::size_t{pack_lanes} * row);
            return masks;
          },
          counts);
    });
  }

  template <unsigned Planes>
  struct Masks {
    const QueryColumns& columns;
    Bytes place;
    Bytes unknown;

    KINDRED_FLATTENED Bytes mask(unsigned b) const {
      const Bytes table = Bytes::load(columns.planes[b]);
      return b + 1 < Planes ? Bytes::lookup(table, place) : Bytes::lookup(table, place, unknown);
    }
  };
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_SPECIAL_JARO_WINKLER_COLUMNS_HPP

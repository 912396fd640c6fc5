// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_SHORT_JARO_HOST_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_SHORT_JARO_HOST_HPP

#include <kindred/core/sequence/impl/JaroWinklerColumns_Host.hpp>
#include <kindred/core/sequence/impl/ShortColumns_Host.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

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
    switch (query.groups) {
      case 1:
        return run<1>(query, rows, counts);
      case 2:
        return run<2>(query, rows, counts);
      default:
        return run<short_groups_max>(query, rows, counts);
    }
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

#endif  // KINDRED_CORE_SEQUENCE_IMPL_SHORT_JARO_HOST_HPP

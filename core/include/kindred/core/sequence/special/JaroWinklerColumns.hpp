// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_SPECIAL_JARO_WINKLER_COLUMNS_HPP
#define KINDRED_CORE_SEQUENCE_SPECIAL_JARO_WINKLER_COLUMNS_HPP

/// \file
/// A special form for AVX-512 VBMI, BITALG, GFNI; NEON: 9.2 × on `jaro-winkler-20-64`,
/// 2026-11-24, Zen 5. \see SpecialForms.hpp

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

/// \brief `JaroWinklerScore` for one run of query columns and 64 patterns of up to `pack_rows`
/// symbols, in one byte of every pattern per plane of eight query symbols, for hosts with
/// `Arch::ByteLookups`. \tparam Bytes `Arch::Bytes64`, or its scalar form
template <class Bytes>
class JaroWinklerColumns {
 public:
  /// \param places of \p rows rows \param lengths of the lanes
  static void count(const QueryColumns& columns, const std::uint8_t* places, unsigned rows,
                    const std::uint32_t* lengths, JaroWinklerCounts& counts) {
    with_planes(columns.plane_count(),
                [&](auto planes) { run<planes()>(columns, places, rows, lengths, counts); });
  }

 private:
  /// The lanes whose patterns have the same window.
  struct WindowLanes {
    std::uint32_t window;
    std::uint64_t lanes;
  };

  /// 0xFF in the bytes of \p lanes.
  static Bytes bytes_of(std::uint64_t lanes) {
    const Bytes none = Bytes::all(0);
    return none - none.plus_bits(lanes);
  }
  /// The lanes whose byte is 0.
  static std::uint64_t zero_lanes(const Bytes& bytes) {
    const Bytes none = Bytes::all(0);
    return none.replaced_where_equal(bytes, none, Bytes::all(0xFF)).sign_bits();
  }

  template <unsigned Planes>
  [[gnu::noinline]] static void run(const QueryColumns& columns, const std::uint8_t* places,
                                    unsigned rows, const std::uint32_t* lengths,
                                    JaroWinklerCounts& counts) {
    Bytes::call([&] { count_planes<Planes>(columns, places, rows, lengths, counts); });
  }

  template <unsigned Planes>
  KINDRED_FLATTENED static void count_planes(const QueryColumns& columns,
                                             const std::uint8_t* places, unsigned rows,
                                             const std::uint32_t* lengths,
                                             JaroWinklerCounts& counts) {
    const Bytes none = Bytes::all(0);
    // No plane before the last has bits in slot 63, which `no_code` selects.
    const Bytes unknown = Bytes::all(columns.full ? 0x40 : 0);
    const auto mask_of = [&](unsigned b, unsigned row) {
      const Bytes place = Bytes::load(places + std::size_t{pack_lanes} * row);
      const Bytes table = Bytes::load(columns.planes[b]);
      return b + 1 < Planes ? Bytes::lookup(table, place) : Bytes::lookup(table, place, unknown);
    };
    WindowLanes windows[pack_lanes];
    const unsigned window_count = find_windows(lengths, columns.symbols, windows);
    Bytes taken[Planes];
    KINDRED_UNROLL
    for (unsigned b = 0; b < Planes; ++b) taken[b] = none;
    Bytes common = none;
    Bytes prefix = none;
    std::uint64_t in_prefix = ~std::uint64_t{0};
    std::uint64_t matched[pack_rows];
    for (unsigned row = 0; row < rows; ++row) {
      Bytes open = Bytes::all(0xFF);  // where no symbol is taken yet
      KINDRED_UNROLL
      for (unsigned b = 0; b < Planes; ++b) {
        const Bytes mask = mask_of(b, row);
        Bytes near = Bytes::all(jaro_window_bits(row, windows[0].window, b));
        for (unsigned i = 1; i < window_count; ++i) {
          const Bytes other = Bytes::all(jaro_window_bits(row, windows[i].window, b));
          near = Bytes::select(bytes_of(windows[i].lanes), other, near);
        }
        const Bytes free = Bytes::and_not(mask & near, taken[b]) & open;
        const Bytes bit = free & (none - free);
        taken[b] = taken[b] | bit;
        open = none.replaced_where_equal(bit, none, open);
        if (b == 0 && row < 4) {
          in_prefix &= ~zero_lanes(mask & Bytes::all(static_cast<std::uint8_t>(1U << row)));
          prefix = prefix.plus_bits(in_prefix);
        }
      }
      matched[row] = ~open.sign_bits();
      common = common.plus_bits(matched[row]);
    }
    Bytes out_of_order = none;
    for (unsigned row = 0; row < rows; ++row) {
      if (matched[row] == 0) continue;
      Bytes open = bytes_of(matched[row]);
      Bytes equal = none;
      KINDRED_UNROLL
      for (unsigned b = 0; b < Planes; ++b) {
        const Bytes next = taken[b] & (none - taken[b]) & open;
        taken[b] = Bytes::and_not(taken[b], next);
        equal = equal | (mask_of(b, row) & next);
        open = none.replaced_where_equal(next, none, open);
      }
      out_of_order = out_of_order.plus_bits(matched[row] & zero_lanes(equal));
    }
    common.store(counts.common);
    out_of_order.store(counts.out_of_order);
    prefix.store(counts.prefix);
  }

  /// Groups the lanes by their windows, which are few because patterns are sorted by length.
  static unsigned find_windows(const std::uint32_t* lengths, std::uint32_t query_length,
                               WindowLanes* windows) {
    unsigned count = 0;
    for (unsigned l = 0; l < pack_lanes; ++l) {
      const std::uint32_t window = jaro_window(lengths[l], query_length);
      unsigned at = 0;
      while (at < count && windows[at].window != window) ++at;
      if (at == count) windows[count++] = {window, 0};
      windows[at].lanes |= std::uint64_t{1} << l;
    }
    return count;
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_SPECIAL_JARO_WINKLER_COLUMNS_HPP

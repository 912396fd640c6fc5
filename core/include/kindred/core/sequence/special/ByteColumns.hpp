// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_SPECIAL_BYTE_COLUMNS_HPP
#define KINDRED_CORE_SEQUENCE_SPECIAL_BYTE_COLUMNS_HPP

/// \file
/// A special form for AVX-512 VBMI, BITALG, GFNI: 2.8 × on `peers/lcs-200`, 2026-11-30, Zen 4. \see
/// SpecialForms.hpp

#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/simd/Bytes64.hpp>
#include <kindred/core/arch/simd/Prefetch.hpp>
#include <kindred/core/sequence/impl/LcsColumns.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Kindred::Impl {

/// \brief `WordColumns` with one byte of every pattern in one pack of bytes: plane b holds the
/// symbols 8 b … 8 b + 7.
///
/// Masks are byte lookups in the planes of the tables, whose slots are the codes; nothing is
/// transposed. A sum carries from plane to plane, so one row is a long dependency chain. Steps are
/// therefore skewed: in a step plane b processes row t − b, and all planes of the step are
/// independent.
/// \tparam Bytes `Arch::Bytes64`, or its scalar form
template <class Bytes>
class ByteColumns {
 public:
  void reset() {
    for (auto& plane : m_planes) plane = Bytes::all(0xFF);
  }

  void advance(const QueryColumns& columns, unsigned begin, unsigned end,
               const std::uint8_t* places, unsigned rows, std::uint64_t* links,
               const Ahead& ahead) {
    const Span span{columns.planes + begin, m_planes + begin,
                    // No plane before the last has bits in slot 63, which `no_code` selects.
                    Bytes::all(columns.full && end == columns.plane_count() ? 0x40 : 0)};
    with_planes(end - begin, [&](auto planes) {
      if (links != nullptr) {
        run<planes(), true>(span, places, rows, links, ahead);
      } else {
        run<planes(), false>(span, places, rows, links, ahead);
      }
    });
  }

  void add_matched(unsigned symbols, LaneCounts& counts) const {
    Bytes::call([=, this, &counts] {
      Bytes sum = Bytes::all(0);
      unsigned plane = 0;
      for (; (plane + 1) * plane_symbols <= symbols; ++plane)
        sum = sum + m_planes[plane].zeros(0xFF);
      const unsigned left = symbols - plane * plane_symbols;
      if (left > 0) sum = sum + m_planes[plane].zeros(static_cast<std::uint8_t>((1U << left) - 1));
      sum.add_to(counts.lane);
    });
  }

 private:
  /// A range of consecutive planes of the tables and of the state.
  struct Span {
    const std::uint8_t (*tables)[64];
    Bytes* state;
    Bytes unknown;  ///< a bit of the slots that the last plane must not look up
  };

  template <unsigned Planes, bool Linked>
  [[gnu::noinline]] static void run(const Span& span, const std::uint8_t* places, unsigned rows,
                                    std::uint64_t* links, const Ahead& ahead) {
    Bytes::call([&] { advance_planes<Planes, Linked>(span, places, rows, links, ahead); });
  }

  template <unsigned Planes, bool Linked>
  KINDRED_FLATTENED static void advance_planes(const Span& span, const std::uint8_t* places,
                                               unsigned rows, std::uint64_t* links,
                                               const Ahead& ahead) {
    const Bytes unknown = span.unknown;
    // In registers only because the loops over planes are unrolled.
    Bytes state[Planes];
    Bytes carry[Planes];
    KINDRED_UNROLL
    for (unsigned b = 0; b < Planes; ++b) {
      state[b] = span.state[b];
      carry[b] = Bytes::all(0);
    }
    for (unsigned t = 0; t < rows + Planes - 1; ++t) {
      const std::uint8_t* row = places + 64 * std::size_t{t};
      Arch::prefetch(ahead.at[0] + t * ahead.row_bytes);
      Arch::prefetch(ahead.at[1] + t * ahead.row_bytes);
      // Backwards from the last plane, which still needs the carry of the plane before it.
      KINDRED_UNROLL
      for (unsigned i = 0; i < Planes; ++i) {
        const unsigned b = Planes - 1 - i;
        const Bytes place = Bytes::load(row - 64 * std::size_t{b});
        const Bytes table = Bytes::load(span.tables[b]);
        const Bytes mask =
            b + 1 < Planes ? Bytes::lookup(table, place) : Bytes::lookup(table, place, unknown);
        const Bytes both = state[b] & mask;
        Bytes sum = state[b] + both;
        if (b > 0) {
          sum = sum + carry[b - 1];
        } else if (Linked) {
          sum = sum.plus_bits(links[t]);
        }
        const Bytes carried = Bytes::or_and_not(both, state[b], sum);
        if (b + 1 < Planes) {
          carry[b] = carried.high_bits();
        } else if (Linked) {
          *(links + t - b) = carried.sign_bits();
        }
        state[b] = Bytes::or_and_not(sum, state[b], mask);
      }
    }
    KINDRED_UNROLL
    for (unsigned b = 0; b < Planes; ++b) span.state[b] = state[b];
  }

  Bytes m_planes[column_planes];
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_SPECIAL_BYTE_COLUMNS_HPP

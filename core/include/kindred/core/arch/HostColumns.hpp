// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_HOST_COLUMNS_HPP
#define KINDRED_CORE_ARCH_HOST_COLUMNS_HPP

#include <kindred/core/arch/Avx512.hpp>
#include <kindred/core/arch/PortableColumns.hpp>

namespace Kindred::Arch {

#if KINDRED_HAS_AVX512

/// \brief The same with one byte of every pattern in one register: plane b holds the symbols 8 b …
/// 8 b + 7.
///
/// Masks are byte shuffles of the planes of the tables, whose slots are the codes; nothing is
/// transposed. A sum carries from plane to plane, so one row is a long dependency chain. Steps are
/// therefore skewed: in a step plane b processes row t − b, and all planes of the step are
/// independent.
class Avx512Columns {
 public:
  void reset() {
    for (auto& plane : m_planes) plane = _mm512_set1_epi8(-1);
  }

  void advance(const QueryColumns& columns, unsigned begin, unsigned end,
               const std::uint8_t* places, unsigned rows, std::uint64_t* links,
               const Ahead& ahead) {
    const Span span{columns.planes + begin, m_planes + begin,
                    // No plane before the last has bits in slot 63, which `no_code` selects.
                    _mm512_set1_epi8(columns.full && end == columns.plane_count() ? 0x40 : 0)};
    pick(end - begin, span, places, rows, links, ahead);
  }

  void add_matched(unsigned symbols, LaneCounts& counts) const {
    __m512i sum = _mm512_setzero_si512();
    unsigned plane = 0;
    for (; (plane + 1) * plane_symbols <= symbols; ++plane) {
      sum = _mm512_add_epi8(sum, zeros(m_planes[plane], 0xFF));
    }
    const unsigned left = symbols - plane * plane_symbols;
    if (left > 0) sum = _mm512_add_epi8(sum, zeros(m_planes[plane], (1 << left) - 1));
    for (unsigned half = 0; half < 2; ++half) {
      auto* at = counts.lane + 32 * half;
      const __m256i part =
          half == 0 ? _mm512_castsi512_si256(sum) : _mm512_extracti64x4_epi64(sum, 1);
      _mm512_store_si512(at, _mm512_add_epi16(_mm512_load_si512(at), _mm512_cvtepu8_epi16(part)));
    }
  }

  template <class SymbolType>
  static void translate(const std::uint8_t* table, const SymbolType* first,
                        const SymbolType* second, unsigned rows, std::uint8_t* codes) {
    if constexpr (sizeof(SymbolType) == 1) {
      const Table entries(table);
      for (unsigned r = 0; r < rows; ++r) {
        const __m512i both =
            _mm512_inserti64x4(_mm512_castsi256_si512(half_row(first, r)), half_row(second, r), 1);
        _mm512_store_si512(codes + 64 * std::size_t{r}, entries[both]);
      }
    } else {
      PortableColumns::translate(table, first, second, rows, codes);
    }
  }
  static constexpr bool hashes = true;
  static void find_places(const SymbolHash& hash, const std::uint16_t* first,
                          const std::uint16_t* second, unsigned rows, std::uint8_t* places) {
    const Table remainder[2] = {Table(hash.remainder[0]), Table(hash.remainder[1])};
    const Table place[2] = {Table(hash.place[0]), Table(hash.place[1])};
    const __m512i multiplier = _mm512_set1_epi16(static_cast<short>(hash.multiplier));
    alignas(64) std::uint8_t even_bytes[64];
    for (unsigned l = 0; l < 64; ++l) even_bytes[l] = static_cast<std::uint8_t>(2 * l);
    const __m512i low_bytes = _mm512_load_si512(even_bytes);
    const __m512i high_bytes = _mm512_add_epi8(low_bytes, _mm512_set1_epi8(1));
    for (unsigned r = 0; r < rows; ++r) {
      const std::size_t at = 32 * std::size_t{r};
      const __m512i a = _mm512_mullo_epi16(_mm512_loadu_si512(first + at), multiplier);
      const __m512i b = _mm512_mullo_epi16(_mm512_loadu_si512(second + at), multiplier);
      const __m512i bucket = _mm512_permutex2var_epi8(a, high_bytes, b);
      const __m512i rest = _mm512_permutex2var_epi8(a, low_bytes, b);
      // An empty way yields `no_code` for any remainder; an entry of the first way takes
      // precedence.
      __m512i found = _mm512_mask_mov_epi8(_mm512_set1_epi8(static_cast<char>(no_code)),
                                           _mm512_cmpeq_epi8_mask(rest, remainder[1][bucket]),
                                           place[1][bucket]);
      found = _mm512_mask_mov_epi8(found, _mm512_cmpeq_epi8_mask(rest, remainder[0][bucket]),
                                   place[0][bucket]);
      _mm512_store_si512(places + 2 * at, found);
    }
  }
  static void recode(const std::uint8_t* table, const std::uint8_t* codes, unsigned rows,
                     std::uint8_t* out) {
    const Table entries(table);
    for (unsigned r = 0; r < rows; ++r) {
      const std::size_t at = 64 * std::size_t{r};
      _mm512_store_si512(out + at, entries[_mm512_load_si512(codes + at)]);
    }
  }

 private:
  /// A range of consecutive planes of the tables and of the state.
  struct Span {
    const std::uint8_t (*tables)[64];
    __m512i* state;
    __m512i unknown;  ///< a bit of the slots that the last plane must not look up
  };

  /// A 256-byte table in registers.
  class Table {
   public:
    explicit Table(const std::uint8_t* table) {
      for (unsigned q = 0; q < 4; ++q) m_quarters[q] = _mm512_loadu_si512(table + 64 * q);
    }
    __m512i operator[](__m512i index) const {
      const __m512i low = _mm512_permutex2var_epi8(m_quarters[0], index, m_quarters[1]);
      const __m512i high = _mm512_permutex2var_epi8(m_quarters[2], index, m_quarters[3]);
      return _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high);
    }

   private:
    __m512i m_quarters[4];
  };

  static __m256i half_row(const std::uint8_t* symbols, unsigned row) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(symbols + 32 * std::size_t{row}));
  }
  static __m512i zeros(__m512i plane, int mask) {
    return _mm512_popcnt_epi8(
        _mm512_andnot_si512(plane, _mm512_set1_epi8(static_cast<char>(mask))));
  }
  /// a | (b & ~c)
  static __m512i or_and_not(__m512i a, __m512i b, __m512i c) {
    return _mm512_ternarylogic_epi64(a, b, c, 0xF4);
  }

  /// Calls `run` with \p planes as a template argument.
  template <unsigned Planes = 1>
  static void pick(unsigned planes, const Span& span, const std::uint8_t* places, unsigned rows,
                   std::uint64_t* links, const Ahead& ahead) {
    if constexpr (Planes < column_planes) {
      if (planes > Planes) return pick<Planes + 1>(planes, span, places, rows, links, ahead);
    }
    if (links != nullptr) {
      run<Planes, true>(span, places, rows, links, ahead);
    } else {
      run<Planes, false>(span, places, rows, links, ahead);
    }
  }

  template <unsigned Planes, bool Linked>
  [[gnu::noinline]] static void run(const Span& span, const std::uint8_t* places, unsigned rows,
                                    std::uint64_t* links, const Ahead& ahead) {
    // Moves bit 7 of every byte to bit 0.
    const __m512i to_carry = _mm512_set1_epi64(static_cast<long long>(0x8000000000000000ULL));
    const __m512i minus_one = _mm512_set1_epi8(-1);
    const __m512i unknown = span.unknown;
    __m512i state[Planes];
    __m512i carry[Planes];
    for (unsigned b = 0; b < Planes; ++b) {
      state[b] = span.state[b];
      carry[b] = _mm512_setzero_si512();
    }
    for (unsigned t = 0; t < rows + Planes - 1; ++t) {
      const std::uint8_t* row = places + 64 * std::size_t{t};
      _mm_prefetch(ahead.at[0] + t * ahead.row_bytes, _MM_HINT_T0);
      _mm_prefetch(ahead.at[1] + t * ahead.row_bytes, _MM_HINT_T0);
      // Backwards from the last plane, which still needs the carry of the plane before it.
      for (unsigned b = Planes; b-- > 0;) {
        const __m512i place = _mm512_load_si512(row - 64 * std::size_t{b});
        const __m512i table = _mm512_load_si512(span.tables[b]);
        const __m512i mask = b + 1 < Planes
                                 ? _mm512_permutexvar_epi8(place, table)
                                 : _mm512_maskz_permutexvar_epi8(
                                       _mm512_testn_epi8_mask(place, unknown), place, table);
        const __m512i both = _mm512_and_si512(state[b], mask);
        __m512i sum = _mm512_add_epi8(state[b], both);
        if (b > 0) {
          sum = _mm512_add_epi8(sum, carry[b - 1]);
        } else if (Linked) {
          sum = _mm512_mask_sub_epi8(sum, links[t], sum, minus_one);
        }
        const __m512i carried = or_and_not(both, state[b], sum);
        if (b + 1 < Planes) {
          carry[b] = _mm512_gf2p8affine_epi64_epi8(carried, to_carry, 0);
        } else if (Linked) {
          *(links + t - b) = _mm512_movepi8_mask(carried);
        }
        state[b] = or_and_not(sum, state[b], mask);
      }
    }
    for (unsigned b = 0; b < Planes; ++b) span.state[b] = state[b];
  }

  __m512i m_planes[column_planes];
};
using HostColumns = Avx512Columns;

#else
using HostColumns = PortableColumns;
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_HOST_COLUMNS_HPP

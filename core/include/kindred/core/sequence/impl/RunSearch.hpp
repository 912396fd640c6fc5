// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_RUN_SEARCH_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_RUN_SEARCH_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/sequence/QueryTables.hpp>
#include <kindred/core/sequence/impl/MatchedRuns.hpp>
#include <kindred/core/sequence/impl/RunList.hpp>
#include <kindred/core/sequence/impl/RunMatrix.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief Finds the longest run of equal symbols in parts of one pattern and one query.
///
/// Bit j of row i of level k is set if a run of k equal symbols ends at pattern symbol i and query
/// symbol j; level k + 1 is level k and-ed with its own rows shifted by one (row and bit). The last
/// nonempty level holds the longest runs; the lowest bit of its first row is the run that difflib
/// selects. One level is kept, in a separate column for every lane, and rebuilt for every part.
template <class ExecutionSpace>
class RunSearch {
 public:
  static constexpr unsigned lanes = Arch::is_device<ExecutionSpace> ? 32 : 1;
  static constexpr int team_size = Arch::is_device<ExecutionSpace> ? 8 : 1;
  static constexpr bool lists_runs = Arch::is_device<ExecutionSpace>;

  /// Sufficient for the run lists, too.
  static std::uint64_t workspace_words(std::uint64_t rows, std::uint64_t words) {
    return lanes * std::max<std::uint64_t>(rows * words, run_list_size / 2);
  }
  /// The entries of one lane, interleaved with those of the others.
  struct List {
    std::uint32_t* entries;
    KOKKOS_INLINE_FUNCTION std::uint32_t& operator()(std::uint32_t k) const {
      return entries[lanes * k];
    }
  };
  KOKKOS_INLINE_FUNCTION static List list(std::uint64_t* workspace, unsigned lane) {
    return {reinterpret_cast<std::uint32_t*>(workspace) + lane};
  }

  KOKKOS_INLINE_FUNCTION RunSearch(std::uint64_t* workspace, std::uint32_t words)
      : m_workspace(workspace), m_words(words) {}

  template <class SymbolType, class Tables>
  KOKKOS_INLINE_FUNCTION void take(const SymbolType* symbols, std::uint32_t, const Tables& queries,
                                   std::uint32_t query, unsigned lane) {
    m_symbols = symbols;
    m_symbol_bytes = sizeof(SymbolType);
    m_lane = lane;
    m_first_segment = queries.first_segment(query);
    m_segments = queries.segments.data();
    if constexpr (Arch::is_device<ExecutionSpace>) {
      m_hash = queries.hash.data();
    } else {
      m_codes = queries.codes.data();
      m_code_stride = queries.code_stride;
    }
    m_tables = queries.words.data();
  }

  KOKKOS_INLINE_FUNCTION Block longest(const RunRange& range) {
    const std::uint32_t word_begin = range.query_begin / word_symbols;
    const std::uint32_t word_end = quotient_up(range.query_end, word_symbols);
    std::uint32_t low = range.pattern_end;  // rows [low, high) have bits
    std::uint32_t high = range.pattern_begin;
    std::uint32_t first_j = 0;
    for (std::uint32_t i = range.pattern_begin; i < range.pattern_end; ++i) {
      const std::uint32_t symbol = symbol_at(32 * std::size_t{i});
      std::uint32_t segment = m_first_segment;
      std::uint32_t segment_begin = 0;
      bool any = false;
      for (std::uint32_t w = word_begin; w < word_end; ++w) {
        while (w >= segment_begin + m_segments[segment].words) {
          segment_begin += m_segments[segment++].words;
        }
        const QuerySegment& own = m_segments[segment];
        std::uint32_t code;
        if constexpr (Arch::is_device<ExecutionSpace>) {
          const SymbolHash hash{m_hash + own.first_entry, own.multiplier, own.hash_bits};
          code = hash.code(symbol, no_code);
        } else {
          code = m_codes[segment * m_code_stride + symbol];
        }
        std::uint64_t bits = 0;
        if (code != no_code) {
          bits =
              m_tables[own.first_word + (w - segment_begin)].mask(static_cast<std::uint8_t>(code));
          bits &= range_mask(w, range.query_begin, range.query_end);
        }
        word(i, w) = bits;
        if (bits != 0 && !any && i < low) {
          first_j = w * word_symbols + trailing_zeros(bits);
        }
        any = any || bits != 0;
      }
      if (any) {
        if (i < low) low = i;
        high = i + 1;
      }
    }
    if (low >= high) return {0, 0, 0};
    std::uint32_t k = 1;
    std::uint32_t first_i = low;
    while (k < range.bound) {
      std::uint32_t next_low = high;
      std::uint32_t next_high = low;
      std::uint32_t next_j = 0;
      // In descending order, so that the row above is still that of the previous level.
      for (std::uint32_t i = high; i-- > low;) {
        bool any = false;
        for (std::uint32_t w = word_end; w-- > word_begin;) {
          std::uint64_t bits = word(i, w);
          if (bits != 0) {
            std::uint64_t before = 0;
            if (i > low) {
              before = word(i - 1, w) << 1U;
              if (w > word_begin) before |= word(i - 1, w - 1) >> 63U;
            }
            bits &= before;
            word(i, w) = bits;
            if (bits != 0) {
              next_j = w * word_symbols + trailing_zeros(bits);
              any = true;
            }
          }
        }
        if (any) {
          next_low = i;
          if (next_high <= i) next_high = i + 1;
        }
      }
      if (next_low >= next_high) break;
      ++k;
      low = next_low;
      high = next_high;
      first_i = low;
      first_j = next_j;
    }
    return {first_i - (k - 1), first_j - (k - 1), k};
  }

 private:
  KOKKOS_INLINE_FUNCTION std::uint64_t& word(std::uint32_t i, std::uint32_t w) const {
    return m_workspace[(std::uint64_t{i} * m_words + w) * lanes + m_lane];
  }
  KOKKOS_INLINE_FUNCTION std::uint32_t symbol_at(std::size_t at) const {
    if (m_symbol_bytes == 1) return static_cast<const std::uint8_t*>(m_symbols)[at];
    if (m_symbol_bytes == 2) return static_cast<const std::uint16_t*>(m_symbols)[at];
    return static_cast<const std::uint32_t*>(m_symbols)[at];
  }
  KOKKOS_INLINE_FUNCTION static std::uint32_t trailing_zeros(std::uint64_t bits) {
    return static_cast<std::uint32_t>(Kokkos::countr_zero(bits));
  }

  std::uint64_t* m_workspace;
  const void* m_symbols = nullptr;
  const QuerySegment* m_segments = nullptr;
  const std::uint32_t* m_hash = nullptr;  ///< device
  const std::uint8_t* m_codes = nullptr;  ///< host
  std::size_t m_code_stride = 0;
  const WordTable* m_tables = nullptr;
  std::uint32_t m_words;
  std::uint32_t m_first_segment = 0;
  std::uint32_t m_lane = 0;
  unsigned m_symbol_bytes = 1;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_RUN_SEARCH_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_SPECIAL_RUN_LEVELS_HPP
#define KINDRED_CORE_SEQUENCE_SPECIAL_RUN_LEVELS_HPP

/// \file
/// A special form for hosts: 7.8 × on `peers/difflib-none`, 2026-11-30, Zen 4. \see
/// SpecialForms.hpp

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/sequence/PatternTiles.hpp>
#include <kindred/core/sequence/QueryTables.hpp>
#include <kindred/core/sequence/impl/MatchedRuns.hpp>
#include <kindred/core/sequence/impl/RunMatrix.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief `RunSearch` with levels 1 … `levels_max` of the whole pattern, which are stored; a part
/// reads them within its bounds.
class RunLevels {
 public:
  static constexpr unsigned lanes = 1;
  static constexpr int team_size = 1;
  static constexpr bool lists_runs = false;
  static constexpr unsigned levels_max = 8;

  /// Words of workspace for a query and every pattern up to this length: a shorter pattern stores
  /// more levels and may need more.
  static std::uint64_t workspace_words(std::uint64_t rows, std::uint64_t words) {
    const std::uint64_t level_words = words * stride(rows);
    return std::min((levels_max + 2) * level_words, near_words + 3 * level_words);
  }

  RunLevels(std::uint64_t* workspace, std::uint32_t words)
      : m_workspace(workspace), m_words(words) {}

  /// Selects the pattern whose symbol i is `symbols[32 * i]` and query \p query of \p queries.
  template <class SymbolType, class Tables>
  void take(const SymbolType* symbols, std::uint32_t rows, const Tables& queries,
            std::uint32_t query, unsigned) {
    m_stride = stride(rows);
    const auto levels_kept = static_cast<unsigned>(levels(rows, m_words));
    std::uint64_t* first = m_workspace + guard;
    for (unsigned w = 0; w < m_words; ++w) {
      std::fill_n(m_workspace + w * m_stride, guard, 0);
    }
    unsigned w = 0;
    for (std::uint32_t s = queries.first_segment(query); s < queries.first_segment(query + 1);
         ++s) {
      const QuerySegment segment = queries.segments(s);
      const std::uint8_t* codes = queries.codes.data() + s * queries.code_stride;
      const WordTable* tables = queries.words.data() + segment.first_word;
      for (unsigned i = 0; i < segment.words; ++i, ++w) {
        std::uint64_t* out = first + w * m_stride;
        for (std::uint32_t row = 0; row < rows; ++row) {
          out[row] = tables[i].mask(codes[symbols[tile_patterns * std::size_t{row}]]);
        }
      }
    }
    m_levels = 1;
    bool any = true;
    while (any && m_levels < levels_kept) {
      const RunMatrix in = level(m_levels);
      const RunMatrix out = level(m_levels + 1);
      for (unsigned v = 0; v < m_words; ++v) {
        std::fill_n(out.words + v * m_stride - guard, guard, 0);
      }
      any = extend_runs(in, out, 0, rows, 0, m_words, 1);
      ++m_levels;
    }
    m_more = any && m_levels == levels_kept;
  }

  Block longest(const RunRange& range) {
    const std::uint32_t most = std::min({range.bound, range.pattern_end - range.pattern_begin,
                                         range.query_end - range.query_begin});
    std::uint32_t k = std::min(most, m_levels);
    for (; k > 0; --k) {
      const std::uint32_t begin = range.query_begin + k - 1;
      const std::uint32_t i = first_row(level(k), range.pattern_begin + k - 1, range.pattern_end,
                                        begin, range.query_end);
      if (i == range.pattern_end) continue;
      if (k == m_levels && m_more && most > k) return longer(range, i, most);
      const std::uint32_t j = first_bit(level(k), i, begin, range.query_end);
      return {i - (k - 1), j - (k - 1), k};
    }
    return {0, 0, 0};
  }

 private:
  static constexpr unsigned guard = 8;
  static constexpr std::uint64_t near_words = 1U << 14U;

  static std::uint64_t stride(std::uint64_t rows) { return (rows + 2 * guard + 7) / 8 * 8; }
  /// The number of levels that fit the caches, at least 1.
  static std::uint64_t levels(std::uint64_t rows, std::uint64_t words) {
    const std::uint64_t level_words = std::max<std::uint64_t>(words * stride(rows), 1);
    return std::clamp<std::uint64_t>(near_words / level_words, 1, levels_max);
  }
  RunMatrix level(std::uint32_t k) const {
    return {m_workspace + guard + (k - 1) * m_words * m_stride, m_stride};
  }

  /// The longest run of a part that has a run of `m_levels`, the first at row \p row: galloping
  /// search.
  Block longer(const RunRange& range, std::uint32_t row, std::uint32_t most) {
    const unsigned word_begin = range.query_begin / word_symbols;
    const unsigned word_end = quotient_up(range.query_end, word_symbols);
    std::uint32_t k = m_levels;
    RunMatrix now = level(m_levels + 1);
    RunMatrix next = level(m_levels + 2);
    const RunMatrix kept = level(m_levels);
    for (unsigned w = word_begin; w < word_end; ++w) {
      const std::uint64_t mask = range_mask(w, range.query_begin + k - 1, range.query_end);
      for (std::uint32_t i = row; i < range.pattern_end; ++i) {
        now.words[w * now.stride + i] = kept.words[w * kept.stride + i] & mask;
      }
    }
    // Two overlapping runs of k combine to one of k + further; rows before `row` hold none.
    std::uint32_t further = k;
    bool growing = true;
    while (further > 0) {
      const bool fits = k + further <= most && row + further < range.pattern_end;
      if (fits &&
          extend_runs(now, next, row + further, range.pattern_end, word_begin, word_end, further)) {
        std::swap(now, next);
        k += further;
        row += further;
        if (growing) further = k;
      } else {
        growing = false;
        further /= 2;
      }
    }
    const std::uint32_t i =
        first_row(now, row, range.pattern_end, range.query_begin, range.query_end);
    const std::uint32_t j = first_bit(now, i, range.query_begin, range.query_end);
    return {i - (k - 1), j - (k - 1), k};
  }

  std::uint64_t* m_workspace;
  std::size_t m_stride = 0;
  std::uint32_t m_words;
  std::uint32_t m_levels = 0;
  bool m_more = false;  ///< the last stored level is not empty: there may be longer runs
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_SPECIAL_RUN_LEVELS_HPP

// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/LcsAligner.hpp>

#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/core/sequence/WordTable.hpp>
#include <kindred/core/sequence/impl/ScoreWords.hpp>

#include <algorithm>

namespace Kindred {

/// The way back through the rows of one pair. Column j of the state after row i is 0 where the LCS
/// of the first i + 1 pattern symbols with the query grows at query symbol j.
class LcsAligner::Walk {
 public:
  Walk(const LcsAligner& query, std::span<const Symbol> pattern)
      : m_query(query), m_pattern(pattern), m_row(pattern.size()), m_column(query.m_query.size()) {
    const std::span<const Symbol> symbols = query.m_query;
    while (m_prefix < std::min(m_row, m_column) && equal(pattern[m_prefix], symbols[m_prefix]))
      ++m_prefix;
    while (std::min(m_row, m_column) > m_prefix &&
           equal(pattern[m_row - 1], symbols[m_column - 1])) {
      match();
    }
  }

  std::vector<Block> blocks() {
    if (m_row > m_prefix && m_column > m_prefix) {
      m_first_word = m_prefix / word_symbols;
      const std::size_t words = words_left();
      m_masks.assign(words, 0);
      // After the common prefix, the LCS has grown at each of its symbols and nowhere else.
      std::vector<std::uint64_t> state(words, ~std::uint64_t{0});
      state[0] <<= m_prefix % word_symbols;
      walk(m_prefix, m_row, state.data());
    }
    m_row = m_column = m_prefix;
    while (m_row > 0) match();
    std::reverse(m_blocks.begin(), m_blocks.end());
    return std::move(m_blocks);
  }

 private:
  static bool equal(Symbol a, Symbol b) { return a == b && a != unknown_symbol; }

  /// Words from the end of the common prefix to the column that the walk has reached.
  std::size_t words_left() const { return quotient_up(m_column, word_symbols) - m_first_word; }

  /// Goes back over a pair of equal symbols.
  void match() {
    --m_row;
    --m_column;
    if (!m_blocks.empty() && m_blocks.back().pattern_begin == m_row + 1 &&
        m_blocks.back().query_begin == m_column + 1) {
      --m_blocks.back().pattern_begin;
      --m_blocks.back().query_begin;
      ++m_blocks.back().length;
    } else {
      m_blocks.push_back(
          {static_cast<std::uint32_t>(m_row), static_cast<std::uint32_t>(m_column), 1});
    }
  }

  /// Computes the state \p after pattern symbol \p row, which may be \p before itself.
  void advance(std::size_t row, std::size_t words, const std::uint64_t* before,
               std::uint64_t* after) {
    const std::span<const WordMask> masks = m_query.masks(m_pattern[row]);
    for (const WordMask& mask : masks) {
      const std::size_t word = mask.word - m_first_word;  // wraps around before the first
      if (word < words) m_masks[word] = mask.mask;
    }
    std::uint64_t carry = 0;
    for (std::size_t w = 0; w < words; ++w) {
      after[w] = Impl::lcs_step(before[w], m_masks[w], carry);
      m_masks[w] = 0;
    }
  }

  bool grows(const std::uint64_t* state) const {
    const std::size_t column = m_column - 1;
    return ((state[column / word_symbols - m_first_word] >> (column % word_symbols)) & 1U) == 0;
  }

  /// Goes back from the current row, \p end, to \p begin or to the common prefix of the query.
  /// \param state before row \p begin
  void walk(std::size_t begin, std::size_t end, const std::uint64_t* state) {
    const std::size_t words = words_left();
    const std::size_t capacity = std::max<std::size_t>(2, m_query.m_stored_words / words);
    const std::size_t rows = end - begin;
    const std::size_t stride = quotient_up(rows, capacity);
    // Every stride-th state, from that before the first row on.
    const std::size_t stored = quotient_up(rows, stride) + (stride == 1 ? 1 : 0);
    std::vector<std::uint64_t> states(stored * words);
    std::copy(state, state + words, states.begin());
    for (std::size_t place = 1; place < stored; ++place) {
      std::uint64_t* const next = states.data() + place * words;
      const std::size_t first = begin + (place - 1) * stride;
      advance(first, words, next - words, next);
      for (std::size_t row = first + 1; row < first + stride; ++row) {
        advance(row, words, next, next);
        if (row % 64 == 0) Impl::CancelPoint().check();
      }
      if (place % 64 == 0) Impl::CancelPoint().check();
    }
    if (stride > 1) {
      for (std::size_t place = stored; place-- > 0 && m_column > m_prefix;) {
        const std::size_t first = begin + place * stride;
        walk(first, std::min(end, first + stride), states.data() + place * words);
      }
      return;
    }
    while (m_row > begin && m_column > m_prefix) {
      const std::uint64_t* const here = states.data() + (m_row - begin) * words;
      if (!grows(here)) {
        --m_column;
      } else if (grows(here - words)) {
        --m_row;
      } else {
        match();
      }
    }
  }

  const LcsAligner& m_query;
  std::span<const Symbol> m_pattern;
  std::size_t m_row;     ///< pattern symbols that are not yet aligned
  std::size_t m_column;  ///< query symbols that are not yet aligned
  std::size_t m_prefix = 0;
  std::size_t m_first_word = 0;
  std::vector<std::uint64_t> m_masks;  ///< of one row; 0 between rows
  std::vector<Block> m_blocks;         ///< from the last to the first
};

LcsAligner::LcsAligner(std::span<const Symbol> query, std::size_t stored_words)
    : m_query(query.begin(), query.end()), m_stored_words(stored_words) {
  for (const auto& [number, position] : Impl::numbered_places(query, m_table)) {
    const std::uint32_t word = position / word_symbols;
    const bool is_first = number == m_first.size();
    if (is_first) m_first.push_back(static_cast<std::uint32_t>(m_masks.size()));
    if (is_first || m_masks.back().word != word) m_masks.push_back({0, word});
    m_masks.back().mask |= std::uint64_t{1} << (position % word_symbols);
  }
  m_first.push_back(static_cast<std::uint32_t>(m_masks.size()));
}

std::span<const LcsAligner::WordMask> LcsAligner::masks(Symbol symbol) const {
  const std::uint32_t number = m_table.find(symbol);
  if (number == Impl::SymbolTable::absent) return {};
  return std::span(m_masks).subspan(m_first[number], m_first[number + 1] - m_first[number]);
}

std::vector<Block> LcsAligner::blocks(std::span<const Symbol> pattern) const {
  return Walk(*this, pattern).blocks();
}

std::vector<Block> lcs_blocks(std::span<const Symbol> pattern, std::span<const Symbol> query) {
  return LcsAligner(query).blocks(pattern);
}

}  // namespace Kindred

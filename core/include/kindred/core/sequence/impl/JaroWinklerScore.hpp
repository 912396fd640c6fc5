// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_JARO_WINKLER_SCORE_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_JARO_WINKLER_SCORE_HPP

#include <kindred/core/sequence/impl/ScoreWords.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// How far apart, at most, symbols of sequences of these lengths may be to match.
KOKKOS_INLINE_FUNCTION std::uint32_t jaro_window(std::uint32_t length, std::uint32_t query_length) {
  const std::uint32_t half = (length < query_length ? query_length : length) / 2;
  return half > 0 ? half - 1 : 0;
}

/// \brief Jaro's similarity s, in RapidFuzz's order of terms; above 0.7,
/// min(s + p · 0.1 · (1 − s), 1) for a common prefix of p symbols, of which at most four count.
///
/// It has no branch, so that loops over patterns become vectors. \param lengths are not 0
KOKKOS_INLINE_FUNCTION double jaro_winkler_similarity(std::uint32_t common,
                                                      std::uint32_t out_of_order,
                                                      std::uint32_t length,
                                                      std::uint32_t query_length,
                                                      std::uint32_t prefix) {
  const double matched = common;
  const double divisor = common > 0 ? matched : 1.0;
  const std::uint32_t transpositions = out_of_order / 2;
  double sum = matched / length;
  sum += matched / query_length;
  sum += (matched - static_cast<double>(transpositions)) / divisor;
  const double jaro = sum / 3.0;
  const double raised = jaro + prefix * 0.1 * (1.0 - jaro);
  const double capped = raised < 1.0 ? raised : 1.0;
  return jaro > 0.7 ? capped : jaro;
}

/// \brief Counts what a pattern and a query have in common, for `jaro_winkler_similarity`.
///
/// Every symbol of the pattern takes the first equal symbol of the query that is still free and not
/// further away than the window. `first` holds the symbols of the query that are taken. A second
/// pass takes them again, in `second`, and counts those that are out of order.
template <class Words>
class JaroWinklerScore {
 public:
  KOKKOS_FORCEINLINE_FUNCTION explicit JaroWinklerScore(const Words& words) : m_words(words) {}

  /// \param symbol_at returns symbol j of the pattern
  /// \param masks `find(symbol)` and `word(found, w)`: where the symbol occurs in word w
  template <class SymbolAt, class Masks>
  KOKKOS_FORCEINLINE_FUNCTION PairResult operator()(const SymbolAt& symbol_at, std::uint32_t length,
                                                    const Masks& masks,
                                                    std::uint32_t query_length) {
    if (length == 0 || query_length == 0) return {length == query_length ? 1.0 : 0.0, 0};
    for (std::uint32_t w = 0; w < m_words.count(); ++w) m_words.first[w] = m_words.second[w] = 0;
    const std::uint32_t window = jaro_window(length, query_length);
    // Later symbols of the pattern are too far from the end of the query.
    const std::uint32_t end = length < query_length + window ? length : query_length + window;
    std::uint32_t common = 0;
    std::uint32_t prefix = 0;
    for (std::uint32_t j = 0; j < end; ++j) {
      const auto found = masks.find(symbol_at(j));
      if (j == prefix && j < 4) prefix += masks.word(found, 0) >> j & 1U;
      common += take(masks, found, j, window, m_words.first) & 1U;
    }
    if (common == 0) return {0.0, 0};
    std::uint32_t out_of_order = 0;
    std::uint32_t at = 0;  // the word of the next symbol of the query that is taken
    for (std::uint32_t j = 0; j < end; ++j) {
      const auto found = masks.find(symbol_at(j));
      const std::uint64_t matched = take(masks, found, j, window, m_words.second);
      while (at + 1 < m_words.count() && m_words.first[at] == 0) ++at;
      const std::uint64_t next = lowest_bit(m_words.first[at]) & matched;
      m_words.first[at] ^= next;
      const bool equal = (masks.word(found, at) & next) != 0;
      out_of_order += static_cast<std::uint32_t>(matched & 1U) & (equal ? 0U : 1U);
    }
    return {jaro_winkler_similarity(common, out_of_order, length, query_length, prefix), common};
  }

 private:
  /// Takes the first free symbol of the query that may be matched with symbol \p j of the pattern.
  /// Returns ones if there is one, else 0. Whether a symbol matches cannot be predicted: there is
  /// no branch that depends on it.
  template <class Masks, class Found>
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t take(const Masks& masks, const Found& found,
                                                 std::uint32_t j, std::uint32_t window,
                                                 std::uint64_t* taken) const {
    const std::uint32_t begin = j > window ? j - window : 0;
    const std::uint32_t end = j + window + 1;
    const std::uint32_t words = end / word_symbols + 1;
    std::uint64_t open = ~std::uint64_t{0};
    for (std::uint32_t w = begin / word_symbols; w < m_words.count() && w < words; ++w) {
      const std::uint64_t near = valid_bits(end, w) & ~valid_bits(begin, w);
      const std::uint64_t bit = lowest_bit(masks.word(found, w) & ~taken[w] & near) & open;
      taken[w] |= bit;
      open &= bit == 0 ? ~std::uint64_t{0} : 0;
    }
    return ~open;
  }

  Words m_words;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_JARO_WINKLER_SCORE_HPP

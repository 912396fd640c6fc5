// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_TOKEN_SET_SCORE_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_TOKEN_SET_SCORE_HPP

#include <kindred/core/sequence/impl/ScoreWords.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// `100 − 100 · distance / total`
KOKKOS_INLINE_FUNCTION double token_percent(std::uint32_t distance, std::uint32_t total) {
  return 100.0 - 100.0 * distance / total;
}

/// \brief The similarity of two sets of words, neither of which includes the other, from the
/// lengths of texts whose words are joined by spaces.
/// \param base of the common words \param a,b of the others of each set \param matched the LCS of
/// these
KOKKOS_INLINE_FUNCTION double token_set_similarity(std::uint32_t base, std::uint32_t a,
                                                   std::uint32_t b, std::uint32_t matched) {
  const std::uint32_t space = base > 0 ? 1 : 0;
  const std::uint32_t with_a = base + space + a;
  const std::uint32_t with_b = base + space + b;
  double best = token_percent(a + b - 2 * matched, with_a + with_b);
  if (base > 0) {
    const double of_a = token_percent(space + a, base + with_a);
    const double of_b = token_percent(space + b, base + with_b);
    best = best < of_a ? of_a : best;
    best = best < of_b ? of_b : best;
  }
  return best / 100.0;
}

/// \brief RapidFuzz's `token_set_ratio` / 100 of two sets of words.
///
/// A set is a sequence: of each of its words, in ascending order, the separator, a symbol that
/// stands for the whole word, and its characters. A character is no separator. So the separator
/// occurs in the query where its words begin, and the symbols of words where common words begin.
///
/// With C for the words in both sets, joined by spaces, and A and B for the others of each, the
/// similarity is the largest of three ratios: of "C A" and "C B", of C and "C A", and of C and
/// "C B", the last two only if there are common words. It is 0 if a set is empty, and 1 if one
/// includes the other. `first` holds the symbols of the query in common words, `second` the
/// vertical differences of Hyyrö's recurrence for the LCS of A and B, with one space between words.
template <class Words>
class TokenSetScore {
 public:
  /// \param separator of the patterns
  KOKKOS_INLINE_FUNCTION TokenSetScore(const Words& words, std::uint32_t separator)
      : m_words(words), m_separator(separator) {}

  /// \param symbol_at returns symbol j of the pattern
  /// \param masks `find(symbol)` and `word(found, w)`: where the symbol occurs in word w
  template <class SymbolAt, class Masks>
  KOKKOS_FORCEINLINE_FUNCTION PairResult operator()(const SymbolAt& symbol_at, std::uint32_t length,
                                                    const Masks& masks,
                                                    std::uint32_t query_length) {
    const auto starts = masks.find(m_separator);
    for (std::uint32_t w = 0; w < m_words.count(); ++w) {
      m_words.first[w] = 0;
      m_words.second[w] = ~std::uint64_t{0};
    }
    Sizes pattern{0, length};
    for (std::uint32_t j = 0; j < length; ++j) {
      if (symbol_at(j) != m_separator) continue;
      ++pattern.words;
      const auto found = masks.find(symbol_at(++j));
      for (std::uint32_t w = 0; w < m_words.count(); ++w) m_words.first[w] |= masks.word(found, w);
    }
    Sizes query{0, query_length};
    Sizes common{0, 0};
    for (std::uint32_t w = 0; w < m_words.count(); ++w) {
      query.words += count_bits(masks.word(starts, w));
      common.words += count_bits(m_words.first[w]);
    }
    if (pattern.words == 0 || query.words == 0) return {0.0, 0};
    widen(masks, starts, query_length);
    for (std::uint32_t w = 0; w < m_words.count(); ++w)
      common.symbols += count_bits(m_words.first[w]);
    const std::uint32_t base = common.joined();
    const Sizes a{pattern.words - common.words, pattern.symbols - common.symbols};
    const Sizes b{query.words - common.words, query.symbols - common.symbols};
    if (common.words > 0 && (a.words == 0 || b.words == 0)) return {1.0, base};
    const std::uint32_t matched = lcs_of_others(symbol_at, length, masks, starts);
    return {token_set_similarity(base, a.joined(), b.joined(), matched), base + matched};
  }

 private:
  /// Some words, and their symbols with a separator and the symbol of the word for each.
  struct Sizes {
    std::uint32_t words;
    std::uint32_t symbols;

    /// The length of the text, with one space between words.
    KOKKOS_INLINE_FUNCTION std::uint32_t joined() const {
      return words > 0 ? symbols - words - 1 : 0;
    }
  };

  /// Widens the symbols of common words, in `first`, to their separators and characters: an
  /// addition carries each of them through its characters to the next separator.
  template <class Masks, class Found>
  KOKKOS_INLINE_FUNCTION void widen(const Masks& masks, const Found& starts,
                                    std::uint32_t query_length) {
    std::uint64_t carry = 0;
    for (std::uint32_t w = 0; w < m_words.count(); ++w) {
      const std::uint64_t marks = m_words.first[w];
      const std::uint64_t after = w + 1 < m_words.count() ? m_words.first[w + 1] : 0;
      const std::uint64_t inside = ~masks.word(starts, w);
      const std::uint64_t half = inside + marks;
      const std::uint64_t sum = half + carry;
      carry = static_cast<std::uint64_t>(half < inside) | static_cast<std::uint64_t>(sum < half);
      m_words.first[w] =
          (marks >> 1U | after << 63U | (inside & ~sum)) & valid_bits(query_length, w);
    }
  }

  /// The LCS of the words of pattern and query that are not common, joined by spaces.
  template <class SymbolAt, class Masks, class Found>
  KOKKOS_INLINE_FUNCTION std::uint32_t lcs_of_others(const SymbolAt& symbol_at,
                                                     std::uint32_t length, const Masks& masks,
                                                     const Found& starts) {
    // The first of the other words of the query is not preceded by a space.
    std::uint32_t first_word = 0;
    while (first_word < m_words.count() &&
           (masks.word(starts, first_word) & ~m_words.first[first_word]) == 0) {
      ++first_word;
    }
    bool is_common = false;
    bool is_first = true;
    for (std::uint32_t j = 0; j < length; ++j) {
      const std::uint32_t symbol = symbol_at(j);
      if (symbol == m_separator) {
        const auto word = masks.find(symbol_at(++j));
        is_common = false;
        for (std::uint32_t w = 0; w < m_words.count(); ++w) is_common |= masks.word(word, w) != 0;
        if (is_common) continue;
        if (!is_first) {
          step([&](std::uint32_t w) {
            const std::uint64_t spaces = masks.word(starts, w) & ~m_words.first[w];
            return w == first_word ? spaces & (spaces - 1) : spaces;
          });
        }
        is_first = false;
      } else if (!is_common) {
        const auto found = masks.find(symbol);
        step([&](std::uint32_t w) { return masks.word(found, w) & ~m_words.first[w]; });
      }
    }
    std::uint32_t matched = 0;
    for (std::uint32_t w = 0; w < m_words.count(); ++w) matched += count_bits(~m_words.second[w]);
    return matched;
  }

  /// Advances the LCS by a symbol of the pattern. \param mask_of returns where it occurs in word w
  template <class MaskOf>
  KOKKOS_INLINE_FUNCTION void step(const MaskOf& mask_of) {
    std::uint64_t carry = 0;
    for (std::uint32_t w = 0; w < m_words.count(); ++w)
      m_words.second[w] = lcs_step(m_words.second[w], mask_of(w), carry);
  }

  Words m_words;
  std::uint32_t m_separator;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_TOKEN_SET_SCORE_HPP

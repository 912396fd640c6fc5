// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_WORD_TEXTS_HPP
#define KINDRED_MATCHER_SEQUENCE_WORD_TEXTS_HPP

#include "TextMasks.hpp"

#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/core/sequence/impl/ScoreWords.hpp>
#include <kindred/matcher/Measure.hpp>
#include <kindred/matcher/Sequences.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// \brief Compares the words of one query with those of many texts that lie in arrays of the
/// caller, with the results of `WordForms` and the comparison of forms.
///
/// The words of a text are sorted and joined by spaces; `TextMasks` compares what results. Under
/// `token_set`, common words are left out, and texts that have the same words in common with the
/// query are compared together. Thread-safe.
class WordTexts {
 public:
  /// \param measure `token_sort` or `token_set` \param query code points
  WordTexts(Measure measure, std::span<const Symbol> query);

  /// \brief Writes the results of texts, and the indices of those that must be compared in another
  /// way to \p others. \param texts of code points \param out one per text
  void compare(std::span<const TextSpan> texts, PairResult* out,
               std::vector<std::size_t>& others) const;

 private:
  /// A text with words, of which those that count are joined.
  struct Joined {
    std::uint64_t common;  ///< bit i: word i of the query is in the text too, and left out
    std::size_t index;
    TextSpan text;
  };
  /// The words of a query that are not common, joined by spaces.
  std::vector<Symbol> others_of_query(std::uint64_t common) const;
  /// Writes the results of texts with the same common words.
  void compare_joined(std::span<const Joined> texts, PairResult* out) const;

  bool m_is_set;
  std::vector<std::vector<Symbol>> m_words;  ///< of the query, ascending
  std::uint32_t m_joined = 0;                ///< symbols of these words and the spaces between them
  std::optional<TextMasks> m_masks;          ///< of all words; none if they are too many
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_WORD_TEXTS_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_WORD_PATTERNS_HPP
#define KINDRED_MATCHER_SEQUENCE_WORD_PATTERNS_HPP

#include "PatternSegment.hpp"
#include "WordForms.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// \brief The patterns of a matcher in the form of a measure of words, with the same indices.
/// Thread-safe.
class WordPatterns {
 public:
  /// \param texts the patterns, whose symbols are code points \throws as PatternSegment,
  /// InvalidArgument for other symbols
  WordPatterns(Context& context, Measure measure, RaggedSpan<Symbol> texts, Residency residency);

  const PatternSegment& segment() const noexcept { return *m_segment; }
  /// Whether pattern \p index is similar to itself: under `token_set`, a text without words is not.
  bool is_similar_to_itself(std::uint64_t index) const {
    constexpr std::uint32_t one_word = 3;  // symbols of the shortest set
    return m_measure != Measure::token_set || m_segment->length(index) >= one_word;
  }
  /// Bytes of the tiles and, on the host, of the words.
  std::uint64_t bytes(Space space) const;
  /// The form of an empty text: empty, so that it has no results, or that of a text without words.
  enum class EmptyText : std::uint8_t { is_empty, has_no_words };
  /// The forms of queries. \throws InvalidArgument for a symbol that is no code point
  Ragged<Symbol> forms(RaggedSpan<Symbol> texts, EmptyText empty = EmptyText::is_empty) const;
  /// The options with which the forms are matched.
  MatchOptions options(const MatchOptions& requested) const;
  /// Turns matches of forms into those of texts. \param length of the form of the query
  void finish(std::size_t length, const MatchOptions& requested, std::vector<Match>& matches) const;

 private:
  Measure m_measure;
  WordForms m_forms;
  std::optional<PatternSegment> m_segment;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_WORD_PATTERNS_HPP

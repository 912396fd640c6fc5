// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_WORD_PATTERNS_HPP
#define KINDRED_MATCHER_SEQUENCE_WORD_PATTERNS_HPP

#include "PatternSegment.hpp"
#include "WordForms.hpp"

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
  /// The forms of queries. That of an empty text is empty. \throws InvalidArgument for a symbol
  /// that is no code point
  Ragged<Symbol> forms(RaggedSpan<Symbol> texts) const;
  /// The options with which the forms are matched.
  MatchOptions options(const MatchOptions& requested) const;
  /// Turns matches of forms into those of texts. \param form of the query
  void finish(std::span<const Symbol> form, const MatchOptions& requested,
              std::vector<Match>& matches) const;

 private:
  Measure m_measure;
  WordForms m_forms;
  std::optional<PatternSegment> m_segment;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_WORD_PATTERNS_HPP

// SPDX-License-Identifier: Apache-2.0
#include "WordPatterns.hpp"

#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/sequence/Similarity.hpp>

#include <algorithm>

namespace Kindred::Impl {

WordPatterns::WordPatterns(Context& context, Measure measure, RaggedSpan<Symbol> texts,
                           Residency residency)
    : m_measure(measure), m_forms(measure) {
  Ragged<Symbol> forms;
  for (std::size_t index = 0; index < texts.rows(); ++index) {
    look_at(index);
    m_forms.add(texts[index], "pattern", index, forms);
  }
  m_segment.emplace(context, forms, residency);
}

std::uint64_t WordPatterns::bytes(Space space) const {
  return m_segment->bytes(space) + (space == Space::cuda ? 0 : m_forms.bytes());
}

Ragged<Symbol> WordPatterns::forms(RaggedSpan<Symbol> texts, EmptyText empty) const {
  Ragged<Symbol> forms;
  for (std::size_t row = 0; row < texts.rows(); ++row) {
    look_at(row);
    if (texts.length(row) == 0 && empty == EmptyText::is_empty) {
      forms.close_row();
    } else {
      m_forms.append(texts[row], "query", row, forms);
    }
  }
  return forms;
}

MatchOptions WordPatterns::options(const MatchOptions& requested) const {
  MatchOptions options = requested;
  if (m_measure != Measure::token_sort) return options;
  // The LCS ranks the forms in the same order, but its similarity may differ in the last bits.
  options.measure = Measure::lcs;
  options.threshold = std::max(0.0, requested.threshold - 0x1p-40);
  return options;
}

void WordPatterns::finish(std::size_t length, const MatchOptions& requested,
                          std::vector<Match>& matches) const {
  if (m_measure != Measure::token_sort) return;
  const Symbol blank = m_segment->store().symbols[WordForms::blank];
  for (Match& match : matches) {
    const std::uint32_t pattern_length = m_segment->length(match.index);
    match.similarity = similarity(SimilarityScale::percent, match.matched, pattern_length, length);
    match.distance = 1.0 - match.similarity;
    // Texts without words are similar to each other, but have no symbol in common.
    if (pattern_length == 1 && m_segment->pattern(match.index)[0] == blank) match.matched = 0;
  }
  std::erase_if(matches,
                [&](const Match& match) { return match.similarity < requested.threshold; });
}

}  // namespace Kindred::Impl

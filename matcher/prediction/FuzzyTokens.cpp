// SPDX-License-Identifier: Apache-2.0
#include "FuzzyTokens.hpp"

#include <kindred/matcher/CodePoints.hpp>

namespace Kindred::Impl {

namespace {

/// RapidFuzz's `fuzz.ratio` compares code points; a text may consist of arbitrary bytes.
std::vector<Symbol> code_points(std::string_view text) {
  std::vector<Symbol> points;
  append_code_points(text, points, BadBytes::keep);
  return points;
}

}  // namespace

FuzzyTokens::FuzzyTokens(std::span<const std::string_view> texts, const Vocabulary& vocabulary,
                         double threshold)
    : m_vocabulary(vocabulary), m_threshold(threshold), m_texts(texts.begin(), texts.end()) {
  m_ratios.reserve(texts.size());
  for (const std::string_view text : texts) m_ratios.emplace_back(Measure::lcs, code_points(text));
}

std::span<const FuzzyTokens::Hit> FuzzyTokens::near(Symbol symbol) {
  const auto [known, is_new] = m_known.try_emplace(symbol);
  std::vector<Hit>& hits = known->second;
  if (!is_new) return hits;
  const std::string_view text = m_vocabulary.text(symbol);
  const std::vector<Symbol> points = code_points(text);
  for (std::uint32_t token = 0; token < m_texts.size(); ++token) {
    const double ratio =
        m_texts[token] == text ? 1.0 : m_ratios[token].similarity(points, m_threshold);
    if (ratio >= m_threshold) hits.push_back({token, ratio});
  }
  return hits;
}

}  // namespace Kindred::Impl

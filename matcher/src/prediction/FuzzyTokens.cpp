// SPDX-License-Identifier: Apache-2.0
#include "FuzzyTokens.hpp"

#include <kindred/core/sequence/Similarity.hpp>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace Kindred::Impl {

namespace {

/// Bytes of the character that begins at \p at, 0 where none does.
std::size_t character_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(at);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() - at < length) return 0;
  const unsigned least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(at + 1) < least || byte(at + 1) > most) return 0;
  for (std::size_t k = 2; k < length; ++k)
    if ((byte(at + k) & 0xC0U) != 0x80U) return 0;
  return length;
}

}  // namespace

std::u32string code_points(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text, i);
    const unsigned lead = static_cast<unsigned char>(text[i]);
    if (length == 0) {
      points.push_back(0x110000U + lead);
      ++i;
      continue;
    }
    char32_t point = length == 1 ? lead : lead & (0xFFU >> (length + 1));
    for (std::size_t k = 1; k < length; ++k)
      point = point << 6U | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
    points.push_back(point);
    i += length;
  }
  return points;
}

IndelRatio::IndelRatio(std::u32string text) : m_text(std::move(text)) {
  const std::size_t words = (m_text.size() + 63) / 64;
  for (std::size_t i = 0; i < m_text.size(); ++i) {
    std::vector<std::uint64_t>& mask = m_masks[m_text[i]];
    mask.resize(words);
    mask[i / 64] |= std::uint64_t{1} << (i % 64);
  }
}

double IndelRatio::ratio(const std::u32string& other, double least) {
  const std::uint64_t total = m_text.size() + other.size();
  if (total == 0) return 1.0;
  if (similarity(std::min(m_text.size(), other.size()), total) < least) return 0.0;
  // Hyyrö's bit-parallel LCS: a bit of the row falls where the length of the subsequence grows.
  m_row.assign((m_text.size() + 63) / 64, ~std::uint64_t{0});
  for (const char32_t point : other) {
    const auto mask = m_masks.find(point);
    if (mask == m_masks.end()) continue;
    std::uint64_t carry = 0;
    for (std::size_t word = 0; word < m_row.size(); ++word) {
      const std::uint64_t row = m_row[word];
      const std::uint64_t hits = row & mask->second[word];
      const std::uint64_t sum = row + hits;
      const std::uint64_t carried = sum + carry;
      carry = static_cast<std::uint64_t>(sum < row) | static_cast<std::uint64_t>(carried < sum);
      m_row[word] = carried | (row & ~mask->second[word]);
    }
  }
  std::uint64_t matched = 0;
  for (std::size_t word = 0; word < m_row.size(); ++word) {
    const std::size_t bits = std::min<std::size_t>(64, m_text.size() - 64 * word);
    const std::uint64_t valid = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    matched += static_cast<std::uint64_t>(std::popcount(~m_row[word] & valid));
  }
  const double ratio = similarity(matched, total);
  return ratio >= least ? ratio : 0.0;
}

FuzzyTokens::FuzzyTokens(std::span<const std::string_view> texts, const Vocabulary& vocabulary,
                         double threshold)
    : m_vocabulary(vocabulary), m_threshold(threshold), m_texts(texts.begin(), texts.end()) {
  m_ratios.reserve(texts.size());
  for (const std::string_view text : texts) m_ratios.emplace_back(code_points(text));
}

std::span<const FuzzyTokens::Hit> FuzzyTokens::near(Symbol symbol) {
  const auto [known, is_new] = m_known.try_emplace(symbol);
  std::vector<Hit>& hits = known->second;
  if (!is_new) return hits;
  const std::string_view text = m_vocabulary.text(symbol);
  const std::u32string points = code_points(text);
  for (std::uint32_t token = 0; token < m_texts.size(); ++token) {
    const double ratio = m_texts[token] == text ? 1.0 : m_ratios[token].ratio(points, m_threshold);
    if (ratio >= m_threshold) hits.push_back({token, ratio});
  }
  return hits;
}

}  // namespace Kindred::Impl

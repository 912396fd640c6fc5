// SPDX-License-Identifier: Apache-2.0
#include "GlossWords.hpp"

#include <algorithm>
#include <array>

namespace Kindred::Tools {
namespace {

// Sorted. Almost every text contains these words, so a short gloss that shares only them with
// another has nothing in common with it.
constexpr auto function_words = std::to_array<std::string_view>(
    {"a",     "an",      "and",    "any",   "are",   "as",    "at",    "be",    "been", "being",
     "but",   "by",      "can",    "could", "did",   "do",    "does",  "for",   "from", "had",
     "has",   "have",    "having", "he",    "her",   "his",   "if",    "in",    "into", "is",
     "it",    "its",     "may",    "more",  "most",  "no",    "nor",   "not",   "of",   "on",
     "one",   "or",      "other",  "she",   "so",    "some",  "such",  "than",  "that", "the",
     "their", "them",    "then",   "there", "these", "they",  "this",  "those", "to",   "upon",
     "used",  "usually", "was",    "were",  "when",  "where", "which", "while", "who",  "whom",
     "whose", "will",    "with",   "would"});
static_assert(std::is_sorted(function_words.begin(), function_words.end()));

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

std::string_view definition(std::string_view gloss) noexcept {
  return gloss.substr(0, gloss.find("; \""));
}

std::vector<std::string> content_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    if (!is_letter_or_digit(text[begin])) {
      ++begin;
      continue;
    }
    std::string word;
    for (; begin < text.size() && is_letter_or_digit(text[begin]); ++begin) {
      const char c = text[begin];
      word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    if (!std::binary_search(function_words.begin(), function_words.end(), word))
      words.push_back(std::move(word));
  }
  return words;
}

}  // namespace Kindred::Tools

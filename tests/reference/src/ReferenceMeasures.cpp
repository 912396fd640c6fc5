// SPDX-License-Identifier: Apache-2.0
#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <iterator>

namespace Kindred::Reference {

namespace {

using Word = std::vector<Symbol>;

/// The last entry of the table of the distances of all prefixes.
std::uint32_t edit_distance(Symbols a, Symbols b, bool with_exchanges) {
  std::vector<std::vector<std::uint32_t>> distance(a.size() + 1,
                                                   std::vector<std::uint32_t>(b.size() + 1, 0));
  for (std::size_t i = 0; i <= a.size(); ++i) distance[i][0] = static_cast<std::uint32_t>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) distance[0][j] = static_cast<std::uint32_t>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::uint32_t deletion = distance[i - 1][j] + 1;
      const std::uint32_t insertion = distance[i][j - 1] + 1;
      const std::uint32_t substitution =
          distance[i - 1][j - 1] + (same(a[i - 1], b[j - 1]) ? 0U : 1U);
      distance[i][j] = std::min({deletion, insertion, substitution});
      if (with_exchanges && i >= 2 && j >= 2 && same(a[i - 1], b[j - 2]) &&
          same(a[i - 2], b[j - 1])) {
        distance[i][j] = std::min(distance[i][j], distance[i - 2][j - 2] + 1);
      }
    }
  }
  return distance[a.size()][b.size()];
}

double jaro_similarity(Symbols a, Symbols b) {
  if (a.empty() && b.empty()) return 1.0;
  // Symbols match if they are equal and their positions differ by at most `window`. Each symbol of
  // a takes the first symbol of b that is still free.
  const std::size_t half = std::max(a.size(), b.size()) / 2;
  const std::size_t window = half > 0 ? half - 1 : 0;
  std::vector<bool> is_taken(b.size(), false);
  std::vector<Symbol> matched_of_a;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t apart = i > j ? i - j : j - i;
      if (apart <= window && !is_taken[j] && same(a[i], b[j])) {
        is_taken[j] = true;
        matched_of_a.push_back(a[i]);
        break;
      }
    }
  }
  if (matched_of_a.empty()) return 0.0;
  std::vector<Symbol> matched_of_b;
  for (std::size_t j = 0; j < b.size(); ++j)
    if (is_taken[j]) matched_of_b.push_back(b[j]);
  std::size_t out_of_order = 0;
  for (std::size_t k = 0; k < matched_of_a.size(); ++k)
    if (matched_of_a[k] != matched_of_b[k]) ++out_of_order;
  const auto matched = static_cast<double>(matched_of_a.size());
  const auto transpositions = static_cast<double>(out_of_order / 2);
  double sum = matched / static_cast<double>(a.size());
  sum += matched / static_cast<double>(b.size());
  sum += (matched - transpositions) / matched;
  return sum / 3.0;
}

bool is_white_space(Symbol c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

/// The words of \p text in order, with repeated ones.
std::vector<Word> sorted_words(std::string_view text) {
  std::vector<Word> found = words(text);
  std::ranges::sort(found);
  return found;
}

/// The words with a space between each two.
Word joined(const std::vector<Word>& words) {
  Word text;
  for (const Word& word : words) {
    if (!text.empty()) text.push_back(0x20);
    text.insert(text.end(), word.begin(), word.end());
  }
  return text;
}

/// The least number of insertions and deletions that turn one sequence into the other.
std::size_t indel_distance(Symbols a, Symbols b) {
  return a.size() + b.size() - 2 * std::size_t{lcs(a, b)};
}

/// The ratio of `token_set_ratio` for two texts with \p total symbols, in percent.
double percent_of(std::size_t distance, std::size_t total) {
  return 100.0 - 100.0 * static_cast<double>(distance) / static_cast<double>(total);
}

}  // namespace

std::uint32_t levenshtein_distance(Symbols pattern, Symbols query) {
  return edit_distance(pattern, query, false);
}

std::uint32_t osa_distance(Symbols pattern, Symbols query) {
  return edit_distance(pattern, query, true);
}

double jaro_winkler_similarity(Symbols pattern, Symbols query) {
  const double similarity = jaro_similarity(pattern, query);
  if (!(similarity > 0.7)) return similarity;
  const std::uint32_t prefix = std::min(prefix_similarity(pattern, query), 4U);
  return std::min(similarity + prefix * 0.1 * (1.0 - similarity), 1.0);
}

std::uint32_t prefix_similarity(Symbols pattern, Symbols query) {
  const std::size_t shorter = std::min(pattern.size(), query.size());
  std::uint32_t length = 0;
  while (length < shorter && same(pattern[length], query[length])) ++length;
  return length;
}

std::uint32_t postfix_similarity(Symbols pattern, Symbols query) {
  const std::size_t shorter = std::min(pattern.size(), query.size());
  std::uint32_t length = 0;
  while (length < shorter &&
         same(pattern[pattern.size() - 1 - length], query[query.size() - 1 - length])) {
    ++length;
  }
  return length;
}

double distance(PairMeasure measure, Symbols pattern, Symbols query) {
  if (measure == PairMeasure::levenshtein) return levenshtein_distance(pattern, query);
  if (measure == PairMeasure::osa) return osa_distance(pattern, query);
  if (measure == PairMeasure::jaro_winkler) return 1.0 - jaro_winkler_similarity(pattern, query);
  const auto common = measure == PairMeasure::prefix ? prefix_similarity : postfix_similarity;
  return static_cast<double>(std::max(pattern.size(), query.size())) - common(pattern, query);
}

double normalized_similarity(PairMeasure measure, Symbols pattern, Symbols query) {
  if (measure == PairMeasure::jaro_winkler) return jaro_winkler_similarity(pattern, query);
  const auto longer = static_cast<double>(std::max(pattern.size(), query.size()));
  if (longer == 0) return 1.0;
  return 1.0 - distance(measure, pattern, query) / longer;
}

std::vector<Symbol> code_points(std::string_view text) {
  std::vector<Symbol> points;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t bytes = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    // The payload of the first byte: 7, 5, 4 or 3 bits.
    Symbol point = bytes == 1 ? first : first & (0xFFU >> (bytes + 1));
    for (std::size_t k = 1; k < bytes; ++k)
      point = (point << 6U) | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
    points.push_back(point);
    i += bytes;
  }
  return points;
}

std::vector<std::vector<Symbol>> words(std::string_view text) {
  std::vector<Word> found;
  bool is_inside = false;
  for (const Symbol point : code_points(text)) {
    if (is_white_space(point)) {
      is_inside = false;
      continue;
    }
    if (!is_inside) found.emplace_back();
    found.back().push_back(point);
    is_inside = true;
  }
  return found;
}

double token_sort_similarity(std::string_view pattern, std::string_view query) {
  const Word a = joined(sorted_words(pattern)), b = joined(sorted_words(query));
  const std::size_t total = a.size() + b.size();
  if (total == 0) return 1.0;
  const double ratio =
      (1.0 - static_cast<double>(indel_distance(a, b)) / static_cast<double>(total)) * 100.0;
  return ratio / 100.0;
}

double token_set_similarity(std::string_view pattern, std::string_view query) {
  const auto set_of = [](std::string_view text) {
    std::vector<Word> found = sorted_words(text);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  };
  const std::vector<Word> a = set_of(pattern), b = set_of(query);
  if (a.empty() || b.empty()) return 0.0;
  std::vector<Word> common, only_a, only_b;
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  std::ranges::set_difference(a, b, std::back_inserter(only_a));
  std::ranges::set_difference(b, a, std::back_inserter(only_b));
  if (!common.empty() && (only_a.empty() || only_b.empty())) return 1.0;

  // The three texts are the common words, these and the rest of a, and these and the rest of b.
  const Word rest_a = joined(only_a), rest_b = joined(only_b);
  const std::size_t base = joined(common).size(), space = base > 0 ? 1 : 0;
  const std::size_t with_a = base + space + rest_a.size(), with_b = base + space + rest_b.size();
  double best = percent_of(indel_distance(rest_a, rest_b), with_a + with_b);
  if (base > 0) {
    best = std::max({best, percent_of(space + rest_a.size(), base + with_a),
                     percent_of(space + rest_b.size(), base + with_b)});
  }
  return best / 100.0;
}

}  // namespace Kindred::Reference

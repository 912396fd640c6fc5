// SPDX-License-Identifier: Apache-2.0
#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <functional>
#include <numeric>

namespace Kindred::Reference {

namespace {

/// A window of both sequences: pattern[a_low … a_high), query[b_low … b_high).
struct Window {
  std::uint32_t a_low, a_high, b_low, b_high;
};

/// Whether the symbol at each position of \p b is popular: \p b has at least 200 symbols, and the
/// symbol occurs more than 1 + 1 % of that number of times.
std::vector<bool> popular_places(Symbols b) {
  std::vector<bool> popular(b.size(), false);
  if (b.size() < 200) return popular;
  for (std::size_t j = 0; j < b.size(); ++j) {
    const auto times = static_cast<std::size_t>(std::count(b.begin(), b.end(), b[j]));
    popular[j] = times > b.size() / 100 + 1;
  }
  return popular;
}

/// The longest run of equal symbols in \p window, none of them popular; among equally long runs the
/// first in the pattern, then in the query. It is then extended over equal symbols, including
/// popular ones.
Block longest_block(Symbols a, Symbols b, const std::vector<bool>& popular, const Window& window) {
  Block best{window.a_low, window.b_low, 0};
  for (std::uint32_t i = window.a_low; i < window.a_high; ++i) {
    for (std::uint32_t j = window.b_low; j < window.b_high; ++j) {
      std::uint32_t length = 0;
      while (i + length < window.a_high && j + length < window.b_high &&
             same(a[i + length], b[j + length]) && !popular[j + length]) {
        ++length;
      }
      if (length > best.length) best = {i, j, length};
    }
  }
  while (best.pattern_begin > window.a_low && best.query_begin > window.b_low &&
         same(a[best.pattern_begin - 1], b[best.query_begin - 1])) {
    best = {best.pattern_begin - 1, best.query_begin - 1, best.length + 1};
  }
  while (best.pattern_begin + best.length < window.a_high &&
         best.query_begin + best.length < window.b_high &&
         same(a[best.pattern_begin + best.length], b[best.query_begin + best.length])) {
    ++best.length;
  }
  return best;
}

void collect(Symbols a, Symbols b, const std::vector<bool>& popular, const Window& window,
             std::vector<Block>& found) {
  const Block block = longest_block(a, b, popular, window);
  if (block.length == 0) return;
  collect(a, b, popular, {window.a_low, block.pattern_begin, window.b_low, block.query_begin},
          found);
  found.push_back(block);
  collect(a, b, popular,
          {block.pattern_begin + block.length, window.a_high, block.query_begin + block.length,
           window.b_high},
          found);
}

using Lengths = std::vector<std::vector<std::uint32_t>>;

/// The length of the LCS of every prefix of \p pattern with every prefix of \p query.
Lengths lcs_lengths(Symbols pattern, Symbols query) {
  Lengths length(pattern.size() + 1, std::vector<std::uint32_t>(query.size() + 1, 0));
  for (std::size_t i = 1; i <= pattern.size(); ++i) {
    for (std::size_t j = 1; j <= query.size(); ++j) {
      length[i][j] = same(pattern[i - 1], query[j - 1])
                         ? length[i - 1][j - 1] + 1
                         : std::max(length[i - 1][j], length[i][j - 1]);
    }
  }
  return length;
}

}  // namespace

std::uint32_t lcs(Symbols pattern, Symbols query) {
  return lcs_lengths(pattern, query)[pattern.size()][query.size()];
}

std::vector<Block> lcs_blocks(Symbols pattern, Symbols query) {
  auto i = static_cast<std::uint32_t>(pattern.size());
  auto j = static_cast<std::uint32_t>(query.size());
  std::uint32_t prefix = 0;
  while (prefix < std::min(i, j) && same(pattern[prefix], query[prefix])) ++prefix;
  std::vector<Block> pairs;  // one symbol each, from the last to the first
  while (std::min(i, j) > prefix && same(pattern[i - 1], query[j - 1]))
    pairs.push_back({--i, --j, 1});
  const Lengths length = lcs_lengths(pattern, query);
  while (i > prefix && j > prefix) {
    if (length[i][j] == length[i][j - 1]) {
      --j;
    } else if (length[i][j] == length[i - 1][j]) {
      --i;
    } else {
      pairs.push_back({--i, --j, 1});
    }
  }
  while (prefix > 0) {
    --prefix;
    pairs.push_back({prefix, prefix, 1});
  }
  std::reverse(pairs.begin(), pairs.end());
  std::vector<Block> found;
  for (const Block& pair : pairs) {
    if (!found.empty() && found.back().pattern_begin + found.back().length == pair.pattern_begin &&
        found.back().query_begin + found.back().length == pair.query_begin) {
      ++found.back().length;
    } else {
      found.push_back(pair);
    }
  }
  return found;
}

std::vector<Block> blocks(Symbols pattern, Symbols query, bool autojunk) {
  std::vector<Block> found;
  collect(
      pattern, query, autojunk ? popular_places(query) : std::vector<bool>(query.size(), false),
      {0, static_cast<std::uint32_t>(pattern.size()), 0, static_cast<std::uint32_t>(query.size())},
      found);
  // difflib merges adjacent blocks; there are none here, as the longest would have been longer or
  // have been extended.
  return found;
}

std::uint32_t difflib(Symbols pattern, Symbols query, bool autojunk) {
  std::uint32_t matched = 0;
  for (const Block& block : blocks(pattern, query, autojunk)) matched += block.length;
  return matched;
}

double similarity(Matched measure, std::uint32_t matched, std::size_t pattern_length,
                  std::size_t query_length) {
  const std::size_t total = pattern_length + query_length;
  if (total == 0) return measure == Matched::lcs ? 0.0 : 1.0;
  return 2.0 * matched / static_cast<double>(total);
}

std::vector<MatchItem> match(std::span<const std::vector<Symbol>> patterns, Symbols query,
                             Matched measure, double threshold, std::size_t top, bool autojunk) {
  if (query.empty()) return {};
  std::vector<MatchItem> items;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const std::uint32_t matched =
        measure == Matched::lcs ? lcs(patterns[i], query) : difflib(patterns[i], query, autojunk);
    const double value = similarity(measure, matched, patterns[i].size(), query.size());
    if (value >= threshold) items.push_back({i, value, matched});
  }
  std::ranges::stable_sort(items, std::greater(), &MatchItem::similarity);
  if (items.size() > top) items.resize(top);
  return items;
}

namespace {

using Similarities = std::vector<std::vector<double>>;
using Members = std::vector<std::uint64_t>;

/// The smallest (or largest) similarity of a member of \p a and a member of \p b.
double link(const Similarities& similarities, const Members& a, const Members& b, bool smallest) {
  std::vector<double> values;
  for (const std::uint64_t i : a)
    for (const std::uint64_t j : b) values.push_back(similarities[i][j]);
  return smallest ? std::ranges::min(values) : std::ranges::max(values);
}

std::uint64_t representative(const Similarities& similarities, const Members& members) {
  std::vector<double> sums;
  for (const std::uint64_t i : members) {
    std::vector<double> terms;
    for (const std::uint64_t j : members)
      if (i != j && similarities[i][j] >= 0) terms.push_back(similarities[i][j]);
    std::sort(terms.rbegin(), terms.rend());
    sums.push_back(std::accumulate(terms.begin(), terms.end(), 0.0));
  }
  return members[static_cast<std::size_t>(std::ranges::max_element(sums) - sums.begin())];
}

}  // namespace

Partition cluster(const Similarities& similarities, bool complete) {
  std::vector<Members> clusters;
  for (std::uint64_t i = 0; i < similarities.size(); ++i) clusters.push_back({i});
  while (true) {
    double best = -1;
    std::size_t low = 0, high = 0;
    for (std::size_t a = 0; a < clusters.size(); ++a) {
      for (std::size_t b = a + 1; b < clusters.size(); ++b) {
        const double value = link(similarities, clusters[a], clusters[b], complete);
        if (value >= 0 && value > best) best = value, low = a, high = b;
      }
    }
    if (best < 0) break;
    clusters[low].insert(clusters[low].end(), clusters[high].begin(), clusters[high].end());
    std::sort(clusters[low].begin(), clusters[low].end());
    clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(high));
  }
  Partition partition;
  for (const Members& members : clusters) {
    partition.members.push_back(members);
    partition.representatives.push_back(representative(similarities, members));
  }
  return partition;
}

}  // namespace Kindred::Reference

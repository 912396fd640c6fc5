// SPDX-License-Identifier: Apache-2.0
// Comparisons of matches and scores with those of the oracle.
#ifndef KINDRED_TESTS_SEQUENCE_SEQUENCE_ORACLE_HPP
#define KINDRED_TESTS_SEQUENCE_SEQUENCE_ORACLE_HPP

#include <map>

#include "SequenceSupport.hpp"

namespace Kindred::Testing {

inline std::string utf8(const Symbols& points) {
  std::string text;
  for (const Symbol point : points) {
    const unsigned more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    const unsigned mark = more == 0 ? 0 : 0xFF00U >> (more + 1);  // as many bits as bytes
    text += static_cast<char>(mark | point >> (6 * more));
    for (unsigned k = more; k-- > 0;) text += static_cast<char>(0x80U | (point >> (6 * k) & 0x3FU));
  }
  return text;
}

struct PairTruth {
  double similarity = 0;
  double distance = 0;
  std::uint32_t matched = 0;
};

using PairSource = PairTruth (*)(Measure, const Symbols& pattern, const Symbols& query, bool);

/// \brief What the oracle says of a pair. It does not count what a similarity matches that is no
/// number of edits: that is what the function for one pair counts.
inline PairTruth oracle(Measure measure, const Symbols& pattern, const Symbols& query,
                        bool autojunk = false) {
  using Reference::PairMeasure;
  static const std::map<Measure, PairMeasure> edits{
      {Measure::levenshtein, PairMeasure::levenshtein},
      {Measure::osa, PairMeasure::osa},
      {Measure::prefix, PairMeasure::prefix},
      {Measure::postfix, PairMeasure::postfix}};
  if (const auto found = edits.find(measure); found != edits.end()) {
    const double distance = Reference::distance(found->second, pattern, query);
    const auto longest = static_cast<double>(std::max(pattern.size(), query.size()));
    return {Reference::normalized_similarity(found->second, pattern, query), distance,
            static_cast<std::uint32_t>(longest - distance)};
  }
  if (counts_edits(measure)) {
    const bool is_lcs = measure == Measure::lcs;
    const std::uint32_t both =
        is_lcs ? Reference::lcs(pattern, query) : Reference::difflib(pattern, query, autojunk);
    return {Reference::similarity(is_lcs ? Reference::Matched::lcs : Reference::Matched::difflib,
                                  both, pattern.size(), query.size()),
            static_cast<double>(pattern.size() + query.size()) - 2.0 * both, both};
  }
  const double value = measure == Measure::jaro_winkler
                           ? Reference::jaro_winkler_similarity(pattern, query)
                       : measure == Measure::token_sort
                           ? Reference::token_sort_similarity(utf8(pattern), utf8(query))
                           : Reference::token_set_similarity(utf8(pattern), utf8(query));
  return {value, 1.0 - value, matched(measure, pattern, query)};
}

/// The same by the functions for one pair, which take less time.
inline PairTruth one_pair(Measure measure, const Symbols& pattern, const Symbols& query,
                          bool autojunk = false) {
  const PreparedQuery prepared(measure, query, autojunk);
  const double value = prepared.similarity(pattern);
  const std::uint32_t both = prepared.matched(pattern);
  const auto edits = distance(measure, both, pattern.size(), query.size());
  return {value, counts_edits(measure) ? static_cast<double>(edits) : 1.0 - value, both};
}

inline std::vector<Block> oracle_blocks(Measure measure, const Symbols& pattern,
                                        const Symbols& query, bool autojunk = false) {
  return measure == Measure::lcs ? Reference::lcs_blocks(pattern, query)
                                 : Reference::blocks(pattern, query, autojunk);
}

/// How `expect_matches` calls a matcher, and what says what is right.
struct MatchGrid {
  std::vector<Measure> measures = of_symbols;
  std::vector<double> thresholds{0.0, 0.1, 0.6};
  std::vector<std::size_t> tops{all_of_them};
  PairSource truth = oracle;
  bool autojunk = false;
  PostingsUse postings = PostingsUse::automatic;
};

/// Every pattern as a match of \p query, best first; an empty query has no matches.
inline std::vector<Match> ranked(Measure measure, std::span<const Symbols> patterns,
                                 const Symbols& query, const MatchGrid& grid = {}) {
  std::vector<Match> all;
  for (std::size_t i = 0; i < patterns.size() && !query.empty(); ++i) {
    const PairTruth truth = grid.truth(measure, patterns[i], query, grid.autojunk);
    all.push_back({i, truth.similarity, truth.matched, truth.distance});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Match& a, const Match& b) { return a.similarity > b.similarity; });
  return all;
}

/// Those of \p ranking that a call with \p options returns.
inline std::vector<Match> returned(const std::vector<Match>& ranking, const MatchOptions& options) {
  std::vector<Match> kept;
  for (const Match& match : ranking) {
    if (kept.size() == options.top || match.similarity < options.threshold) break;
    if (!options.filter || std::ranges::find(*options.filter, match.index) != options.filter->end())
      kept.push_back(match);
  }
  return kept;
}

inline void expect_equal(std::span<const Match> found, const std::vector<Match>& expected,
                         const std::string& what) {
  ASSERT_EQ(to_vector(found), expected) << what;
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(found[i].distance, expected[i].distance) << what << ", result " << i;
}

inline std::string described(const MatchOptions& options) {
  return std::string(to_string(options.measure)) + " from " + std::to_string(options.threshold) +
         ", top " + std::to_string(options.top) + " on " +
         std::string(options.space ? to_string(*options.space) : "any space");
}

/// \brief Compares all matches on every space, of all queries together and of each alone. Also
/// tries a threshold that equals a similarity, and the next larger one.
inline void expect_matches(const SymbolRows& patterns, const SymbolRows& queries,
                           const MatchGrid& grid = {}) {
  const SequenceMatcher matcher(context(), ragged(patterns));
  ASSERT_EQ(matcher.patterns().offsets, ragged(patterns).offsets);
  ASSERT_EQ(matcher.patterns().values, ragged(patterns).values);
  for (const Measure measure : grid.measures) {
    std::vector<std::vector<Match>> rankings;
    for (const Symbols& query : queries) rankings.push_back(ranked(measure, patterns, query, grid));
    std::vector<double> thresholds = grid.thresholds;
    if (!rankings.empty() && !rankings[0].empty()) {
      thresholds.push_back(rankings[0][rankings[0].size() / 2].similarity);
      thresholds.push_back(std::nextafter(thresholds.back(), 1.0));
    }
    MatchOptions requested{
        .measure = measure, .autojunk = grid.autojunk, .postings = grid.postings};
    for (const Space space : spaces()) {
      requested.space = space;
      for (const std::size_t top : grid.tops) {
        requested.top = top;
        for (const double threshold : thresholds) {
          requested.threshold = threshold;
          const MatchResults together = matcher.match(ragged(queries), requested);
          ASSERT_EQ(together.matches.rows(), queries.size());
          for (std::size_t q = 0; q < queries.size(); ++q) {
            const std::vector<Match> expected = returned(rankings[q], requested);
            const std::string what = described(requested) + ", query " + std::to_string(q) +
                                     " of " + std::to_string(queries[q].size()) + " symbols";
            ASSERT_NO_FATAL_FAILURE(expect_equal(together.matches[q], expected, what));
            if (threshold != thresholds[0]) continue;
            const MatchResults alone = matcher.match(ragged(SymbolRows{queries[q]}), requested);
            ASSERT_NO_FATAL_FAILURE(expect_equal(alone.matches[0], expected, what + ", alone"));
          }
        }
      }
    }
  }
}

/// Compares what every pattern matches before it, on every space, for every measure.
inline void expect_self_matches(const SymbolRows& patterns, const MatchGrid& grid) {
  const SequenceMatcher matcher(context(), ragged(patterns));
  for (const Measure measure : grid.measures) {
    std::vector<std::vector<Match>> rankings;
    for (std::size_t j = 0; j < patterns.size(); ++j)
      rankings.push_back(ranked(measure, std::span(patterns).first(j), patterns[j], grid));
    MatchOptions requested{.measure = measure};
    for (const Space space : spaces()) {
      requested.space = space;
      for (const double threshold : grid.thresholds) {
        requested.threshold = threshold;
        for (const std::size_t top : grid.tops) {
          requested.top = top;
          std::size_t next = 0;
          matcher.match_self(requested, [&](std::size_t first, const MatchResults& results) {
            ASSERT_EQ(first, next);
            for (std::size_t row = 0; row < results.matches.rows(); ++row, ++next) {
              ASSERT_NO_FATAL_FAILURE(expect_equal(
                  results.matches[row], returned(rankings[next], requested), described(requested)));
            }
          });
          ASSERT_EQ(next, patterns.size());
        }
      }
    }
  }
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SEQUENCE_SEQUENCE_ORACLE_HPP

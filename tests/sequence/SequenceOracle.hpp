// SPDX-License-Identifier: Apache-2.0
// Comparisons of matches and scores with those of the oracle.
#ifndef KINDRED_TESTS_SEQUENCE_SEQUENCE_ORACLE_HPP
#define KINDRED_TESTS_SEQUENCE_SEQUENCE_ORACLE_HPP

#include <map>
#include <stdexcept>

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

inline std::vector<std::optional<Space>> each_space() {
  const std::vector<Space> usable = spaces();
  return {usable.begin(), usable.end()};
}

/// How a matcher is called, and what says what is right.
struct MatchGrid {
  std::vector<Measure> measures = of_symbols;
  std::vector<double> thresholds{0.0, 0.1, 0.6};
  std::vector<std::size_t> tops{all_of_them};
  PairSource truth = oracle;
  bool autojunk = false;
  bool blocks = false;  ///< whether they are requested, and compared with the oracle's
  std::vector<PostingsUse> postings{PostingsUse::automatic};
  std::vector<std::optional<std::vector<std::uint64_t>>> filters{std::nullopt};
  std::vector<std::optional<Space>> on{};  ///< where; if empty, on each space
  Context* own = nullptr;                  ///< if not the shared one
};

/// Calls `check(options)` for every call of \p grid with \p measure.
template <class Check>
void for_each_call(const MatchGrid& grid, Measure measure, const std::vector<double>& thresholds,
                   const Check& check) {
  MatchOptions options{.measure = measure, .blocks = grid.blocks, .autojunk = grid.autojunk};
  for (const auto& filter : grid.filters) {
    if (filter) options.filter = *filter;
    for (const auto& space : grid.on.empty() ? each_space() : grid.on) {
      options.space = space;
      for (const PostingsUse use : grid.postings) {
        options.postings = use;
        for (const std::size_t top : grid.tops) {
          options.top = top;
          for (const double threshold : thresholds) {
            options.threshold = threshold;
            check(options);
          }
        }
      }
    }
  }
}

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

inline std::string described(const MatchOptions& options) {
  return std::string(to_string(options.measure)) + " from " + std::to_string(options.threshold) +
         ", top " + std::to_string(options.top) + " on " +
         std::string(options.space ? to_string(*options.space) : "any space");
}

/// Throws if something is wrong, which fails a test, and a property, whose input is then shrunk.
inline void require(bool held, const std::string& what) {
  if (!held) throw std::runtime_error(what);
}
/// Requires the matches of a row of \p results, and their blocks if \p options request them.
inline void expect_row(const MatchResults& results, std::size_t row,
                       const std::vector<Match>& expected, const MatchOptions& options,
                       const SymbolRows& patterns = {}, const Symbols& query = {}) {
  const auto found = results.matches[row];
  const auto is_same = [](const Match& a, const Match& b) {
    return a == b && a.distance == b.distance;
  };
  if (!std::ranges::equal(found, expected, is_same)) {
    require(false, described(options) + ", query " + std::to_string(row) + " of " +
                       std::to_string(query.size()) +
                       " symbols: " + ::testing::PrintToString(to_vector(found)) + "; expected " +
                       ::testing::PrintToString(expected));
  }
  for (std::size_t i = 0; i < expected.size() && options.blocks; ++i) {
    require(
        to_vector(results.blocks[results.matches.offsets[row] + i]) ==
            oracle_blocks(options.measure, patterns[expected[i].index], query, options.autojunk),
        described(options) + ": blocks");
  }
}
inline void expect_rows(const MatchResults& results, std::size_t rows,
                        const MatchOptions& options) {
  require(results.matches.rows() == rows, "rows of matches");
  require(results.blocks.rows() == (options.blocks ? results.matches.values.size() : 0),
          "rows of blocks");
}

/// \brief Compares all matches of all queries together and of each alone. Also tries a threshold
/// that equals a similarity, and the next larger one.
inline void expect_matches(const SymbolRows& patterns, const SymbolRows& queries,
                           const MatchGrid& grid = {}) {
  const SequenceMatcher matcher(grid.own != nullptr ? *grid.own : context(), ragged(patterns));
  require(matcher.patterns().offsets == ragged(patterns).offsets, "offsets of patterns");
  require(matcher.patterns().values == ragged(patterns).values, "symbols of patterns");
  for (const Measure measure : grid.measures) {
    std::vector<std::vector<Match>> rankings;
    for (const Symbols& query : queries) rankings.push_back(ranked(measure, patterns, query, grid));
    std::vector<double> thresholds = grid.thresholds;
    if (!rankings.empty() && !rankings[0].empty()) {
      thresholds.push_back(rankings[0][rankings[0].size() / 2].similarity);
      thresholds.push_back(std::nextafter(thresholds.back(), 1.0));
    }
    for_each_call(grid, measure, thresholds, [&](const MatchOptions& options) {
      const MatchResults together = matcher.match(ragged(queries), options);
      expect_rows(together, queries.size(), options);
      for (std::size_t q = 0; q < queries.size(); ++q) {
        const std::vector<Match> expected = returned(rankings[q], options);
        expect_row(together, q, expected, options, patterns, queries[q]);
        if (options.threshold != thresholds[0]) continue;
        const std::vector<std::int64_t> ends{0, std::ssize(queries[q])};  // as arrays
        const MatchResults alone = matcher.match({queries[q], ends}, options);
        expect_row(alone, 0, expected, options, patterns, queries[q]);
      }
    });
  }
}

/// Compares what every pattern matches before it.
inline void expect_self_matches(const SymbolRows& patterns, const MatchGrid& grid) {
  const SequenceMatcher matcher(grid.own != nullptr ? *grid.own : context(), ragged(patterns));
  for (const Measure measure : grid.measures) {
    std::vector<std::vector<Match>> rankings;
    for (std::size_t j = 0; j < patterns.size(); ++j)
      rankings.push_back(ranked(measure, std::span(patterns).first(j), patterns[j], grid));
    for_each_call(grid, measure, grid.thresholds, [&](const MatchOptions& options) {
      std::size_t next = 0;
      matcher.match_self(options, [&](std::size_t first, const MatchResults& results) {
        require(first == next, "the first row of a batch");
        expect_rows(results, results.matches.rows(), options);
        for (std::size_t row = 0; row < results.matches.rows(); ++row, ++next) {
          const std::vector<Match> expected = returned(rankings[next], options);
          expect_row(results, row, expected, options, patterns, patterns[next]);
        }
      });
      require(next == patterns.size(), "patterns");
    });
  }
}

/// The percentage by the oracle.
inline double percentage_of(Measure measure, const PairTruth& truth, std::size_t pattern,
                            std::size_t query) {
  if (!counts_edits(measure)) return truth.similarity * 100.0;
  const bool is_total = measure == Measure::lcs || measure == Measure::difflib;
  const std::size_t largest = is_total ? pattern + query : std::max(pattern, query);
  if (largest == 0) return 100.0;
  return (1.0 - truth.distance / static_cast<double>(largest)) * 100.0;
}

/// What `score_all` with \p options writes for a pair of this \p value, as an element: rounded, and
/// at most the largest of an integer type.
template <class T>
T element(double value, const PairOptions& options) {
  const double cutoff = options.cutoff.value_or(0);
  if (options.value != PairValue::distance) {
    if (value < cutoff) value = 0;
  } else if (options.cutoff && value > cutoff) {
    value = counts_edits(options.measure) ? cutoff + 1 : 1.0;
  }
  if (std::is_floating_point_v<T>) return static_cast<T>(value);
  return static_cast<T>(std::min<double>(std::round(value), std::numeric_limits<T>::max()));
}

/// Compares what `score_all` writes with the values of \p pairs.
template <class T>
void expect_values(const SequenceMatcher& matcher, const SymbolRows& queries,
                   const std::vector<double>& pairs, PairOptions options) {
  for (const Space space : spaces()) {
    options.space = space;
    std::vector<T> found(pairs.size(), T{77});  // memory that held something else
    matcher.score_all(ragged(queries), std::span(found), options);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      ASSERT_EQ(found[i], element<T>(pairs[i], options))
          << to_string(options.measure) << " on " << to_string(space) << ", query "
          << i / matcher.size() << " of " << queries[i / matcher.size()].size()
          << " symbols, pattern " << i % matcher.size() << ", cutoff "
          << options.cutoff.value_or(not_a_number);
    }
  }
}

/// Compares every value, element type and cutoff with the oracle.
inline void expect_scores(const SymbolRows& patterns, const SymbolRows& queries,
                          const std::vector<Measure>& measures = of_symbols,
                          PairSource truth_of = oracle) {
  using Cutoffs = std::vector<std::optional<double>>;
  const SequenceMatcher matcher(context(), ragged(patterns));
  for (const Measure measure : measures) {
    std::vector<double> similarities, distances, percentages;
    for (const Symbols& query : queries) {
      for (const Symbols& pattern : patterns) {
        const PairTruth truth = truth_of(measure, pattern, query, false);
        similarities.push_back(truth.similarity);
        distances.push_back(truth.distance);
        percentages.push_back(percentage_of(measure, truth, pattern.size(), query.size()));
      }
    }
    const double some = similarities.empty() ? 0.5 : similarities[similarities.size() / 2];
    const bool edits = counts_edits(measure);
    // The oracle of words divides by 100 what is multiplied again.
    const bool exact = !compares_words(measure);
    const auto expect = [&](PairValue value, const std::vector<double>& pairs, bool wide,
                            bool whole, const Cutoffs& cutoffs) {
      for (const auto& cutoff : cutoffs) {
        const PairOptions options{measure, value, cutoff};
        expect_values<float>(matcher, queries, pairs, options);
        if (wide) expect_values<double>(matcher, queries, pairs, options);
        if (!whole) continue;
        expect_values<std::int32_t>(matcher, queries, pairs, options);
        expect_values<std::uint8_t>(matcher, queries, pairs, options);
      }
    };
    using enum PairValue;
    expect(similarity, similarities, true, false, {std::nullopt, 0.6, some, 1.0});
    expect(percentage, percentages, exact, exact, {std::nullopt, 60.0});
    expect(distance, distances, edits, edits, {std::nullopt, edits ? 5.0 : 0.5, 0.0});
    ASSERT_FALSE(::testing::Test::HasFatalFailure());
  }
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SEQUENCE_SEQUENCE_ORACLE_HPP

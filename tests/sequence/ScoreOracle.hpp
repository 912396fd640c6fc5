// SPDX-License-Identifier: Apache-2.0
// Comparisons of the values that `score_all` writes with those of the oracle.
#ifndef KINDRED_TESTS_SEQUENCE_SCORE_ORACLE_HPP
#define KINDRED_TESTS_SEQUENCE_SCORE_ORACLE_HPP

#include "SequenceOracle.hpp"

namespace Kindred::Testing {

/// The percentage by the oracle.
inline double percentage_of(Measure measure, const PairTruth& truth, std::size_t pattern,
                            std::size_t query) {
  if (!counts_edits(measure)) return truth.similarity * 100.0;
  const bool is_total = measure == Measure::lcs || measure == Measure::difflib;
  const std::size_t largest = is_total ? pattern + query : std::max(pattern, query);
  if (largest == 0) return 100.0;
  return (1.0 - truth.distance / static_cast<double>(largest)) * 100.0;
}

/// What a call with \p options writes for a pair of this \p value, as an element: rounded, and at
/// most the largest of an integer type.
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

template <class T>
void expect_values(const SequenceMatcher& matcher, const SymbolRows& queries,
                   const std::vector<double>& pairs, PairOptions options) {
  std::vector<T> expected;
  for (const double value : pairs) expected.push_back(element<T>(value, options));
  for (const Space space : spaces()) {
    options.space = space;
    std::vector<T> found(expected.size(), T{77});  // memory that held something else
    matcher.score_all(ragged(queries), std::span(found), options);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(found[i], expected[i])
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
    std::vector<double> similarities;
    std::vector<double> distances;
    std::vector<double> percentages;
    for (const Symbols& query : queries) {
      for (const Symbols& pattern : patterns) {
        const PairTruth truth = truth_of(measure, pattern, query, false);
        similarities.push_back(truth.similarity);
        distances.push_back(truth.distance);
        percentages.push_back(percentage_of(measure, truth, pattern.size(), query.size()));
      }
    }
    const double some = similarities.empty() ? 0.5 : similarities[similarities.size() / 2];
    for (const auto& cutoff : Cutoffs{std::nullopt, 0.6, some, 1.0}) {
      const PairOptions options{measure, PairValue::similarity, cutoff};
      expect_values<double>(matcher, queries, similarities, options);
      if (cutoff == 0.6) expect_values<float>(matcher, queries, similarities, options);
    }
    for (const auto& cutoff : Cutoffs{std::nullopt, 60.0}) {
      const PairOptions options{measure, PairValue::percentage, cutoff};
      expect_values<float>(matcher, queries, percentages, options);
      // The oracle of words divides by 100 what is multiplied again.
      if (compares_words(measure)) continue;
      expect_values<double>(matcher, queries, percentages, options);
      expect_values<std::int32_t>(matcher, queries, percentages, options);
      expect_values<std::uint8_t>(matcher, queries, percentages, options);
    }
    const bool edits = counts_edits(measure);
    for (const auto& cutoff : Cutoffs{std::nullopt, edits ? 5.0 : 0.5, 0.0}) {
      const PairOptions options{measure, PairValue::distance, cutoff};
      expect_values<float>(matcher, queries, distances, options);
      if (!edits) continue;
      expect_values<std::int32_t>(matcher, queries, distances, options);
      expect_values<std::uint8_t>(matcher, queries, distances, options);
    }
    ASSERT_FALSE(::testing::Test::HasFatalFailure());
  }
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SEQUENCE_SCORE_ORACLE_HPP

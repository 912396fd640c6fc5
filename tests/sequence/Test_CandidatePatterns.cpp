// SPDX-License-Identifier: Apache-2.0
#include "SequenceOracle.hpp"

namespace CandidatePatternsTest {

using namespace Kindred;
using namespace Kindred::Testing;

TEST(CandidatePatterns, EqualTheOracleLessTheOthers) {
  auto random = generator("CandidatePatterns.EqualTheOracle");
  SymbolRows patterns;
  for (std::size_t i = 0; i < 700; ++i) patterns.push_back(random_text(random, random() % 40, 6));
  SymbolRows queries{{}};
  for (const std::size_t length : {1, 2, 33, 64, 65, 129, 250})
    queries.push_back(random_text(random, length, 6));
  MatchGrid grid{.thresholds = {0.0, 0.4}, .tops = {1, 7, all_of_them}, .truth = one_pair};
  grid.on.emplace_back(std::nullopt);
  grid.filters.clear();
  for (const std::size_t count : {0U, 1U, 2U, 3U, 32U, 43U, 44U, 300U, 2000U}) {
    auto& only = grid.filters.emplace_back(std::in_place, count).value();
    for (std::uint64_t& index : only) index = random() % patterns.size();
  }
  queries[3][5] = unknown_symbol;
  expect_matches(patterns, queries, grid);
  grid.measures = {Measure::difflib};
  grid.autojunk = true;
  expect_matches(patterns, queries, grid);
  grid.measures = of_words;
  grid.autojunk = false;
  queries[3][5] = U'é';
  expect_matches(patterns, queries, grid);
}

TEST(CandidatePatterns, RunOnTheDeviceIfThePatternsAreOnlyThere) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  auto random = generator("CandidatePatterns.Device");
  const SymbolRows patterns = random_sequences(random, 500, 20, 20, 9);
  const Symbols query = random_sequence(random, 20, 9);
  const SequenceMatcher matcher(context(), ragged(patterns), Residency::device);
  const std::vector<std::uint64_t> only{3, 499, 50};
  const MatchOptions requested{.threshold = 0.0, .top = all_of_them, .filter = only};
  const MatchResults some = matcher.match(ragged(SymbolRows{query}), requested);
  EXPECT_EQ(some.record.chosen, Space::cuda);
  expect_row(some, 0, returned(ranked(Measure::lcs, patterns, query), requested), requested);
}

}  // namespace CandidatePatternsTest

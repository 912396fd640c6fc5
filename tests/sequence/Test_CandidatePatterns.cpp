// SPDX-License-Identifier: Apache-2.0
#include "SequenceOracle.hpp"

namespace CandidatePatternsTest {

using namespace Kindred;
using namespace Kindred::Testing;

TEST(CandidatePatterns, EqualAFullScanLessTheOthers) {
  auto random = generator("CandidatePatterns.EqualAFullScan");
  SymbolRows patterns;
  for (std::size_t i = 0; i < 700; ++i) patterns.push_back(random_text(random, random() % 40, 6));
  SymbolRows queries{{}};
  for (const std::size_t length : {1, 2, 33, 64, 65, 129, 250})
    queries.push_back(random_text(random, length, 6));
  const SequenceMatcher matcher(context(), ragged(patterns));
  std::vector<std::optional<Space>> choices{std::nullopt};
  for (const Space space : spaces()) choices.emplace_back(space);
  for (const Measure measure : all_measures) {
    for (const bool autojunk : {false, true}) {
      if (autojunk && measure != Measure::difflib) continue;
      queries[3][5] = compares_words(measure) ? U'é' : unknown_symbol;
      const MatchOptions everything{
          .measure = measure, .threshold = 0.0, .top = all_of_them, .autojunk = autojunk};
      const MatchResults all = matcher.match(ragged(queries), everything);
      for (const std::size_t count : {0U, 1U, 2U, 3U, 32U, 43U, 44U, 300U, 2000U}) {
        std::vector<std::uint64_t> only(count);
        for (std::uint64_t& index : only) index = random() % patterns.size();
        MatchOptions requested = everything;
        requested.filter = only;
        for (const auto& space : choices) {
          requested.space = space;
          for (const auto& [threshold, top] :
               {std::pair(0.0, all_of_them), {0.4, all_of_them}, {0.0, 1}, {0.4, 7}}) {
            requested.threshold = threshold;
            requested.top = top;
            const MatchResults some = matcher.match(ragged(queries), requested);
            ASSERT_EQ(some.matches.rows(), queries.size());
            for (std::size_t q = 0; q < queries.size(); ++q) {
              ASSERT_NO_FATAL_FAILURE(expect_equal(
                  some.matches[q], returned(to_vector(all.matches[q]), requested),
                  described(requested) + ", " + std::to_string(count) + " candidates"));
            }
          }
        }
      }
    }
  }
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
  expect_equal(some.matches[0], returned(ranked(Measure::lcs, patterns, query), requested),
               "on the device");
}

}  // namespace CandidatePatternsTest

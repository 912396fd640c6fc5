// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "PatternSupport.hpp"

namespace PatternCandidatesTest {

using namespace Kindred;
using namespace Kindred::Testing;

/// A memory with patterns in both tiers, of which some are forgotten.
PatternMemory crowd(std::mt19937_64& random, std::uint64_t patterns) {
  PatternMemory memory(context(), quiet_at(300));
  for (std::uint64_t i = 0; i < patterns; ++i) {
    EventTexts events(1 + random() % 3);
    for (SymbolTexts& event : events)
      for (std::size_t n = 1 + random() % 6; n > 0; --n)
        event.push_back(numbered('s', random() % 12));
    events.push_back({numbered('p', i)});
    learn(memory, events, numbered('n', i), 1 + random() % 5);
  }
  for (std::uint64_t i = 0; i < patterns; ++i)
    if (random() % 7 == 0) memory.forget(i);
  return memory;
}

/// Each row of \p some is that of \p all without the matches that \p only omits, at most \p top.
void expect_restricted(const MatchResults& some, const MatchResults& all, const Indices& only,
                       std::size_t top) {
  ASSERT_EQ(some.matches.rows(), all.matches.rows());
  std::size_t next = 0;
  for (std::size_t row = 0; row < all.matches.rows(); ++row) {
    const std::size_t end = top > all_of_them - next ? all_of_them : next + top;
    for (std::size_t i = all.matches.offsets[row]; i < all.matches.offsets[row + 1]; ++i) {
      const Match& match = all.matches.values[i];
      if (next == end || std::ranges::find(only, match.index) == only.end()) continue;
      ASSERT_EQ(some.matches.values.at(next), match);
      ASSERT_TRUE(all.blocks.rows() == 0 || std::ranges::equal(some.blocks[next], all.blocks[i]));
      ++next;
    }
    ASSERT_EQ(some.matches.offsets[row + 1], next);
  }
}

/// Of the candidates, some are forgotten.
TEST(PatternCandidates, EqualAFullScanLessTheOthers) {
  auto random = generator("PatternCandidates.EqualAFullScan");
  const PatternMemory memory = crowd(random, 1000);
  ASSERT_GT(memory.statistics().recent, 0U);
  ASSERT_GT(memory.statistics().bulk, 0U);
  Ragged<Symbol> queries;
  for (const EventTexts& query :
       {EventTexts{{"s1", "s2"}, {"s3", "s1", "never"}}, {}, {{"s4", "s1"}}})
    memory.encode(Words(query), queries);
  std::vector<std::optional<Space>> choices{std::nullopt};
  for (const Space space : spaces()) choices.emplace_back(space);
  for (const std::size_t count : {0U, 1U, 2U, 3U, 31U, 33U, 200U, 1000U, 3000U}) {
    Indices only(count);
    for (std::uint64_t& index : only) index = random() % 1000;
    for (const Measure measure : {Measure::lcs, Measure::difflib, Measure::osa, Measure::prefix,
                                  Measure::postfix, Measure::jaro_winkler}) {
      for (const double threshold : {0.0, 0.3, 0.6}) {
        MatchOptions options{.measure = measure, .threshold = threshold, .top = all_of_them};
        options.blocks = measure == Measure::lcs || measure == Measure::difflib;
        const MatchResults all = memory.match(queries, options);
        options.filter = only;
        for (const auto& space : choices) {
          options.space = space;
          for (const std::size_t top : {std::size_t{1}, std::size_t{5}, all_of_them}) {
            options.top = top;
            const MatchResults some = memory.match(queries, options);
            SCOPED_TRACE(to_string(measure));
            ASSERT_NO_FATAL_FAILURE(expect_restricted(some, all, only, top)) << count << " of them";
            if (count <= 3 && !space && !some.matches.values.empty()) {  // few are compared alone
              EXPECT_EQ(some.record.operation.name(), "pattern-candidates");
            }
          }
        }
      }
    }
  }
}

TEST(PatternCandidates, PredictAsAMemoryWithoutTheOtherMatches) {
  auto random = generator("PatternCandidates.Predict");
  const PatternMemory memory = crowd(random, 600);
  const EventTexts query{{"s1", "s2"}, {"s3"}};
  const PredictionOptions options{.rank_by = RankBy::similarity, .top = 1000};
  const auto all = memory.predict(Words(query), {}, options).predictions;
  ASSERT_GT(all.size(), 20U);
  Indices only;
  for (std::size_t i = 0; i < all.size(); i += 3) only.push_back(all[i].index);
  only.push_back(only.front());
  const auto some = memory.predict(Words(query), {.filter = only}, options).predictions;
  ASSERT_EQ(some.size(), only.size() - 1);
  double likelihood = 0;
  for (std::size_t i = 0; i < some.size(); ++i) {
    EXPECT_EQ(some[i].index, all[3 * i].index);
    EXPECT_EQ(some[i].similarity, all[3 * i].similarity);
    EXPECT_EQ(some[i].missing, all[3 * i].missing);
    EXPECT_EQ(some[i].tfidf_score, all[3 * i].tfidf_score);
    likelihood += some[i].bayesian_prior;
  }
  EXPECT_NEAR(likelihood, 1.0, 1e-9) << "the priors are those of the candidates";
}

}  // namespace PatternCandidatesTest

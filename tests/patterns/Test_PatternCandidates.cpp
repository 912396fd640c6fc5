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
    for (SymbolTexts& event : events) {
      for (std::size_t n = 1 + random() % 6; n > 0; --n)
        event.push_back(numbered('s', random() % 12));
    }
    events.push_back({numbered('p', i)});
    learn(memory, events, numbered('n', i), 1 + random() % 5);
  }
  for (std::uint64_t i = 0; i < patterns; ++i)
    if (random() % 7 == 0) memory.forget(i);
  return memory;
}

/// The matches in \p all whose index is in \p only, at most \p top.
std::vector<Match> restricted(const std::vector<Match>& all, const Indices& only, std::size_t top) {
  std::vector<Match> kept;
  for (const Match& match : all) {
    if (kept.size() < top && std::ranges::find(only, match.index) != only.end())
      kept.push_back(match);
  }
  return kept;
}

TEST(PatternCandidates, EqualAFullScanLessTheOthers) {
  auto random = generator("PatternCandidates.EqualAFullScan");
  const PatternMemory memory = crowd(random, 1000);
  ASSERT_GT(memory.statistics().recent, 0U);
  ASSERT_GT(memory.statistics().bulk, 0U);
  const EventTexts query{{"s1", "s2"}, {"s3", "s1", "never"}};
  std::vector<std::optional<Space>> choices{std::nullopt};
  for (const Space space : spaces()) choices.emplace_back(space);
  for (const std::size_t count : {0U, 1U, 2U, 3U, 31U, 33U, 200U, 1000U, 3000U}) {
    Indices only(count);
    for (std::uint64_t& index : only) index = random() % 1000;
    for (const Measure measure : {Measure::lcs, Measure::difflib, Measure::osa, Measure::prefix,
                                  Measure::postfix, Measure::jaro_winkler}) {
      for (const double threshold : {0.0, 0.3, 0.6}) {
        for (const std::optional<Space> space : choices) {
          MatchOptions options{.measure = measure, .threshold = threshold, .top = all_of_them};
          const std::vector<Match> all = answer(memory, query, options);
          options.filter = only;
          options.space = space;
          for (const std::size_t top : {std::size_t{1}, std::size_t{5}, all_of_them}) {
            options.top = top;
            EXPECT_EQ(answer(memory, query, options), restricted(all, only, top))
                << to_string(measure) << ", " << count << " candidates, threshold " << threshold;
          }
        }
      }
    }
  }
}

TEST(PatternCandidates, HaveTheirBlocks) {
  auto random = generator("PatternCandidates.Blocks");
  const PatternMemory memory = crowd(random, 800);
  Ragged<Symbol> queries;
  for (const EventTexts& query : {EventTexts{{"s1", "s2", "s3"}}, {}, {{"s4", "s1"}}})
    memory.encode(Words(query), queries);
  MatchOptions options{.top = all_of_them, .blocks = true};
  const Indices only{700, 5, 5, 6, 8, 300};
  const MatchResults all = memory.match(queries, options);
  options.filter = only;
  const MatchResults some = memory.match(queries, options);
  ASSERT_EQ(some.matches.rows(), 3U);
  EXPECT_EQ(some.record.operation.name(), "pattern-candidates");
  std::size_t row = 0;
  for (std::size_t i = 0; i < all.matches.values.size(); ++i) {
    const Match& match = all.matches.values[i];
    if (std::ranges::find(only, match.index) == only.end()) continue;
    ASSERT_EQ(some.matches.values[row], match);
    EXPECT_TRUE(std::ranges::equal(some.blocks[row], all.blocks[i]));
    ++row;
  }
  EXPECT_EQ(row, some.matches.values.size());
}

TEST(PatternCandidates, ForgottenOnesAreSkipped) {
  PatternMemory memory = made();
  learn(memory, {{"a"}}, "first");
  learn(memory, {{"a", "b"}}, "second");
  memory.forget("first");
  const Indices only{0, 1};
  EXPECT_EQ(indices(answer(memory, {{"a"}}, {.filter = only})), Indices{1});
  const MatchOptions none{.filter = std::span<const std::uint64_t>()};
  EXPECT_TRUE(answer(memory, {{"a"}}, none).empty());
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

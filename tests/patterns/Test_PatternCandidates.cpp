// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/PatternMemory.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Generator.hpp"
#include "MessageOf.hpp"
#include "PatternMemorySupport.hpp"
#include "Support.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace PatternCandidatesTest {

using namespace Kindred;
using namespace Kindred::Testing;

/// A memory with patterns in both tiers, of which some are forgotten.
PatternMemory made(std::mt19937_64& random, std::uint64_t patterns) {
  PatternSettings settings = quiet();
  settings.sync_threshold = 300;
  PatternMemory memory(context(), settings);
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

/// The choice of the dispatcher, and every space.
std::vector<std::optional<Space>> choices() {
  std::vector<std::optional<Space>> choices{std::nullopt};
  for (const Space space : spaces()) choices.emplace_back(space);
  return choices;
}

/// The matches in \p all whose index is in \p only, at most \p top.
std::vector<Match> restricted(const std::vector<Match>& all, const std::vector<std::uint64_t>& only,
                              std::size_t top) {
  std::vector<Match> kept;
  for (const Match& match : all) {
    if (kept.size() < top && std::find(only.begin(), only.end(), match.index) != only.end())
      kept.push_back(match);
  }
  return kept;
}

TEST(PatternCandidates, EqualAFullScanLessTheOthers) {
  auto random = generator("PatternCandidates.EqualAFullScan");
  const PatternMemory memory = made(random, 1000);
  ASSERT_GT(memory.statistics().recent, 0U);
  ASSERT_GT(memory.statistics().bulk, 0U);
  const EventTexts query{{"s1", "s2"}, {"s3", "s1", "never"}};
  for (const std::size_t count : {0U, 1U, 2U, 3U, 31U, 33U, 200U, 1000U, 3000U}) {
    std::vector<std::uint64_t> only(count);
    for (std::uint64_t& index : only) index = random() % 1000;
    for (const Measure measure : {Measure::lcs, Measure::difflib, Measure::osa, Measure::prefix,
                                  Measure::postfix, Measure::jaro_winkler}) {
      for (const double threshold : {0.0, 0.3, 0.6}) {
        for (const std::optional<Space> space : choices()) {
          MatchOptions options;
          options.measure = measure;
          options.threshold = threshold;
          options.top = std::numeric_limits<std::size_t>::max();
          const std::vector<Match> all = answer(memory, query, options);
          options.filter = only;
          options.space = space;
          for (const std::size_t top : {std::size_t{1}, std::size_t{5}, options.top}) {
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
  const PatternMemory memory = made(random, 800);
  Ragged<Symbol> queries;
  memory.encode(Words(EventTexts{{"s1", "s2", "s3"}}), queries);
  memory.encode(Words(EventTexts{}), queries);
  memory.encode(Words(EventTexts{{"s4", "s1"}}), queries);
  MatchOptions options;
  options.blocks = true;
  options.top = std::numeric_limits<std::size_t>::max();
  const std::vector<std::uint64_t> only{700, 5, 5, 6, 8, 300};
  const MatchResults all = memory.match(queries, options);
  options.filter = only;
  const MatchResults some = memory.match(queries, options);
  ASSERT_EQ(some.matches.rows(), 3U);
  EXPECT_EQ(some.record.operation.name(), "pattern-candidates");
  std::size_t row = 0;
  for (std::size_t i = 0; i < all.matches.values.size(); ++i) {
    const Match& match = all.matches.values[i];
    if (std::find(only.begin(), only.end(), match.index) == only.end()) continue;
    ASSERT_EQ(some.matches.values[row], match);
    EXPECT_TRUE(std::ranges::equal(some.blocks[row], all.blocks[i]));
    ++row;
  }
  EXPECT_EQ(row, some.matches.values.size());
}

TEST(PatternCandidates, ForgottenOnesAreSkippedAndUnknownOnesAreErrors) {
  PatternMemory memory(context(), quiet());
  learn(memory, {{"a"}}, "first");
  learn(memory, {{"a", "b"}}, "second");
  memory.forget("first");
  const std::vector<std::uint64_t> only{0, 1};
  MatchOptions options;
  options.filter = only;
  EXPECT_EQ(indices(answer(memory, {{"a"}}, options)), (std::vector<std::uint64_t>{1}));
  const std::vector<std::uint64_t> unknown{0, 2};
  options.filter = unknown;
  EXPECT_THAT(message_of<InvalidArgument>([&] { answer(memory, {{"a"}}, options); }),
              testing::HasSubstr("filter contains index 2; the indices of patterns are below 2"));
  EXPECT_THROW(memory.predict(Words(EventTexts{{"a"}}), options), InvalidArgument);
  options.filter = std::span<const std::uint64_t>();
  EXPECT_TRUE(answer(memory, {{"a"}}, options).empty());
}

TEST(PatternCandidates, PredictAsAMemoryWithoutTheOtherMatches) {
  auto random = generator("PatternCandidates.Predict");
  const PatternMemory memory = made(random, 600);
  const EventTexts query{{"s1", "s2"}, {"s3"}};
  PredictionOptions options;
  options.top = 1000;
  options.rank_by = RankBy::similarity;
  const auto all = memory.predict(Words(query), {}, options).predictions;
  ASSERT_GT(all.size(), 20U);
  std::vector<std::uint64_t> only;
  for (std::size_t i = 0; i < all.size(); i += 3) only.push_back(all[i].index);
  only.push_back(only.front());
  MatchOptions matching;
  matching.filter = only;
  const auto some = memory.predict(Words(query), matching, options).predictions;
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

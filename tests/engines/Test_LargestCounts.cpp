// SPDX-License-Identifier: Apache-2.0
// Counts from the caller that are as large as their type: clamped to what exists, or rejected.
#include <kindred/matcher/Bulk.hpp>
#include <kindred/matcher/Lattice.hpp>
#include <kindred/matcher/PatternMemory.hpp>
#include <kindred/matcher/PreparedScore.hpp>
#include <kindred/matcher/RankFusion.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include <gtest/gtest.h>

#include "PatternMemorySupport.hpp"
#include "Support.hpp"

namespace LargestCountsTest {

using namespace Kindred;
using namespace Kindred::Testing;

constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();

/// Values near which sums and products with sizes of 1, 4, 8 and 16 overflow.
const std::vector<std::size_t> near_largest{
    largest,         largest - 1, largest - 2,         largest / 2,          largest / 2 + 1,
    largest / 4 + 1, largest / 8, (largest >> 4U) + 1, std::size_t{1} << 32U};

TEST(LargestCounts, ATopBeyondAllPatternsReturnsAll) {
  Ragged<Symbol> patterns;
  for (Symbol i = 1; i < 20; ++i) patterns.push_row(std::vector<Symbol>{0, i});
  const SequenceMatcher matcher(context(), patterns);
  for (const std::size_t top : near_largest) {
    for (const Measure measure : {Measure::lcs, Measure::difflib}) {
      const MatchOptions options{.measure = measure, .threshold = 0.5, .top = top};
      Ragged<Symbol> query;
      query.push_row(std::vector<Symbol>{0});
      EXPECT_EQ(matcher.match(query, options).matches.values.size(), 19U) << top;
      std::size_t pairs = 0;
      matcher.match_self(options, [&](std::size_t, const MatchResults& results) {
        pairs += results.matches.values.size();
      });
      EXPECT_EQ(pairs, 19U * 18 / 2) << top;
    }
  }
}

TEST(LargestCounts, ATopBeyondAllPredictionsReturnsAll) {
  PatternMemory memory(context(), quiet());
  for (std::uint64_t i = 0; i < 20; ++i) learn(memory, {{"same"}, {numbered('x', i)}});
  memory.forget(3);
  for (const std::size_t top : near_largest) {
    const PredictionOptions options{.top = top};
    EXPECT_EQ(memory.predict(Words(EventTexts{{"same"}}), {}, options).predictions.size(), 19U)
        << top;
  }
}

TEST(LargestCounts, ATopBeyondAllNodesAndHitsReturnsAll) {
  const std::vector<Edge> edges{{0, 1, 0.5F}, {1, 2, 0.5F}, {2, 3, 0.5F}};
  SpreadingEngine engine(context(), {4, edges});
  Ragged<Activation> sources;
  sources.push_row(std::vector<Activation>{{0, 1.0F}});
  for (const std::size_t top : near_largest) {
    for (const SpreadMode mode : {SpreadMode::linear, SpreadMode::engine, SpreadMode::pagerank}) {
      SpreadOptions options{.mode = mode};
      SpreadOptions clamped = options;
      options.top = top;
      clamped.top = 4;
      EXPECT_EQ(engine.spread(sources, options).activations.values.size(),
                engine.spread(sources, clamped).activations.values.size())
          << top;
    }
    const FusionOptions options{.top = top};
    EXPECT_EQ(
        fuse_rankings(std::vector<std::vector<RankedItem>>{{{1, 0.5}, {2, 0.4}}}, options).size(),
        2U);
    EXPECT_THROW(engine.add_nodes(top), InvalidArgument) << top;
  }
  EXPECT_EQ(engine.nodes(), 4U);
}

TEST(LargestCounts, ATopBeyondAListOfCandidatesRanksAll) {
  const std::vector<float> rows{1, 0, 0, 1, 1, 1, 0, 0};
  const VectorIndex index(context(), rows, 2);
  const std::vector<float> query{1, 0};
  std::vector<std::uint64_t> candidates{0, 1, 2, 3};
  Ragged<std::uint64_t> lists;
  lists.push_row(candidates);
  for (const std::size_t top : near_largest) {
    const SearchOptions options{.top = top};
    EXPECT_EQ(index.score(query, lists, options).results.values.size(), 4U) << top;
    PreparedScore prepared(index, 8, options);
    EXPECT_EQ(prepared.score(query, candidates).size(), 4U) << top;
  }
}

TEST(LargestCounts, PathsAndStreamsEndWhereRequired) {
  const Lattice lattice(context(), 2, 2);
  std::vector<float> place(4);
  const Bulk bulk(context());
  for (const std::size_t count : near_largest) {
    EXPECT_EQ(lattice.all_paths(0, 3, count, count).rows(), 2U) << count;
  }
  const std::vector<std::span<float>> results{place};
  EXPECT_THROW(bulk.random_fill(results, 1, largest), InvalidArgument);
  EXPECT_NO_THROW(bulk.random_fill(results, 1, largest - 4));
}

TEST(LargestCounts, TheFrequenciesOfAMemoryNeverOverflow) {
  constexpr std::uint64_t half = std::uint64_t{1} << 62U;
  PatternMemory memory(context(), quiet());
  learn(memory, {{"a", "b"}}, {}, half - 1);
  EXPECT_THROW(learn(memory, {{"a", "a", "a"}}, {}, half), InvalidArgument) << "of a symbol";
  EXPECT_THROW(learn(memory, {{"a", "b"}}, {}, half), InvalidArgument);
  EXPECT_THROW(learn(memory, {}, {}, half + 2), InvalidArgument) << "of all patterns";
  EXPECT_EQ(memory.size(), 1U);
  EXPECT_EQ(memory.statistics().total_frequency, half - 1);
  memory.forget(0);
  learn(memory, {{"a", "b"}}, {}, half - 1);
  EXPECT_EQ(memory.symbol_frequencies(), (std::vector<std::uint64_t>{half - 1, half - 1}));
}

}  // namespace LargestCountsTest

// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/RankFusion.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "RankFusionReference.hpp"
#include "Support.hpp"

namespace RankFusionTest {

using namespace Kindred;
using ::testing::ElementsAre;

using Ranking = std::vector<RankedItem>;

std::vector<std::uint64_t> ids(const std::vector<FusedHit>& hits) {
  std::vector<std::uint64_t> out;
  for (const FusedHit& hit : hits) out.push_back(hit.id);
  return out;
}

void expect_equal(const std::vector<FusedHit>& a, const std::vector<FusedHit>& b) {
  ASSERT_EQ(ids(a), ids(b));
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].score, b[i].score);
    ASSERT_EQ(a[i].reasons.size(), b[i].reasons.size());
    for (std::size_t r = 0; r < a[i].reasons.size(); ++r) {
      EXPECT_EQ(a[i].reasons[r].ranking, b[i].reasons[r].ranking);
      EXPECT_EQ(a[i].reasons[r].place, b[i].reasons[r].place);
      EXPECT_EQ(a[i].reasons[r].score, b[i].reasons[r].score);
      EXPECT_EQ(a[i].reasons[r].contribution, b[i].reasons[r].contribution);
    }
  }
}

TEST(RankFusion, ReciprocalRanksAddUp) {
  const std::vector<Ranking> rankings{{{7, 0.9}, {8, 0.8}}, {{8, 5}, {9, 4}}};
  const std::vector<FusedHit> hits = fuse_rankings(rankings);
  EXPECT_THAT(ids(hits), ElementsAre(8, 7, 9));
  EXPECT_EQ(hits[0].score, 1.0 / 62 + 1.0 / 61);
  EXPECT_EQ(hits[1].score, 1.0 / 61);
  EXPECT_EQ(hits[2].score, 1.0 / 62);
  ASSERT_EQ(hits[0].reasons.size(), 2U);
  EXPECT_EQ(hits[0].reasons[0].ranking, 0U);
  EXPECT_EQ(hits[0].reasons[0].place, 2U);
  EXPECT_EQ(hits[0].reasons[0].score, 0.8);
  EXPECT_EQ(hits[0].reasons[1].place, 1U);
  EXPECT_EQ(hits[0].reasons[1].contribution, 1.0 / 61);
}

TEST(RankFusion, BordaCountsWhatIsRankedBelow) {
  FusionOptions options;
  options.rule = FusionRule::borda;
  const std::vector<Ranking> rankings{{{1, 0}, {2, 0}, {3, 0}, {4, 0}}, {{2, 0}, {1, 0}}};
  const std::vector<FusedHit> hits = fuse_rankings(rankings, options);
  EXPECT_THAT(ids(hits), ElementsAre(2, 1, 3, 4));
  EXPECT_EQ(hits[0].score, 0.75 + 1.0);
  EXPECT_EQ(hits[1].score, 1.0 + 0.5);
  EXPECT_EQ(hits[3].score, 0.25);
}

TEST(RankFusion, EqualScoresAreOrderedById) {
  EXPECT_THAT(ids(fuse_rankings(std::vector<Ranking>{{{9, 1}}, {{4, 1}}, {{6, 1}}})),
              ElementsAre(4, 6, 9));
}

TEST(RankFusion, AWeightOfZeroKeepsOnlyTheReason) {
  FusionOptions options;
  options.weights = {0, 1};
  const std::vector<FusedHit> hits =
      fuse_rankings(std::vector<Ranking>{{{1, 1}, {2, 1}}, {{2, 1}}}, options);
  EXPECT_THAT(ids(hits), ElementsAre(2, 1));
  EXPECT_EQ(hits[1].score, 0.0);
  EXPECT_EQ(hits[1].reasons.size(), 1U);
}

TEST(RankFusion, EmptyInputGivesAnEmptyResult) {
  EXPECT_TRUE(fuse_rankings({}).empty());
  EXPECT_TRUE(fuse_rankings(std::vector<Ranking>{{}, {}}).empty());
}

TEST(RankFusion, MatchesReference) {
  auto generator = Testing::generator("RankFusion.reference");
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<Ranking> rankings(generator() % 5);
    FusionOptions options;
    options.rule = trial % 2 == 0 ? FusionRule::reciprocal_rank : FusionRule::borda;
    options.constant = static_cast<double>(generator() % 100);
    options.top = 1 + generator() % 60;
    for (Ranking& ranking : rankings) {
      std::vector<std::uint64_t> pool(50);
      std::iota(pool.begin(), pool.end(), 0);
      std::ranges::shuffle(pool, generator);
      pool.resize(generator() % 50);
      for (const std::uint64_t id : pool) ranking.push_back({id, static_cast<double>(id)});
      if (trial % 3 == 0) options.weights.push_back(static_cast<double>(generator() % 8) / 4);
    }
    expect_equal(fuse_rankings(rankings, options), Reference::fuse_rankings(rankings, options));
  }
}

TEST(RankFusion, RejectsInputItCannotFuse) {
  const std::vector<Ranking> rankings{{{1, 1}}, {{2, 1}}};
  const auto with = [](auto change) {
    FusionOptions options;
    change(options);
    return options;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const auto refuses = [&](const FusionOptions& options) {
    EXPECT_THROW(fuse_rankings(rankings, options), InvalidArgument);
  };
  refuses(with([](FusionOptions& o) { o.top = 0; }));
  refuses(with([](FusionOptions& o) { o.constant = -1; }));
  refuses(with([&](FusionOptions& o) { o.constant = nan; }));
  refuses(with([](FusionOptions& o) { o.weights = {1}; }));
  refuses(with([](FusionOptions& o) { o.weights = {1, -1}; }));
  refuses(with([&](FusionOptions& o) { o.weights = {1, inf}; }));
  EXPECT_THROW(fuse_rankings(std::vector<Ranking>{{{1, 1}, {2, 1}, {1, 0}}}), InvalidArgument);
}

}  // namespace RankFusionTest

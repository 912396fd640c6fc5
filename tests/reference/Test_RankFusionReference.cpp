// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "RankFusionReference.hpp"

namespace RankFusionReferenceTest {

using namespace Kindred;

TEST(ReferenceRankFusion, ReciprocalRanksAddUp) {
  const std::vector<std::vector<RankedItem>> rankings{{{7, 0.9}, {3, 0.5}}, {{3, 12}, {9, 4}}};
  const std::vector<FusedHit> hits = Reference::fuse_rankings(rankings, {});
  ASSERT_EQ(hits.size(), 3U);
  EXPECT_EQ(hits[0].id, 3U);
  EXPECT_EQ(hits[0].score, 1.0 / 62 + 1.0 / 61);
  ASSERT_EQ(hits[0].reasons.size(), 2U);
  EXPECT_EQ(hits[0].reasons[0].place, 2U);
  EXPECT_EQ(hits[0].reasons[1].score, 12);
  EXPECT_EQ(hits[1].id, 7U);
  EXPECT_EQ(hits[2].id, 9U);
}

TEST(ReferenceRankFusion, TiesGoToTheLowerIdAndWeightsCount) {
  const std::vector<std::vector<RankedItem>> rankings{{{5, 1}}, {{4, 1}}};
  FusionOptions options;
  EXPECT_EQ(Reference::fuse_rankings(rankings, options)[0].id, 4U);
  options.weights = {2, 1};
  EXPECT_EQ(Reference::fuse_rankings(rankings, options)[0].id, 5U);
  options.top = 1;
  EXPECT_EQ(Reference::fuse_rankings(rankings, options).size(), 1U);
}

TEST(ReferenceRankFusion, BordaCountsPositionsFromTheEnd) {
  const std::vector<std::vector<RankedItem>> rankings{{{1, 0}, {2, 0}, {3, 0}, {4, 0}}};
  FusionOptions options;
  options.rule = FusionRule::borda;
  const std::vector<FusedHit> hits = Reference::fuse_rankings(rankings, options);
  EXPECT_EQ(hits[0].score, 1.0);
  EXPECT_EQ(hits[3].score, 0.25);
}

}  // namespace RankFusionReferenceTest

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "RecallReference.hpp"

namespace {

using namespace Kindred;

TEST(ReferenceRecall, ReciprocalRanksAddUp) {
  const std::vector<std::vector<RankedItem>> rankings{{{7, 0.9}, {3, 0.5}}, {{3, 12}, {9, 4}}};
  const std::vector<RecallHit> hits = Reference::recall(rankings, {});
  ASSERT_EQ(hits.size(), 3U);
  EXPECT_EQ(hits[0].id, 3U);
  EXPECT_EQ(hits[0].score, 1.0 / 62 + 1.0 / 61);
  ASSERT_EQ(hits[0].reasons.size(), 2U);
  EXPECT_EQ(hits[0].reasons[0].place, 2U);
  EXPECT_EQ(hits[0].reasons[1].score, 12);
  EXPECT_EQ(hits[1].id, 7U);
  EXPECT_EQ(hits[2].id, 9U);
}

TEST(ReferenceRecall, TiesGoToTheLowerIdAndWeightsCount) {
  const std::vector<std::vector<RankedItem>> rankings{{{5, 1}}, {{4, 1}}};
  RecallOptions options;
  EXPECT_EQ(Reference::recall(rankings, options)[0].id, 4U);
  options.weights = {2, 1};
  EXPECT_EQ(Reference::recall(rankings, options)[0].id, 5U);
  options.top = 1;
  EXPECT_EQ(Reference::recall(rankings, options).size(), 1U);
}

TEST(ReferenceRecall, BordaCountsPlacesFromTheEnd) {
  const std::vector<std::vector<RankedItem>> rankings{{{1, 0}, {2, 0}, {3, 0}, {4, 0}}};
  RecallOptions options;
  options.rule = FusionRule::borda;
  const std::vector<RecallHit> hits = Reference::recall(rankings, options);
  EXPECT_EQ(hits[0].score, 1.0);
  EXPECT_EQ(hits[3].score, 0.25);
}

}  // namespace

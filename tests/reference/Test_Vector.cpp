// SPDX-License-Identifier: Apache-2.0
#include "ReferenceSupport.hpp"

namespace VectorTest {

using namespace Kindred;
using namespace Kindred::Testing;
using Reference::Item;
using ::testing::ElementsAre;

float score(Metric metric, const std::vector<float>& query, const std::vector<float>& row) {
  return Reference::score(metric, query, row);
}

TEST(ReferenceVector, ScoresByHand) {
  EXPECT_EQ(score(Metric::cosine, {3, 4}, {4, 3}), 0.96F);
  EXPECT_EQ(score(Metric::cosine, {1}, {-5}), -1.0F);
  EXPECT_EQ(score(Metric::cosine, {1, 0, 0}, {0, 1, 0}), 0.0F);
  EXPECT_EQ(score(Metric::ip, {1, 2, 3}, {4, 5, 6}), 32.0F);
  EXPECT_EQ(score(Metric::l2, {0, 0}, {3, 4}), 5.0F);
}

TEST(ReferenceVector, AZeroNormHasCosineZero) {
  EXPECT_EQ(bits(score(Metric::cosine, {0, 0}, {3, 4})), 0U);
  EXPECT_EQ(bits(score(Metric::cosine, {quiet_nan, 1}, {0, -0.0F})), 0U);
}

TEST(ReferenceVector, ComputedNaNIsCanonicalAndZeroIsPositive) {
  EXPECT_EQ(bits(score(Metric::cosine, {quiet_nan, 1}, {1, 1})), 0x7FC00000U);
  EXPECT_EQ(bits(score(Metric::cosine, {infinity, 1}, {1, 1})), 0x7FC00000U);
  EXPECT_EQ(bits(score(Metric::ip, {infinity}, {0})), 0x7FC00000U);
  EXPECT_EQ(bits(score(Metric::l2, {infinity}, {infinity})), 0x7FC00000U);
  EXPECT_EQ(bits(score(Metric::ip, {-1.0F}, {0.0F})), 0U);
  EXPECT_EQ(bits(score(Metric::ip, {-1e-30F}, {1e-30F})), 0U);
}

TEST(ReferenceVector, ExtremeMagnitudesAreAccurate) {
  EXPECT_EQ(score(Metric::cosine, {1e-45F, 1e-45F}, {1e-45F, 1e-45F}), 1.0F);
  EXPECT_EQ(score(Metric::cosine, {3e38F, 3e38F}, {-3e38F, -3e38F}), -1.0F);
  EXPECT_EQ(score(Metric::ip, {3e38F}, {3e38F}), infinity);
  EXPECT_EQ(score(Metric::l2, {3e38F}, {-3e38F}), infinity);
}

TEST(ReferenceVector, CosineIsClamped) {
  for (int n = 1; n < 200; ++n) {
    const std::vector<float> v(static_cast<std::size_t>(n), 0.1F + 0.01F * static_cast<float>(n));
    EXPECT_LE(score(Metric::cosine, v, v), 1.0F);
    EXPECT_GE(score(Metric::cosine, v, v), std::nextafter(1.0F, 0.0F));
  }
}

TEST(ReferenceVector, SearchByHand) {
  const std::vector<float> rows{1, 0, 0, 1, 2, 0, quiet_nan, 0};
  const std::vector<float> query{1, 0};
  const Reference::SearchAnswer all = Reference::search(Metric::cosine, rows, query, 4);
  EXPECT_THAT(all.ids, ElementsAre(0, 2, 1, 3));
  EXPECT_EQ(all.scores[0], 1.0F);
  EXPECT_EQ(all.scores[1], 1.0F);
  EXPECT_EQ(all.scores[2], 0.0F);
  EXPECT_EQ(bits(all.scores[3]), 0x7FC00000U);
}

TEST(ReferenceVector, AFilterLeavesPaddedSlots) {
  const std::vector<float> rows{1, 2, 3};
  const std::vector<float> query{1};
  const std::vector<std::uint8_t> filter{0, 1, 0};
  const Reference::SearchAnswer larger = Reference::search(Metric::ip, rows, query, 2, filter);
  EXPECT_THAT(larger.ids, ElementsAre(1, -1));
  EXPECT_THAT(larger.scores, ElementsAre(2.0F, -infinity));
  const Reference::SearchAnswer smaller = Reference::search(Metric::l2, rows, query, 2, filter);
  EXPECT_THAT(smaller.ids, ElementsAre(1, -1));
  EXPECT_THAT(smaller.scores, ElementsAre(1.0F, infinity));
}

TEST(ReferenceVector, CandidatesAreScoredOnce) {
  const std::vector<float> rows{1, 2, 3};
  const std::vector<float> query{2};
  const std::vector<std::uint64_t> candidates{2, 0, 2, 0, 2};
  EXPECT_THAT(Reference::score_candidates(Metric::ip, rows, query, candidates, 10),
              ElementsAre(Item{2, 6.0F}, Item{0, 2.0F}));
  EXPECT_THAT(Reference::score_candidates(Metric::l2, rows, query, candidates, 1),
              ElementsAre(Item{0, 1.0F}));
  EXPECT_TRUE(Reference::score_candidates(Metric::ip, rows, query, {}, 10).empty());
}

}  // namespace VectorTest

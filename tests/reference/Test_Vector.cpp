// SPDX-License-Identifier: Apache-2.0
#include "ReferenceSupport.hpp"

namespace Kindred::Testing::VectorTest {

using Reference::Item;
using ::testing::ElementsAre;

TEST(ReferenceVector, ScoresByHand) {
  using enum Metric;
  struct Case {
    Metric metric;
    std::vector<float> query, row;
    float expected;
  };
  for (const Case& c : std::vector<Case>{{cosine, {3, 4}, {4, 3}, 0.96F},
                                         {cosine, {1}, {-5}, -1},
                                         {ip, {1, 2, 3}, {4, 5, 6}, 32},
                                         {l2, {0, 0}, {3, 4}, 5},
                                         // A zero norm has cosine 0, and no zero is negative.
                                         {cosine, {0, 0}, {3, 4}, 0},
                                         {cosine, {quiet_nan, 1}, {0, -0.0F}, 0},
                                         {ip, {-1}, {0}, 0},
                                         {ip, {-1e-30F}, {1e-30F}, 0},
                                         // A computed NaN is canonical.
                                         {cosine, {quiet_nan, 1}, {1, 1}, quiet_nan},
                                         {cosine, {infinity, 1}, {1, 1}, quiet_nan},
                                         {ip, {infinity}, {0}, quiet_nan},
                                         {l2, {infinity}, {infinity}, quiet_nan},
                                         // Extreme magnitudes are accurate.
                                         {cosine, {1e-45F, 1e-45F}, {1e-45F, 1e-45F}, 1},
                                         {cosine, {3e38F, 3e38F}, {-3e38F, -3e38F}, -1},
                                         {ip, {3e38F}, {3e38F}, infinity},
                                         {l2, {3e38F}, {-3e38F}, infinity}})
    EXPECT_EQ(bits(Reference::score(c.metric, c.query, c.row)), bits(c.expected));
}

TEST(ReferenceVector, AFilterLeavesPaddedSlots) {
  const std::vector<float> rows{1, 2, 3}, query{1};
  const std::vector<std::uint8_t> filter{0, 1, 0};
  for (const auto& [metric, score, padded] :
       {std::tuple(Metric::ip, 2.0F, -infinity), {Metric::l2, 1.0F, infinity}}) {
    const auto answer = Reference::search(metric, rows, query, 2, filter);
    EXPECT_THAT(answer.ids, ElementsAre(1, -1));
    EXPECT_THAT(answer.scores, ElementsAre(score, padded));
  }
}

TEST(ReferenceVector, CandidatesAreScoredOnce) {
  const std::vector<float> rows{1, 2, 3}, query{2};
  const std::vector<std::uint64_t> candidates{2, 0, 2, 0, 2};
  EXPECT_THAT(Reference::score_candidates(Metric::ip, rows, query, candidates, 10),
              ElementsAre(Item{2, 6.0F}, Item{0, 2.0F}));
  EXPECT_THAT(Reference::score_candidates(Metric::l2, rows, query, candidates, 1),
              ElementsAre(Item{0, 1.0F}));
  EXPECT_TRUE(Reference::score_candidates(Metric::ip, rows, query, {}, 10).empty());
}

}  // namespace Kindred::Testing::VectorTest

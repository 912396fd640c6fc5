// SPDX-License-Identifier: Apache-2.0
#include "ReferenceSupport.hpp"

namespace PageRankTest {

using namespace Kindred;
using namespace Kindred::Testing;
using Reference::Link;
using Reference::Node;
using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using Links = std::vector<Link>;
using Nodes = std::vector<Node>;

std::vector<double> limit(std::size_t nodes, const Links& links, const Nodes& sources,
                          double damping = 0.5) {
  return Reference::page_rank_limit(nodes, links, sources, damping);
}
Reference::PageRankAnswer answer(std::size_t nodes, const Links& links, const Nodes& sources,
                                 const Reference::PageRankSettings& settings = {}) {
  return Reference::page_rank(nodes, links, sources, settings);
}

TEST(ReferencePageRank, AWalkOfTwoNodesIsSolvedByHand) {
  // p₀ = ½p₁ + ½, p₁ = ½p₀; a dangling node returns to the restart, so both graphs have the same
  // limit.
  const auto target = ElementsAre(DoubleNear(2.0 / 3, 1e-15), DoubleNear(1.0 / 3, 1e-15));
  EXPECT_THAT(limit(2, {{0, 1, 1}, {1, 0, 1}}, {{0, 1}}), target);
  EXPECT_THAT(limit(2, {{0, 1, 0.25F}}, {{0, 0.5F}}), target);
  EXPECT_THAT(limit(2, {{0, 1, 1}, {1, 0, 0}}, {{0, 1}}), target)
      << "a weight of 0 is not followed";
}

TEST(ReferencePageRank, ANodeIsDividedInProportionToItsWeights) {
  // Parallel edges add up: 3/4 of node 0 goes to node 1.
  const Links links{{0, 1, 1}, {0, 2, 1}, {0, 1, 2}};
  EXPECT_THAT(limit(3, links, {{0, 1}}),
              ElementsAre(DoubleNear(2.0 / 3, 1e-15), DoubleNear(0.25, 1e-15),
                          DoubleNear(1.0 / 12, 1e-15)));
}

TEST(ReferencePageRank, RestartsAreTheSourcesDividedByTheirSum) {
  EXPECT_THAT(limit(3, {}, {{0, 0.5F}, {2, 0.25F}, {2, 0.75F}}),
              ElementsAre(DoubleEq(1.0 / 3), 0, DoubleEq(2.0 / 3)));
  EXPECT_THAT(limit(2, {{0, 1, 1}}, {}), Each(0.0));
}

TEST(ReferencePageRank, ASelfLoopKeepsEverything) {
  const auto alone = answer(2, {{0, 0, 0.5F}, {0, 0, 0.25F}}, {{0, 1}});
  EXPECT_THAT(alone.values, ElementsAre(1, 0));
  EXPECT_EQ(alone.iterations, 1U);
  EXPECT_EQ(alone.residual, 0);
}

TEST(ReferencePageRank, IterationsAreCountedAndTheResidualIsThatOfTheLast) {
  // p₀ = (1, 0); p₁ = (½, ½); p₂ = (¾, ¼): differences of 1, ½, ¼ …
  const Links links{{0, 1, 1}, {1, 0, 1}};
  Reference::PageRankSettings settings{0.5, 0.25, 200};
  auto third = answer(2, links, {{0, 1}}, settings);
  EXPECT_EQ(third.iterations, 3U);
  EXPECT_EQ(third.residual, 0.25);
  EXPECT_THAT(third.values, ElementsAre(0.625F, 0.375F));
  settings.max_iterations = 2;
  third = answer(2, links, {{0, 1}}, settings);
  EXPECT_EQ(third.iterations, 2U);
  EXPECT_EQ(third.residual, 0.5);
  EXPECT_THAT(third.values, ElementsAre(0.75F, 0.25F));
}

TEST(ReferencePageRank, TightTolerancesAreReachedInDouble) {
  const Links links{{0, 1, 0.3F}, {1, 2, 0.7F}, {2, 0, 0.1F}, {0, 2, 0.9F}};
  const auto tight = answer(3, links, {{0, 1}}, {0.85, 1e-14, 1000});
  EXPECT_LE(tight.residual, 1e-14);
  const auto target = limit(3, links, {{0, 1}}, 0.85);
  for (std::size_t v = 0; v < 3; ++v)
    EXPECT_THAT(tight.values[v], FloatNear(static_cast<float>(target[v]), 6e-8F));
}

}  // namespace PageRankTest

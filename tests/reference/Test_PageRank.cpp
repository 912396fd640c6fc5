// SPDX-License-Identifier: Apache-2.0
#include "ReferenceSupport.hpp"

namespace Kindred::Testing::PageRankTest {

using Reference::Link;
using Reference::Node;
using ::testing::DoubleNear;
using ::testing::Pointwise;
using Links = std::vector<Link>;
using Nodes = std::vector<Node>;

TEST(ReferencePageRank, LimitsByHand) {
  struct Case {
    Links links;
    Nodes sources;
    std::vector<double> limit;
  };
  for (const Case& c : std::vector<Case>{
           // p₀ = ½p₁ + ½, p₁ = ½p₀; a dangling node returns to the restart, so these graphs have
           // the same limit. A weight of 0 is not followed.
           {{{0, 1, 1}, {1, 0, 1}}, {{0, 1}}, {2.0 / 3, 1.0 / 3}},
           {{{0, 1, 0.25F}}, {{0, 0.5F}}, {2.0 / 3, 1.0 / 3}},
           {{{0, 1, 1}, {1, 0, 0}}, {{0, 1}}, {2.0 / 3, 1.0 / 3}},
           // Parallel edges add up: 3/4 of node 0 goes to node 1.
           {{{0, 1, 1}, {0, 2, 1}, {0, 1, 2}}, {{0, 1}}, {2.0 / 3, 0.25, 1.0 / 12}},
           // Restarts are the sources divided by their sum.
           {{}, {{0, 0.5F}, {2, 0.25F}, {2, 0.75F}}, {1.0 / 3, 0, 2.0 / 3}},
           {{{0, 1, 1}}, {}, {0, 0}}})
    EXPECT_THAT(Reference::page_rank_limit(c.limit.size(), c.links, c.sources, 0.5),
                Pointwise(DoubleNear(1e-15), c.limit));
}

TEST(ReferencePageRank, IterationsAreCountedAndTheResidualIsThatOfTheLast) {
  struct Case {
    Links links;
    Reference::PageRankSettings settings;
    std::uint32_t iterations;
    double residual;
    std::vector<float> values;
  };
  // p₀ = (1, 0); p₁ = (½, ½); p₂ = (¾, ¼): differences of 1, ½, ¼ …
  const Links both{{0, 1, 1}, {1, 0, 1}};
  for (const Case& c : std::vector<Case>{{both, {0.5, 0.25, 200}, 3, 0.25, {0.625F, 0.375F}},
                                         {both, {0.5, 0.25, 2}, 2, 0.5, {0.75F, 0.25F}},
                                         // A loop keeps everything.
                                         {{{0, 0, 0.5F}, {0, 0, 0.25F}}, {}, 1, 0, {1, 0}}}) {
    const auto answer = Reference::page_rank(2, c.links, Nodes{{0, 1}}, c.settings);
    EXPECT_EQ(answer.iterations, c.iterations);
    EXPECT_EQ(answer.residual, c.residual);
    EXPECT_EQ(answer.values, c.values);
  }
}

}  // namespace Kindred::Testing::PageRankTest

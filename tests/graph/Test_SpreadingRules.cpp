// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "SpreadingSupport.hpp"

namespace SpreadingRulesTest {

using namespace Kindred;
using namespace Kindred::Testing::SpreadingSupport;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(SpreadingEngine, AChainDecaysWithEveryHop) {
  EXPECT_THAT(spread(chain(4), {{0, 1}}, constant_at(0.5, 0)),
              ElementsAre(Activation{0, 1}, Activation{1, 0.5F}, Activation{2, 0.25F},
                          Activation{3, 0.125F}));
  EXPECT_THAT(spread(chain(4), {{0, 1}}, constant_at(0.5, 0, 2)),
              ElementsAre(Activation{0, 1}, Activation{1, 0.5F}, Activation{2, 0.25F}));
}

TEST(SpreadingEngine, NoHopsGiveTheSources) {
  EXPECT_THAT(spread(chain(3), {{2, 0.25F}, {0, 0.5F}}, constant_at(1, 0, 0)),
              ElementsAre(Activation{0, 0.5F}, Activation{2, 0.25F}));
}

TEST(SpreadingEngine, DefaultDecayIsExponential) {
  const auto d1 = static_cast<float>(std::exp(-0.7));
  const auto d2 = static_cast<float>(std::exp(-1.4));
  const auto second = static_cast<float>(static_cast<double>(d2) * static_cast<double>(d1));
  EXPECT_THAT(spread(chain(5), {{0, 1}}, {}),
              ElementsAre(Activation{0, 1}, Activation{1, d1}, Activation{2, second}));
}

TEST(SpreadingEngine, DecaysMatchTheirNames) {
  EXPECT_FLOAT_EQ(decay_at({Decay::Kind::exponential, 0.7}, 3), std::exp(-2.1F));
  EXPECT_EQ(decay_at({Decay::Kind::power, 2}, 1), 0.25F);
  EXPECT_EQ(decay_at({Decay::Kind::power, 0}, 9), 1.0F);
  EXPECT_EQ(decay_at({Decay::Kind::linear, 0.25}, 1), 0.75F);
  EXPECT_EQ(decay_at({Decay::Kind::linear, 0.25}, 4), 0.0F);
  EXPECT_EQ(decay_at({Decay::Kind::linear, 0.25}, 9), 0.0F);
  EXPECT_EQ(decay_at({Decay::Kind::constant, 0.3}, 7), 0.3F);
}

TEST(SpreadingEngine, DuplicateSourcesAddThenClamp) {
  EXPECT_THAT(spread(chain(1), {{0, 0.25F}, {0, 0.5F}}, constant(1)),
              ElementsAre(Activation{0, 0.75F}));
  EXPECT_THAT(spread(chain(1), {{0, 0.75F}, {0, 0.5F}}, constant(1)),
              ElementsAre(Activation{0, 1.0F}));
  // Added in input order with rounding after each step: 2⁻²⁵ is lost against 1 − 2⁻²⁴, twice 2⁻²⁵
  // is not.
  const float almost = std::nextafter(1.0F, 0.0F);
  const float tiny = std::ldexp(1.0F, -26);
  EXPECT_THAT(spread(chain(1), {{0, almost}, {0, tiny}, {0, tiny}}, constant(1)),
              ElementsAre(Activation{0, almost}));
  EXPECT_THAT(spread(chain(1), {{0, 2 * tiny}, {0, 2 * tiny}, {0, almost}}, constant(1)),
              ElementsAre(Activation{0, 1.0F}));
  EXPECT_THAT(spread(chain(1), {{0, 0.75F}, {0, 0.5F}}, linear(constant(1))),
              ElementsAre(Activation{0, 1.25F}));
}

TEST(SpreadingEngine, ManySourcesAreAddedInInputOrder) {
  auto generator = Testing::generator("SpreadingEngine.many_sources");
  const std::uint32_t nodes = 70'000;  // numbers with three significant bytes
  Sources sources;
  std::vector<float> expected(nodes);
  for (int i = 0; i < 5000; ++i) {
    const auto node = static_cast<std::uint32_t>(generator() % 1500 * 46);
    const auto value = static_cast<float>(generator() % 1000 + 1) * 1.3e-5F;
    sources.push_back({node, value});
    expected[node] += value;
  }
  SpreadOptions options = linear(constant_at(1, 0, 0));
  options.top = nodes;
  const auto answer = spread({nodes, {}}, sources, options);
  EXPECT_EQ(answer.size(), static_cast<std::size_t>(std::ranges::count_if(
                               expected, [](float value) { return value != 0.0F; })));
  for (const Activation& found : answer) EXPECT_EQ(found.value, expected[found.node]) << found.node;
}

TEST(SpreadingEngine, ActivationSaturatesAndPassesOnOnlyItsGain) {
  const Graph graph{3, {{0, 1, 1}, {1, 2, 0.5F}}};
  // Node 2 receives half of 0.75 in hop 1, and in hop 2 half of the 0.25 that node 1 gained.
  EXPECT_THAT(spread(graph, {{0, 1}, {1, 0.75F}}, constant_at(1, 0, 2)),
              ElementsAre(Activation{0, 1}, Activation{1, 1}, Activation{2, 0.5F}));
  // Hop 1: node 1 gains nothing, node 2 receives 0.5 from it; hop 2: node 1 had gained 0 and passes
  // on nothing.
  EXPECT_THAT(spread(graph, {{0, 1}, {1, 1}}, constant_at(1, 0, 3)),
              ElementsAre(Activation{0, 1}, Activation{1, 1}, Activation{2, 0.5F}));
}

TEST(SpreadingEngine, AThresholdIsReachedByEquality) {
  const Graph graph{2, {{0, 1, 0.25F}}};
  EXPECT_THAT(spread(graph, {{0, 1}}, constant_at(1, 0.25)),
              ElementsAre(Activation{0, 1}, Activation{1, 0.25F}));
  EXPECT_THAT(spread(graph, {{0, 1}}, constant_at(1, std::nextafter(0.25F, 1.0F))),
              ElementsAre(Activation{0, 1}));
}

TEST(SpreadingEngine, OnlyValuesAboveTheThresholdArePassedOn) {
  const Graph graph{3, {{0, 1, 0.25F}, {1, 2, 1}}};
  EXPECT_THAT(spread(graph, {{0, 1}}, constant_at(1, 0.25)),
              ElementsAre(Activation{0, 1}, Activation{1, 0.25F}));
  EXPECT_THAT(spread(graph, {{0, 1}}, constant_at(1, 0.125)),
              ElementsAre(Activation{0, 1}, Activation{1, 0.25F}, Activation{2, 0.25F}));
}

TEST(SpreadingEngine, ARejectedTouchFixesTheTier) {
  // Node 3 is touched at hop 2 with 0.04 (warm tier: below 0.05) and at hop 3 with 0.06: it stays
  // warm, whereas a first touch at hop 3 would be cold and below 0.10.
  const Graph graph{6,
                    {{0, 1, 1}, {1, 3, 0.04F}, {0, 2, 1}, {2, 4, 1}, {4, 3, 0.06F}, {4, 5, 0.06F}}};
  EXPECT_THAT(spread(graph, {{0, 1}}, constant(1, 3)),
              ElementsAre(Activation{0, 1}, Activation{1, 1}, Activation{2, 1}, Activation{4, 1},
                          Activation{3, 0.06F}));
}

TEST(SpreadingEngine, TiersAreHotWarmCold) {
  EXPECT_THAT((std::vector<int>{tier_at(0), tier_at(1), tier_at(2), tier_at(3), tier_at(99)}),
              ElementsAre(0, 1, 1, 2, 2));
  // A source is hot: it accepts 0.02 more, which a node that is touched for the first time rejects.
  const Graph graph{3, {{0, 1, 0.02F}, {0, 2, 0.02F}}};
  const float sum = 0.001F + 0.02F;
  EXPECT_THAT(spread(graph, {{0, 1}, {1, 0.001F}}, constant(1, 1)),
              ElementsAre(Activation{0, 1}, Activation{1, sum}));
  // A source with value 0 has not been touched.
  EXPECT_THAT(spread(graph, {{0, 1}, {1, 0}}, constant(1, 1)), ElementsAre(Activation{0, 1}));
}

TEST(SpreadingEngine, ParallelEdgesAdd) {
  const Graph graph{2, {{0, 1, 0.25F}, {0, 1, 0.5F}}};
  EXPECT_THAT(spread(graph, {{0, 1}}, constant(1, 1)),
              ElementsAre(Activation{0, 1}, Activation{1, 0.75F}));
}

TEST(SpreadingEngine, ASelfLoopAddsToItsNode) {
  const Graph graph{1, {{0, 0, 0.5F}}};
  EXPECT_THAT(spread(graph, {{0, 0.5F}}, constant(1, 1)), ElementsAre(Activation{0, 0.75F}));
  EXPECT_THAT(spread(graph, {{0, 0.5F}}, constant_at(1, 0, 2)), ElementsAre(Activation{0, 0.875F}));
}

TEST(SpreadingEngine, AWalkFollowsACycle) {
  Graph ring = chain(6, 0.5F);
  ring.edges.push_back({5, 0, 0.5F});
  for (std::uint32_t hops = 0; hops <= 13; ++hops) {
    std::vector<double> found(6);
    for (const Activation& node : spread(ring, {{0, 0.5F}}, constant_at(1, 0, hops)))
      found[node.node] = static_cast<double>(node.value);
    std::vector<double> expected(6);
    for (std::uint32_t hop = 0; hop <= hops; ++hop) expected[hop % 6] += std::ldexp(0.5, -int(hop));
    EXPECT_EQ(found, expected) << hops;
  }
}

TEST(SpreadingEngine, GraphsWithoutEdgesOrWeightKeepTheSources) {
  EXPECT_THAT(spread({3, {}}, {{1, 0.5F}}, {}), ElementsAre(Activation{1, 0.5F}));
  EXPECT_THAT(spread({2, {{0, 1, 0}}}, {{0, 1}}, constant_at(1, 0)), ElementsAre(Activation{0, 1}));
  EXPECT_THAT(spread({0, {}}, {}, {}), IsEmpty());
  EXPECT_THAT(spread({3, {{0, 1, 1}}}, {}, {}), IsEmpty());
}

TEST(SpreadingEngine, TiesAreInNodeOrderAndTopTruncates) {
  const Graph graph{5, {{0, 4, 0.5F}, {0, 2, 0.5F}, {0, 3, 0.5F}, {0, 1, 0.25F}}};
  SpreadOptions options = constant(1, 1);
  options.top = 3;
  EXPECT_THAT(spread(graph, {{0, 1}}, options),
              ElementsAre(Activation{0, 1}, Activation{2, 0.5F}, Activation{3, 0.5F}));
}

TEST(SpreadingEngine, EveryNodeOfK5EndsSaturated) {
  Graph graph{5, {}};
  for (std::uint32_t u = 0; u < 5; ++u) {
    for (std::uint32_t v = 0; v < 5; ++v) {
      if (u != v) graph.edges.push_back({u, v, 1});
    }
  }
  const Sources all{{0, 0.5F}, {1, 0.5F}, {2, 0.5F}, {3, 0.5F}, {4, 0.5F}};
  EXPECT_THAT(spread(graph, all, constant(1, 1)),
              ElementsAre(Activation{0, 1}, Activation{1, 1}, Activation{2, 1}, Activation{3, 1},
                          Activation{4, 1}));
  // One hop in linear mode: each node receives the values of the other four.
  EXPECT_THAT(spread(graph, all, linear(constant(1, 1))),
              ElementsAre(Activation{0, 2.5F}, Activation{1, 2.5F}, Activation{2, 2.5F},
                          Activation{3, 2.5F}, Activation{4, 2.5F}));
}

TEST(SpreadingEngine, LinearModeTakesAnyFiniteWeight) {
  const Graph graph{3, {{0, 1, -2}, {1, 2, 3}, {0, 2, 0.5F}}};
  EXPECT_THAT(spread(graph, {{0, 1}}, linear(constant(1, 2))),
              ElementsAre(Activation{0, 1}, Activation{1, -2}, Activation{2, -5.5F}));
}

TEST(SpreadingEngine, LinearOverflowRanksLastAsCanonicalNaN) {
  const float big = std::numeric_limits<float>::max();
  const Graph graph{4, {{0, 1, big}, {0, 1, big}, {1, 2, 1}, {1, 2, -1}, {0, 3, 1}}};
  const Answer answer = spread(graph, {{0, 1}}, linear(constant(1, 2)));
  ASSERT_EQ(answer.size(), 4U);
  EXPECT_EQ(answer[0], (Activation{1, std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(answer[3].node, 2U);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(answer[3].value), 0x7FC00000U);
}

}  // namespace SpreadingRulesTest

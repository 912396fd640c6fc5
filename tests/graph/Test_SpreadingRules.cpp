// SPDX-License-Identifier: Apache-2.0
// The rules of spreading, each on a graph that is small enough to be computed by hand.
#include "SpreadingSupport.hpp"

namespace SpreadingRulesTest {

using namespace Kindred;
using namespace Testing::SpreadingSupport;
using ::testing::ElementsAre;

void expect(const char* claim, const Graph& graph, const Sources& sources,
            const SpreadOptions& options, const Answer& answer) {
  EXPECT_EQ(spread(graph, sources, options), answer) << claim;
}

TEST(SpreadingEngine, FollowsEdgesWithDecay) {
  const auto d1 = static_cast<float>(std::exp(-0.7));
  const auto d2 = static_cast<float>(std::exp(-1.4));
  const auto second = static_cast<float>(static_cast<double>(d2) * static_cast<double>(d1));
  expect("a chain decays with every hop", chain(4), {{0, 1}}, constant_at(0.5, 0),
         {{0, 1}, {1, 0.5F}, {2, 0.25F}, {3, 0.125F}});
  expect("hops are counted", chain(4), {{0, 1}}, constant_at(0.5, 0, 2),
         {{0, 1}, {1, 0.5F}, {2, 0.25F}});
  expect("no hops give the sources", chain(3), {{2, 0.25F}, {0, 0.5F}}, constant_at(1, 0, 0),
         {{0, 0.5F}, {2, 0.25F}});
  expect("the default decay is exponential", chain(5), {{0, 1}}, {},
         {{0, 1}, {1, d1}, {2, second}});
  expect("parallel edges add", {2, {{0, 1, 0.25F}, {0, 1, 0.5F}}}, {{0, 1}}, constant(1, 1),
         {{0, 1}, {1, 0.75F}});
  expect("a loop adds to its node", {1, {{0, 0, 0.5F}}}, {{0, 0.5F}}, constant(1, 1), {{0, 0.75F}});
  expect("and again", {1, {{0, 0, 0.5F}}}, {{0, 0.5F}}, constant_at(1, 0, 2), {{0, 0.875F}});
  expect("without edges the sources stay", {3}, {{1, 0.5F}}, {}, {{1, 0.5F}});
  expect("with weights of 0 too", {2, {{0, 1, 0}}}, {{0, 1}}, constant_at(1, 0), {{0, 1}});
  expect("a graph may be empty", {0}, {}, {}, {});
  expect("a query may be empty", {3, {{0, 1, 1}}}, {}, {}, {});
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
  // Added in input order with rounding after each step: 2⁻²⁵ is lost against 1 − 2⁻²⁴, twice 2⁻²⁵
  // is not.
  const float almost = std::nextafter(1.0F, 0.0F);
  const float tiny = std::ldexp(1.0F, -26);
  expect("they add", chain(1), {{0, 0.25F}, {0, 0.5F}}, constant(1), {{0, 0.75F}});
  expect("up to 1", chain(1), {{0, 0.75F}, {0, 0.5F}}, constant(1), {{0, 1}});
  expect("with rounding", chain(1), {{0, almost}, {0, tiny}, {0, tiny}}, constant(1),
         {{0, almost}});
  expect("in input order", chain(1), {{0, 2 * tiny}, {0, 2 * tiny}, {0, almost}}, constant(1),
         {{0, 1}});
  expect("without a limit in linear mode", chain(1), {{0, 0.75F}, {0, 0.5F}}, linear(constant(1)),
         {{0, 1.25F}});
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
  std::vector<float> found(nodes);
  for (const Activation& node : spread({nodes}, sources, linear(constant_at(1, 0, 0))))
    found[node.node] = node.value;
  EXPECT_EQ(found, expected);
}

TEST(SpreadingEngine, ActivationSaturatesAndPassesOnOnlyItsGain) {
  const Graph graph{3, {{0, 1, 1}, {1, 2, 0.5F}}};
  Graph complete{5};
  for (std::uint32_t v = 0; v < 25; ++v)
    if (v / 5 != v % 5) complete.edges.push_back({v / 5, v % 5, 1});
  const Sources halves{{0, 0.5F}, {1, 0.5F}, {2, 0.5F}, {3, 0.5F}, {4, 0.5F}};
  // Node 2 receives half of 0.75 in hop 1, and in hop 2 half of the 0.25 that node 1 gained.
  expect("the gain is passed on", graph, {{0, 1}, {1, 0.75F}}, constant_at(1, 0, 2),
         {{0, 1}, {1, 1}, {2, 0.5F}});
  // Hop 1: node 1 gains nothing, node 2 receives 0.5 from it; hop 2: node 1 had gained 0 and
  // passes on nothing.
  expect("no gain is nothing", graph, {{0, 1}, {1, 1}}, constant_at(1, 0, 3),
         {{0, 1}, {1, 1}, {2, 0.5F}});
  expect("every node of K5 ends saturated", complete, halves, constant(1, 1),
         {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}});
  // Each node receives the values of the other four.
  expect("linear mode has no limit", complete, halves, linear(constant(1, 1)),
         {{0, 2.5F}, {1, 2.5F}, {2, 2.5F}, {3, 2.5F}, {4, 2.5F}});
}

TEST(SpreadingEngine, OnlyValuesAboveTheThresholdArePassedOn) {
  const Graph graph{3, {{0, 1, 0.25F}, {1, 2, 1}}};
  expect("a threshold is reached by equality", graph, {{0, 1}}, constant_at(1, 0.25),
         {{0, 1}, {1, 0.25F}});
  expect("not below it", graph, {{0, 1}}, constant_at(1, std::nextafter(0.25F, 1.0F)), {{0, 1}});
  expect("above it, it is passed on", graph, {{0, 1}}, constant_at(1, 0.125),
         {{0, 1}, {1, 0.25F}, {2, 0.25F}});
}

TEST(SpreadingEngine, TiersAreHotWarmCold) {
  EXPECT_THAT((std::vector<int>{tier_at(0), tier_at(1), tier_at(2), tier_at(3), tier_at(99)}),
              ElementsAre(0, 1, 1, 2, 2));
  const Graph two{3, {{0, 1, 0.02F}, {0, 2, 0.02F}}};
  // It accepts 0.02 more, which a node that is touched for the first time rejects.
  expect("a source is hot", two, {{0, 1}, {1, 0.001F}}, constant(1, 1),
         {{0, 1}, {1, 0.001F + 0.02F}});
  expect("one with value 0 has not been touched", two, {{0, 1}, {1, 0}}, constant(1, 1), {{0, 1}});
  // Node 3 is touched at hop 2 with 0.04 (warm tier: below 0.05) and at hop 3 with 0.06: it
  // stays warm, whereas a first touch at hop 3 would be cold and below 0.10.
  expect("a rejected touch fixes the tier",
         {6, {{0, 1, 1}, {1, 3, 0.04F}, {0, 2, 1}, {2, 4, 1}, {4, 3, 0.06F}, {4, 5, 0.06F}}},
         {{0, 1}}, constant(1, 3), {{0, 1}, {1, 1}, {2, 1}, {4, 1}, {3, 0.06F}});
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

TEST(SpreadingEngine, TiesAreInNodeOrderAndTopTruncates) {
  const Graph graph{5, {{0, 4, 0.5F}, {0, 2, 0.5F}, {0, 3, 0.5F}, {0, 1, 0.25F}}};
  SpreadOptions options = constant(1, 1);
  options.top = 3;
  expect("three of five", graph, {{0, 1}}, options, {{0, 1}, {2, 0.5F}, {3, 0.5F}});
}

TEST(SpreadingEngine, LinearModeTakesAnyFiniteWeight) {
  const Graph graph{3, {{0, 1, -2}, {1, 2, 3}, {0, 2, 0.5F}}};
  expect("negative, above 1", graph, {{0, 1}}, linear(constant(1, 2)),
         {{0, 1}, {1, -2}, {2, -5.5F}});
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

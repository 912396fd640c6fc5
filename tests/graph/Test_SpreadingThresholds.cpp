// SPDX-License-Identifier: Apache-2.0
#include "SpreadingWorld.hpp"

namespace Kindred::Testing::Graphs::SpreadingThresholdsTest {

TEST(SpreadingThresholds, AHigherThresholdActivatesNoMoreNodesInLayeredGraphs) {
  expect_property("edges that lead to the next layer: greater threshold, no greater value", [] {
    World world;
    Sources& query = world.queries.emplace_back();
    const auto layers = *rc::gen::inRange<std::uint32_t>(1, 6);
    const auto wide = *rc::gen::inRange<std::uint32_t>(1, 8);
    world.graph.nodes = std::size_t{layers} * wide;
    const auto in_layer = rc::gen::inRange<std::uint32_t>(0, wide);
    for (std::uint32_t layer = 0; layer + 1 < layers; ++layer) {
      for (int edges = *rc::gen::inRange(0, 20); edges > 0; --edges)
        world.graph.edges.push_back(
            {layer * wide + *in_layer, (layer + 1) * wide + *in_layer, *fractions(0, 1, 1 << 24)});
    }
    for (int sources = *rc::gen::inRange(1, 4); sources > 0; --sources)
      query.push_back({*in_layer, *fractions(0, 1, 1 << 24)});
    std::vector<double> before;
    for (const double threshold : {0.0, 0.01, 0.05, 0.1, 0.2, 0.4, 0.8, 1.0}) {
      const std::vector<double> now = values(world, constant_at(0.9, threshold, 6));
      for (std::size_t v = 0; v < before.size(); ++v) RC_ASSERT(now[v] <= before[v]);
      before = now;
    }
  });
}

TEST(SpreadingThresholds, WithoutAThresholdAtLeastAsManyNodesAreActive) {
  expect_property("threshold 0 gives every node at least what a threshold does", [] {
    const World world = any_query();
    const std::vector<double> all = values(world, constant_at(0.8, 0));
    const std::vector<double> some =
        values(world, constant_at(0.8, *rc::gen::element(0.01, 0.1, 0.3, 0.7)));
    for (std::size_t v = 0; v < world.graph.nodes; ++v) RC_ASSERT(some[v] <= all[v] + 1e-6);
  });
}

TEST(SpreadingThresholds, ALowerThresholdMayActivateFewerNodesWhereWalksOfTwoLengthsMeet) {
  // Node 2 has 0.5 after one hop and 1 after two. With a threshold below 0.5 it passes on two
  // halves, each too small for node 4; with a threshold above 0.5 it passes on everything in one
  // hop.
  const Graph graph{5, {{0, 2, 0.5F}, {0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {2, 4, 0.625F}}};
  const auto at = [&](double threshold) {
    return values_of(spread(graph, {{0, 1}}, constant_at(1, threshold, 3)), 5);
  };
  EXPECT_EQ(at(0.4)[4], 0.0);
  EXPECT_EQ(at(0.6)[4], 0.625);
  EXPECT_EQ(at(0.0)[4], 0.625);
}

}  // namespace Kindred::Testing::Graphs::SpreadingThresholdsTest

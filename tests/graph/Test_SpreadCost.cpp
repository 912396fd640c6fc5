// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "SpreadingSupport.hpp"

namespace Kindred::Testing::Graphs::SpreadCostTest {

/// The work that the dispatcher was given to predict with.
double expected_work(const Graph& graph, const Sources& sources, const SpreadOptions& options) {
  return engine_of(graph).spread(query_of(sources), options).record.work;
}
/// The same for \p edges read by a small frontier: one step per edge, 8 per row that holds some of
/// them and 8 per row that some of them lead to.
double small_work(double edges, double degree) { return 1.5 * edges * (1 + 16 / degree); }

/// The number of in-edges of the nodes that \p hops hops from \p sources reach, summed over the
/// hops.
double edges_read(const Graph& graph, const Sources& sources, std::uint32_t hops) {
  std::vector<double> in_degree(graph.nodes, 0.0);
  for (const Edge& edge : graph.edges) in_degree[edge.to] += 1;
  std::set<std::uint32_t> reached;
  for (const Activation& source : sources) reached.insert(source.node);
  double read = 0;
  for (std::uint32_t hop = 0; hop < hops; ++hop) {
    std::set<std::uint32_t> next;
    for (const Edge& edge : graph.edges)
      if (reached.contains(edge.from)) next.insert(edge.to);
    for (const std::uint32_t node : next) read += in_degree[node];
    reached = std::move(next);
  }
  return read;
}

Graph skewed() { return random_graph(3000, {}, 30'000, 0.1F); }

TEST(SpreadCost, HopsFromEverywhereReadAllEdges) {
  const Graph graph = skewed();
  Sources all;
  for (std::uint32_t node = 0; node < 3000; ++node) all.push_back({node, 1});
  for (const std::uint32_t hops : {4U, 10'000U})
    EXPECT_EQ(expected_work(graph, all, linear(constant(1, hops))), hops * 30'000.0);
}

TEST(SpreadCost, AThresholdEndsTheCount) {
  Graph graph{20'000};
  for (std::uint32_t i = 0; i < 200'000; ++i)
    graph.edges.push_back({random_node(20'000), random_node(20'000), 0.5F});
  // ¼ after one hop is passed on, 1/16 after two hops is not.
  const Sources sources{{3, 1}, {77, 0.5F}};
  const double read = small_work(edges_read(graph, sources, 2), 10);
  const double expected = expected_work(graph, sources, constant_at(0.5, 0.1, 50));
  EXPECT_GT(expected, read / 2);
  EXPECT_LT(expected, 2 * read);
  EXPECT_LT(expected, small_work(0.02 * 200'000, 10));
}

TEST(SpreadCost, EdgesAreCountedOneByOneOrBySampledSources) {
  Graph fives{60'000};  // five edges from each node and to each node
  for (std::uint32_t v = 0; v < 60'000; ++v)
    for (std::uint32_t i = 1; i <= 5; ++i) fives.edges.push_back({v, (v + i) % 60'000, 0.5F});
  Sources many;
  for (std::uint32_t node = 0; node < 300; ++node) many.push_back({2 * node, 1});
  struct Case {
    Graph graph;
    Sources sources;
    SpreadOptions options;
    double work;
  };
  for (const auto& [graph, sources, options, work] :
       std::vector<Case>{{chain(10), {}, constant(1), 0},
                         {chain(10), {{0, 0}}, constant(1), 0},
                         {{3}, {{0, 1}}, constant(1), 0},
                         {chain(10'000), {{17, 1}}, linear(constant(1, 3)), small_work(3, 1)},
                         // Out-edges, each to a row with five in-edges.
                         {fives, many, linear(constant(1, 1)), small_work(300.0 * 5 * 5, 5)}})
    EXPECT_NEAR(expected_work(graph, sources, options), work, 0.01 * work);
}

TEST(SpreadCost, SmallQueriesAreOneItemEachAndWholeHopsOneLaunchEach) {
  const SpreadingEngine engine = engine_of(skewed());
  const auto record = [&](const Queries& queries, std::uint32_t hops) {
    return engine.spread(ragged(queries), linear(constant(1, hops))).record;
  };
  const DispatchRecord one = record({{{3, 1}}}, 1);
  EXPECT_EQ(one.pieces, 1U);
  EXPECT_EQ(one.starts, 0) << "one frontier needs no parallel region";
  const DispatchRecord three = record({{{3, 1}}, {{4, 1}}, {{5, 1}}}, 1);
  EXPECT_EQ(three.pieces, 3U);
  EXPECT_EQ(three.starts, 1);
  const DispatchRecord four_hops = record({{{3, 1}}}, 4);
  const DispatchRecord six_hops = record({{{3, 1}}}, 6);
  EXPECT_EQ(four_hops.pieces, 0U);
  EXPECT_GE(four_hops.starts, 4);
  EXPECT_EQ(six_hops.starts, four_hops.starts + 2);
  EXPECT_DOUBLE_EQ(six_hops.work, four_hops.work + 2 * 30'000.0);
}

}  // namespace Kindred::Testing::Graphs::SpreadCostTest

// SPDX-License-Identifier: Apache-2.0
#include "SpreadingSupport.hpp"

namespace Kindred::Testing::Graphs::PageRankTest {

Graph skewed(std::size_t nodes) { return random_graph(nodes, row_lengths, 4 * nodes); }
/// Adds a ring of nodes without other edges, which mixes slowly.
void add_ring(Graph& graph, std::uint32_t nodes) {
  const auto first = static_cast<std::uint32_t>(graph.nodes);
  for (std::uint32_t v = 0; v < nodes; ++v)
    graph.edges.push_back({first + v, first + (v + 1) % nodes, 1});
  graph.nodes += nodes;
}

TEST(PageRank, MatchesReferenceAtEveryWidthAlsoWithDoubleIterates) {
  Graph graph = skewed(4500);
  SpreadOptions options = page_rank();
  for (const double tolerance : {1e-6, 1e-12}) {
    options.tolerance = tolerance;
    for (const std::size_t count : {1, 3, 9, 41}) {
      if (count == 41 && tolerance < 1e-6) continue;
      expect_reference(graph, random_queries(graph.nodes, count, 1), options);
    }
  }
  // Weights at both ends of the range of float.
  graph.edges[0].weight = 3e38F;
  graph.edges[1].weight = 1e-40F;
  expect_reference(graph, {{{3, 1}}, {{4000, 1}}}, page_rank());
}

TEST(PageRank, AQueryStopsWhereItConvergesAndTheOthersContinueTogether) {
  // The queries of a ring continue at a smaller width after the others are done.
  Graph graph = skewed(1200);
  add_ring(graph, 300);
  const SpreadingEngine engine = engine_of(graph);
  using Nodes = std::vector<std::uint32_t>;
  for (const auto& [count, slow] : std::vector<std::pair<std::uint32_t, Nodes>>{
           {10, {4}}, {33, {0, 9, 31}}, {3, {1}}, {12, {10, 11}}, {13, {1, 3, 5, 7, 9, 11}}}) {
    Queries queries;
    for (std::uint32_t i = 0; i < count; ++i) queries.push_back({{3 * i, 1}, {3 * i + 1, 0.25F}});
    for (const std::uint32_t query : slow) queries[query] = {{1200 + query, 1}};
    queries.back().push_back({1499, 1});
    SpreadOptions options = page_rank();
    options.top = 100;
    for (const double tolerance : {1e-6, 1e-9}) {
      options.tolerance = tolerance;
      expect_reference(engine, graph, queries, options);
      const auto together = engine.spread(ragged(queries), options).convergence;
      EXPECT_NE(together[slow[0]].iterations, together[slow[0] == 0 ? 1 : 0].iterations);
    }
    options.max_iterations = 40;
    expect_reference(engine, graph, queries, options);
  }
}

/// ‖answer − limit‖₁
double error_of(const Answer& answer, const std::vector<double>& limit) {
  const std::vector<double> values = values_of(answer, limit.size());
  double error = 0;
  for (std::size_t v = 0; v < limit.size(); ++v) error += std::abs(values[v] - limit[v]);
  return error;
}

TEST(PageRank, AnswersAreWithinTheToleranceOfTheLimit) {
  const Graph graph = skewed(6000);
  const Sources sources = random_sources(graph.nodes, 3);
  for (const double damping : {0.5, 0.85, 0.95}) {
    const auto limit =
        Reference::page_rank_limit(graph.nodes, links_of(graph), nodes_of(sources), damping);
    for (const double tolerance : {1e-3, 1e-6, 1e-9, 1e-13}) {
      SpreadOptions options = page_rank();
      options.damping = damping;
      options.tolerance = tolerance;
      options.max_iterations = 1000;
      // Values in float32 have a relative error of 6e-8, and float32 iterates add as much again.
      EXPECT_LE(error_of(spread(graph, sources, options), limit),
                (tolerance * damping + 1.2e-7) / (1 - damping))
          << damping << ", " << tolerance;
    }
  }
}

}  // namespace Kindred::Testing::Graphs::PageRankTest

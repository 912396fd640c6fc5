// SPDX-License-Identifier: Apache-2.0
#include "SpreadingSupport.hpp"

namespace PageRankTest {

using namespace Kindred;
using namespace Testing::SpreadingSupport;

Graph skewed(std::size_t nodes, std::mt19937_64& generator) {
  return random_graph(nodes, row_lengths, 4 * nodes, 0, 1, generator);
}
/// Adds a ring of nodes without other edges, which mixes slowly.
void add_ring(Graph& graph, std::uint32_t nodes) {
  const auto first = static_cast<std::uint32_t>(graph.nodes);
  for (std::uint32_t v = 0; v < nodes; ++v)
    graph.edges.push_back({first + v, first + (v + 1) % nodes, 1});
  graph.nodes += nodes;
}

TEST(PageRank, MatchesReferenceAtEveryWidthAlsoWithDoubleIterates) {
  auto generator = Testing::generator("page rank, widths");
  Graph graph = skewed(4500, generator);
  SpreadOptions options = page_rank();
  for (const double tolerance : {1e-6, 1e-12}) {
    options.tolerance = tolerance;
    for (const std::size_t count : {1, 3, 9, 41}) {
      if (count == 41 && tolerance < 1e-6) continue;
      expect_reference(graph, random_queries(graph.nodes, count, 1, 1, generator), options);
    }
  }
  // Weights at both ends of the range of float.
  graph.edges[0].weight = 3e38F;
  graph.edges[1].weight = 1e-40F;
  expect_reference(graph, {{{3, 1}}, {{4000, 1}}}, page_rank());
}

TEST(PageRank, AQueryStopsWhereItConverges) {
  // Two parts that mix at different rates: queries end at different iterations, alone and
  // together.
  auto generator = Testing::generator("page rank, stop");
  Graph graph = skewed(3000, generator);
  add_ring(graph, 500);
  Queries queries;
  for (std::uint32_t i = 0; i < 12; ++i) queries.push_back({{i % 2 == 0 ? i : 3000 + 7 * i, 1}});
  queries.push_back({{3499, 1}, {0, 1}});
  const SpreadingEngine engine = engine_of(graph);
  expect_reference(engine, graph, queries, page_rank());
  for (const Sources& query : queries) expect_reference(engine, graph, {query}, page_rank());
  const auto together = engine.spread(ragged(queries), page_rank()).convergence;
  EXPECT_NE(together[0].iterations, together[1].iterations);
}

TEST(PageRank, RemainingQueriesContinueTogether) {
  // The queries of a ring continue at a smaller width after the others are done.
  auto generator = Testing::generator("page rank, left");
  Graph graph = skewed(1200, generator);
  add_ring(graph, 300);
  const SpreadingEngine engine = engine_of(graph);
  using Nodes = std::vector<std::uint32_t>;
  for (const auto& [count, slow] : std::vector<std::pair<std::uint32_t, Nodes>>{
           {10, {4}}, {33, {0, 9, 31}}, {3, {1}}, {12, {10, 11}}}) {
    Queries queries;
    for (std::uint32_t i = 0; i < count; ++i) queries.push_back({{3 * i, 1}, {3 * i + 1, 0.25F}});
    for (const std::uint32_t query : slow) queries[query] = {{1200 + query, 1}};
    SpreadOptions options = page_rank();
    options.top = 100;
    for (const double tolerance : {1e-6, 1e-9}) {
      options.tolerance = tolerance;
      expect_reference(engine, graph, queries, options);
    }
    options.max_iterations = 40;
    expect_reference(engine, graph, queries, options);
  }
}

TEST(PageRank, IterationLimitsAreRespected) {
  for (const std::uint32_t limit : {1U, 2U, 3U, 5U}) {
    for (const double tolerance : {1e-6, 0.0}) {
      SpreadOptions options = page_rank();
      options.max_iterations = limit;
      options.tolerance = tolerance;
      expect_reference(chain(100), {{{0, 1}}, {{50, 1}}}, options);
    }
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
  auto generator = Testing::generator("page rank, accuracy");
  const Graph graph = skewed(6000, generator);
  const Sources sources = random_sources(graph.nodes, 3, 0, 1, generator);
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

TEST(PageRank, NodesThatSourcesDoNotReachAreNotListed) {
  const Graph graph{6, {{0, 1, 1}, {1, 0, 1}, {2, 3, 1}, {3, 2, 1}}};
  const Answer answer = spread(graph, {{2, 1}}, page_rank());
  ASSERT_EQ(answer.size(), 2U);
  EXPECT_EQ(answer[0].node, 2U);
  EXPECT_EQ(answer[1].node, 3U);
  EXPECT_THAT(spread(graph, {}, page_rank()), IsEmpty());
  EXPECT_THAT(spread(graph, {{4, 0}}, page_rank()), IsEmpty());
}

}  // namespace PageRankTest

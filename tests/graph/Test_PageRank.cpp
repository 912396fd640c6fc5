// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "SpreadingSupport.hpp"

namespace PageRankTest {

using namespace Kindred;
using namespace Kindred::Testing::SpreadingSupport;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SpreadOptions page_rank() {
  SpreadOptions options;
  options.mode = SpreadMode::pagerank;
  options.top = 10'000'000;
  return options;
}

std::vector<Reference::Node> nodes_of(const Sources& sources) {
  std::vector<Reference::Node> nodes;
  for (const Activation& source : sources) nodes.push_back({source.node, source.value});
  return nodes;
}

/// Every answer on every space, with its iterations and residual, must match the reference bit for
/// bit.
void expect_reference(const Graph& graph, const std::vector<Sources>& queries,
                      SpreadOptions options) {
  const SpreadingEngine engine(Testing::context(), {graph.nodes, graph.edges});
  const auto links = links_of(graph);
  const Reference::PageRankSettings settings{options.damping, options.tolerance,
                                             options.max_iterations};
  std::vector<Reference::PageRankAnswer> target;
  for (const Sources& sources : queries)
    target.push_back(Reference::page_rank(graph.nodes, links, nodes_of(sources), settings));
  for (const Space space : Testing::spaces()) {
    options.space = space;
    const SpreadResults results = engine.spread(ragged(queries), options);
    ASSERT_EQ(results.convergence.size(), queries.size());
    for (std::size_t i = 0; i < queries.size(); ++i) {
      Answer expected;
      for (const Reference::Node& node : Reference::ranked_nodes(target[i].values, options.top))
        expected.push_back({node.node, node.value});
      const Answer got(results.activations[i].begin(), results.activations[i].end());
      EXPECT_EQ(bits({got}), bits({expected})) << to_string(space) << ", query " << i;
      EXPECT_EQ(results.convergence[i].iterations, target[i].iterations);
      EXPECT_EQ(results.convergence[i].residual, target[i].residual);
    }
  }
}

Graph skewed(std::size_t nodes, std::mt19937_64& generator) {
  return random_graph(nodes, row_lengths, 4 * nodes, 0, 1, generator);
}

TEST(PageRank, MatchesReferenceAtEveryWidth) {
  auto generator = Testing::generator("page rank, widths");
  const Graph graph = skewed(4500, generator);
  for (const std::size_t count : {1, 5, 41}) {
    std::vector<Sources> queries;
    for (std::size_t i = 0; i < count; ++i)
      queries.push_back(random_sources(graph.nodes, 1 + i % 4, 0, 1, generator));
    expect_reference(graph, queries, page_rank());
  }
}

TEST(PageRank, MatchesReferenceWithDoubleIterates) {
  auto generator = Testing::generator("page rank, doubles");
  Graph graph = skewed(4100, generator);
  SpreadOptions tight = page_rank();
  tight.tolerance = 1e-12;
  for (const std::size_t count : {1, 3, 9}) {
    std::vector<Sources> queries;
    for (std::size_t i = 0; i < count; ++i)
      queries.push_back(random_sources(graph.nodes, 3, 0, 1, generator));
    expect_reference(graph, queries, tight);
  }
  // Weights at both ends of the range of float.
  graph.edges[0].weight = 3e38F;
  graph.edges[1].weight = 1e-40F;
  expect_reference(graph, {{{3, 1}}, {{4000, 1}}}, page_rank());
}

TEST(PageRank, MatchesReferenceOnSmallGraphs) {
  expect_reference({1, {}}, {{{0, 0.5F}}}, page_rank());
  expect_reference({1, {{0, 0, 1}}}, {{{0, 0.5F}}}, page_rank());
  expect_reference({3, {}}, {{{0, 1}, {2, 1}}, {{1, 7}}}, page_rank());
  expect_reference(chain(5000), {{{0, 1}}, {{4999, 1}}, {{2500, 1}, {0, 3}}}, page_rank());
  Graph complete{5, {}};
  for (std::uint32_t v = 0; v < 25; ++v) complete.edges.push_back({v / 5, v % 5, 0.2F});
  expect_reference(complete, {{{0, 1}}, {{0, 1}, {1, 2}, {4, 0}}}, page_rank());
  Graph star{100'001, {}};
  for (std::uint32_t v = 1; v <= 100'000; ++v) {
    star.edges.push_back({v, 0, 1});
    if (v % 2 == 0) star.edges.push_back({0, v, 1.0F / static_cast<float>(v)});
  }
  expect_reference(star, {{{77, 1}}, {{0, 1}}}, page_rank());
}

TEST(PageRank, AQueryStopsWhereItConverges) {
  // Two cliques that mix at different rates: queries end at different iterations, alone and
  // together.
  auto generator = Testing::generator("page rank, stop");
  Graph graph = skewed(3000, generator);
  for (std::uint32_t v = 0; v < 500; ++v)
    graph.edges.push_back({3000 + v, 3000 + (v + 1) % 500, 1});
  graph.nodes = 3500;
  std::vector<Sources> queries;
  for (std::uint32_t i = 0; i < 12; ++i) queries.push_back({{i % 2 == 0 ? i : 3000 + 7 * i, 1}});
  queries.push_back({{3499, 1}, {0, 1}});
  expect_reference(graph, queries, page_rank());
  const SpreadingEngine engine(Testing::context(), {graph.nodes, graph.edges});
  const auto together = engine.spread(ragged(queries), page_rank());
  EXPECT_NE(together.convergence[0].iterations, together.convergence[1].iterations);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto alone = engine.spread(ragged({queries[i]}), page_rank());
    EXPECT_EQ(alone.convergence[0], together.convergence[i]);
    EXPECT_TRUE(std::ranges::equal(alone.activations[0], together.activations[i]));
  }
}

TEST(PageRank, RemainingQueriesContinueTogether) {
  // A ring mixes slowly: its queries continue at a smaller width after the others are done.
  auto generator = Testing::generator("page rank, left");
  Graph graph = skewed(1200, generator);
  for (std::uint32_t v = 0; v < 300; ++v)
    graph.edges.push_back({1200 + v, 1200 + (v + 1) % 300, 1});
  graph.nodes = 1500;
  for (const auto& [count, slow] :
       {std::pair(10, std::vector{4}), std::pair(33, std::vector{0, 9, 31}),
        std::pair(3, std::vector{1}), std::pair(12, std::vector{10, 11})}) {
    std::vector<Sources> queries;
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(count); ++i)
      queries.push_back({{3 * i, 1}, {3 * i + 1, 0.25F}});
    for (const int query : slow)
      queries[static_cast<std::size_t>(query)] = {{1200 + static_cast<std::uint32_t>(query), 1}};
    SpreadOptions options = page_rank();
    options.top = 100;
    for (const double tolerance : {1e-6, 1e-9}) {
      options.tolerance = tolerance;
      expect_reference(graph, queries, options);
    }
    options.max_iterations = 40;
    expect_reference(graph, queries, options);
  }
}

TEST(PageRank, IterationLimitsAreRespected) {
  const Graph graph = chain(100);
  for (const std::uint32_t limit : {1U, 2U, 3U, 5U}) {
    SpreadOptions options = page_rank();
    options.max_iterations = limit;
    expect_reference(graph, {{{0, 1}}, {{50, 1}}}, options);
    options.tolerance = 0;
    expect_reference(graph, {{{0, 1}}, {{50, 1}}}, options);
  }
}

/// ‖answer − limit‖₁
double error_of(const Answer& answer, const std::vector<double>& limit) {
  std::vector<double> values(limit.size(), 0.0);
  for (const Activation& node : answer) values[node.node] = static_cast<double>(node.value);
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
      const auto answer = spread(Testing::context(), graph, {sources}, options, Space::serial)[0];
      // Values in float32 have a relative error of 6e-8, and float32 iterates add as much again.
      EXPECT_LE(error_of(answer, limit), (tolerance * damping + 1.2e-7) / (1 - damping))
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

void expect_refused(const Graph& graph, const Sources& sources, const SpreadOptions& options,
                    const std::string& message) {
  const SpreadingEngine engine(Testing::context(), {graph.nodes, graph.edges});
  try {
    engine.spread(ragged({sources}), options);
    FAIL() << "not refused: " << message;
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr(message));
  }
  // The engine must be unchanged.
  EXPECT_EQ(engine.spread(ragged({{{0, 1}}}), constant(1, 0)).activations.rows(), 1U);
}

TEST(PageRank, BadInputIsRejected) {
  const Graph graph = chain(3);
  const auto with = [](auto change) {
    SpreadOptions options = page_rank();
    change(options);
    return options;
  };
  expect_refused(graph, {{3, 1}}, page_rank(), "source node 3");
  expect_refused(graph, {{0, -1}}, page_rank(), "-1");
  expect_refused(graph, {{0, std::numeric_limits<float>::infinity()}}, page_rank(), "inf");
  expect_refused(graph, {{0, 3e38F}, {0, 3e38F}}, page_rank(), "float32");
  for (const double damping : {-0.1, 1.0, 2.0, std::nan("")})
    expect_refused(graph, {{0, 1}}, with([&](auto& o) { o.damping = damping; }), "damping");
  for (const double tolerance : {-1e-9, std::nan("")})
    expect_refused(graph, {{0, 1}}, with([&](auto& o) { o.tolerance = tolerance; }), "tolerance");
  expect_refused(graph, {{0, 1}}, with([](auto& o) { o.max_iterations = 0; }), "iteration");
  Graph negative{4, {{0, 1, 1}, {2, 3, 1}, {2, 1, -0.5F}}};
  const SpreadingEngine engine(Testing::context(), {negative.nodes, negative.edges});
  try {
    engine.spread(ragged({{{0, 1}}}), page_rank());
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("the edge 2 → 1 has the weight -0.5"));
  }
}

}  // namespace PageRankTest

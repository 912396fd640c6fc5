// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/graph/CombinedConfidence.hpp>

#include "SpreadPathReference.hpp"
#include "SpreadingWorld.hpp"

namespace Kindred::Testing::Graphs::PathTraceTest {

using Path = std::pair<float, std::vector<SpreadStep>>;

/// The paths to the result at index \p place of all results.
std::vector<Path> paths_of(const SpreadPaths& paths, std::size_t place) {
  std::vector<Path> list;
  for (std::size_t i = paths.strengths.offsets[place]; i < paths.strengths.offsets[place + 1]; ++i)
    list.emplace_back(paths.strengths.values[i], to_vector(paths.steps[i]));
  return list;
}

TEST(PathTrace, ReportsTheEdgesOfTheBestPathsFirst) {
  const SpreadingEngine engine =
      engine_of(Graph{4, {{0, 1, 0.5F}, {0, 2, 1}, {2, 1, 0.25F}, {1, 3, 1}}});
  EXPECT_EQ(engine.spread(query_of({{0, 1}})).paths.strengths.rows(), 0U) << "absent by default";
  for (const Space space : spaces()) {
    SpreadOptions options = on(space, linear(constant(1, 3)));
    options.trace_paths = 5;
    const SpreadResults results = engine.spread(query_of({{0, 1}}), options);
    ASSERT_EQ(results.paths.strengths.rows(), 4U);
    // Ranking: node 0 has 1, node 2 has 1, then nodes 1 and 3 have 0.75 each.
    EXPECT_EQ(results.activations.values[2], (Activation{1, 0.75F}));
    EXPECT_EQ(paths_of(results.paths, 0), (std::vector<Path>{{1.0F, {}}}));
    EXPECT_EQ(paths_of(results.paths, 1), (std::vector<Path>{{1.0F, {{0, 2, 1.0F, 1.0F}}}}));
    EXPECT_EQ(paths_of(results.paths, 3),
              (std::vector<Path>{
                  {0.5F, {{0, 1, 0.5F, 0.5F}, {1, 3, 1.0F, 0.5F}}},
                  {0.25F, {{0, 2, 1.0F, 1.0F}, {2, 1, 0.25F, 0.25F}, {1, 3, 1.0F, 0.25F}}}}));
  }
}

TEST(PathTrace, EqualsAllPathsSorted) {
  expect_property("the best paths are the first of all paths", [] {
    Graph graph{*rc::gen::inRange<std::size_t>(1, 6)};
    const auto node = rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(graph.nodes));
    const auto weight = rc::gen::element(0.0F, 0.125F, 0.1F, 0.5F, 0.7F, 1.0F);
    graph.edges =
        *rc::gen::container<std::vector<Edge>>(rc::gen::construct<Edge>(node, node, weight));
    if (graph.edges.size() > 12) graph.edges.resize(12);
    const auto sources =
        *rc::gen::container<std::vector<Activation>>(rc::gen::construct<Activation>(node, weight));
    SpreadOptions options;
    options.mode = *rc::gen::element(SpreadMode::engine, SpreadMode::linear);
    options.hops = *rc::gen::inRange<std::uint32_t>(0, 4);
    options.decay = {Decay::Kind::constant, *rc::gen::element(1.0, 0.3)};
    options.threshold = *rc::gen::element<std::optional<double>>(std::nullopt, 0.0, 0.2);
    options.trace_paths = *rc::gen::element<std::size_t>(1, 3, 100);
    const SpreadPathReference reference(graph.nodes, links_of(graph), nodes_of(sources),
                                        {options.hops, options.decay, options.threshold},
                                        options.mode == SpreadMode::linear);
    const SpreadResults results =
        engine_of(graph).spread(ragged<Activation>({sources, sources}), options);
    RC_ASSERT(results.paths.strengths.rows() == results.activations.values.size());
    for (std::size_t place = 0; place < results.activations.values.size(); ++place) {
      std::vector<Path> expected;
      for (const auto& path :
           reference.best(results.activations.values[place].node, options.trace_paths)) {
        expected.push_back({static_cast<float>(path.strengths.back()), {}});
        for (std::size_t i = 0; i < path.links.size(); ++i) {
          const auto& [from, to, weight, kind] = path.links[i];
          expected.back().second.push_back({from, to, weight, path.carried[i]});
        }
      }
      RC_ASSERT(paths_of(results.paths, place) == expected);
      RC_ASSERT(!expected.empty());
    }
  });
}

TEST(PathConfidence, IsThatOfIndependentPaths) {
  const std::vector<double> paths{0.25, 0.5, 0.125};
  EXPECT_EQ(path_confidence(paths), 1 - 0.5 * 0.75 * 0.875);
  EXPECT_EQ(path_confidence(paths, 2), 1 - 0.5 * 0.75);
  EXPECT_EQ(path_confidence(paths, 10, 0.25), 1 - 0.5 * 0.75);
  EXPECT_EQ(path_confidence({}), 0);
  EXPECT_EQ(path_confidence(std::vector<double>{1, 0.5}), 1);
  for (const double invalid : {1.5, std::nan("")})
    EXPECT_THROW(path_confidence(std::vector<double>{0.5, invalid}), InvalidArgument);
}

}  // namespace Kindred::Testing::Graphs::PathTraceTest

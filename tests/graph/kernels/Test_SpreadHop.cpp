// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "GraphSupport.hpp"

namespace SpreadHopTest {

using namespace Kindred;
using namespace Testing::Graphs;

/// Hops over a random graph in the representation that `parts_of(graph)` creates.
template <class PartsOf>
void expect_the_reference(std::mt19937_64& generator, const PartsOf& parts_of) {
  for (const SpreadMode mode : {SpreadMode::engine, SpreadMode::linear}) {
    const bool is_engine = mode == SpreadMode::engine;
    const Graph graph = random_graph(900, is_engine, generator);
    const HopParameters parameters = defaults(mode, 4);
    const Decay decay{Decay::Kind::power, 3};
    for (const HopWidth width : {HopWidth::one, HopWidth::eight, HopWidth::thirty_two}) {
      const Parts parts = parts_of(graph);
      const std::vector<Query> queries =
          random_queries(graph.nodes, static_cast<std::size_t>(width), is_engine, generator);
      std::vector<std::vector<float>> expected;
      for (const Query& query : queries)
        expected.push_back(reference(graph, query, parameters, decay));
      for (const Space space : Testing::spaces()) {
        Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
          EXPECT_EQ(spread_whole(exec_space, parts, queries, width, parameters, decay), expected)
              << to_string(space) << ", width " << static_cast<int>(width);
        });
      }
    }
  }
}

TEST(SpreadHop, MatchesReferenceForEveryWidth) {
  auto generator = Testing::generator("SpreadHop.width");
  expect_the_reference(generator, [](const Graph& graph) { return Parts(graph); });
}

TEST(SpreadHop, ReplacedRowsGiveTheBitsOfTheWholeGraph) {
  auto generator = Testing::generator("SpreadHop.replaced");
  expect_the_reference(generator, [&](const Graph& graph) { return Parts(graph, generator); });
}

TEST(SpreadHop, RowOfFindsTheSingleRowOfEveryNode) {
  auto generator = Testing::generator("SpreadHop.row_of");
  const HostSpace& exec_space = Impl::host_instance(Testing::context(), Space::openmp);
  const Graph graph = random_graph(900, true, generator);
  const Placed<HostSpace> placed(exec_space, Parts(graph, generator));
  const auto side = placed.view();
  for (std::uint32_t node = 0; node < graph.nodes; ++node) {
    const auto row = row_of(side.built, side.delta, node);
    ASSERT_EQ(row.count, graph.offsets[node + 1] - graph.offsets[node]) << node;
    for (std::uint64_t i = 0; i < row.count; ++i)
      ASSERT_EQ(row.part->sources(row.begin + i), graph.sources[graph.offsets[node] + i]) << node;
  }
}

TEST(SpreadHop, AnEmptyFrontierChangesNothing) {
  const Graph graph(3, {{0, 1, 0.01F}, {1, 2, 1}});
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
      const auto values = spread_whole(exec_space, Parts(graph), {{{0, 1}}}, HopWidth::one,
                                       defaults(SpreadMode::engine, 9), {});
      EXPECT_THAT(values.front(), ::testing::ElementsAre(1, 0, 0));
    });
  }
}

}  // namespace SpreadHopTest

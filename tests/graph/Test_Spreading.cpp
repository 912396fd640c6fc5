// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/core/graph/Frontier.hpp>

#include "GraphSupport.hpp"

namespace {

using namespace Kindred;
using namespace Testing::Graphs;

TEST(SpreadHop, EqualsTheReferenceForEveryWidth) {
  auto generator = Testing::generator("SpreadHop.width");
  for (const SpreadMode mode : {SpreadMode::engine, SpreadMode::linear}) {
    const bool is_engine = mode == SpreadMode::engine;
    const Graph graph = random_graph(900, is_engine, generator);
    const HopParameters parameters = defaults(mode, 4);
    const Decay decay{Decay::Kind::power, 3};
    for (const HopWidth width : {HopWidth::one, HopWidth::eight, HopWidth::thirty_two}) {
      const std::vector<Query> queries =
          random_queries(graph.nodes, static_cast<std::size_t>(width), is_engine, generator);
      std::vector<std::vector<float>> expected;
      for (const Query& query : queries)
        expected.push_back(reference(graph, query, parameters, decay));
      for (const Space space : Testing::spaces()) {
        Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
          EXPECT_EQ(spread_whole(exec_space, Parts(graph), queries, width, parameters, decay),
                    expected)
              << to_string(space) << ", width " << static_cast<int>(width);
        });
      }
    }
  }
}

TEST(SpreadHop, RowsThatReplaceOthersGiveTheBitsOfTheWholeGraph) {
  auto generator = Testing::generator("SpreadHop.replaced");
  for (const SpreadMode mode : {SpreadMode::engine, SpreadMode::linear}) {
    const bool is_engine = mode == SpreadMode::engine;
    const Graph graph = random_graph(900, is_engine, generator);
    const HopParameters parameters = defaults(mode, 4);
    const Decay decay{Decay::Kind::power, 3};
    for (const HopWidth width : {HopWidth::one, HopWidth::eight, HopWidth::thirty_two}) {
      const Parts parts(graph, generator);
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

TEST(SpreadHop, RowOfFindsTheOneRowOfEveryNode) {
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

TEST(SpreadHop, AFrontierThatDiedChangesNothing) {
  const Graph graph(3, {{0, 1, 0.01F}, {1, 2, 1}});
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
      const auto values = spread_whole(exec_space, Parts(graph), {{{0, 1}}}, HopWidth::one,
                                       defaults(SpreadMode::engine, 9), {});
      EXPECT_THAT(values.front(), ::testing::ElementsAre(1, 0, 0));
    });
  }
}

TEST(SpreadFrontier, EqualsTheReferenceOrGivesUp) {
  auto generator = Testing::generator("SpreadFrontier.reference");
  const HostSpace& exec_space = Impl::host_instance(Testing::context(), Space::openmp);
  for (const SpreadMode mode : {SpreadMode::engine, SpreadMode::linear}) {
    const bool is_engine = mode == SpreadMode::engine;
    const Graph graph = random_graph(900, is_engine, generator);
    const Placed<HostSpace> placed(exec_space, Parts(graph));
    const HopParameters parameters = defaults(mode, 3);
    const Decay decay{Decay::Kind::constant, 0.3};
    for (const std::uint64_t budget :
         {std::uint64_t{64}, std::uint64_t{3000}, std::uint64_t{1} << 30}) {
      const FrontierShape shape{3, graph.nodes, budget};
      const std::size_t places = shape.slots * shape.nodes;
      const std::size_t lists = shape.slots * shape.list();
      const Array<HostSpace, float> value("Kindred::Testing::value", places);
      const Array<HostSpace, float> passed("Kindred::Testing::passed", places);
      const Array<HostSpace, float> next("Kindred::Testing::next", places);
      const Array<HostSpace, std::uint8_t> tier("Kindred::Testing::tier", places);
      const Array<HostSpace, std::uint32_t> mark("Kindred::Testing::mark", places);
      const Array<HostSpace, std::uint32_t> stamp("Kindred::Testing::stamp", shape.slots);
      const Array<HostSpace, std::uint32_t> last("Kindred::Testing::last", shape.slots);
      const Array<HostSpace, std::uint32_t> nodes("Kindred::Testing::lists", 3 * lists);
      const Array<HostSpace, Rank> keys("Kindred::Testing::keys", lists);
      const FrontierState state{shape, value, passed, next, tier, mark, stamp, last, nodes, keys};
      clear_frontier(exec_space, state);
      const Array<HostSpace, std::uint64_t> out_offsets = to_space(exec_space, graph.out_offsets);
      const Array<HostSpace, std::uint32_t> out_targets = to_space(exec_space, graph.out_targets);
      std::size_t answered = 0;
      for (int round = 0; round < 2; ++round) {  // a second call finds the workspace clear
        const std::vector<Query> queries = random_queries(graph.nodes, 20, is_engine, generator);
        const std::vector<std::span<const Activation>> spans(queries.begin(), queries.end());
        std::vector<Rank> ranks(queries.size() * graph.nodes);
        std::vector<std::uint8_t> done(queries.size(), 7);
        spread_frontier(exec_space, placed.built.view(), out_offsets, out_targets, state, spans,
                        parameters, decay, graph.nodes, ranks, done);
        exec_space.fence("Kindred::Testing::spread_frontier");
        for (std::size_t query = 0; query < queries.size(); ++query) {
          if (done[query] == 0) continue;
          ++answered;
          std::vector<Rank> expected;
          for (const Reference::Node& node : Reference::ranked_nodes(
                   reference(graph, queries[query], parameters, decay), graph.nodes))
            expected.push_back(rank_descending(node.value, node.node));
          expected.resize(graph.nodes, rank_none);
          const Rank* row = ranks.data() + query * graph.nodes;
          EXPECT_EQ(std::vector<Rank>(row, row + graph.nodes), expected) << budget;
        }
      }
      EXPECT_EQ(answered == 40U, budget > 3000) << answered;
    }
  }
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Error.hpp>

#include "SpreadingSupport.hpp"

namespace SpreadingHopsTest {

using namespace Kindred;
using namespace Testing::SpreadingSupport;

TEST(SpreadingHops, AnyNumberOfColumnsMatchesReferenceInBothDirections) {
  auto generator = Testing::generator("SpreadingHops.columns");
  const Graph graph = random_graph(300, row_lengths, 2000, -1, 1, generator);
  const SpreadingEngine engine(Testing::context(), graph.nodes, graph.edges);
  std::uniform_real_distribution<float> value(-1, 1);
  for (const std::size_t columns : {1, 2, 8, 9, 31, 32, 33, 41, 70}) {
    std::vector<float> x(graph.nodes * columns);
    for (float& v : x) v = value(generator);
    for (const HopDirection direction : {HopDirection::along, HopDirection::against}) {
      std::vector<float> expected(x.size());
      for (std::size_t c = 0; c < columns; ++c) {
        std::vector<float> column(graph.nodes);
        for (std::size_t node = 0; node < graph.nodes; ++node) column[node] = x[node * columns + c];
        const auto y = Reference::hop(graph.nodes, links_of(graph), column, direction);
        for (std::size_t node = 0; node < graph.nodes; ++node)
          expected[node * columns + c] = y[node];
      }
      for (const Space space : Testing::spaces()) {
        std::vector<float> y(x.size(), 7.0F);
        HopOptions options;
        options.direction = direction;
        options.columns = columns;
        options.space = space;
        EXPECT_EQ(engine.hop(x, y, options).chosen, space);
        EXPECT_EQ(bits_of(y), bits_of(expected)) << to_string(space) << ", " << columns;
      }
    }
  }
}

TEST(SpreadingHops, ShortActivationsAreRoundedIdenticallyEverywhereAndReported) {
  auto generator = Testing::generator("SpreadingHops.short_activations");
  const Graph graph = random_graph(300, row_lengths, 2000, 0, 1, generator);
  const SpreadingEngine engine(Testing::context(), graph.nodes, graph.edges);
  SpreadOptions options = linear(constant(0.5));
  options.activations = ActivationPrecision::bfloat16;
  std::vector<Sources> queries;
  for (std::size_t i = 0; i < 40; ++i)
    queries.push_back({{static_cast<std::uint32_t>(generator() % graph.nodes), 0.7F}});
  Reference::SpreadSettings settings{options.hops, options.decay, {}};
  settings.short_activations = true;
  std::vector<Answer> expected;
  for (const Sources& query : queries) {
    const std::vector<Reference::Node> sources{{query[0].node, query[0].value}};
    const auto values = Reference::spread_linear(graph.nodes, links_of(graph), sources, settings);
    Answer& answer = expected.emplace_back();
    for (const Reference::Node& node : Reference::ranked_nodes(values, options.top))
      answer.push_back({node.node, node.value});
  }
  for (const Space space : Testing::spaces()) {
    EXPECT_EQ(bits(spread(Testing::context(), graph, queries, options, space)), bits(expected))
        << to_string(space);
  }
  EXPECT_TRUE(engine.spread(ragged(queries), options).not_guaranteed);
  options.activations = ActivationPrecision::float32;
  EXPECT_FALSE(engine.spread(ragged(queries), options).not_guaranteed);
}

TEST(SpreadingHops, InvalidArgumentsAreRejected) {
  const Graph graph{3, {{0, 1, 1}}};
  const SpreadingEngine engine(Testing::context(), graph.nodes, graph.edges);
  std::vector<float> x(6);
  std::vector<float> y(6);
  EXPECT_THROW(engine.hop(x, y), InvalidArgument);
  EXPECT_NO_THROW(engine.hop(x, y, {.columns = 2}));
  EXPECT_THROW(engine.hop({}, {}, {.columns = 0}), InvalidArgument);
  EXPECT_THROW(engine.hop(x, y, {.columns = 4097}), InvalidArgument);
  HopOptions options;
  options.columns = 2;
  options.modifiers.emplace();
  EXPECT_NO_THROW(engine.hop(x, y, options));
  options.modifiers->strengths[2][3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(engine.hop(x, y, options), InvalidArgument);
  SpreadOptions spread_options;
  spread_options.modifiers.emplace().fans[1].factor = -1;
  EXPECT_THROW(engine.spread(ragged({{{0, 1}}}), spread_options), InvalidArgument);
  spread_options.modifiers.reset();
  spread_options.mode = SpreadMode::pagerank;
  EXPECT_NO_THROW(engine.spread(ragged({{{0, 1}}}), spread_options));
  spread_options.kinds.reset(9);
  EXPECT_THROW(engine.spread(ragged({{{0, 1}}}), spread_options), InvalidArgument);
}

}  // namespace SpreadingHopsTest

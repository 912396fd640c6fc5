// SPDX-License-Identifier: Apache-2.0
// Kinds of edges that calls follow, and modifiers of weights.
#include <kindred/core/graph/Adjacency.hpp>

#include "SpreadingSupport.hpp"

namespace Kindred::Testing::Graphs::EdgeChoiceTest {

TEST(EdgeChoice, ModifiedWeightsStayFinite) {
  SpreadingEngine engine =
      engine_of(Graph{5, {{0, 2, 1e30F}, {1, 2, -1e30F}, {3, 2, 0.5F}, {3, 4, 1}}});
  SpreadModifiers modifiers;
  modifiers.strengths[0][0] = 1e30F;
  modifiers.fans[0].kind = SpreadModifiers::Fan::Kind::inverse;
  engine.remove_edges(
      {{{3, 2, {}}, {3, 4, {}}}});  // a source of degree 0 in a row that was replaced
  for (const Space space : spaces()) {
    for (const std::size_t columns : {1U, 8U, 9U, 32U}) {
      const std::vector<float> zeros(5 * columns, 0.0F);
      EXPECT_EQ(hopped(engine, zeros, columns, {.modifiers = modifiers, .space = space}), zeros)
          << to_string(space) << ", " << columns << " columns";
    }
  }
}

TEST(EdgeChoice, EdgesOfUnselectedKindsCarryNothing) {
  const Graph graph{3, {{0, 1, 1}, {1, 2, 1}}};
  SpreadOptions options = constant(1);
  options.kinds.reset(0);
  EXPECT_EQ(spread(graph, {{0, 0.5F}}, options), (Answer{{0, 0.5F}}));
  options.kinds.set(0);
  options.kinds.reset(1);
  EXPECT_EQ(spread(graph, {{0, 0.5F}}, options), (Answer{{0, 0.5F}, {1, 0.5F}, {2, 0.5F}}));
}

TEST(EdgeChoice, QueriesOfOneCallMayFollowDifferentKinds) {
  Graph graph = random_graph(200, {300, 40, 5000}, 2000);
  graph.kinds = random_kinds(graph.edges.size(), 4);
  for (std::uint8_t& kind : graph.kinds) kind = static_cast<std::uint8_t>(kind * 85);
  SpreadOptions options = constant_at(0.2, 0.001);
  std::vector<SpreadQuery> own(45, {options.hops, options.decay, options.threshold});
  Queries queries;
  for (SpreadQuery& query : own) {
    for (std::size_t kind = 0; kind < 256; kind += 85) query.kinds[kind] = random_below(2) == 0;
    queries.push_back(random_sources(200, 3));
  }
  own[0].kinds.reset();
  options.per_query = own;
  expect_reference(graph, queries, options);
}

TEST(EdgeChoice, AChangedGraphWithKindsAndModifiersMatchesReference) {
  using enum SpreadModifiers::Fan::Kind;
  for (const auto& [kept, fan] : {std::pair(EdgeWeights::float32, inverse_root),
                                  {EdgeWeights::float32, inverse},
                                  {EdgeWeights::float32, constant},
                                  {EdgeWeights::bfloat16, inverse_root},
                                  {EdgeWeights::none, inverse_root}}) {
    SCOPED_TRACE(to_string(kept));
    Graph given = random_graph(300, row_lengths, 2000);
    if (kept == EdgeWeights::none) given = with_unit_weights(given);
    given.kinds = random_kinds(given.edges.size(), 3);
    given.node_kinds = random_kinds(given.nodes, 10);
    Graph graph = given;  // as it is stored
    for (Edge& edge : graph.edges)
      if (kept == EdgeWeights::bfloat16) edge.weight = widen_weight(short_weight(edge.weight));
    SpreadOptions options = constant_at(0.9, 0.001);
    options.kinds.reset(1);
    options.modifiers = SpreadModifiers::engram_fan(fan);
    // The last edges are added later, to rows that are rebuilt, after weights were cached.
    const std::size_t first = given.edges.size() - 200;
    const auto expect_first = [&](const SpreadingEngine& engine, std::size_t edges) {
      Graph part = graph;
      part.edges.resize(edges);
      part.kinds.resize(edges);
      expect_reference(engine, part, {{{7, 0.9F}, {250, 0.4F}}}, options);
      expect_reference(engine, part, {{{7, 0.9F}}, {{250, 0.4F}}}, page_rank());
      const std::vector<float> x = random_values(part.nodes);
      for (const HopDirection direction : directions)
        expect_reference_hop(engine, part, x, 1, {direction, options.kinds, options.modifiers});
    };
    SpreadingEngine engine = engine_of({given.nodes, std::span(given.edges).first(first),
                                        std::span(given.kinds).first(first), given.node_kinds},
                                       {.weights = kept});
    expect_first(engine, first);
    engine.add_edges(std::span(given.edges).subspan(first), std::span(given.kinds).subspan(first));
    expect_first(engine, given.edges.size());
  }
}

}  // namespace Kindred::Testing::Graphs::EdgeChoiceTest

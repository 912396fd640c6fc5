// SPDX-License-Identifier: Apache-2.0
// Kinds of edges that calls follow, and modifiers of weights.
#include <kindred/core/common/Error.hpp>

#include "ColumnsOf.hpp"
#include "SpreadingSupport.hpp"

namespace EdgeChoiceTest {

using namespace Kindred;
using namespace Testing::SpreadingSupport;

TEST(EdgeChoice, ModifiersChangeWeightsBeforeSummation) {
  auto generator = Testing::generator("SpreadingHops.modifiers");
  const Graph graph = random_graph(300, row_lengths, 2000, 0, 1, generator);
  const SpreadingEngine engine(Testing::context(), {graph.nodes, graph.edges});
  const auto modifiers = SpreadModifiers::engram_fan(SpreadModifiers::Fan::Kind::inverse_root);
  const auto links = Reference::modified(graph.nodes, links_of(graph), {}, modifiers);
  const Sources sources = random_sources(graph.nodes, 40, 0, 1, generator);
  std::vector<Reference::Node> merged(graph.nodes);
  for (std::uint32_t node = 0; node < graph.nodes; ++node) merged[node].node = node;
  for (const Activation& source : sources) merged[source.node].value += source.value;
  std::vector<float> x(graph.nodes);
  for (std::size_t node = 0; node < graph.nodes; ++node) x[node] = merged[node].value;

  SpreadOptions options = constant(0.9);
  options.modifiers = modifiers;
  HopOptions hop_options;
  hop_options.modifiers = modifiers;
  const auto values =
      Reference::spread_engine(graph.nodes, links, merged, {options.hops, options.decay, {}});
  Answer expected;
  for (const Reference::Node& node : Reference::ranked_nodes(values, options.top))
    expected.push_back({node.node, node.value});
  const auto product = Reference::hop(graph.nodes, links, x, HopDirection::along);
  EXPECT_EQ(bits({spread(graph, sources, options)}), bits({expected}));
  for (const Space space : Testing::spaces()) {
    std::vector<float> y(graph.nodes);
    hop_options.space = space;
    engine.hop(std::span(x), std::span(y), hop_options);
    EXPECT_EQ(bits_of(y), bits_of(product)) << to_string(space);
  }
}

TEST(EdgeChoice, ModifiedWeightsStayFinite) {
  const std::vector<Edge> edges{{0, 2, 1e30F}, {1, 2, -1e30F}, {3, 2, 0.5F}, {3, 4, 1}};
  SpreadingEngine engine(Testing::context(), {5, edges});
  HopOptions options;
  SpreadModifiers modifiers;
  modifiers.strengths[0][0] = 1e30F;
  modifiers.fans[0].kind = SpreadModifiers::Fan::Kind::inverse;
  options.modifiers = modifiers;
  engine.remove_edges(
      {{{3, 2, {}}, {3, 4, {}}}});  // a source of degree 0 in a row that was replaced
  for (const Space space : Testing::spaces()) {
    options.space = space;
    for (const std::size_t columns : {1U, 8U, 9U, 32U}) {
      const std::vector<float> zeros(5 * columns, 0.0F);
      std::vector<float> y(5 * columns, 1.0F);
      engine.hop(Testing::columns_of(zeros, columns), Testing::columns_of(y, columns), options);
      EXPECT_EQ(y, zeros) << to_string(space) << ", " << columns << " columns";
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
  const Answer all{{0, 0.5F}, {1, 0.5F}, {2, 0.5F}};
  EXPECT_EQ(spread(graph, {{0, 0.5F}}, options), all);
  std::vector<SpreadQuery> queries(2, {options.hops, options.decay, {}});
  queries[0].kinds.reset();
  options.per_query = queries;
  for (const Space space : Testing::spaces()) {
    const auto answers =
        spread(Testing::context(), graph, {{{0, 0.5F}}, {{0, 0.5F}}}, options, space);
    EXPECT_EQ(answers, (std::vector<Answer>{{{0, 0.5F}}, all})) << to_string(space);
  }
}

TEST(EdgeChoice, QueriesOfOneCallMayFollowDifferentKinds) {
  auto generator = Testing::generator("SpreadingHops.own_kinds");
  const Graph graph = random_graph(200, {300, 40, 5000}, 2000, 0, 1, generator);
  std::vector<std::uint8_t> kinds;
  std::vector<Reference::Link> links;
  for (const Edge& edge : graph.edges) {
    kinds.push_back(static_cast<std::uint8_t>(generator() % 4 * 85));
    links.push_back({edge.from, edge.to, edge.weight, kinds.back()});
  }
  GraphSpan span{graph.nodes, graph.edges};
  span.edge_kinds = kinds;
  const SpreadingEngine engine(Testing::context(), span, {});
  SpreadOptions options = constant_at(0.2, 0.001);
  std::vector<SpreadQuery> queries(45, {options.hops, options.decay, options.threshold});
  std::vector<Sources> sources;
  std::vector<Answer> expected;
  for (SpreadQuery& query : queries) {
    for (std::size_t kind = 0; kind < 256; kind += 85) query.kinds[kind] = generator() % 2 == 0;
    sources.push_back(random_sources(200, 3, 0, 1, generator));
    std::vector<Reference::Node> nodes;
    for (const Activation& source : sources.back()) nodes.push_back({source.node, source.value});
    Reference::SpreadSettings settings{options.hops, options.decay, options.threshold};
    settings.kinds = query.kinds;
    Answer& answer = expected.emplace_back();
    const auto values = Reference::spread_engine(graph.nodes, links, nodes, settings);
    for (const Reference::Node& node : Reference::ranked_nodes(values, options.top))
      answer.push_back({node.node, node.value});
  }
  options.per_query = queries;
  for (const Space space : Testing::spaces()) {
    options.space = space;
    const SpreadResults results = engine.spread(ragged(sources), options);
    std::vector<Answer> answers;
    for (std::size_t i = 0; i < sources.size(); ++i)
      answers.emplace_back(results.activations[i].begin(), results.activations[i].end());
    EXPECT_EQ(bits(answers), bits(expected)) << to_string(space);
  }
}

TEST(EdgeChoice, AChangedGraphWithKindsMatchesReference) {
  auto generator = Testing::generator("SpreadingHops.changed");
  for (const EdgeWeights kept : {EdgeWeights::float32, EdgeWeights::bfloat16, EdgeWeights::none}) {
    Graph graph = random_graph(300, row_lengths, 2000, 0, 1, generator);
    std::vector<std::uint8_t> kinds;
    std::vector<Reference::Link> links;
    for (Edge& edge : graph.edges) {
      if (kept == EdgeWeights::none) edge.weight = 1;
      if (kept == EdgeWeights::bfloat16)
        edge.weight = std::bit_cast<float>(std::bit_cast<std::uint32_t>(edge.weight) & 0xFFFF0000U);
      kinds.push_back(static_cast<std::uint8_t>(generator() % 3));
      links.push_back({edge.from, edge.to, edge.weight, kinds.back()});
    }
    std::vector<std::uint8_t> node_kinds;
    for (std::size_t node = 0; node < graph.nodes; ++node)
      node_kinds.push_back(static_cast<std::uint8_t>(generator() % 3));
    // The last edges are added later, to rows that are rebuilt.
    const std::size_t first = graph.edges.size() - 200;
    GraphSpan span;
    span.nodes = graph.nodes;
    span.edges = std::span(graph.edges).first(first);
    span.edge_kinds = std::span(kinds).first(first);
    span.node_kinds = node_kinds;
    GraphOptions graph_options;
    graph_options.weights = kept;
    SpreadingEngine engine(Testing::context(), span, graph_options);
    const auto modifiers = SpreadModifiers::engram_fan(SpreadModifiers::Fan::Kind::inverse_root);
    for (const Space space : Testing::spaces()) {  // caches weights that the change invalidates
      HopOptions before;
      before.modifiers = modifiers;
      before.space = space;
      const std::vector<float> ones(graph.nodes, 1.0F);
      std::vector<float> y(graph.nodes);
      engine.hop(std::span(ones), std::span(y), before);
    }
    engine.add_edges(std::span(graph.edges).subspan(first), std::span(kinds).subspan(first));

    EdgeKinds followed = EdgeKinds().set();
    followed.reset(1);
    const auto modified = Reference::modified(graph.nodes, links, node_kinds, modifiers);
    std::vector<float> x(graph.nodes);
    for (float& v : x) v = std::uniform_real_distribution<float>(-1, 1)(generator);
    const std::vector<Reference::Node> sources{{7, 0.9F}, {250, 0.4F}};
    SpreadOptions options = constant_at(0.9, 0.001);
    options.kinds = followed;
    options.modifiers = modifiers;
    Reference::SpreadSettings settings{options.hops, options.decay, options.threshold};
    settings.kinds = followed;
    Answer expected;
    const auto values = Reference::spread_engine(graph.nodes, modified, sources, settings);
    for (const Reference::Node& node : Reference::ranked_nodes(values, options.top))
      expected.push_back({node.node, node.value});
    for (const Space space : Testing::spaces()) {
      for (const HopDirection direction : {HopDirection::along, HopDirection::against}) {
        HopOptions hop_options;
        hop_options.direction = direction;
        hop_options.kinds = followed;
        hop_options.modifiers = modifiers;
        hop_options.space = space;
        std::vector<float> y(graph.nodes);
        engine.hop(std::span(x), std::span(y), hop_options);
        EXPECT_EQ(bits_of(y),
                  bits_of(Reference::hop(graph.nodes, modified, x, direction, followed)))
            << to_string(space) << ", weights " << to_string(kept);
      }
      options.space = space;
      const SpreadResults results = engine.spread(ragged({{{7, 0.9F}, {250, 0.4F}}}), options);
      const Answer answer(results.activations[0].begin(), results.activations[0].end());
      EXPECT_EQ(bits({answer}), bits({expected}))
          << to_string(space) << ", weights " << to_string(kept);
    }
  }
}

}  // namespace EdgeChoiceTest

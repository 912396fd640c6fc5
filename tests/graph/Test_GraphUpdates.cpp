// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/graph/Adjacency.hpp>

#include "EdgeList.hpp"
#include "MessageOf.hpp"
#include "Properties.hpp"
#include "RaggedRows.hpp"
#include "SpreadingSupport.hpp"

namespace GraphUpdatesTest {

using namespace Kindred;
using Testing::EdgeList;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Testing::message_of;
using Testing::saved;
using Testing::TempFolder;

/// Options with which the engine merges only on request.
GraphOptions by_hand() {
  GraphOptions options;
  options.merge_share = 1e9;
  return options;
}

GraphSpan graph_of(std::size_t nodes, const std::vector<Edge>& edges) { return {nodes, edges}; }

std::vector<Activation> answer(const SpreadingEngine& engine, std::uint32_t source, Space space,
                               SpreadMode mode = SpreadMode::linear) {
  SpreadOptions options;
  options.mode = mode;
  options.decay = {Decay::Kind::constant, 0.5};
  options.threshold = 0.001;
  options.hops = 3;
  options.max_iterations = 5;
  options.top = 1000;
  options.space = space;
  const std::vector<Activation> sources{{source, 0.75F}};
  return engine.spread(Testing::ragged<Activation>({sources}), options).activations.values;
}

/// Compares the answers on every space from every node, and all rows of both directions.
void expect_same(const SpreadingEngine& changed, const EdgeList& list, const GraphOptions& options,
                 const TempFolder& folder) {
  const SpreadingEngine built = list.built(Testing::context(), options);
  RC_ASSERT(changed.nodes() == list.nodes);
  RC_ASSERT(changed.edges() == list.edges.size());
  const bool kinds_of_nothing = list.has_kinds && list.edges.empty();
  RC_ASSERT(kinds_of_nothing || saved(changed, folder) == saved(built, folder));
  std::vector<float> x(list.nodes);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7) - 2.5F;
  std::vector<float> expected(list.nodes);
  built.hop(std::span(x), std::span(expected), {.space = Space::serial});
  for (const Space space : Testing::spaces()) {
    std::vector<float> y(list.nodes, -1.0F);
    changed.hop(std::span(x), std::span(y), {.space = space});
    RC_ASSERT(y == expected);
    for (const std::uint32_t source : list.alive()) {
      for (const SpreadMode mode : {SpreadMode::linear, SpreadMode::engine, SpreadMode::pagerank})
        RC_ASSERT(answer(changed, source, space, mode) == answer(built, source, space, mode));
    }
  }
}

/// Applies the same random change to both.
void change(SpreadingEngine& engine, EdgeList& list) {
  const std::vector<std::uint32_t> alive = list.alive();
  const auto any_node = [&] { return *rc::gen::elementOf(alive); };
  switch (alive.empty() ? 3 : *rc::gen::inRange(0, 6)) {
    case 0:
    case 1: {
      std::vector<Edge> edges;
      std::vector<std::uint8_t> kinds;
      for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
        edges.push_back(
            {any_node(), any_node(), static_cast<float>(*rc::gen::inRange(0, 17)) / 16});
        if (engine.statistics().weights == EdgeWeights::none) edges.back().weight = 1;
        kinds.push_back(static_cast<std::uint8_t>(*rc::gen::inRange(0, 3)));
      }
      engine.add_edges(edges, list.has_kinds ? std::span<const std::uint8_t>(kinds)
                                             : std::span<const std::uint8_t>());
      for (std::size_t i = 0; i < edges.size(); ++i)
        list.add(edges[i], list.has_kinds ? kinds[i] : std::uint8_t{0});
      return;
    }
    case 2: {
      if (list.edges.empty()) return;
      const auto at = *rc::gen::inRange<std::size_t>(0, list.edges.size());
      EdgeEnds ends{list.edges[at].from, list.edges[at].to, {}};
      if (*rc::gen::arbitrary<bool>()) ends.kind = list.kinds[at];
      const std::size_t before = list.edges.size();
      list.erase([&](const Edge& edge, std::uint8_t kind) {
        return edge.from == ends.from && edge.to == ends.to && (!ends.kind || *ends.kind == kind);
      });
      RC_ASSERT(engine.remove_edges({{ends}}) == before - list.edges.size());
      return;
    }
    case 3: {
      const auto count = *rc::gen::inRange<std::size_t>(0, 3);
      RC_ASSERT(engine.add_nodes(count) == list.nodes);
      list.nodes += count;
      return;
    }
    case 4: {
      const std::uint32_t node = any_node();
      engine.remove_nodes({{node}});
      list.erase(
          [&](const Edge& edge, std::uint8_t) { return edge.from == node || edge.to == node; });
      list.removed.push_back(node);
      return;
    }
    default:
      engine.merge();
      RC_ASSERT(engine.statistics().rebuilt_rows == 0U);
  }
}

TEST(GraphUpdates, AChangedGraphEqualsTheOneBuiltFromItsEdges) {
  const TempFolder folder;
  Testing::expect_property("a changed graph has the rows and bits of one built anew", [&] {
    EdgeList list;
    list.nodes = *rc::gen::inRange<std::size_t>(0, 12);
    list.has_kinds = *rc::gen::arbitrary<bool>();
    GraphOptions options = by_hand();
    options.weights = *rc::gen::element(EdgeWeights::float32, EdgeWeights::float32,
                                        EdgeWeights::bfloat16, EdgeWeights::none);
    if (*rc::gen::inRange(0, 4) == 0) {  // every change is merged immediately
      options.merge_share = 0;
      options.background_merge = false;
    }
    SpreadingEngine engine = [&] {
      GraphSpan graph{list.nodes, list.edges};
      return SpreadingEngine(Testing::context(), graph, options);
    }();
    if (list.has_kinds && list.nodes > 0) {
      const Edge loop{0, 0, 1};
      const std::uint8_t kind = 2;
      engine.add_edges({&loop, 1}, {&kind, 1});
      list.add(loop, kind);
    } else {
      list.has_kinds = false;
    }
    for (int steps = *rc::gen::inRange(0, 12); steps > 0; --steps) {
      change(engine, list);
      if (*rc::gen::inRange(0, 3) == 0) expect_same(engine, list, options, folder);
    }
    if (options.merge_share == 0) RC_ASSERT(engine.statistics().rebuilt_rows == 0U);
    expect_same(engine, list, options, folder);
    // The loaded graph must be the same too.
    engine.save(folder / "saved");
    const SpreadingEngine loaded = SpreadingEngine::load(Testing::context(), folder / "saved");
    expect_same(loaded, list, options, folder);
  });
}

TEST(GraphUpdates, ShortWeightsEqualTheFloatsThatTheyDecodeTo) {
  auto generator = Testing::generator("GraphUpdates.short");
  EdgeList list;
  list.nodes = 200;
  EdgeList decoded = list;
  const auto node = [&] { return static_cast<std::uint32_t>(generator() % list.nodes); };
  for (int i = 0; i < 9000; ++i) {
    const Edge edge{node(), i % 2 == 0 ? 7U : node(),
                    static_cast<float>(generator() % 1000) / 1009.0F};
    list.add(edge);
    decoded.add({edge.from, edge.to, widen_weight(short_weight(edge.weight))});
  }
  const auto halves = [](const EdgeList& all, EdgeWeights weights) {
    GraphOptions options = by_hand();
    options.weights = weights;
    const std::span<const Edge> edges(all.edges);
    SpreadingEngine engine(Testing::context(), GraphSpan{all.nodes, edges.first(6000)}, options);
    engine.add_edges(edges.subspan(6000));
    return engine;
  };
  const SpreadingEngine shorts = halves(list, EdgeWeights::bfloat16);
  const SpreadingEngine floats = halves(decoded, EdgeWeights::float32);
  for (Edge& edge : decoded.edges) edge.weight = 1;
  const SpreadingEngine none = halves(decoded, EdgeWeights::none);
  const SpreadingEngine ones = halves(decoded, EdgeWeights::float32);
  for (const Space space : Testing::spaces()) {
    for (const SpreadMode mode : {SpreadMode::linear, SpreadMode::engine, SpreadMode::pagerank}) {
      for (const std::uint32_t source : {0U, 7U, 42U}) {
        EXPECT_EQ(answer(shorts, source, space, mode), answer(floats, source, space, mode));
        EXPECT_EQ(answer(none, source, space, mode), answer(ones, source, space, mode));
      }
    }
  }
}

TEST(GraphUpdates, LongRowsAreRebuiltInCanonicalOrder) {
  auto generator = Testing::generator("GraphUpdates.long");
  const TempFolder folder;
  EdgeList list;
  list.nodes = 300;
  const auto node = [&] { return static_cast<std::uint32_t>(generator() % list.nodes); };
  const auto weight = [&] { return static_cast<float>(generator() % 1000) / 1009.0F; };
  for (int i = 0; i < 20000; ++i) list.add({node(), i % 2 == 0 ? 7U : node(), weight()});
  SpreadingEngine engine(Testing::context(), graph_of(list.nodes, list.edges), by_hand());
  std::vector<Edge> more;
  for (int i = 0; i < 9000; ++i) more.push_back({node(), i % 3 == 0 ? 7U : 11U, weight()});
  engine.add_edges(more);
  for (const Edge& edge : more) list.add(edge);
  engine.remove_nodes({{42}});
  list.erase([](const Edge& edge, std::uint8_t) { return edge.from == 42 || edge.to == 42; });
  list.removed.push_back(42);
  expect_same(engine, list, by_hand(), folder);
  engine.merge();
  expect_same(engine, list, by_hand(), folder);
}

TEST(GraphUpdates, TheBackgroundThreadMergesOnceEnoughHasChanged) {
  GraphOptions options;
  options.merge_share = 0.5;
  SpreadingEngine engine(Testing::context(), graph_of(4, {{0, 1, 0.5F}, {1, 2, 0.5F}}), options);
  const std::vector<Edge> more{{2, 3, 0.5F}, {3, 0, 0.5F}, {0, 2, 0.5F}};
  engine.add_edges(more);
  for (int i = 0; i < 2000 && engine.statistics().merges == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_GE(engine.statistics().merges, 1U);
  EXPECT_EQ(engine.statistics().rebuilt_rows, 0U);
  EXPECT_EQ(engine.edges(), 5U);
}

TEST(GraphUpdates, NamesStayWithTheirNodes) {
  Ragged<char> names;
  for (const std::string_view name : {"a", "b", "c"}) names.push_row({name.data(), name.size()});
  const std::vector<Edge> edges{{0, 1, 1}, {1, 2, 1}};
  GraphSpan graph = graph_of(3, edges);
  graph.names = names;
  SpreadingEngine engine(Testing::context(), graph, by_hand());
  EXPECT_EQ(engine.find("c"), 2U);
  EXPECT_EQ(engine.name(1), "b");
  engine.remove_nodes({{1}});
  EXPECT_FALSE(engine.find("b"));
  EXPECT_EQ(engine.edges(), 0U);
  const std::vector<std::string_view> more{"d", "b", "d", "a"};
  const std::vector<std::uint8_t> kinds{1, 2, 3, 4};
  EXPECT_THAT(engine.add_nodes(more, kinds), ElementsAre(3, 1, 3, 0));
  EXPECT_EQ(engine.find("b"), 1U);
  EXPECT_EQ(engine.nodes(), 4U);
  EXPECT_EQ(engine.statistics().removed_nodes, 0U);
  EXPECT_TRUE(engine.statistics().node_kinds);
  EXPECT_THROW(engine.add_nodes(1), InvalidArgument);
  EXPECT_THROW(static_cast<void>(engine.name(4)), NotFound);
  SpreadingEngine unnamed(Testing::context(), graph_of(1, {}), by_hand());
  EXPECT_THROW(unnamed.add_nodes(more), InvalidArgument);
  EXPECT_THROW(static_cast<void>(unnamed.name(0)), NotFound);
  const std::vector<std::uint64_t> twice{0, 1, 2};
  graph.names = {twice, std::span<const char>("xx", 2)};
  graph.nodes = 2;
  graph.edges = {};
  EXPECT_THROW(SpreadingEngine(Testing::context(), graph, by_hand()), InvalidArgument);
}

TEST(GraphUpdates, RejectedCallsChangeNothing) {
  const TempFolder folder;
  const std::vector<Edge> edges{{0, 1, 0.5F}, {0, 1, 0.25F}, {1, 2, 1}};
  const std::vector<std::uint8_t> kinds{3, 4, 3};
  GraphSpan graph = graph_of(4, edges);
  graph.edge_kinds = kinds;
  SpreadingEngine engine(Testing::context(), graph, by_hand());
  engine.remove_nodes({{3}});
  const std::string before = saved(engine, folder);
  const auto edge = [&](Edge bad) {
    const std::vector<Edge> more{{0, 2, 1}, bad};
    return message_of<InvalidArgument>([&] { engine.add_edges(more); });
  };
  EXPECT_THAT(edge({0, 4, 1}),
              HasSubstr("edge 1 (0 → 4, weight 1.000000) ends at node 4; the graph has 4"));
  EXPECT_THAT(edge({3, 0, 1}), HasSubstr("ends at node 3, which was removed"));
  EXPECT_THAT(edge({0, 1, NAN}), HasSubstr("not finite"));
  EXPECT_THAT(edge({0, 1, HUGE_VALF}), HasSubstr("not finite"));
  const auto none = [&](EdgeEnds ends) {
    const std::vector<EdgeEnds> named{{1, 2, {}}, ends};
    return message_of<NotFound>([&] { engine.remove_edges(named); });
  };
  EXPECT_THAT(none({2, 1, {}}), HasSubstr("there is no edge 2 → 1"));
  EXPECT_THAT(none({0, 1, std::uint8_t{5}}), HasSubstr("no edge 0 → 1 of kind 5"));
  EXPECT_THAT(none({1, 2, {}}), HasSubstr("twice"));
  EXPECT_THAT(none({9, 9, {}}), HasSubstr("there is no edge 9 → 9"));
  const auto node = [&](std::vector<std::uint32_t> nodes) {
    return message_of<NotFound>([&] { engine.remove_nodes(nodes); });
  };
  EXPECT_THAT(node({0, 4}), HasSubstr("there is no node 4"));
  EXPECT_THAT(node({3}), HasSubstr("there is no node 3; 1 of 4 were removed"));
  EXPECT_THAT(node({0, 0}), HasSubstr("twice"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { engine.add_nodes(0xFFFFFFFBULL); }),
              HasSubstr("numbered in 32 bits"));
  const std::vector<std::uint8_t> one{1};
  EXPECT_THROW(engine.add_nodes(2, one), InvalidArgument);
  EXPECT_THROW(engine.add_edges(edges, one), InvalidArgument);
  EXPECT_EQ(saved(engine, folder), before);
  const std::vector<Activation> erased{{3, 1}};
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { engine.spread(Testing::ragged<Activation>({erased})); }),
      HasSubstr("source node 3: it was removed"));
  EXPECT_EQ(engine.remove_edges({{{0, 1, std::uint8_t{4}}}}), 1U);
  EXPECT_EQ(engine.remove_edges({{{0, 1, {}}}}), 1U);
  EXPECT_EQ(engine.edges(), 1U);
}

TEST(GraphUpdates, WeightsThatCannotBeStoredAreRejected) {
  const auto refusal = [](EdgeWeights weights, float weight) {
    const std::vector<Edge> edges{{0, 0, weight}};
    GraphOptions options;
    options.weights = weights;
    return message_of<InvalidArgument>(
        [&] { SpreadingEngine(Testing::context(), graph_of(1, edges), options); });
  };
  EXPECT_THAT(refusal(EdgeWeights::none, 0.5F), HasSubstr("the graph stores none"));
  EXPECT_THAT(refusal(EdgeWeights::bfloat16, 3.4e38F), HasSubstr("exceeds the bfloat16 limit"));
  GraphOptions options;
  options.merge_share = -1;
  EXPECT_THROW(SpreadingEngine(Testing::context(), graph_of(1, {}), options), InvalidArgument);
}

TEST(GraphUpdates, AWeightOutsideTheUnitIntervalIsTrackedWhileItExists) {
  SpreadingEngine engine(Testing::context(), graph_of(3, {{0, 1, 0.5F}}), by_hand());
  const std::vector<Activation> source{{0, 1}};
  const auto spread = [&] { engine.spread(Testing::ragged<Activation>({source})); };
  spread();
  engine.add_edges({{{1, 2, 1.5F}}});
  EXPECT_THAT(message_of<InvalidArgument>(spread), HasSubstr("edge 1 → 2 has the weight 1.5"));
  engine.merge();
  EXPECT_THAT(message_of<InvalidArgument>(spread), HasSubstr("edge 1 → 2 has the weight 1.5"));
  engine.remove_nodes({{2}});
  spread();
}

TEST(GraphUpdates, AWeightRoundedIntoTheUnitIntervalIsInside) {
  GraphOptions options;
  options.weights = EdgeWeights::bfloat16;
  const std::vector<Edge> edges{{0, 1, 1.003F}};
  const SpreadingEngine engine(Testing::context(), graph_of(2, edges), options);
  const std::vector<Activation> source{{0, 1}};
  EXPECT_EQ(engine.spread(Testing::ragged<Activation>({source})).activations[0].size(), 2U);
}

TEST(GraphUpdates, EdgesUseTheDocumentedNumberOfBytes) {
  auto generator = Testing::generator("GraphUpdates.bytes");
  constexpr std::size_t nodes = 1000;
  std::vector<Edge> edges(50'000);
  for (Edge& edge : edges)
    edge = {static_cast<std::uint32_t>(generator() % nodes),
            static_cast<std::uint32_t>(generator() % nodes), 1};
  const std::vector<std::uint8_t> kinds(edges.size(), 7);
  const auto bytes = [&](EdgeWeights weights, bool with_kinds) {
    GraphOptions options = by_hand();
    options.weights = weights;
    GraphSpan graph = graph_of(nodes, edges);
    if (with_kinds) graph.edge_kinds = kinds;
    const SpreadingEngine engine(Testing::context(), graph, options);
    const GraphStatistics statistics = engine.statistics();
    EXPECT_EQ(statistics.weights, weights);
    EXPECT_EQ(statistics.edge_kinds, with_kinds);
    // Offsets and row plans.
    EXPECT_LE(statistics.offset_bytes, 2 * (nodes + 1) * 8 + nodes * 8);
    EXPECT_EQ(statistics.bytes[space_index(Space::serial)],
              statistics.edge_bytes + statistics.offset_bytes);
    return statistics.edge_bytes;
  };
  const std::uint64_t both = 2 * edges.size();
  EXPECT_EQ(bytes(EdgeWeights::float32, false), both * 8);
  EXPECT_EQ(bytes(EdgeWeights::float32, true), both * 9);
  EXPECT_EQ(bytes(EdgeWeights::bfloat16, false), both * 6);
  EXPECT_EQ(bytes(EdgeWeights::none, false), both * 4);
  EXPECT_EQ(bytes(EdgeWeights::none, true), both * 5);
}

}  // namespace GraphUpdatesTest

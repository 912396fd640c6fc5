// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "Properties.hpp"
#include "SpreadingSupport.hpp"
#include "TextRows.hpp"

namespace Kindred::Testing::Graphs::GraphUpdatesTest {

/// A graph as a simple list of its edges, which every history of changes is compared with.
struct EdgeList {
  std::size_t nodes = 0;
  std::vector<std::pair<Edge, std::uint8_t>> edges;  ///< with their kinds
  std::vector<std::uint32_t> removed;
  bool has_kinds = false;

  void remove(std::uint32_t node) {
    std::erase_if(edges,
                  [&](const auto& one) { return one.first.from == node || one.first.to == node; });
    removed.push_back(node);
  }
  std::vector<std::uint32_t> alive() const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t node = 0; node < nodes; ++node)
      if (std::ranges::find(removed, node) == removed.end()) out.push_back(node);
    return out;
  }

  /// The same graph, built in one call.
  SpreadingEngine built(EdgeWeights weights) const {
    Graph graph{nodes};
    for (const auto& [edge, kind] : edges) {
      graph.edges.push_back(edge);
      if (has_kinds) graph.kinds.push_back(kind);
    }
    SpreadingEngine engine = engine_of(graph, by_hand(weights));
    engine.remove_nodes(removed);
    return engine;
  }
};

/// The bits of the answers from a source on one space, in every mode.
std::vector<std::vector<std::uint64_t>> answers(const SpreadingEngine& engine, std::uint32_t source,
                                                Space space) {
  std::vector<std::vector<std::uint64_t>> out;
  SpreadOptions options = on(space, constant_at(0.5, 0.001, 3));
  options.max_iterations = 5;
  for (const SpreadMode mode : {SpreadMode::linear, SpreadMode::engine, SpreadMode::pagerank}) {
    options.mode = mode;
    out.push_back(bits(engine.spread(query_of({{source, 0.75F}}), options)));
  }
  return out;
}

/// Compares the answers from every node, and all rows of both directions.
void expect_same(const SpreadingEngine& changed, const EdgeList& list, EdgeWeights weights) {
  const SpreadingEngine built = list.built(weights);
  RC_ASSERT(changed.nodes() == list.nodes);
  RC_ASSERT(changed.edges() == list.edges.size());
  const bool kinds_of_nothing = list.has_kinds && list.edges.empty();
  RC_ASSERT(kinds_of_nothing || changed.to_bytes() == built.to_bytes());
  std::vector<float> x(list.nodes);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7) - 2.5F;
  const std::vector<float> expected = hopped(built, x, 1, {.space = Space::serial});
  for (const Space space : spaces()) {
    RC_ASSERT(hopped(changed, x, 1, {.space = space}) == expected);
    for (const std::uint32_t source : list.alive())
      RC_ASSERT(answers(changed, source, space) == answers(built, source, space));
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
      const bool has_weights = engine.statistics().weights != EdgeWeights::none;
      for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
        const int weight = has_weights ? *rc::gen::inRange(0, 17) : 16;
        edges.push_back({any_node(), any_node(), static_cast<float>(weight) / 16});
        if (list.has_kinds) kinds.push_back(static_cast<std::uint8_t>(*rc::gen::inRange(0, 3)));
        list.edges.emplace_back(edges.back(), list.has_kinds ? kinds.back() : std::uint8_t{0});
      }
      engine.add_edges(edges, kinds);
      return;
    }
    case 2: {
      if (list.edges.empty()) return;
      const auto& [edge, kind] = list.edges[*rc::gen::inRange<std::size_t>(0, list.edges.size())];
      EdgeEnds ends{edge.from, edge.to, {}};
      if (*rc::gen::arbitrary<bool>()) ends.kind = kind;
      const std::size_t gone = std::erase_if(list.edges, [&](const auto& one) {
        return one.first.from == ends.from && one.first.to == ends.to &&
               ends.kind.value_or(one.second) == one.second;
      });
      RC_ASSERT(engine.remove_edges({{ends}}) == gone);
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
      list.remove(node);
      return;
    }
    default:
      engine.merge();
      RC_ASSERT(engine.statistics().rebuilt_rows == 0U);
  }
}

TEST(GraphUpdates, AChangedGraphEqualsTheOneBuiltFromItsEdges) {
  expect_property("a changed graph has the rows and bits of one built anew", [&] {
    EdgeList list;
    list.nodes = *rc::gen::inRange<std::size_t>(0, 12);
    list.has_kinds = *rc::gen::arbitrary<bool>() && list.nodes > 0;
    const auto weights = *rc::gen::element(EdgeWeights::float32, EdgeWeights::float32,
                                           EdgeWeights::bfloat16, EdgeWeights::none);
    GraphOptions options = by_hand(weights);
    if (*rc::gen::inRange(0, 4) == 0) {  // every change is merged immediately
      options.merge_share = 0;
      options.background_merge = false;
    }
    SpreadingEngine engine = engine_of({list.nodes}, options);
    if (list.has_kinds) {
      list.edges = {{{0, 0, 1}, 2}};
      engine.add_edges({{{0, 0, 1}}}, std::vector<std::uint8_t>{2});
    }
    for (int steps = *rc::gen::inRange(0, 12); steps > 0; --steps) {
      change(engine, list);
      if (*rc::gen::inRange(0, 3) == 0) expect_same(engine, list, weights);
    }
    if (options.merge_share == 0) RC_ASSERT(engine.statistics().rebuilt_rows == 0U);
    expect_same(engine, list, weights);
    // The loaded graph must be the same too.
    expect_same(SpreadingEngine::load(context(), engine.to_bytes()), list, weights);
  });
}

TEST(GraphUpdates, LongRowsAreRebuiltInCanonicalOrder) {
  EdgeList list;
  list.nodes = 300;
  const auto weight = [&] { return static_cast<float>(random_below(1000)) / 1009.0F; };
  for (int i = 0; i < 20000; ++i)
    list.edges.push_back({{random_node(300), i % 2 == 0 ? 7U : random_node(300), weight()}, 0});
  SpreadingEngine engine = list.built(EdgeWeights::float32);
  std::vector<Edge> more;
  for (int i = 0; i < 9000; ++i)
    more.push_back({random_node(300), i % 3 == 0 ? 7U : 11U, weight()});
  engine.add_edges(more);
  for (const Edge& edge : more) list.edges.emplace_back(edge, 0);
  engine.remove_nodes({{42}});
  list.remove(42);
  expect_same(engine, list, EdgeWeights::float32);
  engine.merge();
  expect_same(engine, list, EdgeWeights::float32);
}

TEST(GraphUpdates, TheBackgroundThreadMergesOnceEnoughHasChanged) {
  SpreadingEngine engine = engine_of(Graph{4, {{0, 1, 0.5F}, {1, 2, 0.5F}}}, {.merge_share = 0.5});
  engine.add_edges({{{2, 3, 0.5F}, {3, 0, 0.5F}, {0, 2, 0.5F}}});
  for (int i = 0; i < 2000 && engine.statistics().merges == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_GE(engine.statistics().merges, 1U);
  EXPECT_EQ(engine.statistics().rebuilt_rows, 0U);
  EXPECT_EQ(engine.edges(), 5U);
}

TEST(GraphUpdates, NamesStayWithTheirNodes) {
  const Ragged<char> names = text_rows({"a", "b", "c"});
  const std::vector<Edge> edges{{0, 1, 1}, {1, 2, 1}};
  SpreadingEngine engine = engine_of({3, edges, {}, {}, names}, by_hand());
  EXPECT_EQ(engine.find("c"), 2U);
  EXPECT_EQ(engine.name(1), "b");
  engine.remove_nodes({{1}});
  EXPECT_FALSE(engine.find("b"));
  EXPECT_EQ(engine.edges(), 0U);
  const std::vector<std::string_view> more{"d", "b", "d", "a"};
  EXPECT_THAT(engine.add_nodes(more, std::vector<std::uint8_t>{1, 2, 3, 4}),
              ElementsAre(3, 1, 3, 0));
  EXPECT_EQ(engine.find("b"), 1U);
  EXPECT_EQ(engine.nodes(), 4U);
  EXPECT_EQ(engine.statistics().removed_nodes, 0U);
  EXPECT_TRUE(engine.statistics().node_kinds);
  SpreadingEngine unnamed = engine_of({1}, by_hand());
  const Ragged<char> twice = text_rows({"x", "x"});
  const GraphSpan with_equal_names{2, {}, {}, {}, twice};
  expect_refused({{[&] { engine.add_nodes(1); }, ""},
                  {[&] { unnamed.add_nodes(more); }, ""},
                  {[&] { engine_of(with_equal_names); }, ""}});
  expect_refused<NotFound>({{[&] { static_cast<void>(engine.name(4)); }, ""},
                            {[&] { static_cast<void>(unnamed.name(0)); }, ""}});
}

TEST(GraphUpdates, RejectedCallsChangeNothing) {
  SpreadingEngine engine =
      engine_of(Graph{4, {{0, 1, 0.5F}, {0, 1, 0.25F}, {1, 2, 1}}, {3, 4, 3}}, by_hand());
  engine.remove_nodes({{3}});
  const auto before = engine.to_bytes();
  const auto adding = [&](const Edge& bad) {
    return [&engine, bad] { engine.add_edges({{{0, 2, 1}, bad}}); };
  };
  const auto removing = [&](const EdgeEnds& bad) {
    return [&engine, bad] { engine.remove_edges({{{1, 2, {}}, bad}}); };
  };
  const auto removing_nodes = [&](const std::vector<std::uint32_t>& bad) {
    return [&engine, bad] { engine.remove_nodes(bad); };
  };
  const std::uint8_t one[] = {1};
  const Edge two[] = {{0, 1, 1}, {0, 1, 1}};
  expect_refused({
      {adding({0, 4, 1}), "edge 1 (0 → 4, weight 1.000000) ends at node 4; the graph has 4"},
      {adding({3, 0, 1}), "ends at node 3, which was removed"},
      {adding({0, 1, NAN}), "not finite"},
      {adding({0, 1, HUGE_VALF}), "not finite"},
      {[&] { engine.add_nodes(0xFFFFFFFBULL); }, "numbered in 32 bits"},
      {[&] { engine.add_nodes(2, one); }, ""},
      {[&] { engine.add_edges(two, one); }, ""},
      {spreading(engine, {{3, 1}}), "source node 3: it was removed"},
  });
  expect_refused<NotFound>({
      {removing({2, 1, {}}), "there is no edge 2 → 1"},
      {removing({0, 1, std::uint8_t{5}}), "no edge 0 → 1 of kind 5"},
      {removing({1, 2, {}}), "twice"},
      {removing({9, 9, {}}), "there is no edge 9 → 9"},
      {removing_nodes({0, 4}), "there is no node 4"},
      {removing_nodes({3}), "there is no node 3; 1 of 4 were removed"},
      {removing_nodes({0, 0}), "twice"},
  });
  EXPECT_EQ(engine.to_bytes(), before);
  EXPECT_EQ(engine.remove_edges({{{0, 1, std::uint8_t{4}}}}), 1U);
  EXPECT_EQ(engine.remove_edges({{{0, 1, {}}}}), 1U);
  EXPECT_EQ(engine.edges(), 1U);
}

TEST(GraphUpdates, GraphsThatCannotBeStoredAreRejected) {
  const auto building = [](const Graph& graph, const GraphOptions& options = {}) {
    return [=] { engine_of(graph, options); };
  };
  expect_refused({
      {building({1, {{0, 0, 0.5F}}}, by_hand(EdgeWeights::none)), "the graph stores none"},
      {building({1, {{0, 0, 3.4e38F}}}, by_hand(EdgeWeights::bfloat16)), "the bfloat16 limit"},
      {building({1}, {.merge_share = -1}), ""},
      {building({2}, {.weights = static_cast<EdgeWeights>(3)}), ""},
      {building({2, {{0, 2, 1}}}), ""},
      {building({2, {{2, 0, 1}}}), ""},
      {building({0, {{0, 0, 1}}}), ""},
      {building({2, {{0, 1, NAN}}}), ""},
      {building({2, {{0, 1, HUGE_VALF}}}), ""},
  });
}

TEST(GraphUpdates, AWeightOutsideTheUnitIntervalIsTrackedWhileItExists) {
  for (const float outside : {1.5F, -0.5F}) {
    SpreadingEngine engine = engine_of(Graph{3, {{0, 1, 0.5F}}}, by_hand());
    const auto expect_refusal = [&](const SpreadingEngine& of) {
      expect_refused({{spreading(of, {{0, 1}}), "edge 1 → 2 has the weight " +
                                                    std::to_string(outside) + ", outside [0, 1]"}});
    };
    engine.spread(query_of({{0, 1}}));
    engine.add_edges({{{1, 2, outside}}});
    expect_refusal(engine);
    engine.merge();
    expect_refusal(engine);
    expect_refusal(SpreadingEngine::load(context(), engine.to_bytes()));
    EXPECT_NO_THROW(engine.spread(query_of({{0, 1}}), linear({})));
    engine.remove_nodes({{2}});
    engine.spread(query_of({{0, 1}}));
  }
  const SpreadingEngine rounded =
      engine_of(Graph{2, {{0, 1, 1.003F}}}, {.weights = EdgeWeights::bfloat16});
  EXPECT_EQ(rounded.spread(query_of({{0, 1}})).activations[0].size(), 2U)
      << "rounded into the interval";
}

TEST(GraphUpdates, EdgesUseTheDocumentedNumberOfBytes) {
  const Graph plain = with_unit_weights(random_graph(1000, {}, 50'000));
  Graph with_kinds = plain;
  with_kinds.kinds.assign(plain.edges.size(), 7);
  for (const auto& [weights, each] : {std::pair(EdgeWeights::float32, 8U),
                                      {EdgeWeights::bfloat16, 6U},
                                      {EdgeWeights::none, 4U}}) {
    for (const Graph& graph : {plain, with_kinds}) {
      const bool has_kinds = !graph.kinds.empty();
      const GraphStatistics statistics = engine_of(graph, by_hand(weights)).statistics();
      EXPECT_EQ(statistics.weights, weights);
      EXPECT_EQ(statistics.edge_kinds, has_kinds);
      EXPECT_EQ(statistics.edge_bytes, 2 * graph.edges.size() * (each + (has_kinds ? 1 : 0)));
      // Offsets and row plans.
      EXPECT_LE(statistics.offset_bytes, 2 * (graph.nodes + 1) * 8 + graph.nodes * 8);
      EXPECT_EQ(statistics.bytes[space_index(Space::serial)],
                statistics.edge_bytes + statistics.offset_bytes);
    }
  }
}

}  // namespace Kindred::Testing::Graphs::GraphUpdatesTest

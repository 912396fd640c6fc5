// SPDX-License-Identifier: Apache-2.0
// Functions of graphs and of fusion: each returns what the object of C++ behind the handle does.
#include "Members.hpp"

#include <ColumnsOf.hpp>
#include <Graph.hpp>

#include <kindred/matcher/RankFusion.hpp>

#include <Support.hpp>
#include <TempFolder.hpp>

#include <cstring>
#include <string>
#include <vector>

namespace GraphsOfCTest {

using namespace Kindred;
using namespace Kindred::Testing;

constexpr std::size_t nodes = 129;
constexpr std::size_t top = 9;

int count_release(void* count) { return ++*static_cast<int*>(count); }

/// A random graph as rows of the caller.
struct CsrRows {
  CsrRows() {
    auto generator = Testing::generator("CGraphs");
    for (std::size_t node = 0; node < nodes; ++node) {
      for (std::size_t i = 0; i < node % 7; ++i) {
        ends.values.push_back(static_cast<std::int32_t>(generator() % nodes));
        weights.values.push_back(static_cast<float>(generator() % 1000) / 1000);
        edges.push_back({static_cast<std::uint32_t>(node),
                         static_cast<std::uint32_t>(ends.values.back()), weights.values.back()});
      }
      offsets.values.push_back(static_cast<std::int64_t>(edges.size()));
      narrow.values.push_back(static_cast<std::int32_t>(edges.size()));
    }
    point(offsets);
    point(narrow);
    point(ends);
    point(weights);
  }
  template <class T>
  static void point(Numbers<T>& of) {
    of.tensor.shape[0] = Numbers<T>::extent(of.values.size());
    of.tensor.tensor.data = of.values.data();
  }
  kindred_status create(Numbers<std::int64_t>& of, int* released, kindred_graph** graph) {
    return kindred_graph_create_csr(c_context(), &of, &ends, &weights, nullptr, &count_release,
                                    released, graph);
  }
  Numbers<std::int64_t> offsets{{0}};
  Numbers<std::int32_t> narrow{{0}};
  Numbers<std::int32_t> ends{std::vector<std::int32_t>()};
  Floats weights{std::vector<float>()};
  std::vector<kindred_edge> edges;
};

/// A graph with kinds of edges and nodes, and three queries, one without sources.
class CGraphs : public ::testing::Test {
 protected:
  CGraphs() {
    for (std::size_t i = 0; i < rows.edges.size(); ++i) edge_kinds.push_back(i % 3);
    for (std::size_t i = 0; i < nodes; ++i) node_kinds.push_back(i % 2);
    ok(kindred_graph_create(c_context(), nodes, rows.edges.data(), rows.edges.size(),
                            edge_kinds.data(), node_kinds.data(), nullptr, nullptr, &graph));
  }
  const SpreadingEngine& inside() const { return C::graph_of(graph); }
  kindred_status spread(const kindred_spread_options& options, kindred_results** results) const {
    return kindred_graph_spread(graph, sources, values, offsets, 3, &options, results);
  }
  kindred_status spread_arrays(const kindred_spread_options& options) {
    return kindred_graph_spread_arrays(graph, &offset_array, &source_array, &value_array, &options,
                                       &out_nodes, &out_values, &record);
  }

  CsrRows rows;
  std::vector<std::uint8_t> edge_kinds;
  std::vector<std::uint8_t> node_kinds;
  Owned<kindred_graph> graph;
  const std::uint32_t sources[3] = {1, 20, 128};
  const float values[3] = {1, 0.5F, 0.25F};
  const std::uint64_t offsets[4] = {0, 2, 2, 3};
  const Ragged<Activation> of_cpp{{0, 2, 2, 3}, {{1, 1}, {20, 0.5F}, {128, 0.25F}}};
  Numbers<std::int64_t> offset_array{{0, 2, 2, 3}};
  Numbers<std::int32_t> source_array{{1, 20, 128}};
  Floats value_array{{1, 0.5F, 0.25F}};
  Numbers<std::uint32_t> out_nodes = Numbers<std::uint32_t>(3, top);
  Floats out_values = Floats(3, top);
  kindred_record record = KINDRED_RECORD_INIT;
};

TEST_F(CGraphs, SpreadsAreThoseOfCpp) {
  kindred_modifiers modifiers = KINDRED_MODIFIERS_INIT;
  modifiers.strengths[1][0] = 0.5;
  modifiers.fan_factors[1] = 0.25;
  modifiers.fan_kinds[1] = KINDRED_FAN_INVERSE;
  SpreadModifiers cpp_modifiers;
  cpp_modifiers.strengths[1][0] = 0.5;
  cpp_modifiers.fans[1] = {SpreadModifiers::Fan::Kind::inverse, 0.25};
  for (const std::int32_t space : c_spaces())
    for (const SpreadMode mode : {SpreadMode::engine, SpreadMode::linear, SpreadMode::pagerank}) {
      SCOPED_TRACE(static_cast<int>(mode));
      kindred_spread_options options = KINDRED_SPREAD_OPTIONS_INIT;
      options.mode = static_cast<std::int32_t>(mode);
      options.space = space;
      options.top = top;
      SpreadOptions expected_options{.mode = mode, .top = top};
      ok(spread_arrays(options));
      const SpreadResults of_arrays = inside().spread(of_cpp, expected_options);
      EXPECT_EQ(record.space, space);
      for (std::size_t i = 0; i < 3 * top; ++i) {
        const auto row = of_arrays.activations[i / top];
        const bool is_found = i % top < row.size();
        EXPECT_EQ(out_nodes.values[i], is_found ? row[i % top].node : UINT32_MAX);
        EXPECT_EQ(out_values.values[i], is_found ? row[i % top].value : 0);
      }
      if (mode != SpreadMode::pagerank) {
        options.trace_paths = expected_options.trace_paths = 2;
        options.kinds[0] = 3;
        options.kinds[1] = options.kinds[2] = options.kinds[3] = 0;
        expected_options.kinds = EdgeKinds(3);
        options.modifiers = &modifiers;
        expected_options.modifiers = cpp_modifiers;
      }
      Owned<kindred_results> results;
      ok(spread(options, &results));
      const SpreadResults found = inside().spread(of_cpp, expected_options);
      expect_results(results, found.activations);
      const kindred_results_view view = view_of(results);
      if (mode == SpreadMode::pagerank) {
        expect_members(view.convergence[0], found.convergence[0]);
        continue;
      }
      EXPECT_EQ(view.convergence, nullptr);
      const auto& [strengths, steps] = found.paths;
      EXPECT_EQ(list_of(view.path_offsets, strengths.offsets.size()),
                list_of(strengths.offsets.data(), strengths.offsets.size()));
      EXPECT_EQ(list_of(view.strengths, strengths.values.size()), strengths.values);
      EXPECT_EQ(list_of(view.step_offsets, steps.offsets.size()),
                list_of(steps.offsets.data(), steps.offsets.size()));
      ASSERT_FALSE(steps.values.empty());
      for (std::size_t i = 0; i < steps.values.size(); ++i)
        expect_members(view.steps[i], steps.values[i]);
    }
  const kindred_spread_query queries[3] = {{0.5, 0.25, {0, 0, 0, 0}, 3, KINDRED_DECAY_CONSTANT},
                                           {0.5, -1, {UINT64_MAX, 0, 0, 0}, 2, 0},
                                           {0.9, -1, {2, 0, 0, 0}, 1, KINDRED_DECAY_CONSTANT}};
  const SpreadQuery cpp_queries[3] = {
      {3, {Decay::Kind::constant, 0.5}, 0.25, EdgeKinds()},
      {2, {static_cast<Decay::Kind>(0), 0.5}, {}, EdgeKinds(UINT64_MAX)},
      {1, {Decay::Kind::constant, 0.9}, {}, EdgeKinds(2)}};
  kindred_spread_options options = KINDRED_SPREAD_OPTIONS_INIT;
  options.per_query = queries;
  options.per_query_size = 3;
  Owned<kindred_results> results;
  ok(spread(options, &results));
  expect_results(results, inside().spread(of_cpp, {.per_query = cpp_queries}).activations);
}

TEST_F(CGraphs, HopsAreThoseOfCppAlsoOfRowsOfTheCaller) {
  int released = 0;
  kindred_graph* wide = nullptr;
  ok(rows.create(rows.offsets, &released, &wide));
  Owned<kindred_graph> narrow;
  ok(kindred_graph_create_csr(c_context(), &rows.narrow, &rows.ends, &rows.weights, nullptr,
                              nullptr, nullptr, &narrow));
  Floats x(random_rows("CGraphs x", nodes * 2), 2);
  Floats y(nodes, 2);
  std::vector<float> expected(nodes * 2);
  for (const std::int32_t direction : {KINDRED_HOP_ALONG, KINDRED_HOP_AGAINST}) {
    const auto which = static_cast<HopDirection>(direction);
    inside().hop(columns_of(std::as_const(x.values), 2), columns_of(expected, 2),
                 {.direction = which});
    for (const std::int32_t space : c_spaces()) {
      kindred_hop_options options = KINDRED_HOP_OPTIONS_INIT;
      options.direction = direction;
      options.space = space;
      for (kindred_graph* const of : {graph.handle, wide, narrow.handle}) {
        kindred_record of_hop = KINDRED_RECORD_INIT;
        y.values.assign(y.values.size(), -1);
        ok(kindred_graph_hop(of, &x, &y, &options, &of_hop));
        EXPECT_EQ(y.values, expected);
        EXPECT_EQ(of_hop.space, space);
      }
      y.values.assign(y.values.size(), -1);
      ok(kindred_hop_csr_arrays(c_context(), &rows.offsets, &rows.ends, &rows.weights, &x,
                                direction, space, &y, nullptr));
      EXPECT_EQ(y.values, expected);
    }
    const std::vector<float> column(x.values.begin(), x.values.begin() + nodes);
    for (const bool is_weighted : {true, false}) {
      std::vector<Edge> edges;  // missing weights are 1
      for (const auto& [from, to, weight] : rows.edges)
        edges.push_back({from, to, is_weighted ? weight : 1});
      const SpreadingEngine of_column(context(), {nodes, edges}, {.residency = Residency::host});
      std::vector<float> out(nodes);
      std::vector<float> expected_out(nodes);
      ok(kindred_hop_csr(c_context(), rows.narrow.values.data(), rows.ends.values.data(),
                         is_weighted ? rows.weights.values.data() : nullptr, nodes, column.data(),
                         out.data(), direction));
      of_column.hop(std::span(column), std::span(expected_out), {.direction = which});
      EXPECT_EQ(out, expected_out);
    }
  }
  EXPECT_EQ(released, 0);
  ok(kindred_destroy(wide));
  EXPECT_EQ(released, 1);
}

TEST(CCsr, InvalidRowsAreRefusedAndNotReleased) {
  CsrRows rows;
  int released = 0;
  kindred_graph* graph = nullptr;
  const std::vector<float> x(nodes, 1);
  std::vector<float> y(nodes, -1);
  const auto hop = [&](std::int32_t direction, std::size_t count = nodes) {
    return kindred_hop_csr(c_context(), rows.narrow.values.data(), rows.ends.values.data(),
                           rows.weights.values.data(), count, x.data(), y.data(), direction);
  };
  expect_refused(hop(2), "direction");
  expect_refused(hop(KINDRED_HOP_ALONG, SIZE_MAX));
  rows.ends.values[5] = nodes;
  expect_refused(rows.create(rows.offsets, &released, &graph));
  expect_refused(hop(KINDRED_HOP_AGAINST));
  rows.ends.values[5] = 0;
  rows.offsets.values[0] = 1;
  expect_refused(rows.create(rows.offsets, &released, &graph));
  rows.offsets.values[0] = 0;
  rows.narrow.values[33] = -1;
  expect_refused(hop(KINDRED_HOP_ALONG));
  rows.weights.tensor.shape[0] -= 1;
  expect_refused(rows.create(rows.offsets, &released, &graph));
  EXPECT_EQ(released, 0);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(y, std::vector<float>(nodes, -1));
}

TEST(CGraph, ChangesNamesAndStatisticsAreThoseOfCpp) {
  const TempFolder folder;
  const std::string path = folder / "graph.knd";
  const std::vector<std::string> names{"a", "b", "c"};
  const kindred_edge edges[] = {{0, 1, 1}, {1, 2, 0.5F}};
  Owned<kindred_graph> graph;
  kindred_graph_options options = KINDRED_GRAPH_OPTIONS_INIT;
  options.background_merge = 0;
  ok(kindred_graph_create(c_context(), 3, edges, 2, nullptr, nullptr, c_texts(names).data(),
                          &options, &graph));
  const SpreadingEngine& inside = C::graph_of(graph);
  const std::vector<std::string> more{"d", "a"};
  const std::uint8_t kinds[] = {1, 2};
  std::uint32_t ids[2] = {};
  ok(kindred_graph_add_nodes(graph, c_texts(more).data(), 2, kinds, ids));
  EXPECT_EQ(numbers(ids[0], ids[1]), numbers(3, 0));
  const kindred_edge added[] = {{2, 3, 1}, {3, 1, 1}};
  ok(kindred_graph_add_edges(graph, added, 2, kinds));
  std::uint64_t removed = 0;
  kindred_edge_ends ends{1, 2, 256};
  expect_refused(kindred_graph_remove_edges(graph, &ends, 1, &removed));
  ends = {3, 1, 2};
  ok(kindred_graph_remove_edges(graph, &ends, 1, &removed));
  EXPECT_EQ(removed, 1U);
  ok(kindred_graph_merge(graph));
  const std::uint32_t node = 0;
  ok(kindred_graph_remove_nodes(graph, &node, 1));
  EXPECT_FALSE(has(graph, 0));
  EXPECT_TRUE(has(graph, 3));
  for (const char* const name : {"d", "e"}) {
    std::int64_t found = 0;
    ok(kindred_graph_find(graph, name, 1, &found));
    EXPECT_EQ(found, inside.find(name) ? static_cast<std::int64_t>(*inside.find(name)) : -1);
  }
  kindred_text name{};
  ok(kindred_graph_name(graph, 3, &name));
  EXPECT_EQ(text_of(name), inside.name(3));
  const auto found = expect_statistics<kindred_graph_statistics>(graph, inside.statistics());
  EXPECT_GT(found.merges, 0U);
  ok(kindred_save(graph, path.c_str()));
  kindred_graph_file_info info = KINDRED_GRAPH_FILE_INFO_INIT;
  ok(kindred_graph_inspect(path.c_str(), 0, &info));
  expect_members(info, SpreadingEngine::inspect(path));
  Owned<kindred_graph> unnamed;
  ok(kindred_graph_create(c_context(), 0, nullptr, 0, nullptr, nullptr, nullptr, nullptr,
                          &unnamed));
  ok(kindred_graph_add_nodes(unnamed, nullptr, 2, kinds, ids));
  EXPECT_EQ(numbers(ids[0], ids[1]), numbers(0, 1));

  kindred_modifiers modifiers = KINDRED_MODIFIERS_INIT;
  ok(kindred_modifiers_engram(&modifiers, sizeof(modifiers), KINDRED_FAN_INVERSE));
  const SpreadModifiers engram = SpreadModifiers::engram_fan(SpreadModifiers::Fan::Kind::inverse);
  EXPECT_EQ(std::memcmp(engram.strengths.data(), modifiers.strengths, sizeof(engram.strengths)), 0);
  for (std::size_t kind = 0; kind < 8; ++kind)
    EXPECT_EQ(numbers(modifiers.fan_factors[kind], modifiers.fan_kinds[kind]),
              numbers(engram.fans[kind].factor, engram.fans[kind].kind));
  expect_refused(kindred_modifiers_engram(&modifiers, sizeof(modifiers), 0));
}

TEST(CFusion, IsThatOfCpp) {
  const std::uint64_t ids[] = {1, 2, 3, 3, 1, 4};
  const double scores[] = {0.9, 0.8, 0.7, 10, 9, 8};
  const std::uint64_t offsets[] = {0, 3, 6};
  const double weights[] = {1, 2};
  kindred_fusion_options options = KINDRED_FUSION_OPTIONS_INIT;
  options.weights = weights;
  options.weights_size = 2;
  const std::vector<std::vector<RankedItem>> rankings{{{1, 0.9}, {2, 0.8}, {3, 0.7}},
                                                      {{3, 10}, {1, 9}, {4, 8}}};
  for (const FusionRule rule : {FusionRule::reciprocal_rank, FusionRule::borda}) {
    options.rule = static_cast<std::int32_t>(rule);
    Owned<kindred_results> results;
    ok(kindred_fuse_rankings(ids, scores, offsets, 2, &options, &results));
    const std::vector<FusedHit> expected =
        fuse_rankings(rankings, {.rule = rule, .weights = {1, 2}});
    const kindred_results_view view = view_of(results);
    ASSERT_EQ(view.offsets[1], expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(numbers(view.ids[i], view.scores[i]), numbers(expected[i].id, expected[i].score));
      const kindred_fusion_reason* const reasons = view.reasons + view.reason_offsets[i];
      ASSERT_EQ(view.reason_offsets[i + 1] - view.reason_offsets[i], expected[i].reasons.size());
      for (std::size_t r = 0; r < expected[i].reasons.size(); ++r)
        expect_members(reasons[r], expected[i].reasons[r]);
    }
  }
  kindred_results* refused = nullptr;
  options.weights_size = 1;
  expect_refused(kindred_fuse_rankings(ids, scores, offsets, 2, &options, &refused), "weights");
}

}  // namespace GraphsOfCTest

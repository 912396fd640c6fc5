// SPDX-License-Identifier: Apache-2.0
// Functions of graphs and of fusion: each returns what the object of C++ behind the handle does.
#include "CppArguments.hpp"
#include "Given.hpp"
#include "Members.hpp"

#include <Support.hpp>
#include <TempFolder.hpp>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace GraphsOfCTest {

using namespace Kindred;
using namespace Kindred::Testing;

constexpr std::size_t nodes = 129;
constexpr std::size_t top = 9;

int count_release(void* count) { return ++*static_cast<int*>(count); }

/// A random graph as rows of the caller.
struct CsrRows : GraphRows {
  CsrRows() : GraphRows("CGraphs", nodes, 7) {}
  kindred_status create(int* released, kindred_graph** graph) {
    return kindred_graph_create_csr(c_context(), &wide_offsets, &all_ends, &all_weights, nullptr,
                                    &count_release, released, graph);
  }
  Numbers<std::int64_t> wide_offsets{offsets};
  Numbers<std::int32_t> narrow_offsets{std::vector<std::int32_t>(offsets.begin(), offsets.end())};
  Numbers<std::int32_t> all_ends{ends};
  Floats all_weights{weights};
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
  Owned<kindred_results> spread(const kindred_spread_options& options) const {
    return result_of(kindred_graph_spread, graph, sources.values.data(), values.values.data(),
                     offsets, 3, &options);
  }

  CsrRows rows;
  std::vector<std::uint8_t> edge_kinds;
  std::vector<std::uint8_t> node_kinds;
  Owned<kindred_graph> graph;
  Numbers<std::int64_t> offset_array{{0, 2, 2, 3}};
  Numbers<std::uint32_t> sources{{1, 20, 128}};
  Floats values{{1, 0.5F, 0.25F}};
  const std::uint64_t offsets[4] = {0, 2, 2, 3};
  const Ragged<Activation> of_cpp{{0, 2, 2, 3}, {{1, 1}, {20, 0.5F}, {128, 0.25F}}};
};

TEST_F(CGraphs, SpreadsAreThoseOfCpp) {
  kindred_modifiers modifiers = KINDRED_MODIFIERS_INIT;
  modifiers.strengths[1][0] = 0.5;
  modifiers.fan_factors[1] = 0.25;
  modifiers.fan_kinds[1] = KINDRED_FAN_INVERSE;
  SpreadModifiers cpp_modifiers;
  cpp_modifiers.strengths[1][0] = 0.5;
  cpp_modifiers.fans[1] = {SpreadModifiers::Fan::Kind::inverse, 0.25};
  Numbers<std::int32_t> source_array{{1, 20, 128}};
  Numbers<std::uint32_t> out_nodes(3, top);
  Floats out_values(3, top);
  for (const std::int32_t space : c_spaces())
    for (const std::int32_t mode :
         {KINDRED_SPREAD_ENGINE, KINDRED_SPREAD_LINEAR, KINDRED_SPREAD_PAGERANK}) {
      SCOPED_TRACE(mode);
      kindred_spread_options options =
          Given::spread_options{.top = top, .mode = mode, .space = space};
      EXPECT_EQ(result_of(kindred_graph_spread_arrays, graph, &offset_array, &source_array, &values,
                          &options, &out_nodes, &out_values)
                    .space,
                space);
      const SpreadResults of_arrays = inside().spread(of_cpp, cpp_of(options));
      for (std::size_t i = 0; i < 3 * top; ++i) {
        const auto row = of_arrays.activations[i / top];
        const Activation wanted = i % top < row.size() ? row[i % top] : Activation{UINT32_MAX, 0};
        EXPECT_EQ(numbers(out_nodes.values[i], out_values.values[i]),
                  numbers(wanted.node, wanted.value));
      }
      options.trace_paths = mode == KINDRED_SPREAD_PAGERANK ? 0 : 2;
      SpreadOptions expected = cpp_of(options);
      if (mode != KINDRED_SPREAD_PAGERANK) {
        options.kinds[0] = 3;
        options.kinds[1] = options.kinds[2] = options.kinds[3] = 0;
        expected.kinds = EdgeKinds(3);
        options.modifiers = &modifiers;
        expected.modifiers = cpp_modifiers;
      }
      const auto results = spread(options);
      const SpreadResults found = inside().spread(of_cpp, expected);
      expect_results(results, found.activations);
      const kindred_results_view view = view_of(results);
      if (mode == KINDRED_SPREAD_PAGERANK) {
        expect_members(view.convergence[0], found.convergence[0]);
        continue;
      }
      EXPECT_EQ(view.convergence, nullptr);
      const auto& [strengths, steps] = found.paths;
      EXPECT_TRUE(has_values(view.path_offsets, strengths.offsets));
      EXPECT_TRUE(has_values(view.strengths, strengths.values));
      EXPECT_TRUE(has_values(view.step_offsets, steps.offsets));
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
  const kindred_spread_options options =
      Given::spread_options{.per_query = queries, .per_query_size = 3};
  expect_results(spread(options), inside().spread(of_cpp, {.per_query = cpp_queries}).activations);
}

TEST_F(CGraphs, WhatNoDescriptionExcludesIsRefused) {
  for (const std::int32_t kind : {-1, 4}) {
    const kindred_spread_query queries[3] = {
        {0.5, -1, {}, 2, 0}, {0.5, -1, {}, 2, 0}, {0.5, -1, {}, 2, kind}};
    kindred_modifiers modifiers = KINDRED_MODIFIERS_INIT;
    modifiers.fan_kinds[7] = kind;
    const kindred_spread_options wrong[] = {
        Given::spread_options{.per_query = queries, .per_query_size = 3},
        Given::spread_options{.modifiers = &modifiers},
        Given::spread_options{.mode = KINDRED_SPREAD_PAGERANK, .max_iterations = 0}};
    const char* words[] = {"decay_kind", "fan_kinds", "max_iterations"};
    for (std::size_t i = 0; i < 3; ++i)
      expect_no_result(words[i], kindred_graph_spread, graph, sources.values.data(),
                       values.values.data(), offsets, 3, &wrong[i]);
  }
}

TEST_F(CGraphs, HopsAreThoseOfCppAlsoOfRowsOfTheCaller) {
  int released = 0;
  kindred_graph* wide = nullptr;
  ok(rows.create(&released, &wide));
  const auto narrow = result_of(kindred_graph_create_csr, c_context(), &rows.narrow_offsets,
                                &rows.all_ends, &rows.all_weights, nullptr, nullptr, nullptr);
  Floats x(random_rows("CGraphs x", nodes * 2), 2);
  Floats y(nodes, 2), expected(nodes, 2);
  for (const std::int32_t direction : {KINDRED_HOP_ALONG, KINDRED_HOP_AGAINST}) {
    kindred_hop_options options = Given::hop_options{.direction = direction};
    inside().hop(array_of(&x), array_of(&expected), cpp_of(options));
    for (const std::int32_t space : c_spaces()) {
      options.space = space;
      for (kindred_graph* const of : {graph.handle, wide, narrow.handle}) {
        y.values.assign(y.values.size(), -1);
        EXPECT_EQ(result_of(kindred_graph_hop, of, &x, &y, &options).space, space);
        EXPECT_EQ(y.values, expected.values);
      }
      y.values.assign(y.values.size(), -1);
      ok(kindred_hop_csr_arrays(c_context(), &rows.wide_offsets, &rows.all_ends, &rows.all_weights,
                                &x, direction, space, &y, nullptr));
      EXPECT_EQ(y.values, expected.values);
    }
    const std::vector<float> column(x.values.begin(), x.values.begin() + nodes);
    for (const bool is_weighted : {true, false}) {
      std::vector<Edge> edges;  // missing weights are 1
      for (const auto& [from, to, weight] : rows.edges)
        edges.push_back({from, to, is_weighted ? weight : 1});
      const SpreadingEngine of_column(context(), {nodes, edges}, {.residency = Residency::host});
      std::vector<float> out(nodes), expected_out(nodes);
      ok(kindred_hop_csr(c_context(), rows.narrow_offsets.values.data(), rows.ends.data(),
                         is_weighted ? rows.weights.data() : nullptr, nodes, column.data(),
                         out.data(), direction));
      of_column.hop(std::span(column), std::span(expected_out),
                    {.direction = static_cast<HopDirection>(direction)});
      EXPECT_EQ(out, expected_out);
    }
  }
  EXPECT_EQ(released, 0);
  ok(kindred_destroy(wide));
  EXPECT_EQ(released, 1);
}

TEST(CCsr, InvalidRowsAreRefusedAndNotReleased) {
  int released = 0;
  kindred_graph* graph = nullptr;
  const std::vector<float> x(nodes, 1);
  std::vector<float> y(nodes, -1);
  const auto create = [&](CsrRows& rows) { return rows.create(&released, &graph); };
  const auto hop_of = [&](std::int32_t direction, std::size_t count = nodes) {
    return [&, direction, count](CsrRows& rows) {
      return kindred_hop_csr(c_context(), rows.narrow_offsets.values.data(),
                             rows.all_ends.values.data(), rows.weights.data(), count, x.data(),
                             y.data(), direction);
    };
  };
  struct Refusal {
    std::function<kindred_status(CsrRows& rows)> call;
    void (*spoil)(CsrRows& rows);
  };
  const auto end = [](CsrRows& rows) { rows.all_ends.values[5] = nodes; };
  const Refusal refusals[] = {
      {hop_of(KINDRED_HOP_ALONG, SIZE_MAX), [](CsrRows&) {}},
      {create, end},
      {hop_of(KINDRED_HOP_AGAINST), end},
      {create, [](CsrRows& rows) { rows.wide_offsets.values[0] = 1; }},
      {hop_of(KINDRED_HOP_ALONG), [](CsrRows& rows) { rows.narrow_offsets.values[33] = -1; }},
      {create, [](CsrRows& rows) { rows.all_weights.tensor.shape[0] -= 1; }}};
  for (const auto& [call, spoil] : refusals) {
    CsrRows rows;
    spoil(rows);
    expect_refused(call(rows));
  }
  EXPECT_EQ(released, 0);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(y, std::vector<float>(nodes, -1));
}

TEST(CGraph, ChangesNamesAndStatisticsAreThoseOfCpp) {
  const TempFolder folder;
  const std::string path = folder / "graph.knd";
  const std::vector<std::string> names{"a", "b", "c"};
  const kindred_edge edges[] = {{0, 1, 1}, {1, 2, 0.5F}};
  const kindred_graph_options options = Given::graph_options{.background_merge = 0};
  const auto graph = result_of(kindred_graph_create, c_context(), 3, edges, 2, nullptr, nullptr,
                               c_texts(names).data(), &options);
  const SpreadingEngine& inside = C::graph_of(graph);
  const std::vector<std::string> more{"d", "a"};
  const std::uint8_t kinds[] = {1, 2};
  std::uint32_t ids[2] = {};
  ok(kindred_graph_add_nodes(graph, c_texts(more).data(), 2, kinds, ids));
  EXPECT_EQ(numbers(ids[0], ids[1]), numbers(3, 0));
  const kindred_edge added[] = {{2, 3, 1}, {3, 1, 1}};
  ok(kindred_graph_add_edges(graph, added, 2, kinds));
  kindred_edge_ends ends{1, 2, 256};
  expect_no_result("", kindred_graph_remove_edges, graph, &ends, 1);
  ends = {3, 1, 2};
  EXPECT_EQ(result_of(kindred_graph_remove_edges, graph, &ends, 1), 1U);
  ok(kindred_graph_merge(graph));
  const std::uint32_t node = 0;
  ok(kindred_graph_remove_nodes(graph, &node, 1));
  EXPECT_FALSE(has(graph, 0));
  EXPECT_TRUE(has(graph, 3));
  EXPECT_EQ(result_of(kindred_graph_find, graph, "d", 1), inside.find("d"));
  EXPECT_FALSE(inside.find("e"));
  EXPECT_EQ(result_of(kindred_graph_find, graph, "e", 1), -1);
  EXPECT_EQ(text_of(result_of(kindred_graph_name, graph, 3)), inside.name(3));
  const auto found = expect_statistics<kindred_graph_statistics>(graph, inside.statistics());
  EXPECT_GT(found.merges, 0U);
  ok(kindred_save(graph, path.c_str()));
  expect_members(result_of(kindred_graph_inspect, path.c_str(), 0), SpreadingEngine::inspect(path));
  const auto unnamed = result_of(kindred_graph_create, c_context(), 0, nullptr, 0, nullptr, nullptr,
                                 nullptr, nullptr);
  ok(kindred_graph_add_nodes(unnamed, nullptr, 2, kinds, ids));
  EXPECT_EQ(numbers(ids[0], ids[1]), numbers(0, 1));

  kindred_modifiers modifiers = KINDRED_MODIFIERS_INIT;
  ok(kindred_modifiers_engram(&modifiers, sizeof(modifiers), KINDRED_FAN_INVERSE));
  const SpreadModifiers engram = SpreadModifiers::engram_fan(SpreadModifiers::Fan::Kind::inverse);
  EXPECT_EQ(std::memcmp(engram.strengths.data(), modifiers.strengths, sizeof(engram.strengths)), 0);
  for (std::size_t kind = 0; kind < 8; ++kind)
    EXPECT_EQ(numbers(modifiers.fan_factors[kind], modifiers.fan_kinds[kind]),
              numbers(engram.fans[kind].factor, engram.fans[kind].kind));
}

TEST(CFusion, IsThatOfCpp) {
  const std::uint64_t ids[] = {1, 2, 3, 3, 1, 4};
  const double scores[] = {0.9, 0.8, 0.7, 10, 9, 8};
  const std::uint64_t offsets[] = {0, 3, 6};
  const double weights[] = {1, 2};
  kindred_fusion_options options = Given::fusion_options{.weights = weights, .weights_size = 2};
  const std::vector<std::vector<RankedItem>> rankings{{{1, 0.9}, {2, 0.8}, {3, 0.7}},
                                                      {{3, 10}, {1, 9}, {4, 8}}};
  for (const std::int32_t rule : {KINDRED_FUSION_RECIPROCAL_RANK, KINDRED_FUSION_BORDA}) {
    options.rule = rule;
    const auto results = result_of(kindred_fuse_rankings, ids, scores, offsets, 2, &options);
    const std::vector<FusedHit> expected = fuse_rankings(rankings, cpp_of(options));
    const kindred_results_view view = view_of(results);
    ASSERT_EQ(view.offsets[1], expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(numbers(view.ids[i], view.scores[i]), numbers(expected[i].id, expected[i].score));
      ASSERT_EQ(view.reason_offsets[i + 1] - view.reason_offsets[i], expected[i].reasons.size());
      for (std::size_t r = 0; r < expected[i].reasons.size(); ++r)
        expect_members(view.reasons[view.reason_offsets[i] + r], expected[i].reasons[r]);
    }
  }
  options.weights_size = 1;
  expect_no_result("weights", kindred_fuse_rankings, ids, scores, offsets, 2, &options);
}

}  // namespace GraphsOfCTest

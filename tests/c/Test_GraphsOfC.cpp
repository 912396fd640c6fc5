// SPDX-License-Identifier: Apache-2.0
// The results of the C interface are those of the C++ interface.
#include "CSupport.hpp"
#include "ColumnsOf.hpp"

#include <kindred/matcher/RankFusion.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#include <Generator.hpp>
#include <Support.hpp>
#include <TempFolder.hpp>

#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace Kindred::Testing {
namespace {

TEST(CGraph, SpreadsAndHopsAreThoseOfCpp) {
  auto generator = Testing::generator("CGraph");
  constexpr std::uint32_t nodes = 100;
  std::uniform_int_distribution<std::uint32_t> node(0, nodes - 1);
  std::uniform_real_distribution<float> weight(0, 1);
  std::vector<kindred_edge> edges;
  std::vector<Edge> expected_edges;
  std::vector<std::uint8_t> kinds;
  for (int i = 0; i < 600; ++i) {
    edges.push_back({node(generator), node(generator), weight(generator)});
    expected_edges.push_back({edges.back().from, edges.back().to, edges.back().weight});
    kinds.push_back(static_cast<std::uint8_t>(i % 3));
  }
  const TempFolder folder;
  GraphSpan span;
  span.nodes = nodes;
  span.edges = expected_edges;
  span.edge_kinds = kinds;
  const SpreadingEngine expected(context(), span, {.residency = Residency::host});
  Owned<kindred_graph> graph;
  KINDRED_ASSERT_OK(kindred_graph_create(c_context(), nodes, edges.data(), edges.size(),
                                         kinds.data(), nullptr, nullptr, nullptr, &graph));
  const std::uint32_t sources[] = {1, 2, 3};
  const float values[] = {1, 0.5F, 0.25F};
  const std::uint64_t offsets[] = {0, 2, 2, 3};
  Ragged<Activation> rows;
  rows.values = {{1, 1}, {2, 0.5F}, {3, 0.25F}};
  rows.offsets = {0, 2, 2, 3};
  for (const std::int32_t space : c_spaces())
    for (const SpreadMode mode : {SpreadMode::engine, SpreadMode::linear, SpreadMode::pagerank}) {
      kindred_spread_options options = KINDRED_SPREAD_OPTIONS_INIT;
      options.mode = static_cast<std::int32_t>(mode);
      options.space = space;
      options.trace_paths = mode == SpreadMode::pagerank ? 0 : 2;
      SpreadOptions expected_options{.mode = mode, .trace_paths = options.trace_paths};
      if (mode == SpreadMode::linear) {
        options.kinds[0] = 3;
        options.kinds[1] = options.kinds[2] = options.kinds[3] = 0;
        expected_options.kinds = EdgeKinds(3);
      }
      Owned<kindred_results> results;
      KINDRED_ASSERT_OK(
          kindred_graph_spread(graph, sources, values, offsets, 3, &options, &results));
      const SpreadResults found = expected.spread(rows, expected_options);
      for (std::size_t i = 0; i < 4; ++i)
        ASSERT_EQ(view_of(results).offsets[i], found.activations.offsets[i]);
      for (std::size_t i = 0; i < found.activations.values.size(); ++i) {
        EXPECT_EQ(view_of(results).ids[i], found.activations.values[i].node);
        EXPECT_EQ(view_of(results).scores[i],
                  static_cast<double>(found.activations.values[i].value));
      }
      const kindred_results_view view = view_of(results);
      if (mode == SpreadMode::pagerank) {
        EXPECT_EQ(view.convergence[0].iterations, found.convergence[0].iterations);
        EXPECT_EQ(view.convergence[0].residual, found.convergence[0].residual);
        continue;
      }
      EXPECT_EQ(view.convergence, nullptr);
      for (std::size_t i = 0; i < found.paths.strengths.offsets.size(); ++i)
        EXPECT_EQ(view.path_offsets[i], found.paths.strengths.offsets[i]);
      for (std::size_t i = 0; i < found.paths.strengths.values.size(); ++i)
        EXPECT_EQ(view.strengths[i], found.paths.strengths.values[i]);
      for (std::size_t i = 0; i < found.paths.steps.offsets.size(); ++i)
        EXPECT_EQ(view.step_offsets[i], found.paths.steps.offsets[i]);
      for (std::size_t i = 0; i < found.paths.steps.values.size(); ++i) {
        EXPECT_EQ(view.steps[i].to, found.paths.steps.values[i].to);
        EXPECT_EQ(view.steps[i].carried, found.paths.steps.values[i].carried);
      }
    }
  std::vector<float> x = random_rows("CGraph x", nodes * 3);
  std::vector<float> y(x.size());
  std::vector<float> expected_y(x.size());
  expected.hop(Testing::columns_of(x, 3), Testing::columns_of(expected_y, 3));
  Tensor x_tensor(x.data(), KINDRED_FLOAT32, nodes, 3);
  Tensor y_tensor(y.data(), KINDRED_FLOAT32, nodes, 3);
  KINDRED_ASSERT_OK(kindred_graph_hop(graph, &x_tensor, &y_tensor, nullptr, nullptr));
  EXPECT_EQ(y, expected_y);
  x_tensor.tensor.ndim = y_tensor.tensor.ndim = 1;
  kindred_hop_options against = KINDRED_HOP_OPTIONS_INIT;
  against.direction = KINDRED_HOP_AGAINST;
  KINDRED_ASSERT_OK(kindred_graph_hop(graph, &x_tensor, &y_tensor, &against, nullptr));
  expected_y.resize(nodes);
  expected.hop(std::span<const float>(x).first(nodes), std::span(expected_y),
               {.direction = HopDirection::against});
  EXPECT_TRUE(std::equal(expected_y.begin(), expected_y.end(), y.begin()));
  Tensor wrong(y.data(), KINDRED_FLOAT32, nodes - 1, 3);
  x_tensor.tensor.ndim = 2;
  EXPECT_EQ(kindred_graph_hop(graph, &x_tensor, &wrong, nullptr, nullptr), KINDRED_INVALID);
}

TEST(CGraph, GraphsChangeAndFilesKeepThem) {
  const TempFolder folder;
  const std::vector<std::string> names{"a", "b", "c"};
  const kindred_edge edges[] = {{0, 1, 1}, {1, 2, 0.5F}};
  Owned<kindred_graph> graph;
  KINDRED_ASSERT_OK(kindred_graph_create(c_context(), 3, edges, 2, nullptr, nullptr,
                                         c_texts(names).data(), nullptr, &graph));
  const std::vector<std::string> more{"d", "a"};
  std::uint32_t ids[2] = {};
  KINDRED_ASSERT_OK(kindred_graph_add_nodes(graph, c_texts(more).data(), 2, nullptr, ids));
  EXPECT_EQ(ids[0], 3U);
  EXPECT_EQ(ids[1], 0U);
  const kindred_edge added[] = {{2, 3, 1}};
  KINDRED_ASSERT_OK(kindred_graph_add_edges(graph, added, 1, nullptr));
  const kindred_edge_ends ends[] = {{0, 1, -1}};
  std::uint64_t removed = 0;
  KINDRED_ASSERT_OK(kindred_graph_remove_edges(graph, ends, 1, &removed));
  EXPECT_EQ(removed, 1U);
  const kindred_edge_ends bad[] = {{1, 2, 256}};
  EXPECT_EQ(kindred_graph_remove_edges(graph, bad, 1, &removed), KINDRED_INVALID);
  const std::uint32_t node[] = {0};
  KINDRED_ASSERT_OK(kindred_graph_remove_nodes(graph, node, 1));
  KINDRED_ASSERT_OK(kindred_graph_merge(graph));
  std::int32_t exists = 1;
  KINDRED_ASSERT_OK(kindred_has(graph, 0, &exists));
  EXPECT_EQ(exists, 0);
  std::int64_t found = 0;
  KINDRED_ASSERT_OK(kindred_graph_find(graph, "d", 1, &found));
  EXPECT_EQ(found, 3);
  KINDRED_ASSERT_OK(kindred_graph_find(graph, "e", 1, &found));
  EXPECT_EQ(found, -1);
  kindred_text name{};
  KINDRED_ASSERT_OK(kindred_graph_name(graph, 3, &name));
  EXPECT_EQ(std::string(name.data, name.size), "d");
  const std::string path = folder / "graph.knd";
  KINDRED_ASSERT_OK(kindred_save(graph, path.c_str()));
  kindred_graph_file_info info = KINDRED_GRAPH_FILE_INFO_INIT;
  KINDRED_ASSERT_OK(kindred_graph_inspect(path.c_str(), 0, &info));
  EXPECT_EQ(info.edges, 2U);
  EXPECT_EQ(info.names, 1);
  Owned<kindred_graph> loaded;
  KINDRED_ASSERT_OK(kindred_graph_load(c_context(), path.c_str(), nullptr, 0, &loaded));
  kindred_graph_statistics statistics = KINDRED_GRAPH_STATISTICS_INIT;
  KINDRED_ASSERT_OK(kindred_get_statistics(loaded, &statistics));
  EXPECT_EQ(statistics.nodes, 4U);
  EXPECT_EQ(statistics.removed_nodes, 1U);
  EXPECT_EQ(statistics.edges, 2U);

  Owned<kindred_graph> unnamed;
  KINDRED_ASSERT_OK(kindred_graph_create(c_context(), 0, nullptr, 0, nullptr, nullptr, nullptr,
                                         nullptr, &unnamed));
  const std::uint8_t kinds[] = {0, 1};
  ids[0] = ids[1] = 9;
  KINDRED_ASSERT_OK(kindred_graph_add_nodes(unnamed, nullptr, 2, kinds, ids));
  EXPECT_EQ(ids[0], 0U);
  EXPECT_EQ(ids[1], 1U);
  kindred_modifiers modifiers;
  KINDRED_ASSERT_OK(kindred_init("kindred_modifiers", &modifiers, sizeof(modifiers)));
  EXPECT_EQ(modifiers.strengths[7][7], 1);
  const kindred_modifiers none = KINDRED_MODIFIERS_INIT;
  EXPECT_EQ(std::memcmp(&none, &modifiers, sizeof(none)), 0);
  KINDRED_ASSERT_OK(kindred_modifiers_engram(&modifiers, sizeof(modifiers), KINDRED_FAN_INVERSE));
  EXPECT_EQ(modifiers.strengths[1][0], 0.8);
  EXPECT_EQ(modifiers.fan_kinds[0], KINDRED_FAN_INVERSE);
  EXPECT_EQ(kindred_modifiers_engram(&modifiers, sizeof(modifiers), 0), KINDRED_INVALID);
  kindred_spread_options options = KINDRED_SPREAD_OPTIONS_INIT;
  options.modifiers = &modifiers;
  const kindred_edge one[] = {{1, 0, 1}};
  KINDRED_ASSERT_OK(kindred_graph_add_edges(unnamed, one, 1, nullptr));
  const std::uint32_t source = 1;
  const float value = 1;
  const std::uint64_t offsets[] = {0, 1};
  kindred_spread_query query{0.5, -1, {UINT64_MAX, 0, 0, 0}, 1, KINDRED_DECAY_CONSTANT};
  options.per_query = &query;
  options.per_query_size = 1;
  Owned<kindred_results> results;
  KINDRED_ASSERT_OK(kindred_graph_spread(unnamed, &source, &value, offsets, 1, &options, &results));
  ASSERT_EQ(view_of(results).offsets[1], 2U);
  EXPECT_EQ(view_of(results).ids[1], 0);
  EXPECT_NEAR(view_of(results).scores[1], 0.5 * 0.8 * 1.2, 1e-6);
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
    KINDRED_ASSERT_OK(kindred_fuse_rankings(ids, scores, offsets, 2, &options, &results));
    const std::vector<FusedHit> expected =
        fuse_rankings(rankings, {.rule = rule, .weights = {1, 2}});
    ASSERT_EQ(view_of(results).offsets[1], expected.size());
    const std::uint64_t* const reason_offsets = view_of(results).reason_offsets;
    const kindred_fusion_reason* const reasons = view_of(results).reasons;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(view_of(results).ids[i], static_cast<std::int64_t>(expected[i].id));
      EXPECT_EQ(view_of(results).scores[i], expected[i].score);
      ASSERT_EQ(reason_offsets[i + 1] - reason_offsets[i], expected[i].reasons.size());
      EXPECT_EQ(reasons[reason_offsets[i]].score, expected[i].reasons[0].score);
    }
  }
  Owned<kindred_results> results;
  options.weights_size = 1;
  EXPECT_EQ(kindred_fuse_rankings(ids, scores, offsets, 2, &options, &results), KINDRED_INVALID);
}

}  // namespace
}  // namespace Kindred::Testing

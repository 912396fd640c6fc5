// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/CsrGraph.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "CsrSupport.hpp"
#include "EdgeList.hpp"
#include "Faults.hpp"
#include "MessageOf.hpp"
#include "SpreadingSupport.hpp"

namespace CsrGraphTest {

using namespace Kindred;
using namespace Testing::SpreadingSupport;
using Testing::CsrArrays;
using ::testing::HasSubstr;
using Testing::in_row_order;
using Testing::saved;
using Testing::TempFolder;

GraphSpan span_of(const Graph& graph) { return {graph.nodes, graph.edges}; }

/// A graph whose weights are bfloat16 values.
Graph graph_of(std::size_t nodes, std::size_t edges, std::mt19937_64& generator) {
  Graph graph{nodes, {}};
  for (std::size_t i = 0; i < edges && nodes > 0; ++i)
    graph.edges.push_back({static_cast<std::uint32_t>(generator() % nodes),
                           static_cast<std::uint32_t>(generator() % nodes),
                           static_cast<float>(generator() % 65) / 64 - 0.25F});
  return graph;
}

std::string message_of(const CsrGraph& graph) {
  return Testing::message_of<InvalidArgument>([&] { SpreadingEngine(Testing::context(), graph); });
}

TEST(CsrGraph, GivesTheFileOfTheListOfItsEdges) {
  auto generator = Testing::generator("CsrGraph.list");
  const TempFolder folder;
  for (const std::size_t nodes : {0, 1, 2, 3, 31, 32, 33, 500}) {
    for (const std::size_t edges : {std::size_t{0}, nodes, 7 * nodes}) {
      const Graph graph = in_row_order(graph_of(nodes, edges, generator));
      Graph ones = graph;
      for (Edge& edge : ones.edges) edge.weight = 1;
      const CsrArrays arrays(graph);
      const auto listed = [&](const Graph& list, EdgeWeights weights) {
        return saved({Testing::context(), span_of(list), GraphOptions{.weights = weights}}, folder);
      };
      const auto from_rows = [&](const CsrGraph& rows) {
        return saved(SpreadingEngine(Testing::context(), rows), folder);
      };
      EXPECT_EQ(from_rows(arrays.graph()), listed(graph, EdgeWeights::float32));
      EXPECT_EQ(from_rows(arrays.short_graph()), listed(graph, EdgeWeights::float32));
      EXPECT_EQ(from_rows(arrays.bfloat16_graph()), listed(graph, EdgeWeights::bfloat16));
      EXPECT_EQ(from_rows(arrays.unweighted_graph()), listed(ones, EdgeWeights::none));
    }
  }
}

TEST(CsrGraph, SpreadsAndHopsAsTheListOfItsEdgesOnEverySpace) {
  auto generator = Testing::generator("CsrGraph.spread");
  const Graph graph = in_row_order(random_graph(300, row_lengths, 2000, 0, 1, generator));
  const CsrArrays arrays(graph);
  const SpreadingEngine listed(Testing::context(), {graph.nodes, graph.edges});
  const SpreadingEngine rows(Testing::context(), arrays.short_graph());
  const auto sources = ragged({random_sources(graph.nodes, 20, 0, 1, generator)});
  std::vector<float> x(graph.nodes);
  for (float& value : x) value = static_cast<float>(generator() % 1000) / 7;
  for (const Space space : Testing::spaces()) {
    SpreadOptions options = constant(0.5);
    options.space = space;
    EXPECT_EQ(rows.spread(sources, options).activations.values,
              listed.spread(sources, options).activations.values);
    for (const HopDirection direction : {HopDirection::along, HopDirection::against}) {
      std::vector<float> y(graph.nodes);
      std::vector<float> expected(graph.nodes);
      HopOptions hop_options;
      hop_options.direction = direction;
      hop_options.space = space;
      listed.hop(std::span(x), std::span(expected), hop_options);
      rows.hop(std::span(x), std::span(y), hop_options);
      EXPECT_EQ(bits_of(y), bits_of(expected)) << to_string(space);
    }
  }
}

TEST(CsrGraph, ChangesLikeTheListOfItsEdgesAndLeavesTheArraysAlone) {
  auto generator = Testing::generator("CsrGraph.changes");
  const TempFolder folder;
  const Graph graph = in_row_order(graph_of(60, 300, generator));
  const CsrArrays arrays(graph);
  const CsrArrays before = arrays;
  GraphOptions options;
  options.merge_share = 1e9;
  SpreadingEngine listed(Testing::context(), span_of(graph), options);
  SpreadingEngine rows(Testing::context(), arrays.graph(), options);
  for (int round = 0; round < 3; ++round) {
    for (SpreadingEngine* engine : {&listed, &rows}) {
      const std::uint32_t node = engine->add_nodes(2);
      engine->add_edges({{{node, 3, 0.5F}, {7, node + 1, 0.25F}, {7, 7, 0.125F}}});
      engine->remove_nodes({{static_cast<std::uint32_t>(10 + round)}});
      if (round == 1) engine->merge();
    }
    EXPECT_EQ(saved(rows, folder), saved(listed, folder)) << round;
  }
  EXPECT_EQ(arrays.offsets, before.offsets);
  EXPECT_EQ(arrays.ends, before.ends);
  EXPECT_EQ(arrays.weights, before.weights);
}

TEST(CsrGraph, OwnerOfTheArraysIsReleasedOnceNothingReadsThem) {
  auto generator = Testing::generator("CsrGraph.owner");
  const auto arrays = std::make_shared<const CsrArrays>(graph_of(20, 100, generator));
  CsrGraph graph = arrays->graph();
  graph.owner = arrays;
  {
    SpreadingEngine engine(Testing::context(), graph, {.merge_share = 1e9});
    graph.owner.reset();
    EXPECT_EQ(arrays.use_count(), 2);
    engine.add_edges({{{0, 1, 0.5F}}});
    engine.merge();
    EXPECT_EQ(arrays.use_count(), 1) << "the merged rows are the engine's own";
    graph.owner = arrays;
    engine = SpreadingEngine(Testing::context(), graph);
    graph.owner.reset();
    EXPECT_EQ(arrays.use_count(), 2);
  }
  EXPECT_EQ(arrays.use_count(), 1);
}

TEST(CsrGraph, RowsInTheLayoutOfTheEngineAreNotCopied) {
  auto generator = Testing::generator("CsrGraph.borrowed");
  const Graph graph = graph_of(1000, 20'000, generator);
  const CsrArrays arrays(graph);
  const auto context = Testing::make_faulty_context(std::make_shared<Testing::Faults>(), 1);
  GraphOptions options;
  options.residency = Residency::host;
  const auto used = [&](const CsrGraph& rows) {
    const SpreadingEngine engine(*context, rows, options);
    return context->memory_statistics(Space::serial).bytes_in_use;
  };
  const std::uint64_t transpose = 20'000 * 8 + 1001 * 8;
  const std::uint64_t plans = 2000;
  EXPECT_LT(used(arrays.graph()), transpose + plans);
  EXPECT_LT(used(arrays.short_graph()), transpose + 1001 * 8 + plans);
}

TEST(CsrGraph, InvalidRowsAreRejectedWithTheElement) {
  const std::vector<std::int64_t> offsets{0, 2, 2, 3};
  const std::vector<std::int32_t> ends{0, 2, 1};
  const std::vector<float> weights{1, 2, 3};
  const auto rows = [&](const std::vector<std::int64_t>& of, const std::vector<std::int32_t>& to) {
    return CsrGraph{std::span(of), std::span(to), ConstArray(std::span(weights))};
  };
  EXPECT_NO_THROW(SpreadingEngine(Testing::context(), rows(offsets, ends)));
  using Offsets = std::vector<std::int64_t>;
  using Ends = std::vector<std::int32_t>;
  const auto message = [&](const Offsets& of, const Ends& to) { return message_of(rows(of, to)); };
  EXPECT_THAT(message({}, ends), HasSubstr("offsets has no elements"));
  EXPECT_THAT(message({1, 2, 2, 3}, ends), HasSubstr("offsets[0] is 1; row offsets start at 0"));
  EXPECT_THAT(message({0, 2, 1, 3}, ends), HasSubstr("offsets[2] is 1, after 2"));
  EXPECT_THAT(message({0, -1, 2, 3}, ends), HasSubstr("offsets[1] is -1, after 0"));
  EXPECT_THAT(message({0, 2, 2, 4}, ends), HasSubstr("the last offset is 4, and there are 3 ends"));
  EXPECT_THAT(message({0, 2, 2, 2}, ends), HasSubstr("the last offset is 2"));
  EXPECT_THAT(message({0}, ends), HasSubstr("the last offset is 0"));
  EXPECT_THAT(message(offsets, {0, 3, 1}),
              HasSubstr("ends[1] is 3, which is not one of the 3 nodes"));
  EXPECT_THAT(message(offsets, {0, 2, -1}), HasSubstr("ends[2] is -1"));

  CsrGraph graph = rows(offsets, ends);
  const std::vector<std::uint32_t> unsigned_ends{0, 2, 0xFFFFFFFFU};
  graph.ends = std::span(unsigned_ends);
  EXPECT_THAT(message_of(graph), HasSubstr("ends[2] is 4294967295"));
  graph.ends = std::span(weights);
  EXPECT_THAT(message_of(graph), HasSubstr("ends is float32 [3]; it must be int32 or uint32"));
  graph = rows(offsets, ends);
  graph.offsets = std::span(weights);
  EXPECT_THAT(message_of(graph), HasSubstr("offsets is float32 [3]; it must be int32 or int64"));
  for (const float weight :
       {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
        std::numeric_limits<float>::quiet_NaN()}) {
    const std::vector<float> some{1, weight, 0};
    graph = rows(offsets, ends);
    graph.weights = ConstArray(std::span(some));
    EXPECT_THAT(message_of(graph), HasSubstr("weights[1] is "));
    const std::vector<std::uint16_t> halves{
        0x3F80, static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(weight) >> 16U), 0};
    const std::vector<std::int64_t> shape{3};
    graph.weights = ConstArray(halves.data(), DataType::bfloat16, shape);
    EXPECT_THAT(message_of(graph), HasSubstr("weights[1] is "));
  }
  const std::vector<float> two{1, 2};
  graph.weights = ConstArray(std::span(two));
  EXPECT_THAT(message_of(graph), HasSubstr("weights is float32 [2]; it must be float32 [3]"));
  const std::vector<double> doubles{1, 2, 3};
  graph.weights = ConstArray(std::span(doubles));
  EXPECT_THAT(message_of(graph), HasSubstr("it must be float32 or bfloat16"));
  EXPECT_THROW(SpreadingEngine(Testing::context(), rows(offsets, ends), {.merge_share = -1}),
               InvalidArgument);
}

TEST(CsrGraph, ArraysWithGapsOrOfAnotherRankAreRejected) {
  const std::vector<std::int64_t> offsets{0, 1, 1};
  const std::vector<std::uint32_t> ends{1, 1, 0};
  const std::vector<std::int64_t> one{1};
  const std::vector<std::int64_t> two{2};
  const std::vector<std::int64_t> square{1, 1};
  CsrGraph graph{std::span(offsets), ConstArray(ends.data(), DataType::uint32, square)};
  EXPECT_THAT(message_of(graph), HasSubstr("ends is uint32 [1, 1]"));
  const std::vector<std::int64_t> longer{0, 2, 2};
  graph = {std::span(longer), ConstArray(ends.data(), DataType::uint32, two, two)};
  EXPECT_THAT(message_of(graph), HasSubstr("must be consecutive"));
  const auto* const odd = reinterpret_cast<const std::byte*>(ends.data()) + 1;
  graph = {std::span(offsets), ConstArray(odd, DataType::uint32, one)};
  EXPECT_THAT(message_of(graph), HasSubstr("is not aligned to its elements of 4 bytes"));
}

TEST(CsrGraph, FaultsOfAnyAllocationAreOutOfMemoryAndLeaveNothing) {
  auto generator = Testing::generator("CsrGraph.faults");
  const Graph graph = graph_of(30, 200, generator);
  const CsrArrays arrays(graph);
  std::vector<float> x(graph.nodes * 3, 0.5F);
  const auto faults = std::make_shared<Testing::Faults>();
  const auto context = Testing::make_faulty_context(faults, 1);
  const auto nothing_left = [&](std::size_t k) {
    EXPECT_EQ(context->memory_statistics(Space::serial).bytes_in_use, 0U) << k;
  };
  const std::size_t failures = Testing::fail_every_accounted(
      *faults,
      [&] { SpreadingEngine(*context, arrays.short_graph(), {.residency = Residency::host}); },
      nothing_left);
  EXPECT_GT(failures, 3U);
  nothing_left(0);

  const std::vector<std::int64_t> shape{30, 3};
  for (const HopDirection direction : {HopDirection::against, HopDirection::along}) {
    std::vector<float> y(x.size(), 7.0F);
    const auto hopped = Testing::fail_every_accounted(
        *faults,
        [&] {
          hop(*context, arrays.short_graph(), ConstArray(x.data(), DataType::float32, shape),
              Array(y.data(), DataType::float32, shape), {direction, Space::serial});
        },
        [&](std::size_t k) {
          nothing_left(k);
          EXPECT_EQ(y, std::vector<float>(x.size(), 7.0F)) << k;
        });
    EXPECT_GT(hopped, 3U);
    EXPECT_NE(y[0], 7.0F);
    nothing_left(0);
  }
}

}  // namespace CsrGraphTest

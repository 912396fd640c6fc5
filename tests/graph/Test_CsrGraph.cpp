// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "CsrSupport.hpp"
#include "Faults.hpp"

namespace Kindred::Testing::Graphs::CsrGraphTest {

SpreadingEngine engine_of_rows(const CsrGraph& graph, const GraphOptions& options = {}) {
  return {Testing::context(), graph, options};
}

TEST(CsrGraph, GivesTheFileTheHopsAndTheSpreadsOfTheListOfItsEdges) {
  const auto expect_same = [](const CsrGraph& rows, const Graph& list, EdgeWeights weights) {
    const SpreadingEngine engine = engine_of_rows(rows);
    EXPECT_EQ(engine.to_bytes(), engine_of(list, {.weights = weights}).to_bytes());
    const std::vector<float> x = random_values(list.nodes);
    for (const HopDirection direction : directions) {
      expect_reference_hop(engine, list, x, 1, {direction});
      expect_reference_hop(rows, list, x, 1, {direction});
    }
  };
  for (const std::size_t nodes : {0, 1, 2, 3, 31, 32, 33, 127, 1000}) {
    for (const std::size_t edges : {std::size_t{0}, nodes, 7 * nodes}) {
      SCOPED_TRACE(std::to_string(nodes) + " nodes, edges: " + std::to_string(edges));
      const Graph graph = rows_graph(nodes, edges);
      const CsrArrays arrays(graph);
      expect_same(arrays.graph(), graph, EdgeWeights::float32);
      expect_same(arrays.short_graph(), graph, EdgeWeights::float32);
      expect_same(arrays.bfloat16_graph(), graph, EdgeWeights::bfloat16);
      expect_same(arrays.unweighted_graph(), with_unit_weights(graph), EdgeWeights::none);
    }
  }
  const Graph graph = random_graph(300, row_lengths, 2000);
  const CsrArrays arrays(graph);
  const CsrGraph rows = arrays.short_graph();
  expect_same(rows, graph, EdgeWeights::float32);
  expect_reference(engine_of_rows(rows), graph, {random_sources(graph.nodes, 20)}, constant(0.5));
}

TEST(CsrGraph, ChangesLikeTheListOfItsEdgesAndLeavesTheArraysAlone) {
  const Graph graph = rows_graph(60, 300);
  const CsrArrays arrays(graph);
  const CsrArrays before = arrays;
  SpreadingEngine listed = engine_of(graph, by_hand());
  SpreadingEngine rows = engine_of_rows(arrays.graph(), by_hand());
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (SpreadingEngine* engine : {&listed, &rows}) {
      const std::uint32_t node = engine->add_nodes(2);
      engine->add_edges({{{node, 3, 0.5F}, {7, node + 1, 0.25F}, {7, 7, 0.125F}}});
      engine->remove_nodes({{10 + round}});
      if (round == 1) engine->merge();
    }
    EXPECT_EQ(rows.to_bytes(), listed.to_bytes()) << round;
  }
  EXPECT_EQ(arrays.offsets, before.offsets);
  EXPECT_EQ(arrays.ends, before.ends);
  EXPECT_EQ(arrays.weights, before.weights);
}

TEST(CsrGraph, OwnerOfTheArraysIsReleasedOnceNothingReadsThem) {
  const auto arrays = std::make_shared<const CsrArrays>(rows_graph(20, 100));
  CsrGraph graph = arrays->graph();
  graph.owner = arrays;
  {
    SpreadingEngine engine = engine_of_rows(graph, by_hand());
    graph.owner.reset();
    EXPECT_EQ(arrays.use_count(), 2);
    engine.add_edges({{{0, 1, 0.5F}}});
    engine.merge();
    EXPECT_EQ(arrays.use_count(), 1) << "the merged rows are the engine's own";
    graph.owner = arrays;
    engine = engine_of_rows(graph);
    graph.owner.reset();
    EXPECT_EQ(arrays.use_count(), 2);
  }
  EXPECT_EQ(arrays.use_count(), 1);
}

TEST(CsrGraph, RowsInTheLayoutOfTheEngineAreNotCopied) {
  const CsrArrays arrays(rows_graph(1000, 20'000));
  const auto context = make_faulty_context(std::make_shared<Faults>(), 1);
  const auto used = [&](const CsrGraph& rows) {
    const SpreadingEngine engine(*context, rows, {.residency = Residency::host});
    return context->memory_statistics(Space::serial).bytes_in_use;
  };
  const std::uint64_t transpose = 20'000 * 8 + 1001 * 8;
  const std::uint64_t plans = 2000;
  EXPECT_LT(used(arrays.graph()), transpose + plans);
  EXPECT_LT(used(arrays.short_graph()), transpose + 1001 * 8 + plans);
}

TEST(CsrGraph, InvalidRowsAreRejectedWithTheElement) {
  using Offsets = std::vector<std::int64_t>;
  using Ends = std::vector<std::int32_t>;
  const Offsets offsets{0, 2, 2, 3};
  const Ends ends{0, 2, 1};
  const std::vector<float> weights{1, 2, 3};
  const auto refuse_with = [](const CsrGraph& rows, const char* words) {
    expect_refused({{[&] { engine_of_rows(rows); }, words}});
  };
  const auto refuse = [&](const auto& of, const auto& to, const char* words) {
    refuse_with({of, to, weights}, words);
  };
  EXPECT_NO_THROW(engine_of_rows({offsets, ends, weights}));
  refuse(Offsets{}, ends, "offsets has no elements");
  refuse(Offsets{1, 2, 2, 3}, ends, "offsets[0] is 1; row offsets start at 0");
  refuse(Offsets{0, 2, 1, 3}, ends, "offsets[2] is 1, after 2");
  refuse(Offsets{0, -1, 2, 3}, ends, "offsets[1] is -1, after 0");
  refuse(Offsets{0, 2, 2, 4}, ends, "the last offset is 4, and there are 3 ends");
  refuse(Offsets{0, 2, 2, 2}, ends, "the last offset is 2");
  refuse(Offsets{0}, ends, "the last offset is 0");
  refuse(offsets, Ends{0, 3, 1}, "ends[1] is 3, which is not one of the 3 nodes");
  refuse(offsets, Ends{0, 2, -1}, "ends[2] is -1");
  refuse(offsets, std::vector{0U, 2U, ~0U}, "ends[2] is 4294967295");
  refuse(offsets, weights, "ends is float32 [3]; it must be int32 or uint32");
  refuse(weights, ends, "offsets is float32 [3]; it must be int32 or int64");
  const std::vector<double> doubles{1, 2, 3};
  refuse_with({offsets, ends, std::span(weights).first(2)}, "float32 [2]; it must be float32 [3]");
  refuse_with({offsets, ends, doubles}, "it must be float32 or bfloat16");
  // Arrays of another rank, with gaps or not aligned.
  const std::vector<std::uint32_t> three{1, 1, 0};
  const Offsets one{0, 1, 1};
  const Offsets two{0, 2, 2};
  const auto* const odd = reinterpret_cast<const std::byte*>(three.data()) + 1;
  const std::int64_t length[] = {1};
  refuse_with({one, shaped(three, {1, 1})}, "ends is uint32 [1, 1]");
  refuse_with({two, shaped(three, {2}, DataType::uint32, {2})}, "must be consecutive");
  refuse_with({one, ConstArray(odd, DataType::uint32, length)}, "is not aligned to its elements");
  const GraphOptions bad{.merge_share = -1};
  expect_refused({{[&] { engine_of_rows({offsets, ends, weights}, bad); }, ""}});
  for (const float weight : {INFINITY, -INFINITY, NAN}) {
    const CsrArrays arrays({3, {{0, 0, 1}, {0, 2, weight}, {2, 1, 0}}});
    for (const CsrGraph& rows : {arrays.graph(), arrays.bfloat16_graph()})
      refuse_with(rows, "weights[1] is ");
  }
}

TEST(CsrGraph, FaultsOfAnyAllocationAreOutOfMemoryAndLeaveNothing) {
  const CsrArrays arrays(rows_graph(30, 200));
  const std::vector<float> x(90, 0.5F);
  const std::vector<float> untouched(x.size(), 7.0F);
  std::vector<float> y = untouched;
  const auto faults = std::make_shared<Faults>();
  const auto context = make_faulty_context(faults, 1);
  const auto hop_rows = [&](HopDirection direction) {
    y = untouched;
    hop(*context, arrays.short_graph(), columns_of(x, 3), columns_of(y, 3),
        {direction, Space::serial});
    EXPECT_NE(y, untouched);
  };
  const GraphOptions on_host{.residency = Residency::host};
  const std::vector<std::function<void()>> calls{
      [&] { SpreadingEngine(*context, arrays.short_graph(), on_host); },
      [&] { hop_rows(HopDirection::along); },
      [&] { hop_rows(HopDirection::against); },
  };
  for (const auto& call : calls) {
    const auto nothing_left = [&] {
      EXPECT_EQ(context->memory_statistics(Space::serial).bytes_in_use, 0U);
    };
    const std::size_t failures = fail_every_accounted(*faults, call, [&](std::size_t k) {
      EXPECT_EQ(y, untouched) << k;
      nothing_left();
    });
    EXPECT_GT(failures, 3U);
    nothing_left();
    y = untouched;
  }
}

}  // namespace Kindred::Testing::Graphs::CsrGraphTest

// SPDX-License-Identifier: Apache-2.0
// Hops over the rows of a caller, and those of an engine.
#include "CsrSupport.hpp"

namespace Kindred::Testing::Graphs::CsrHopTest {

/// The rows, and an engine of \p graph, must give the bits of the reference in both directions.
void expect_reference(const Graph& graph, const std::vector<CsrGraph>& rows,
                      const std::vector<float>& x, std::size_t columns = 1) {
  const SpreadingEngine engine = engine_of(graph);
  for (const HopDirection direction : directions) {
    expect_reference_hop(engine, graph, x, columns, {direction});
    for (const CsrGraph& one : rows) expect_reference_hop(one, graph, x, columns, {direction});
  }
}

TEST(CsrHop, AnyNumberOfColumnsMatchesReferenceInBothDirections) {
  const Graph graph = random_graph(300, row_lengths, 2000, -1);
  const CsrArrays arrays(graph);
  for (const std::size_t columns : {1, 2, 8, 9, 31, 32, 33, 41, 70}) {
    expect_reference(graph, {arrays.graph(), arrays.short_graph()},
                     random_values(graph.nodes * columns), columns);
  }
}

TEST(CsrHop, LongRowsOfSourcesMatchReference) {
  // The rows of the graph itself, not of its transpose, have the lengths.
  const Graph graph = turned(random_graph(300, row_lengths, 500, -1));
  const CsrArrays arrays(graph);
  const std::vector<float> x = random_values(graph.nodes);
  expect_reference(graph, {arrays.graph(), arrays.short_graph()}, x);
  expect_reference(with_unit_weights(graph), {arrays.unweighted_graph()}, x);
}

TEST(CsrHop, SumsOfSpecialValuesMatchReference) {
  constexpr float least = std::numeric_limits<float>::denorm_min();
  // Sums of −0 are never −0.
  for (const auto& [value, weight] : std::vector<std::pair<float, float>>{
           {-0.0F, 1}, {1, -0.0F}, {INFINITY, -1}, {INFINITY, 0}, {NAN, 1}, {least, 1}}) {
    Graph graph{71};  // rows of 0 to 70 edges, each of which contributes the value
    for (std::uint32_t row = 0; row < graph.nodes; ++row) {
      for (std::uint32_t i = 0; i < row; ++i) graph.edges.push_back({row, i, weight});
    }
    expect_reference(graph, {CsrArrays(graph).short_graph()}, std::vector(graph.nodes, value));
  }
}

TEST(CsrHop, LargeRowsUseAllThreadsWithTheSameBits) {
  const Graph graph = turned(random_graph(200'000, {}, 700'000, -1));
  expect_reference(graph, {CsrArrays(graph).short_graph()}, random_values(graph.nodes));
}

TEST(CsrHop, AnyInvalidElementIsNamedAndNothingIsWritten) {
  constexpr std::size_t nodes = 3000;
  const CsrArrays valid(turned(random_graph(nodes, {5, 9000, 9000}, 30'000)));
  const std::size_t edges = valid.ends.size();
  const std::vector<float> x = random_values(nodes);
  const auto expect_bad = [&](const CsrGraph& rows, const std::string& what) {
    for (const Space space : spaces()) {
      std::vector<float> y(nodes, 7.0F);
      expect_refused({{[&] { hop(context(), rows, x, y, {.space = space}); }, what}});
      EXPECT_EQ(y, std::vector<float>(nodes, 7.0F));
    }
  };
  std::vector<std::size_t> places{0, edges / 2, edges - 1};
  for (int i = 0; i < 5; ++i) places.push_back(random_below(edges));
  for (const std::size_t place : places) {
    const std::string at = "[" + std::to_string(place) + "] is ";
    CsrArrays arrays = valid;
    arrays.ends[place] = nodes;
    expect_bad(arrays.graph(), "ends" + at + "3000");
    for (const std::int32_t end : {-1, std::numeric_limits<std::int32_t>::min()}) {
      arrays.signed_ends[place] = end;
      expect_bad(arrays.short_graph(), "ends" + at + std::to_string(end));
    }
    arrays = valid;
    arrays.weights[place] = NAN;
    expect_bad(arrays.short_graph(), "weights" + at);
    arrays.weights[place] = -INFINITY;
    expect_bad(arrays.graph(), "weights" + at + "-inf");
    arrays.short_weights[place] = 0x7F80;
    expect_bad(arrays.bfloat16_graph(), "weights" + at + "inf");
  }
  CsrArrays arrays = valid;
  arrays.offsets[0] = 1;
  expect_bad(arrays.graph(), "start at 0");
  // Test_GivenRows.cpp has other offsets that are not valid.
  arrays.offsets = valid.offsets;
  arrays.offsets[1500] = -1;
  expect_bad(arrays.graph(), "must not decrease");
  arrays.short_offsets[1500] = std::numeric_limits<std::int32_t>::max();
  expect_bad(arrays.short_graph(), "must not decrease");
  arrays.short_offsets = valid.short_offsets;
  arrays.signed_ends.push_back(0);
  arrays.weights.push_back(1);
  expect_bad(arrays.short_graph(), "the last offset is");
}

TEST(CsrHop, InvalidArraysAreRejectedAndChangeNothing) {
  const std::vector<std::int32_t> offsets{0, 1, 2};
  const std::vector<std::int32_t> ends{1, 0};
  const std::vector<std::int32_t> far{1, 2};
  const std::vector<float> x{1, 2, 3, 4, 5, 6};
  const std::vector<double> doubles{1, 2};
  const std::vector<float> before(6, 7.0F);
  std::vector<float> y = before;
  std::vector<float> wide(2 * 4097);
  const ConstArray two = shaped(x, {2});
  const Array out = shaped(y, {2});
  const SpreadingEngine engine = engine_of(Graph{2, {{0, 1, 1}}});
  using Call = std::function<void(const ConstArray&, const Array&)>;
  const CsrGraph rows{offsets, ends};
  const Call of_rows = [&](const auto& from, const auto& to) { hop(context(), rows, from, to); };
  const Call of_engine = [&](const auto& from, const auto& to) { engine.hop(from, to); };
  for (const Call& call : {of_rows, of_engine}) {
    const auto with = [&](const ConstArray& from, const Array& to) {
      return [=, &call] { call(from, to); };
    };
    expect_refused({
        {with(shaped(x, {3}), out), "x is float32 [3]; it must be float32 [2]"},
        {with(x, y), "x is float32 [6]"},
        {with(two, shaped(y, {3})), "y is float32 [3]"},
        {with(shaped(x, {2, 3}), shaped(y, {3, 2})), "y is float32 [3, 2]"},
        {with(doubles, out), "x is float64 [2]"},
        {with(two, shaped(y, {2}, DataType::int32)), "y is int32 [2]"},
        {with(out, std::span(y).subspan(1, 2)), "x and y overlap"},
        {with(out, out), "x and y overlap"},
        {with(shaped(x, {2, 0}), out), "columns is 0"},
        {with(shaped(wide, {2, 4097}), shaped(wide, {2, 4097})), "columns is 4097"},
        {with(shaped(x, {2, 1}, DataType::float32, {2, 1}), out), "with gaps between its rows"},
    });
  }
  HopOptions modified{.modifiers = SpreadModifiers()};
  engine.hop(two, out, modified);
  y = before;
  modified.modifiers->strengths[2][3] = NAN;
  const HopOptions on_stream{.stream = Stream::cuda(nullptr)};
  const CsrGraph beyond{offsets, far};
  const ConstArray from_device = shaped(x, {2}, DataType::float32, {}, ArrayMemory::device);
  const Array to_device = shaped(y, {2}, DataType::float32, {}, ArrayMemory::device);
  expect_refused({
      {[&] { engine.hop(two, out, modified); }, ""},
      {[&] { engine.hop(two, out, on_stream); }, ""},
      {[&] { of_rows(from_device, out); }, "this call takes arrays in host memory"},
      {[&] { hop(context(), beyond, two, out); }, "ends[1] is 2"},
  });
  EXPECT_EQ(y, before);
  if (context().is_usable(Space::cuda)) return;
  const CsrHopOptions there{.space = Space::cuda};
  expect_refused({{[&] { of_engine(from_device, out); }, ""}});
  expect_refused<SpaceUnavailable>({
      {[&] { of_engine(from_device, to_device); }, ""},
      {[&] { hop(context(), rows, two, out, there); }, ""},
  });
}

}  // namespace Kindred::Testing::Graphs::CsrHopTest

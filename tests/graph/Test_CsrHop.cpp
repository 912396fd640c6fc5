// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/CsrGraph.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/reference/Reference.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "ColumnsOf.hpp"
#include "CsrSupport.hpp"
#include "MessageOf.hpp"
#include "SpreadingSupport.hpp"

namespace CsrHopTest {

using namespace Kindred;
using namespace Testing::SpreadingSupport;
using Testing::CsrArrays;
using ::testing::HasSubstr;
using Testing::in_row_order;

std::vector<float> expected_hop(const Graph& graph, const std::vector<float>& x,
                                std::size_t columns, HopDirection direction) {
  std::vector<float> expected(x.size());
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<float> column(graph.nodes);
    for (std::size_t node = 0; node < graph.nodes; ++node) column[node] = x[node * columns + c];
    const auto y = Reference::hop(graph.nodes, links_of(graph), column, direction);
    for (std::size_t node = 0; node < graph.nodes; ++node) expected[node * columns + c] = y[node];
  }
  return expected;
}

std::vector<float> random_values(std::size_t count, std::mt19937_64& generator) {
  std::uniform_real_distribution<float> value(-1, 1);
  std::vector<float> values(count);
  for (float& v : values) v = value(generator);
  return values;
}

std::vector<float> hopped(const CsrGraph& graph, const std::vector<float>& x, std::size_t columns,
                          const CsrHopOptions& options) {
  std::vector<float> y(x.size(), 7.0F);
  const ConstArray from = columns == 1 ? ConstArray(std::span(x)) : Testing::columns_of(x, columns);
  const Array to = columns == 1 ? Array(std::span(y)) : Testing::columns_of(y, columns);
  const auto record = hop(Testing::context(), graph, from, to, options);
  if (options.space) {
    EXPECT_EQ(record.chosen, *options.space);
  }
  return y;
}

TEST(CsrHop, MatchesReferenceAndTheEngineInBothDirections) {
  auto generator = Testing::generator("CsrHop.columns");
  const Graph graph = in_row_order(random_graph(300, row_lengths, 2000, -1, 1, generator));
  const CsrArrays arrays(graph);
  const SpreadingEngine engine(Testing::context(), {graph.nodes, graph.edges});
  for (const std::size_t columns : {1, 2, 8, 9, 31, 32, 33, 41}) {
    const std::vector<float> x = random_values(graph.nodes * columns, generator);
    for (const HopDirection direction : {HopDirection::along, HopDirection::against}) {
      const auto expected = bits_of(expected_hop(graph, x, columns, direction));
      for (const Space space : Testing::spaces()) {
        HopOptions options{direction};
        options.space = space;
        std::vector<float> y(x.size());
        engine.hop(Testing::columns_of(x, columns), Testing::columns_of(y, columns), options);
        EXPECT_EQ(bits_of(y), expected);
        for (const CsrGraph& rows : {arrays.graph(), arrays.short_graph()})
          EXPECT_EQ(bits_of(hopped(rows, x, columns, {direction, space})), expected)
              << to_string(space) << ", " << columns;
      }
    }
  }
}

TEST(CsrHop, LongRowsOfSourcesMatchReference) {
  // The rows of the graph itself, not of its transpose, have the lengths.
  auto generator = Testing::generator("CsrHop.rows");
  Graph graph = random_graph(300, row_lengths, 500, -1, 1, generator);
  for (Edge& edge : graph.edges) std::swap(edge.from, edge.to);
  graph = in_row_order(graph);
  const CsrArrays arrays(graph);
  const std::vector<float> x = random_values(graph.nodes, generator);
  const auto expected = bits_of(expected_hop(graph, x, 1, HopDirection::against));
  for (const Space space : Testing::spaces()) {
    for (const CsrGraph& rows : {arrays.graph(), arrays.short_graph()})
      EXPECT_EQ(bits_of(hopped(rows, x, 1, {HopDirection::against, space})), expected);
  }
  Graph ones = graph;
  for (Edge& edge : ones.edges) edge.weight = 1;
  const auto expected_of_ones = bits_of(expected_hop(ones, x, 1, HopDirection::against));
  for (const Space space : Testing::spaces()) {
    EXPECT_EQ(bits_of(hopped(arrays.unweighted_graph(), x, 1, {HopDirection::against, space})),
              expected_of_ones);
  }
}

/// Rows of 0 to 70 edges, each of which contributes \p value.
void expect_sums_of(float value, float weight) {
  Graph graph{71, {}};
  for (std::uint32_t row = 0; row < graph.nodes; ++row) {
    for (std::uint32_t i = 0; i < row; ++i) graph.edges.push_back({row, i, weight});
  }
  const CsrArrays arrays(graph);
  const std::vector<float> x(graph.nodes, value);
  const auto expected = bits_of(expected_hop(graph, x, 1, HopDirection::against));
  const SpreadingEngine engine(Testing::context(), {graph.nodes, graph.edges});
  for (const Space space : Testing::spaces()) {
    EXPECT_EQ(bits_of(hopped(arrays.short_graph(), x, 1, {HopDirection::against, space})), expected)
        << value;
    std::vector<float> y(x.size());
    HopOptions options{HopDirection::against};
    options.space = space;
    engine.hop(std::span(x), std::span(y), options);
    EXPECT_EQ(bits_of(y), expected) << value;
  }
}

TEST(CsrHop, SumsOfSpecialValuesMatchReference) {
  expect_sums_of(-0.0F, 1);  // never −0
  expect_sums_of(1, -0.0F);
  expect_sums_of(std::numeric_limits<float>::infinity(), -1);
  expect_sums_of(std::numeric_limits<float>::infinity(), 0);
  expect_sums_of(std::numeric_limits<float>::quiet_NaN(), 1);
  expect_sums_of(std::numeric_limits<float>::denorm_min(), 1);
}

TEST(CsrHop, AnyNumberOfNodesAndEveryWeightTypeMatchReference) {
  auto generator = Testing::generator("CsrHop.sizes");
  for (const std::size_t nodes : {0, 1, 2, 3, 31, 32, 33, 127, 1000}) {
    Graph graph{nodes, {}};
    for (std::size_t i = 0; i < 5 * nodes; ++i)
      graph.edges.push_back({static_cast<std::uint32_t>(generator() % nodes),
                             static_cast<std::uint32_t>(generator() % nodes),
                             static_cast<float>(generator() % 65) / 64 - 0.25F});
    graph = in_row_order(graph);
    Graph ones = graph;
    for (Edge& edge : ones.edges) edge.weight = 1;
    const Graph none{nodes, {}};
    const CsrArrays arrays(graph);
    const CsrArrays empty(none);
    const std::vector<float> x = random_values(nodes, generator);
    for (const Space space : Testing::spaces()) {
      for (const HopDirection direction : {HopDirection::along, HopDirection::against}) {
        const auto check = [&](const CsrGraph& rows, const Graph& of) {
          EXPECT_EQ(bits_of(hopped(rows, x, 1, {direction, space})),
                    bits_of(expected_hop(of, x, 1, direction)))
              << nodes << " nodes on " << to_string(space);
        };
        check(arrays.graph(), graph);
        check(arrays.bfloat16_graph(), graph);
        check(arrays.unweighted_graph(), ones);
        check(empty.short_graph(), none);
        check(empty.unweighted_graph(), none);
      }
    }
  }
}

TEST(CsrHop, LargeRowsUseAllThreadsWithTheSameBits) {
  auto generator = Testing::generator("CsrHop.large");
  constexpr std::size_t nodes = 200'000;
  Graph graph{nodes, {}};
  for (std::uint32_t node = 0; node < nodes; ++node) {
    for (std::size_t i = generator() % 8; i > 0; --i)
      graph.edges.push_back({node, static_cast<std::uint32_t>(generator() % nodes), 0.3F});
  }
  const CsrArrays arrays(graph);
  const std::vector<float> x = random_values(nodes, generator);
  const SpreadingEngine engine(Testing::context(), {nodes, graph.edges});
  for (const HopDirection direction : {HopDirection::along, HopDirection::against}) {
    std::vector<float> expected(nodes);
    engine.hop(std::span(x), std::span(expected), {.direction = direction});
    for (const Space space : Testing::spaces())
      EXPECT_EQ(bits_of(hopped(arrays.short_graph(), x, 1, {direction, space})), bits_of(expected));
  }
}

TEST(CsrHop, AnyInvalidElementIsNamedAndNothingIsWritten) {
  auto generator = Testing::generator("CsrHop.invalid");
  constexpr std::size_t nodes = 3000;
  Graph graph{nodes, {}};
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const std::size_t length = node % 700 == 5 ? 9000 : generator() % 12;
    for (std::size_t i = 0; i < length; ++i)
      graph.edges.push_back({node, static_cast<std::uint32_t>(generator() % nodes), 0.5F});
  }
  const CsrArrays valid(graph);
  const std::size_t edges = graph.edges.size();
  const std::vector<float> x = random_values(nodes, generator);
  const auto expect_refused = [&](const CsrGraph& rows, const std::string& what) {
    for (const Space space : Testing::spaces()) {
      std::vector<float> y(nodes, 7.0F);
      EXPECT_THAT(Testing::message_of<InvalidArgument>([&] {
                    hop(Testing::context(), rows, std::span<const float>(x), std::span<float>(y),
                        {.space = space});
                  }),
                  HasSubstr(what));
      EXPECT_EQ(y, std::vector<float>(nodes, 7.0F));
    }
  };
  std::vector<std::size_t> places{0, edges / 2, edges - 1};
  for (int i = 0; i < 5; ++i) places.push_back(generator() % edges);
  for (const std::size_t place : places) {
    const std::string at = "[" + std::to_string(place) + "] is ";
    CsrArrays arrays = valid;
    arrays.ends[place] = nodes;
    expect_refused(arrays.graph(), "ends" + at + "3000");
    arrays.signed_ends[place] = -1;
    expect_refused(arrays.short_graph(), "ends" + at + "-1");
    arrays = valid;
    arrays.weights[place] = std::numeric_limits<float>::quiet_NaN();
    expect_refused(arrays.short_graph(), "weights" + at);
    arrays.weights[place] = -std::numeric_limits<float>::infinity();
    expect_refused(arrays.graph(), "weights" + at + "-inf");
    arrays.short_weights[place] = 0x7F80;
    expect_refused(arrays.bfloat16_graph(), "weights" + at + "inf");
  }
  constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  for (const std::size_t row : {1UL, 1500UL, nodes - 2}) {
    for (const std::int32_t offset : {least, -1, static_cast<std::int32_t>(edges) + 1, most}) {
      CsrArrays arrays = valid;
      arrays.short_offsets[row] = offset;
      arrays.offsets[row] = offset;
      expect_refused(arrays.short_graph(), "must not decrease");
      expect_refused(arrays.graph(), "must not decrease");
    }
    // Differences of 1 that leave the range of the type.
    CsrArrays arrays = valid;
    arrays.short_offsets[row] = most;
    arrays.short_offsets[row + 1] = least;
    expect_refused(arrays.short_graph(), "must not decrease");
  }
  CsrArrays arrays = valid;
  arrays.offsets[0] = 1;
  expect_refused(arrays.graph(), "start at 0");
  arrays = valid;
  arrays.signed_ends.push_back(0);
  arrays.weights.push_back(1);
  expect_refused(arrays.short_graph(), "the last offset is");
}

TEST(CsrHop, InvalidVectorsAndRowsAreRejectedAndChangeNothing) {
  const std::vector<std::int32_t> offsets{0, 1, 2};
  const std::vector<std::int32_t> ends{1, 0};
  const CsrGraph graph{std::span(offsets), std::span(ends)};
  const std::vector<float> x{1, 2, 3};
  std::vector<float> y{7, 7, 7};
  const auto message = [&](const CsrGraph& rows, const ConstArray& from, const Array& to) {
    return Testing::message_of<InvalidArgument>([&] { hop(Testing::context(), rows, from, to); });
  };
  const std::span<const float> two(x.data(), 2);
  const std::span<float> out(y.data(), 2);
  EXPECT_THAT(message(graph, std::span(x), out),
              HasSubstr("x is float32 [3]; it must be float32 [2]"));
  EXPECT_THAT(message(graph, two, std::span(y)), HasSubstr("y is float32 [3]"));
  const std::vector<double> doubles{1, 2};
  EXPECT_THAT(message(graph, std::span(doubles), out), HasSubstr("x is float64 [2]"));
  EXPECT_THAT(
      message(graph, std::span<const float>(y.data(), 2), std::span<float>(y.data() + 1, 2)),
      HasSubstr("x and y overlap"));
  const std::vector<std::int64_t> none{2, 0};
  EXPECT_THAT(message(graph, ConstArray(x.data(), DataType::float32, none), out),
              HasSubstr("columns is 0"));
  const std::vector<std::int64_t> shape{2, 1};
  const std::vector<std::int64_t> apart{2, 1};
  EXPECT_THAT(message(graph, ConstArray(x.data(), DataType::float32, shape, apart), out),
              HasSubstr("with gaps between its rows"));
  const std::vector<std::int32_t> far{1, 2};
  EXPECT_THAT(message({std::span(offsets), std::span(far)}, two, out), HasSubstr("ends[1] is 2"));
  const std::vector<std::int64_t> length{2};
  EXPECT_THAT(
      message(graph, ConstArray(x.data(), DataType::float32, length, {}, ArrayMemory::device), out),
      HasSubstr("this call takes arrays in host memory"));
  EXPECT_EQ(y, std::vector<float>({7, 7, 7}));
  CsrHopOptions options;
  if (!Testing::context().is_usable(Space::cuda)) {
    options.space = Space::cuda;
    EXPECT_THROW(hop(Testing::context(), graph, two, out, options), SpaceUnavailable);
  }
}

}  // namespace CsrHopTest

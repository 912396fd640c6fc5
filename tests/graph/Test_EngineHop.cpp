// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/reference/Reference.hpp>

#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include "ColumnsOf.hpp"
#include "SpreadingSupport.hpp"

namespace EngineHopTest {

using namespace Kindred;
using namespace Testing::SpreadingSupport;

TEST(EngineHop, AnyNumberOfColumnsMatchesReferenceInBothDirections) {
  auto generator = Testing::generator("SpreadingHops.columns");
  const Graph graph = random_graph(300, row_lengths, 2000, -1, 1, generator);
  const SpreadingEngine engine(Testing::context(), {graph.nodes, graph.edges});
  std::uniform_real_distribution<float> value(-1, 1);
  for (const std::size_t columns : {1, 2, 8, 9, 31, 32, 33, 41, 70}) {
    std::vector<float> x(graph.nodes * columns);
    for (float& v : x) v = value(generator);
    for (const HopDirection direction : {HopDirection::along, HopDirection::against}) {
      std::vector<float> expected(x.size());
      for (std::size_t c = 0; c < columns; ++c) {
        std::vector<float> column(graph.nodes);
        for (std::size_t node = 0; node < graph.nodes; ++node) column[node] = x[node * columns + c];
        const auto y = Reference::hop(graph.nodes, links_of(graph), column, direction);
        for (std::size_t node = 0; node < graph.nodes; ++node)
          expected[node * columns + c] = y[node];
      }
      for (const Space space : Testing::spaces()) {
        std::vector<float> y(x.size(), 7.0F);
        HopOptions options;
        options.direction = direction;
        options.space = space;
        const auto record =
            engine.hop(Testing::columns_of(x, columns), Testing::columns_of(y, columns), options);
        EXPECT_EQ(record.chosen, space);
        EXPECT_EQ(bits_of(y), bits_of(expected)) << to_string(space) << ", " << columns;
      }
    }
  }
}

TEST(EngineHop, AVectorIsOneColumn) {
  auto generator = Testing::generator("EngineHop.arrays");
  const Graph graph = random_graph(100, {3, 40, 5000}, 300, -1, 1, generator);
  const SpreadingEngine engine(Testing::context(), {graph.nodes, graph.edges});
  std::vector<float> x(graph.nodes);
  for (float& v : x) v = static_cast<float>(generator() % 100) / 7;
  std::vector<float> expected(x.size());
  engine.hop(Testing::columns_of(x, 1), Testing::columns_of(expected, 1));
  for (const Space space : Testing::spaces()) {
    std::vector<float> y(x.size());
    engine.hop(std::span(x), std::span(y), {.space = space});
    EXPECT_EQ(bits_of(y), bits_of(expected)) << to_string(space);
  }
}

TEST(EngineHop, InvalidArraysAreRejected) {
  const Graph graph{3, {{0, 1, 1}}};
  const SpreadingEngine engine(Testing::context(), {graph.nodes, graph.edges});
  std::vector<float> x(6);
  std::vector<float> y(6);
  const std::vector<std::int64_t> shape{3, 2};
  const std::vector<std::int64_t> other{2, 3};
  const ConstArray from(x.data(), DataType::float32, shape);
  const Array to(y.data(), DataType::float32, shape);
  EXPECT_NO_THROW(engine.hop(from, to));
  EXPECT_THROW(engine.hop(from, Array(y.data(), DataType::float32, other)), InvalidArgument);
  EXPECT_THROW(engine.hop(from, Array(y.data(), DataType::int32, shape)), InvalidArgument);
  EXPECT_THROW(engine.hop(std::span(x), std::span(y)), InvalidArgument);
  EXPECT_THROW(engine.hop(from, Array(x.data(), DataType::float32, shape)), InvalidArgument);
  HopOptions options;
  options.stream = Stream::cuda(nullptr);
  EXPECT_THROW(engine.hop(from, to, options), InvalidArgument);
}

TEST(EngineHop, InvalidArgumentsAreRejected) {
  const Graph graph{3, {{0, 1, 1}}};
  const SpreadingEngine engine(Testing::context(), {graph.nodes, graph.edges});
  std::vector<float> x(6);
  std::vector<float> y(6);
  EXPECT_THROW(engine.hop(std::span(x), std::span(y)), InvalidArgument);
  const auto to = Testing::columns_of(y, 2);
  EXPECT_NO_THROW(engine.hop(Testing::columns_of(x, 2), to));
  for (const std::int64_t columns : {0, 4097}) {
    std::vector<float> wide(static_cast<std::size_t>(3 * columns) + 1);
    const std::vector<std::int64_t> shape{3, columns};
    const Array of_columns(wide.data(), DataType::float32, shape);
    EXPECT_THAT(Testing::message_of<InvalidArgument>([&] { engine.hop(of_columns, of_columns); }),
                ::testing::HasSubstr("columns is " + std::to_string(columns)));
  }
  HopOptions options;
  options.modifiers.emplace();
  EXPECT_NO_THROW(engine.hop(Testing::columns_of(x, 2), to, options));
  options.modifiers->strengths[2][3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(engine.hop(Testing::columns_of(x, 2), to, options), InvalidArgument);
}

}  // namespace EngineHopTest

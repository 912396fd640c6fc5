// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#include <array>
#include <cstdint>
#include <vector>

#include "MessageOf.hpp"
#include "SpreadingSupport.hpp"

namespace SpreadArraysTest {

using namespace Kindred;
using namespace Testing::SpreadingSupport;
using ::testing::HasSubstr;

/// Sources and results of queries in arrays on the host.
struct Arrays {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> short_offsets{0};
  std::vector<std::uint32_t> nodes;
  std::vector<std::int32_t> signed_nodes;
  std::vector<float> values;
  std::size_t top;
  std::vector<std::int32_t> out_nodes;
  std::vector<float> out_values;

  Arrays(const std::vector<Sources>& queries, std::size_t places) : top(places) {
    for (const Sources& sources : queries) {
      for (const Activation& source : sources) {
        nodes.push_back(source.node);
        values.push_back(source.value);
      }
      offsets.push_back(static_cast<std::int64_t>(nodes.size()));
    }
    short_offsets.assign(offsets.begin(), offsets.end());
    signed_nodes.assign(nodes.begin(), nodes.end());
    out_nodes.assign(queries.size() * top, 7);
    out_values.assign(queries.size() * top, 7.0F);
  }
  SpreadSources sources() const {
    return {std::span(offsets), std::span(nodes), std::span(values)};
  }
  SpreadSources short_sources() const {
    return {std::span(short_offsets), std::span(signed_nodes), std::span(values)};
  }
  SpreadOutput output() {
    const std::array<std::int64_t, 2> shape{static_cast<std::int64_t>(offsets.size() - 1),
                                            static_cast<std::int64_t>(top)};
    return {Array(out_nodes.data(), DataType::int32, shape),
            Array(out_values.data(), DataType::float32, shape)};
  }
};

TEST(SpreadArrays, HoldThePaddedRowsOfTheResults) {
  auto generator = Testing::generator("SpreadArrays.rows");
  const Graph graph = random_graph(300, row_lengths, 2000, 0, 1, generator);
  const SpreadingEngine engine(Testing::context(), {graph.nodes, graph.edges});
  for (const std::size_t queries : {0, 1, 2, 3, 31, 32, 33, 70}) {
    std::vector<Sources> lists;
    for (std::size_t q = 0; q < queries; ++q)
      lists.push_back(random_sources(graph.nodes, q % 5, 0, 0.5F, generator));
    for (const std::size_t top : {1, 3, 200, 400}) {
      Arrays arrays(lists, top);
      for (const Space space : Testing::spaces()) {
        SpreadOptions options = constant(0.3);
        options.space = space;
        options.top = top;
        const SpreadResults expected = engine.spread(ragged(lists), options);
        for (const SpreadSources& sources : {arrays.sources(), arrays.short_sources()}) {
          arrays.out_nodes.assign(arrays.out_nodes.size(), 7);
          options.top = 1;  // is not used
          engine.spread(sources, options, arrays.output());
          for (std::size_t q = 0; q < queries; ++q) {
            const auto row = expected.activations[q];
            for (std::size_t i = 0; i < top; ++i) {
              const std::int32_t node =
                  i < row.size() ? static_cast<std::int32_t>(row[i].node) : -1;
              ASSERT_EQ(arrays.out_nodes[q * top + i], node) << q << ", " << i;
              ASSERT_EQ(arrays.out_values[q * top + i], i < row.size() ? row[i].value : 0.0F);
            }
          }
        }
      }
    }
  }
}

TEST(SpreadArrays, TakeParametersPerQueryAndPageRank) {
  const Graph graph{4, {{0, 1, 0.5F}, {1, 2, 0.5F}, {2, 3, 0.5F}}};
  const SpreadingEngine engine(Testing::context(), {graph.nodes, graph.edges});
  const std::vector<Sources> lists{{{0, 1}}, {{1, 1}}};
  SpreadOptions options = constant_at(1, 0);
  std::vector<SpreadQuery> own(2);
  own[0].hops = 1;
  own[1].hops = 2;
  options.per_query = own;
  Arrays arrays(lists, 4);
  engine.spread(arrays.sources(), options, arrays.output());
  const SpreadResults expected = engine.spread(ragged(lists), options);
  EXPECT_EQ(arrays.out_values[0], expected.activations[0][0].value);
  EXPECT_EQ(arrays.out_nodes[1] == -1, expected.activations[0].size() < 2);
  options = {};
  options.mode = SpreadMode::pagerank;
  EXPECT_NO_THROW(engine.spread(arrays.sources(), options, arrays.output()));
  EXPECT_EQ(arrays.out_nodes[0], static_cast<std::int32_t>(
                                     engine.spread(ragged(lists), options).activations[0][0].node));
}

TEST(SpreadArrays, InvalidArraysAreRejectedAndNothingIsWritten) {
  const Graph graph{3, {{0, 1, 0.5F}}};
  const SpreadingEngine engine(Testing::context(), {graph.nodes, graph.edges});
  Arrays arrays({{{0, 1}}, {{1, 0.5F}}}, 2);
  const auto message = [&](const SpreadSources& sources, const SpreadOutput& output,
                           const SpreadOptions& options = {}) {
    return Testing::message_of<InvalidArgument>([&] { engine.spread(sources, options, output); });
  };
  const std::vector<double> doubles(4);
  SpreadSources sources = arrays.sources();
  sources.offsets = std::span(doubles);
  EXPECT_THAT(message(sources, arrays.output()), HasSubstr("offsets is float64 [4]"));
  sources.offsets = ConstArray();
  EXPECT_THAT(message(sources, arrays.output()), HasSubstr("offsets is float32 [0]"));
  sources.offsets = std::span<const std::int64_t>();
  EXPECT_THAT(message(sources, arrays.output()), HasSubstr("offsets has no elements"));
  sources = arrays.sources();
  sources.nodes = std::span(doubles);
  EXPECT_THAT(message(sources, arrays.output()), HasSubstr("nodes is float64 [4]"));
  sources = arrays.sources();
  sources.values = std::span(std::span(arrays.values).first(1));
  EXPECT_THAT(message(sources, arrays.output()), HasSubstr("values is float32 [1]"));
  SpreadOutput output = arrays.output();
  output.values = std::span(arrays.out_values);
  EXPECT_THAT(message(arrays.sources(), output), HasSubstr("output.values is float32 [4]"));
  const std::vector<std::int64_t> none{2, 0};
  output.nodes = Array(arrays.out_nodes.data(), DataType::int32, none);
  EXPECT_THAT(message(arrays.sources(), output), HasSubstr("at least one place"));
  const std::vector<std::int64_t> shape{2, 2};
  output = arrays.output();
  output.values = Array(arrays.out_nodes.data(), DataType::float32, shape);
  EXPECT_THAT(message(arrays.sources(), output),
              HasSubstr("output.nodes and output.values overlap"));

  const auto refused = [&](const std::vector<Sources>& lists) {
    Arrays bad(lists, 2);
    const std::string text = message(bad.sources(), bad.output());
    EXPECT_EQ(bad.out_nodes[0], 7);
    return text;
  };
  EXPECT_THAT(refused({{{3, 1}}}), HasSubstr("source node 3: the graph has 3 nodes"));
  EXPECT_THAT(refused({{{0, 1}}, {{1, 1.5F}}}), HasSubstr("outside [0, 1]"));
  Arrays decreasing({{{0, 1}}, {{1, 0.5F}}}, 2);
  decreasing.offsets = {0, 2, 1};
  EXPECT_THAT(message(decreasing.sources(), decreasing.output()), HasSubstr("lie outside"));
  decreasing.offsets = {-1, 1, 2};
  EXPECT_THAT(message(decreasing.sources(), decreasing.output()), HasSubstr("lie outside"));

  SpreadOptions options;
  options.trace_paths = 1;
  EXPECT_THAT(message(arrays.sources(), arrays.output(), options), HasSubstr("trace_paths is set"));
  options = {};
  options.stream = Stream::cuda(nullptr);
  EXPECT_THAT(message(arrays.sources(), arrays.output(), options), HasSubstr("a stream is given"));
  EXPECT_THROW(engine.spread(ragged({{{0, 1}}}), options), InvalidArgument);
  EXPECT_EQ(arrays.out_nodes, std::vector<std::int32_t>(4, 7));
}

TEST(SpreadArrays, OnADeviceThatCannotBeUsedAreRejected) {
  if (Testing::context().is_usable(Space::cuda)) GTEST_SKIP() << "the device can be used";
  const Graph graph{3, {{0, 1, 0.5F}}};
  const SpreadingEngine engine(Testing::context(), {graph.nodes, graph.edges});
  const std::vector<float> x(3);
  std::vector<float> y(3);
  const std::vector<std::int64_t> shape{3};
  const ConstArray on_device(x.data(), DataType::float32, shape, {}, ArrayMemory::device);
  EXPECT_THROW(engine.hop(on_device, std::span(y)), InvalidArgument);
  EXPECT_THROW(
      engine.hop(on_device, Array(y.data(), DataType::float32, shape, {}, ArrayMemory::device)),
      SpaceUnavailable);
}

}  // namespace SpreadArraysTest

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "Generator.hpp"
#include "ResultText.hpp"

#include <random>

namespace GraphCallsTest {

using namespace Kindred;
using Testing::expect_out_of_memory;
using Testing::host_spaces;
using Testing::shared_context;
using Testing::TempFolder;
using Testing::Written;

constexpr std::uint32_t nodes = 80;

std::vector<Edge> edges(const char* name, std::size_t count) {
  auto random = Testing::generator(name);
  std::vector<Edge> out(count);
  for (Edge& edge : out)
    edge = {static_cast<std::uint32_t>(random() % nodes),
            static_cast<std::uint32_t>(random() % nodes),
            static_cast<float>(random() % 100) / 100.0F};
  return out;
}

Ragged<char> node_names() {
  Ragged<char> names;
  for (std::uint32_t node = 0; node < nodes; ++node)
    names.push_row("the name of a node that is not short, " + std::to_string(node));
  return names;
}

SpreadingEngine make_engine() {
  static const std::vector<Edge> given = edges("edges of failing allocations", 400);
  static const Ragged<char> names = node_names();
  static const std::vector<std::uint8_t> kinds(nodes, 1);
  GraphOptions options;
  options.background_merge = false;
  return {shared_context(), GraphSpan{nodes, given, {}, kinds, names}, options};
}

Ragged<Activation> sources() {
  Ragged<Activation> out;
  for (std::uint32_t query = 0; query < 3; ++query) {
    for (std::uint32_t i = 0; i <= query; ++i)
      out.values.push_back({(7 * query + i) % nodes, 0.9F});
    out.close_row();
  }
  return out;
}

TEST(OutOfMemory, OfAGraphThatIsMadeOrLoadedIsTyped) {
  const TempFolder folder;
  const std::string graph_path = folder / "graph";
  const std::vector<Edge> given = edges("edges of failing allocations", 400);
  expect_out_of_memory("SpreadingEngine(edges)", [&] {
    return SpreadingEngine(shared_context(), {nodes, given});
  });
  expect_out_of_memory("SpreadingEngine(span)", make_engine);
  const std::vector<std::int64_t> offsets{0, 2, 3, 3};
  const std::vector<std::int32_t> ends{1, 2, 0};
  const std::vector<float> weights{0.5F, 0.25F, 1.0F};
  CsrGraph csr;
  csr.offsets = ConstArray(std::span(offsets));
  csr.ends = ConstArray(std::span(ends));
  csr.weights = ConstArray(std::span(weights));
  expect_out_of_memory("SpreadingEngine(rows)",
                       [&] { return SpreadingEngine(shared_context(), csr); });
  const std::vector<float> x{1, 2, 3};
  std::vector<float> y(3);
  for (const HopDirection direction : {HopDirection::along, HopDirection::against}) {
    CsrHopOptions options;
    options.direction = direction;
    expect_out_of_memory("hop of rows", [&] {
      hop(shared_context(), csr, ConstArray(std::span(x)), Array(std::span(y)), options);
      return std::span(y);
    });
  }
  const SpreadingEngine engine = make_engine();
  engine.save(graph_path);
  expect_out_of_memory("save", [&] {
    engine.save(graph_path);
    return Written{&folder, "graph"};
  });
  expect_out_of_memory("load", [&] { return SpreadingEngine::load(shared_context(), graph_path); });
  expect_out_of_memory("inspect", [&] { return SpreadingEngine::inspect(graph_path); });
  expect_out_of_memory("to_bytes", [&] { return engine.to_bytes(); });
  const std::vector<std::byte> bytes = engine.to_bytes();
  expect_out_of_memory("from_bytes",
                       [&] { return SpreadingEngine::load(shared_context(), bytes); });
}

TEST(OutOfMemory, OfAChangedGraphLeavesItAsItWas) {
  const std::vector<Edge> more = edges("more edges of failing allocations", 20);
  const std::vector<std::string> texts{"a new node with a name that is long",
                                       "another new node with a name that is long"};
  const std::vector<std::string_view> names(texts.begin(), texts.end());
  const std::vector<Edge> known = edges("edges of failing allocations", 400);
  const std::vector<EdgeEnds> ends{{known[0].from, known[0].to, {}},
                                   {known[9].from, known[9].to, {}}};
  const std::vector<std::uint32_t> removed{4, 5};
  using Engine = SpreadingEngine;
  expect_out_of_memory("add_nodes with names", make_engine,
                       [&](Engine& engine) { return engine.add_nodes(names); });
  const auto unnamed = [&] { return Engine(shared_context(), {nodes, known}); };
  expect_out_of_memory("add_nodes", unnamed, [](Engine& engine) { return engine.add_nodes(10); });
  expect_out_of_memory("add_edges", make_engine, [&](Engine& engine) { engine.add_edges(more); });
  expect_out_of_memory("remove_edges", make_engine,
                       [&](Engine& engine) { return engine.remove_edges(ends); });
  expect_out_of_memory("remove_nodes", make_engine,
                       [&](Engine& engine) { engine.remove_nodes(removed); });
  const auto changed = [&] {
    Engine engine = make_engine();
    engine.add_edges(std::span(more).first(3));
    return engine;
  };
  expect_out_of_memory("merge", changed, [](Engine& engine) { engine.merge(); });
}

TEST(OutOfMemory, OfAGraphThatMergesInTheBackgroundEndsNoProcess) {
  const std::vector<Edge> given = edges("edges of failing allocations", 400);
  const std::vector<Edge> more = edges("more edges of failing allocations", 100);
  GraphOptions options;
  options.merge_share = 0.01;
  const auto make = [&] {
    return SpreadingEngine(shared_context(), GraphSpan{nodes, given, {}, {}, {}}, options);
  };
  expect_out_of_memory("add_edges", make, [&](SpreadingEngine& engine) { engine.add_edges(more); });
}

TEST(OutOfMemory, OfASpreadIsTyped) {
  const Ragged<Activation> given = sources();
  using Engine = SpreadingEngine;
  for (const Space space : host_spaces()) {
    for (const SpreadMode mode : {SpreadMode::engine, SpreadMode::linear, SpreadMode::pagerank}) {
      SCOPED_TRACE(to_string(space));
      SpreadOptions options;
      options.mode = mode;
      options.space = space;
      expect_out_of_memory("spread", make_engine,
                           [&](Engine& engine) { return engine.spread(given, options); });
      if (mode == SpreadMode::pagerank) {
        options.tolerance = 1e-9;
        expect_out_of_memory("PageRank in double", make_engine,
                             [&](Engine& engine) { return engine.spread(given, options); });
        continue;
      }
      options.modifiers = SpreadModifiers::engram();
      options.trace_paths = 2;
      expect_out_of_memory("spread with paths and modifiers", make_engine,
                           [&](Engine& engine) { return engine.spread(given, options); });
      options.activations = ActivationPrecision::bfloat16;
      options.trace_paths = 0;
      expect_out_of_memory("spread in bfloat16", make_engine,
                           [&](Engine& engine) { return engine.spread(given, options); });
    }
    const std::vector<std::int32_t> offsets{0, 1, 2};
    const std::vector<std::int32_t> from{3, 4};
    const std::vector<float> values{0.9F, 0.8F};
    std::vector<std::int32_t> found(2 * 5);
    std::vector<float> activations(2 * 5);
    const std::vector<std::int64_t> shape{2, 5};
    SpreadOptions options;
    options.top = 5;
    options.space = space;
    expect_out_of_memory("spread of arrays", make_engine, [&](Engine& engine) {
      engine.spread(SpreadSources{ConstArray(std::span(offsets)), ConstArray(std::span(from)),
                                  ConstArray(std::span(values))},
                    options,
                    SpreadOutput{Array(found.data(), DataType::int32, shape),
                                 Array(activations.data(), DataType::float32, shape)});
      return std::pair(std::span(found), std::span(activations));
    });
    const std::vector<float> x(2 * nodes, 0.5F);
    std::vector<float> y(2 * nodes);
    const std::vector<std::int64_t> matrix{nodes, 2};
    const ConstArray given_x(x.data(), DataType::float32, matrix);
    const Array given_y(y.data(), DataType::float32, matrix);
    HopOptions hops;
    hops.space = space;
    for (const HopDirection direction : {HopDirection::along, HopDirection::against}) {
      hops.direction = direction;
      expect_out_of_memory("hop", make_engine, [&](Engine& engine) {
        engine.hop(given_x, given_y, hops);
        return std::span(y);
      });
    }
    hops.modifiers = SpreadModifiers::engram();
    expect_out_of_memory("hop with modifiers", make_engine, [&](Engine& engine) {
      engine.hop(given_x, given_y, hops);
      return std::span(y);
    });
  }
}

TEST(OutOfMemory, OfOtherQueriesOfAGraphIsTyped) {
  const SpreadingEngine engine = make_engine();
  const std::string name(engine.name(7));
  expect_out_of_memory("statistics", [&] { return engine.statistics(); });
  expect_out_of_memory("find", [&] { return engine.find(name); });
  expect_out_of_memory("name", [&] { return engine.name(9); });
  expect_out_of_memory("bytes", [&] { return engine.bytes(Space::serial); });
  expect_out_of_memory("has_node", [&] { return engine.has_node(7); });
}

}  // namespace GraphCallsTest

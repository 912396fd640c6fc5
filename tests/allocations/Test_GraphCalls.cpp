// SPDX-License-Identifier: Apache-2.0
#include "Generator.hpp"
#include "PublicCalls.hpp"

namespace GraphCallsTest {

using namespace Kindred;
using namespace Testing;

constexpr std::uint32_t nodes = 80;

std::vector<Edge> edges(const char* name, std::size_t count) {
  auto random = generator(name);
  const auto node = [&] { return static_cast<std::uint32_t>(random() % nodes); };
  std::vector<Edge> out(count);
  for (Edge& edge : out) edge = {node(), node(), static_cast<float>(random() % 100) / 100.0F};
  return out;
}
const std::vector<Edge> known = edges("edges of failing allocations", 400);
const std::vector<Edge> more = edges("more edges of failing allocations", 100);

SpreadingEngine make_engine() {
  static const Ragged<char> names = [] {
    Ragged<char> made;
    for (std::uint32_t node = 0; node < nodes; ++node)
      made.push_row("the name of a node that is not short, " + std::to_string(node));
    return made;
  }();
  static const std::vector<std::uint8_t> kinds(nodes, 1);
  const GraphOptions options{.background_merge = false};
  return {shared_context(), GraphSpan{nodes, known, {}, kinds, names}, options};
}
const TypedCalls expect(make_engine);

TEST(OutOfMemory, OfAGraphThatIsMadeOrLoadedIsTyped) {
  Context& context = shared_context();
  expect_typed("SpreadingEngine(edges)", [&] { return SpreadingEngine(context, {nodes, known}); });
  expect_typed("SpreadingEngine(span)", make_engine);
  const std::vector<std::int64_t> offsets{0, 2, 3, 3};
  const std::vector<std::int32_t> ends{1, 2, 0};
  const std::vector<float> weights{0.5F, 0.25F, 1.0F};
  const CsrGraph csr{.offsets = offsets, .ends = ends, .weights = weights};
  expect_typed("SpreadingEngine(rows)", [&] { return SpreadingEngine(context, csr); });
  const std::vector<float> x{1, 2, 3};
  std::vector<float> y(3);
  for (const HopDirection direction : {HopDirection::along, HopDirection::against})
    expect_written("hop of rows", y, [&] { hop(context, csr, x, y, {.direction = direction}); });
  expect.files([&](const auto& from) { return SpreadingEngine::load(context, from); });
  const TempFolder folder;
  const std::string path = folder / "graph";
  make_engine().save(path);
  expect_typed("inspect", [&] { return SpreadingEngine::inspect(path); });
}

TEST(OutOfMemory, OfAChangedGraphLeavesItAsItWas) {
  const std::vector<std::string> texts{"a new node with a name that is long",
                                       "another new node with a name that is long"};
  const std::vector<std::string_view> names = views(texts);
  const std::vector<EdgeEnds> ends{{known[0].from, known[0].to, {}},
                                   {known[9].from, known[9].to, {}}};
  const std::vector<std::uint32_t> removed{4, 5};
  const std::span<const Edge> added = std::span(more).first(20);
  expect("add_nodes with names", [&](auto& engine) { return engine.add_nodes(names); });
  const auto unnamed = [] { return SpreadingEngine(shared_context(), {nodes, known}); };
  expect_typed("add_nodes", unnamed, [](auto& engine) { return engine.add_nodes(10); });
  expect("add_edges", [&](auto& engine) { engine.add_edges(added); });
  expect("remove_edges", [&](auto& engine) { return engine.remove_edges(ends); });
  expect("remove_nodes", [&](auto& engine) { engine.remove_nodes(removed); });
  const auto changed = [&] {
    SpreadingEngine engine = make_engine();
    engine.add_edges(added.first(3));
    return engine;
  };
  expect_typed("merge", changed, [](auto& engine) { engine.merge(); });
}

TEST(OutOfMemory, OfAGraphThatMergesInTheBackgroundEndsNoProcess) {
  const GraphOptions options{.merge_share = 0.01};
  const auto make = [&] {
    return SpreadingEngine(shared_context(), GraphSpan{nodes, known, {}, {}, {}}, options);
  };
  expect_typed("add_edges", make, [&](auto& engine) { engine.add_edges(more); });
}

TEST(OutOfMemory, OfASpreadIsTyped) {
  Ragged<Activation> given;
  for (std::uint32_t query = 0; query < 3; ++query) {
    for (std::uint32_t i = 0; i <= query; ++i) given.values.push_back({7 * query + i, 0.9F});
    given.close_row();
  }
  const auto engram = SpreadModifiers::engram();
  const std::vector<std::pair<const char*, SpreadOptions>> kinds{
      {"engine", {.mode = SpreadMode::engine}},
      {"linear", {.mode = SpreadMode::linear}},
      {"PageRank", {.mode = SpreadMode::pagerank}},
      {"PageRank in double", {.mode = SpreadMode::pagerank, .tolerance = 1e-9}},
      {"engine, modified", {.mode = SpreadMode::engine, .modifiers = engram, .trace_paths = 2}},
      {"linear, modified", {.mode = SpreadMode::linear, .modifiers = engram, .trace_paths = 2}},
      {"engine in bfloat16",
       {.mode = SpreadMode::engine,
        .modifiers = engram,
        .activations = ActivationPrecision::bfloat16}},
      {"linear in bfloat16",
       {.mode = SpreadMode::linear,
        .modifiers = engram,
        .activations = ActivationPrecision::bfloat16}}};
  const std::vector<std::int32_t> offsets{0, 1, 2};
  const std::vector<std::int32_t> from{3, 4};
  const std::vector<float> values{0.9F, 0.8F};
  std::vector<std::int32_t> found(2 * 5);
  std::vector<float> activations(2 * 5);
  const SpreadSources sources{offsets, from, values};
  const SpreadOutput to{columns_of(found, 5), columns_of(activations, 5)};
  const std::vector<float> x(2 * nodes, 0.5F);
  std::vector<float> y(2 * nodes);
  const ConstArray given_x = columns_of(x, 2);
  const Array given_y = columns_of(y, 2);
  for (const Space space : host_spaces()) {
    SCOPED_TRACE(to_string(space));
    for (const auto& kind : kinds) {
      SpreadOptions options = kind.second;
      options.space = space;
      expect(kind.first, [&](auto& engine) { return engine.spread(given, options); });
    }
    expect("spread of arrays", std::tie(found, activations),
           [&](auto& engine) { engine.spread(sources, {.top = 5, .space = space}, to); });
    for (const HopOptions& hops : {HopOptions{.direction = HopDirection::along, .space = space},
                                   HopOptions{.direction = HopDirection::against, .space = space},
                                   HopOptions{.modifiers = engram, .space = space}})
      expect("hop", y, [&](auto& engine) { engine.hop(given_x, given_y, hops); });
  }
}

TEST(OutOfMemory, OfOtherQueriesOfAGraphIsTyped) {
  const SpreadingEngine engine = make_engine();
  const std::string name(engine.name(7));
  expect_typed("statistics", [&] { return engine.statistics(); });
  expect_typed("find", [&] { return engine.find(name); });
  expect_typed("name", [&] { return engine.name(9); });
  expect_typed("bytes", [&] { return engine.bytes(Space::serial); });
  expect_typed("has_node", [&] { return engine.has_node(7); });
}

}  // namespace GraphCallsTest

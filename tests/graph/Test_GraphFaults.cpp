// SPDX-License-Identifier: Apache-2.0
// The k-th allocation of every change fails, for every k, and the graph must be unchanged
// afterwards.
#include <functional>
#include <memory>

#include "Allocations.hpp"
#include "Faults.hpp"
#include "SpreadingSupport.hpp"
#include "TextRows.hpp"

namespace GraphFaultsTest {

using namespace Kindred;
using namespace Testing::SpreadingSupport;
using Testing::fail_every_allocation;
using Testing::Faults;
using Testing::make_faulty_context;
using Testing::ragged;

/// All rows of the graph, and the answers to a query.
auto state_of(const SpreadingEngine& engine) {
  const auto sources = ragged<Activation>({{{0, 1}}});
  return std::pair(engine.to_bytes(), bits(engine.spread(sources, on(Space::serial, {}))));
}

/// A graph with every feature, and a delta.
SpreadingEngine make_graph(Context& context) {
  const std::vector<Edge> edges{{0, 1, 0.5F}, {1, 2, 0.25F}, {0, 2, 0.5F}, {3, 0, 1}, {0, 1, 1}};
  const std::vector<std::uint8_t> kinds{0, 1, 2, 3, 4};
  const Ragged<char> names = Testing::text_rows({"a", "b", "c", "d"});
  const GraphSpan graph{4, edges, kinds, std::span(kinds).subspan(1), names};
  SpreadingEngine engine(context, graph, by_hand());
  engine.add_edges({{{2, 2, 0.125F}}});
  return engine;
}
/// A graph whose changes create lists that are larger than labels.
SpreadingEngine make_large_graph(Context& context) {
  constexpr std::uint32_t nodes = 90;
  std::vector<Edge> edges;
  for (std::uint32_t i = 0; i < 4 * nodes; ++i)
    edges.push_back({i % nodes, (7 * i + i / nodes) % nodes, static_cast<float>(i % 16) / 16});
  std::vector<std::string> texts;
  for (std::uint32_t i = 0; i < nodes; ++i) texts.push_back("node " + std::to_string(i));
  const Ragged<char> names = Testing::text_rows(texts);
  GraphOptions options = by_hand();
  options.residency = Residency::host;  // Kokkos aborts where its own strings fail on a device
  SpreadingEngine engine(context, GraphSpan{nodes, edges, {}, {}, names}, options);
  engine.add_edges({{{2, 2, 0.125F}}});
  return engine;
}

/// The changes of a graph, each of which allocates.
std::vector<std::function<void(SpreadingEngine&)>> changes_with(
    const std::vector<std::string_view>& names, const std::vector<Edge>& edges,
    const std::vector<EdgeEnds>& ends, const std::vector<std::uint32_t>& nodes) {
  return {[=](SpreadingEngine& engine) { engine.add_nodes(names); },
          [=](SpreadingEngine& engine) { engine.add_edges(edges); },
          [=](SpreadingEngine& engine) { engine.remove_edges(ends); },
          [=](SpreadingEngine& engine) { engine.remove_nodes(nodes); },
          [](SpreadingEngine& engine) { engine.merge(); }};
}

TEST(GraphFaults, OfAnyAllocationLeaveTheGraphUnchanged) {
  for (const auto& change :
       changes_with({"e", "a", "f"}, {{1, 3, 0.5F}, {0, 1, 0.5F}}, {{0, 1, {}}}, {3})) {
    SpreadingEngine changed = make_graph(Testing::context());
    const auto before = state_of(changed);
    change(changed);
    const auto after = state_of(changed);
    std::size_t k = 0;
    for (bool failed = true; failed;) {
      SCOPED_TRACE("allocation " + std::to_string(++k));
      const auto faults = std::make_shared<Faults>();
      const auto context = make_faulty_context(faults, 1);
      {
        SpreadingEngine engine = make_graph(*context);
        *faults = {0, k};
        failed = false;
        try {
          change(engine);
        } catch (const OutOfMemory&) {
          failed = true;
        }
        EXPECT_EQ(failed, faults->count >= k);
        *faults = {};
        EXPECT_EQ(state_of(engine), failed ? before : after);
        if (failed) {
          change(engine);
          EXPECT_EQ(state_of(engine), after) << "after memory is available again";
        }
      }
      EXPECT_EQ(context->memory_statistics(Space::openmp).bytes_in_use, 0U) << "leaked";
    }
    EXPECT_GT(k, 1U);
  }
}

TEST(GraphFaults, OfHostContainersAreOutOfMemoryAndLeaveTheGraphUnchanged) {
  const auto context = make_faulty_context(std::make_shared<Faults>(), 1);
  std::vector<std::string> texts;
  std::vector<Edge> edges;
  std::vector<EdgeEnds> ends;
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t i = 0; i < 25; ++i) {
    texts.push_back("another " + std::to_string(i));
    edges.push_back({i, 50 + i, 0.5F});
    ends.push_back({i, 7 * i % 90, {}});
    nodes.push_back(3 * i + 1);
  }
  for (const auto& change : changes_with({texts.begin(), texts.end()}, edges, ends, nodes)) {
    SpreadingEngine engine = make_large_graph(*context);
    const auto before = state_of(engine);
    const std::size_t failures = fail_every_allocation(
        Testing::longer_than_labels, [&] { change(engine); },
        [&](std::size_t k) { EXPECT_EQ(state_of(engine), before) << k; });
    EXPECT_GT(failures, 0U);
    SpreadingEngine other = make_large_graph(*context);
    change(other);
    EXPECT_EQ(state_of(engine), state_of(other));
  }
}

TEST(GraphFaults, OfHostContainersAreOutOfMemoryInAnswersAndTraces) {
  const auto context = make_faulty_context(std::make_shared<Faults>(), 1);
  const SpreadingEngine engine = make_large_graph(*context);
  const auto sources = ragged<Activation>({{{1, 1}, {2, 0.5F}}});
  SpreadOptions traced = on(Space::serial, constant(1));
  traced.trace_paths = 3;
  traced.top = 50;
  for (const SpreadOptions& options : {traced, on(Space::serial, page_rank())}) {
    const SpreadResults expected = engine.spread(sources, options);  // allocates its workspace
    SpreadResults results;
    const std::size_t failures = fail_every_allocation(
        0, [&] { results = engine.spread(sources, options); }, [](std::size_t) {});
    EXPECT_GT(failures, 5U);
    EXPECT_EQ(bits(results), bits(expected));
    EXPECT_EQ(results.paths.steps.values, expected.paths.steps.values);
  }
}

}  // namespace GraphFaultsTest

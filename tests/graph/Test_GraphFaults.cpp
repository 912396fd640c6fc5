// SPDX-License-Identifier: Apache-2.0
// The k-th allocation of every change fails, for every k, and the graph must be unchanged
// afterwards.
#include <gtest/gtest.h>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "Allocations.hpp"
#include "Faults.hpp"
#include "Support.hpp"
#include "TempFolder.hpp"

namespace GraphFaultsTest {

using namespace Kindred;
using Testing::fail_every_allocation;
using Testing::Faults;
using Testing::longer_than_labels;
using Testing::make_faulty_context;
using Testing::TempFolder;

SpreadingEngine make_graph(Context& context) {
  const std::vector<Edge> edges{{0, 1, 0.5F}, {1, 2, 0.25F}, {0, 2, 0.5F}, {3, 0, 1}, {0, 1, 1}};
  const std::vector<std::uint8_t> edge_kinds{0, 1, 2, 3, 4};
  const std::vector<std::uint8_t> node_kinds{1, 2, 3, 4};
  Ragged<char> names;
  for (const std::string_view name : {"a", "b", "c", "d"}) names.push_row({name.data(), 1});
  GraphSpan graph{4, edges, edge_kinds, node_kinds, names};
  GraphOptions options;
  options.merge_share = 1e9;
  SpreadingEngine engine(context, graph, options);
  engine.add_edges({{{2, 2, 0.125F}}});  // so that a delta exists
  return engine;
}

/// The answers of the graph and all of its rows.
std::string state_of(const SpreadingEngine& engine, const TempFolder& folder) {
  engine.save(folder / "saved");
  std::string state = Testing::read_all(folder / "saved");
  const std::vector<Activation> source{{0, 1}};
  Ragged<Activation> sources;
  sources.push_row(source);
  SpreadOptions options;
  options.space = Space::serial;
  for (const Activation& node : engine.spread(sources, options).activations.values)
    state += std::to_string(node.node) + ' ' + std::to_string(node.value) + ' ';
  return state;
}

/// The changes of a graph, each of which allocates.
std::vector<std::function<void(SpreadingEngine&)>> all_changes() {
  static const std::vector<std::string_view> names{"e", "a", "f"};
  return {[](SpreadingEngine& engine) { engine.add_nodes(names); },
          [](SpreadingEngine& engine) {
            engine.add_edges({{{1, 3, 0.5F}, {0, 1, 0.5F}}});
          },
          [](SpreadingEngine& engine) {
            engine.remove_edges({{{0, 1, {}}}});
          },
          [](SpreadingEngine& engine) { engine.remove_nodes({{3}}); },
          [](SpreadingEngine& engine) { engine.merge(); }};
}

TEST(GraphFaults, OfAnyAllocationLeaveTheGraphUnchanged) {
  const TempFolder folder;
  const auto changes = all_changes();
  for (std::size_t which = 0; which < changes.size(); ++which) {
    const auto faults = std::make_shared<Faults>();
    std::string before;
    std::string after;
    std::size_t allocations = 0;
    const auto run = [&](std::size_t fail_at) {
      *faults = {};
      const auto context = make_faulty_context(faults, 1);
      {
        SpreadingEngine engine = make_graph(*context);
        before = state_of(engine, folder);
        *faults = {0, fail_at};
        bool failed = false;
        try {
          changes[which](engine);
        } catch (const OutOfMemory&) {
          failed = true;
        }
        allocations = faults->count;
        faults->fail_at = 0;
        EXPECT_EQ(failed, fail_at != 0) << "change " << which << ", allocation " << fail_at;
        if (fail_at == 0) {
          after = state_of(engine, folder);
          return;
        }
        EXPECT_EQ(state_of(engine, folder), before)
            << "change " << which << ", allocation " << fail_at;
        changes[which](engine);
        EXPECT_EQ(state_of(engine, folder), after) << "after memory is available again";
      }
      EXPECT_EQ(context->memory_statistics(Space::openmp).bytes_in_use, 0U) << "leaked";
    };
    run(0);
    const std::size_t count = allocations;
    ASSERT_GT(count, 0U) << "change " << which;
    for (std::size_t k = 1; k <= count; ++k) run(k);
  }
}

/// A graph whose changes create lists that are larger than labels.
SpreadingEngine make_large_graph(Context& context) {
  constexpr std::uint32_t nodes = 90;
  std::vector<Edge> edges;
  for (std::uint32_t i = 0; i < 4 * nodes; ++i)
    edges.push_back({i % nodes, (7 * i + i / nodes) % nodes, static_cast<float>(i % 16) / 16});
  Ragged<char> names;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    const std::string name = "node " + std::to_string(i);
    names.push_row({name.data(), name.size()});
  }
  GraphOptions options;
  options.merge_share = 1e9;
  options.residency = Residency::host;  // Kokkos aborts where its own strings fail on a device
  SpreadingEngine engine(context, GraphSpan{nodes, edges, {}, {}, names}, options);
  engine.add_edges({{{2, 2, 0.125F}}});
  return engine;
}

TEST(GraphFaults, OfHostContainersAreOutOfMemoryAndLeaveTheGraphUnchanged) {
  const TempFolder folder;
  const auto context = make_faulty_context(std::make_shared<Faults>(), 1);
  std::vector<std::string> texts;
  std::vector<Edge> added;
  std::vector<EdgeEnds> ends;
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t i = 0; i < 25; ++i) {
    texts.push_back("another " + std::to_string(i));
    added.push_back({i, 50 + i, 0.5F});
    ends.push_back({i, 7 * i % 90, {}});
    nodes.push_back(3 * i + 1);
  }
  const std::vector<std::string_view> names(texts.begin(), texts.end());
  const std::vector<std::function<void(SpreadingEngine&)>> changes{
      [&](SpreadingEngine& engine) { engine.add_nodes(names); },
      [&](SpreadingEngine& engine) { engine.add_edges(added); },
      [&](SpreadingEngine& engine) { engine.remove_edges(ends); },
      [&](SpreadingEngine& engine) { engine.remove_nodes(nodes); },
      [](SpreadingEngine& engine) { engine.merge(); }};
  for (std::size_t which = 0; which < changes.size(); ++which) {
    SpreadingEngine engine = make_large_graph(*context);
    const std::string before = state_of(engine, folder);
    const std::size_t failures = fail_every_allocation(
        longer_than_labels, [&] { changes[which](engine); },
        [&](std::size_t k) {
          EXPECT_EQ(state_of(engine, folder), before) << "change " << which << ", " << k;
        });
    EXPECT_GT(failures, 0U) << "change " << which;
    SpreadingEngine other = make_large_graph(*context);
    changes[which](other);
    EXPECT_EQ(state_of(engine, folder), state_of(other, folder)) << "change " << which;
  }
}

TEST(GraphFaults, OfHostContainersAreOutOfMemoryInAnswersAndTraces) {
  const auto context = make_faulty_context(std::make_shared<Faults>(), 1);
  const SpreadingEngine engine = make_large_graph(*context);
  Ragged<Activation> sources;
  const std::vector<Activation> source{{1, 1}, {2, 0.5F}};
  sources.push_row(source);
  SpreadOptions traced;
  traced.space = Space::serial;
  traced.decay = {Decay::Kind::constant, 1};
  traced.trace_paths = 3;
  traced.top = 50;
  SpreadOptions ranked;
  ranked.space = Space::serial;
  ranked.mode = SpreadMode::pagerank;
  for (const SpreadOptions& options : {traced, ranked}) {
    const SpreadResults expected = engine.spread(sources, options);  // allocates its workspace
    SpreadResults results;
    const std::size_t failures = fail_every_allocation(
        0, [&] { results = engine.spread(sources, options); }, [](std::size_t) {});
    EXPECT_GT(failures, 5U);
    EXPECT_EQ(results.activations.values, expected.activations.values);
    EXPECT_EQ(results.paths.steps.values, expected.paths.steps.values);
    EXPECT_EQ(results.convergence, expected.convergence);
  }
}

}  // namespace GraphFaultsTest

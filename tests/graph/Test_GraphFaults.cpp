// SPDX-License-Identifier: Apache-2.0
// The k-th allocation of every change fails, for every k, and the graph must be unchanged
// afterwards. `tests/allocations` does the same for allocations of standard containers.
#include <functional>
#include <memory>

#include "Faults.hpp"
#include "SpreadingSupport.hpp"
#include "TextRows.hpp"

namespace Kindred::Testing::Graphs::GraphFaultsTest {

/// All rows of the graph, and the answers to a query.
auto state_of(const SpreadingEngine& engine) {
  return std::pair(engine.to_bytes(),
                   bits(engine.spread(query_of({{0, 1}}), on(Space::serial, {}))));
}

/// A graph with every feature, and a delta.
SpreadingEngine make_graph(Context& context) {
  const std::vector<Edge> edges{{0, 1, 0.5F}, {1, 2, 0.25F}, {0, 2, 0.5F}, {3, 0, 1}, {0, 1, 1}};
  const std::vector<std::uint8_t> kinds{0, 1, 2, 3, 4};
  const Ragged<char> names = text_rows({"a", "b", "c", "d"});
  const GraphSpan graph{4, edges, kinds, std::span(kinds).subspan(1), names};
  SpreadingEngine engine(context, graph, by_hand());
  engine.add_edges({{{2, 2, 0.125F}}});
  return engine;
}

TEST(GraphFaults, OfAnyAllocationLeaveTheGraphUnchanged) {
  const auto faults = std::make_shared<Faults>();
  const auto context = make_faulty_context(faults, 1);
  const std::vector<std::string_view> names{"e", "a", "f"};
  const std::vector<Edge> edges{{1, 3, 0.5F}, {0, 1, 0.5F}};
  const std::vector<EdgeEnds> ends{{0, 1, {}}};
  // Each of which allocates.
  const std::function<void(SpreadingEngine&)> changes[] = {
      [&](auto& engine) { engine.add_nodes(names); },
      [&](auto& engine) { engine.add_edges(edges); },
      [&](auto& engine) { engine.remove_edges(ends); },
      [](auto& engine) { engine.remove_nodes({{3}}); }, [](auto& engine) { engine.merge(); }};
  for (const auto& change : changes) {
    SpreadingEngine changed = make_graph(Testing::context());
    const auto before = state_of(changed);
    change(changed);
    const auto after = state_of(changed);
    std::optional<SpreadingEngine> engine(make_graph(*context));
    const auto expect_changed = [&](const char* what) {
      EXPECT_EQ(state_of(*engine), after) << what;
      engine.reset();
      EXPECT_EQ(context->memory_statistics(Space::openmp).bytes_in_use, 0U) << "leaked";
    };
    const std::size_t failures = fail_every_accounted(
        *faults, [&] { change(*engine); },
        [&](std::size_t k) {
          SCOPED_TRACE("allocation " + std::to_string(k));
          EXPECT_EQ(state_of(*engine), before);
          change(*engine);
          expect_changed("after memory is available again");
          engine.emplace(make_graph(*context));
        });
    EXPECT_LE(faults->count, failures) << "a failure was hidden";
    expect_changed("no allocation failed");
    EXPECT_GT(failures, 0U);
  }
}

}  // namespace Kindred::Testing::Graphs::GraphFaultsTest

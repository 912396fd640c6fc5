// SPDX-License-Identifier: Apache-2.0
// The k-th allocation of every change fails, for every k, and the graph must be unchanged
// afterwards. `tests/allocations` does the same for allocations of standard containers.
#include <functional>
#include <memory>

#include "Faults.hpp"
#include "SpreadingSupport.hpp"
#include "TextRows.hpp"

namespace GraphFaultsTest {

using namespace Kindred;
using namespace Testing::SpreadingSupport;
using Testing::Faults;
using Testing::make_faulty_context;

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
/// The changes of a graph, each of which allocates.
std::vector<std::function<void(SpreadingEngine&)>> changes() {
  static const std::vector<std::string_view> names{"e", "a", "f"};
  static const std::vector<Edge> edges{{1, 3, 0.5F}, {0, 1, 0.5F}};
  static const std::vector<EdgeEnds> ends{{0, 1, {}}};
  return {[](SpreadingEngine& engine) { engine.add_nodes(names); },
          [](SpreadingEngine& engine) { engine.add_edges(edges); },
          [](SpreadingEngine& engine) { engine.remove_edges(ends); },
          [](SpreadingEngine& engine) { engine.remove_nodes({{3}}); },
          [](SpreadingEngine& engine) { engine.merge(); }};
}

TEST(GraphFaults, OfAnyAllocationLeaveTheGraphUnchanged) {
  for (const auto& change : changes()) {
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

}  // namespace GraphFaultsTest

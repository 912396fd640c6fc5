// SPDX-License-Identifier: Apache-2.0
#include "GraphSupport.hpp"

namespace SpreadHopTest {

using namespace Kindred;
using namespace Testing::Graphs;

constexpr Decay cubic{Decay::Kind::power, 3};

TEST(SpreadHop, MatchesReferenceForEveryWidthAlsoWithReplacedRows) {
  auto generator = Testing::generator("SpreadHop.width");
  for (const SpreadMode mode : spread_modes) {
    const Graph graph = graph_for(mode, 900, generator);
    for (const HopWidth width : widths) {
      const Queries queries =
          queries_for(mode, graph.nodes, static_cast<std::size_t>(width), generator);
      for (const Parts& parts : {Parts(graph), Parts(graph, generator)})
        expect_reference_of(parts, graph, queries, width, spread_options(mode, 4, cubic));
    }
  }
}

TEST(SpreadHop, ShortActivationsMatchARoundingReference) {
  auto generator = Testing::generator("Hop.short_activations");
  for (const SpreadMode mode : spread_modes) {
    const Graph graph = graph_for(mode, 700, generator);
    SpreadOptions options = spread_options(mode, 4, cubic);
    options.activations = ActivationPrecision::bfloat16;
    expect_reference_of(Parts(graph), graph, queries_for(mode, graph.nodes, 32, generator),
                        HopWidth::thirty_two, options);
  }
}

TEST(SpreadHop, RowOfFindsTheSingleRowOfEveryNode) {
  auto generator = Testing::generator("SpreadHop.row_of");
  const HostSpace& exec_space = Impl::host_instance(Testing::context(), Space::openmp);
  const Graph graph = graph_for(SpreadMode::engine, 900, generator);
  const Rows whole = rows_of(graph, HopDirection::along);
  SpaceArrays<HostSpace> arrays(exec_space);
  const auto side = placed(arrays, Parts(graph, generator));
  for (std::uint32_t node = 0; node < graph.nodes; ++node) {
    const auto row = row_of(side.built, side.delta, node);
    ASSERT_EQ(row.count, whole.offsets[node + 1] - whole.offsets[node]) << node;
    for (std::uint64_t i = 0; i < row.count; ++i)
      ASSERT_EQ(row.part->sources(row.begin + i), whole.sources[whole.offsets[node] + i]) << node;
  }
}

TEST(SpreadHop, AnEmptyFrontierChangesNothing) {
  const Graph graph{3, {{0, 1, 0.01F}, {1, 2, 1}}};
  expect_reference_of(Parts(graph), graph, {{{0, 1}}}, HopWidth::one, {.hops = 9});
  EXPECT_EQ(reference_values(graph, {{0, 1}}, {.hops = 9}, {}), std::vector<float>({1, 0, 0}));
}

}  // namespace SpreadHopTest

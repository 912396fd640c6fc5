// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/graph/ModifyWeights.hpp>

#include "GraphSupport.hpp"

namespace HopTest {

using namespace Kindred;
using namespace Testing::Graphs;

/// Rounds the weights of \p graph to values that \p stored can hold.
void store_as(Stored stored, Graph& graph) {
  for (Edge& edge : graph.edges) {
    if (stored == Stored::ones) edge.weight = 1;
    if (stored == Stored::halves)
      edge.weight = std::bit_cast<float>(std::bit_cast<std::uint32_t>(edge.weight) & 0xFFFF0000U);
  }
}

/// Hops of columns [nodes, width] over each of \p all, which hold the same rows, must give the bits
/// of the reference on every space.
void expect_hop(const Graph& graph, const std::vector<Parts>& all, const std::vector<float>& x,
                HopWidth width, const std::vector<std::uint32_t>& kind_queries,
                HopDirection direction = HopDirection::along, Stored stored = Stored::floats) {
  const auto columns = static_cast<std::size_t>(width);
  const auto expected = bits_of(reference_hop(graph, x, columns, [&](std::size_t column) {
    HopOptions options{direction};
    for (std::size_t kind = 0; kind < kind_queries.size(); ++kind)
      options.kinds[kind] = (kind_queries[kind] >> column & 1U) != 0;
    return options;
  }));
  on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    SpaceArrays<ExecutionSpace> arrays(exec_space);
    for (const Parts& parts : all) {
      const auto side = placed(arrays, parts, stored);
      ASSERT_EQ(bits_of(hopped(exec_space, side, width, x, kind_queries)), expected)
          << "width " << columns << ", stored " << static_cast<int>(stored) << ", kinds "
          << kind_queries.size() << (&parts == all.data() ? "" : ", changed");
    }
  });
}

TEST(Hop, MatchesReferenceForEveryFormOfEdges) {
  auto generator = Testing::generator("Hop.forms");
  for (const Stored stored : {Stored::floats, Stored::halves, Stored::ones}) {
    for (const bool has_kinds : {false, true}) {
      Graph graph = graph_for(SpreadMode::linear, 700, generator);
      store_as(stored, graph);
      std::vector<std::uint32_t> kind_queries;
      if (has_kinds) {
        graph.kinds = random_kinds(graph.edges.size(), 5, generator);
        for (std::uint8_t& kind : graph.kinds) kind = static_cast<std::uint8_t>(kind * 63);
        for (std::size_t kind = 0; kind < 256; ++kind)
          kind_queries.push_back(static_cast<std::uint32_t>(generator()));
        kind_queries[63] = 0xFFFFFFFFU;
        kind_queries[126] = 0;
      }
      for (const HopDirection direction : directions) {
        const std::vector<Parts> all{Parts(graph, direction), Parts(graph, generator, direction)};
        for (const HopWidth width : widths) {
          const std::size_t count = graph.nodes * static_cast<std::size_t>(width);
          expect_hop(graph, all, values_and_zeros(count, generator), width, kind_queries, direction,
                     stored);
        }
      }
    }
  }
}

TEST(Hop, NonFiniteValuesStayInTheirRows) {
  std::vector<std::uint32_t> kind_queries(256, 0xFFFFFFFFU);
  kind_queries[3] = 0;
  for (const HopWidth width : widths) {
    const auto columns = static_cast<std::size_t>(width);
    const auto expect = [&](const Graph& graph, std::size_t infinite,
                            const std::vector<std::uint32_t>& of_kinds) {
      std::vector<float> x(graph.nodes * columns, 0.5F);
      std::fill_n(&x[infinite * columns], columns, HUGE_VALF);
      expect_hop(graph, {Parts(graph)}, x, width, of_kinds);
    };
    // Row 1 is shorter than a full load and is followed by an edge from the infinite node.
    expect({4, {{0, 1, 1}, {2, 3, 1}, {2, 3, 0}}}, 2, {});
    // An unselected edge of an infinite node contributes 0.
    expect({2, {{0, 1, 1}, {1, 1, 1}}, {3, 4}}, 0, kind_queries);
  }
}

TEST(Hop, ColumnsAreExtractedAndInserted) {
  constexpr std::size_t nodes = 5;
  constexpr std::size_t columns = 11;
  std::vector<float> values(nodes * columns);
  std::iota(values.begin(), values.end(), 0.5F);
  on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    SpaceArrays<ExecutionSpace> arrays(exec_space);
    const auto from = arrays.copy(values);
    const auto wide = arrays.template zeros<float>(nodes * 8);
    const auto back = arrays.template zeros<float>(values.size());
    for (std::size_t first = 0; first < columns; first += 8) {
      const std::size_t count = std::min<std::size_t>(8, columns - first);
      copy_columns<ExecutionSpace>(exec_space, {from, columns, first}, {wide, 8}, count, 8 - count);
      const auto panel = to_host(exec_space, wide);
      for (std::size_t i = 0; i < panel.size(); ++i)
        EXPECT_EQ(panel[i], i % 8 < count ? values[i / 8 * columns + first + i % 8] : 0.0F);
      copy_columns<ExecutionSpace>(exec_space, {wide, 8}, {back, columns, first}, count);
    }
    EXPECT_EQ(to_host(exec_space, back), values);
  });
}

TEST(SpreadHop, MatchesReferenceForEveryWidthAlsoWithReplacedRowsAndRounding) {
  auto generator = Testing::generator("SpreadHop.width");
  for (const SpreadMode mode : spread_modes) {
    const Graph graph = graph_for(mode, 900, generator);
    SpreadOptions options = spread_options(mode, 4, {Decay::Kind::power, 3});
    for (const HopWidth width : widths) {
      const Queries queries =
          queries_for(mode, graph.nodes, static_cast<std::size_t>(width), generator);
      for (const Parts& parts : {Parts(graph), Parts(graph, generator)})
        expect_reference_of(parts, graph, queries, width, options);
      if (width != HopWidth::thirty_two) continue;
      options.activations = ActivationPrecision::bfloat16;
      expect_reference_of(Parts(graph), graph, queries, width, options);
    }
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

TEST(ModifyWeights, MatchReferenceInBothDirectionsAndWithDeltas) {
  auto generator = Testing::generator("ModifyWeights.reference");
  for (const auto fan : {SpreadModifiers::Fan::Kind::constant, SpreadModifiers::Fan::Kind::inverse,
                         SpreadModifiers::Fan::Kind::inverse_root}) {
    Graph graph = graph_for(SpreadMode::engine, 700, generator);
    graph.node_kinds = random_kinds(graph.nodes, 10, generator);
    const SpreadModifiers modifiers = SpreadModifiers::engram_fan(fan);
    Graph modified = graph;
    const auto links = links_of(graph, modifiers);
    for (std::size_t i = 0; i < links.size(); ++i) modified.edges[i].weight = links[i].weight;
    const Parts out_parts(graph, generator, HopDirection::against);
    for (const HopDirection direction : directions) {
      const auto expected = bits_of(rows_of(modified, direction).weights);
      on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
        SpaceArrays<ExecutionSpace> arrays(exec_space);
        const auto out = placed(arrays, out_parts);
        const auto side = placed(arrays, Parts(graph, direction));
        const auto weights = arrays.template zeros<float>(graph.edges.size());
        modify_weights<ExecutionSpace>(exec_space, side.built, direction, out,
                                       arrays.copy(graph.node_kinds), modifiers, weights);
        EXPECT_EQ(bits_of(to_host(exec_space, weights)), expected);
      });
    }
  }
}

}  // namespace HopTest

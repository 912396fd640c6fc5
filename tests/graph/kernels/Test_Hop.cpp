// SPDX-License-Identifier: Apache-2.0
#include "GraphSupport.hpp"

namespace Kindred::Testing::Graphs::HopTest {

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
  const auto expected = bits(reference_hop(graph, x, columns, [&](std::size_t column) {
    HopOptions options{direction};
    for (std::size_t kind = 0; kind < kind_queries.size(); ++kind)
      options.kinds[kind] = (kind_queries[kind] >> column & 1U) != 0;
    return options;
  }));
  on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    SpaceArrays<ExecutionSpace> arrays(exec_space);
    for (const Parts& parts : all) {
      const auto side = placed(arrays, parts, stored);
      ASSERT_EQ(bits(hopped(exec_space, side, width, x, kind_queries)), expected)
          << "width " << columns << ", stored " << static_cast<int>(stored) << ", kinds "
          << kind_queries.size() << (&parts == all.data() ? "" : ", changed");
    }
  });
}

TEST(Hop, MatchesReferenceForEveryFormOfEdges) {
  for (const Stored stored : {Stored::floats, Stored::halves, Stored::ones}) {
    for (const bool has_kinds : {false, true}) {
      Graph graph = graph_for(SpreadMode::linear, 700);
      store_as(stored, graph);
      std::vector<std::uint32_t> kind_queries;
      if (has_kinds) {
        graph.kinds = random_kinds(graph.edges.size(), 5);
        for (std::uint8_t& kind : graph.kinds) kind = static_cast<std::uint8_t>(kind * 63);
        for (std::size_t kind = 0; kind < 256; ++kind)
          kind_queries.push_back(static_cast<std::uint32_t>(generator()()));
        kind_queries[63] = 0xFFFFFFFFU;
        kind_queries[126] = 0;
      }
      for (const HopDirection direction : directions) {
        const std::vector<Parts> all{Parts(graph, direction), Parts::changed(graph, direction)};
        for (const HopWidth width : widths) {
          const std::size_t count = graph.nodes * static_cast<std::size_t>(width);
          expect_hop(graph, all, values_and_zeros(count), width, kind_queries, direction, stored);
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
  for (const SpreadMode mode : spread_modes) {
    const Graph graph = graph_for(mode, 900);
    SpreadOptions options = spread_options(mode, 4, {Decay::Kind::power, 3});
    for (const HopWidth width : widths) {
      const Queries queries = queries_for(mode, graph.nodes, static_cast<std::size_t>(width));
      for (const Parts& parts : {Parts(graph), Parts::changed(graph)})
        expect_reference_of(parts, graph, queries, width, options);
      if (width != HopWidth::thirty_two) continue;
      options.activations = ActivationPrecision::bfloat16;
      expect_reference_of(Parts(graph), graph, queries, width, options);
    }
  }
}

}  // namespace Kindred::Testing::Graphs::HopTest

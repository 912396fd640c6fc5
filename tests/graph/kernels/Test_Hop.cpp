// SPDX-License-Identifier: Apache-2.0
#include "GraphSupport.hpp"

namespace HopTest {

using namespace Kindred;
using namespace Testing::Graphs;

constexpr float inf = std::numeric_limits<float>::infinity();

/// Rounds the weights of \p graph to values that \p stored can hold.
void store_as(Stored stored, Graph& graph) {
  for (Edge& edge : graph.edges) {
    if (stored == Stored::ones) edge.weight = 1;
    if (stored == Stored::halves)
      edge.weight = std::bit_cast<float>(std::bit_cast<std::uint32_t>(edge.weight) & 0xFFFF0000U);
  }
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
        const Parts whole(graph, direction);
        const Parts changed(graph, generator, direction);
        for (const HopWidth width : widths) {
          const auto columns = static_cast<std::size_t>(width);
          const std::vector<float> x = values_and_zeros(graph.nodes * columns, generator);
          const auto expected = bits_of(reference_hop(graph, x, columns, [&](std::size_t column) {
            HopOptions options{direction};
            for (std::size_t kind = 0; kind < kind_queries.size(); ++kind)
              options.kinds[kind] = (kind_queries[kind] >> column & 1U) != 0;
            return options;
          }));
          on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
            SpaceArrays<ExecutionSpace> arrays(exec_space);
            for (const Parts* parts : {&whole, &changed}) {
              const auto side = placed(arrays, *parts, stored);
              ASSERT_EQ(bits_of(hopped(exec_space, side, width, x, kind_queries)), expected)
                  << "width " << columns << ", stored " << static_cast<int>(stored) << ", kinds "
                  << has_kinds << (parts == &whole ? "" : ", changed");
            }
          });
        }
      }
    }
  }
}

/// Expects that every column of a hop gives \p y for \p x, on every space and for every width.
void expect_hop(const Graph& graph, const std::vector<float>& x, const std::vector<float>& y,
                const std::vector<std::uint32_t>& kind_queries) {
  for (const HopWidth width : widths) {
    std::vector<float> wide_x;
    std::vector<float> wide_y;
    for (std::size_t node = 0; node < graph.nodes; ++node) {
      wide_x.insert(wide_x.end(), static_cast<std::size_t>(width), x[node]);
      wide_y.insert(wide_y.end(), static_cast<std::size_t>(width), y[node]);
    }
    on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
      SpaceArrays<ExecutionSpace> arrays(exec_space);
      const auto side = placed(arrays, Parts(graph));
      EXPECT_EQ(bits_of(hopped(exec_space, side, width, wide_x, kind_queries)), bits_of(wide_y));
    });
  }
}

TEST(Hop, NonFiniteValuesStayInTheirRows) {
  // Row 1 is shorter than a full load and is followed by an edge from the infinite node.
  expect_hop({4, {{0, 1, 1}, {2, 3, 1}, {2, 3, 0}}}, {0.5F, 0, inf, 0},
             {0, 0.5F, 0, std::bit_cast<float>(0x7FC00000U)}, {});
  // An unselected edge of an infinite node contributes 0.
  std::vector<std::uint32_t> kind_queries(256, 0xFFFFFFFFU);
  kind_queries[3] = 0;
  expect_hop({2, {{0, 1, 1}, {1, 1, 1}}, {3, 4}}, {inf, 2}, {0, 2}, kind_queries);
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

}  // namespace HopTest

// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/graph/FillAdjacency.hpp>

#include "GraphSupport.hpp"

namespace Kindred::Testing::Graphs::AdjacencyTest {

struct Adjacency {
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> ends;
  std::vector<float> weights;

  explicit Adjacency(const Graph& graph)
      : offsets(graph.nodes + 1), ends(graph.edges.size()), weights(graph.edges.size()) {}
  AdjacencySpan span() { return {offsets, ends, weights}; }
  void expect(const Rows& rows) const {
    EXPECT_EQ(offsets, rows.offsets);
    EXPECT_EQ(ends, rows.sources);
    EXPECT_EQ(weights, rows.weights);
  }
};

/// Both directions, and the transpose of one, must have the rows of the sorted edges.
void expect_rows(const Context& context, const Graph& graph) {
  const HostSpace& exec_space = Impl::host_instance(context, Space::openmp);
  Adjacency out(graph);
  Adjacency in(graph);
  fill_adjacency(exec_space, graph.edges, out.span(), in.span());
  out.expect(rows_of(graph, HopDirection::against));
  in.expect(rows_of(graph, HopDirection::along));
  Adjacency transpose(graph);
  fill_transpose(exec_space, out.span(), transpose.span());
  transpose.expect(rows_of(graph, HopDirection::along));
}

TEST(Adjacency, RowsAreInSourceThenInputOrder) {
  const Graph graph{5,
                    {{2, 1, 0.1F},
                     {0, 1, 0.2F},
                     {2, 1, 0.3F},
                     {1, 1, 0.4F},
                     {0, 3, 0.5F},
                     {0, 1, 0.6F},
                     {3, 0, 0.7F}}};
  expect_rows(Testing::context(), graph);
  const Rows in = rows_of(graph, HopDirection::along);
  EXPECT_THAT(in.offsets, ElementsAre(0, 1, 6, 6, 7, 7));
  EXPECT_THAT(in.sources, ElementsAre(3, 0, 0, 1, 2, 2, 0));
  EXPECT_THAT(in.weights, ElementsAre(0.7F, 0.2F, 0.6F, 0.4F, 0.1F, 0.3F, 0.5F));
  const Rows out = rows_of(graph, HopDirection::against);
  EXPECT_THAT(out.offsets, ElementsAre(0, 3, 4, 6, 7, 7));
  EXPECT_THAT(out.sources, ElementsAre(1, 3, 1, 1, 1, 1, 0));
  EXPECT_THAT(out.weights, ElementsAre(0.2F, 0.5F, 0.6F, 0.4F, 0.1F, 0.3F, 0.7F));
}

TEST(Adjacency, MatchesAStableSort) {
  expect_rows(Testing::context(), {0});
  expect_rows(Testing::context(), {3});
  for (const std::size_t edges : {0, 1, 2, 3, 31, 32, 33, 400, 300'000}) {
    for (const std::size_t nodes : {1 + edges / 7, std::size_t{50}})
      expect_rows(Testing::context(), random_graph(nodes, {}, edges));
  }
}

TEST(Adjacency, IsTheSameWithThreeThreads) {
  // Enough edges for three threads; half of them share one end node.
  Graph graph{1000};
  for (std::size_t i = 0; i < 200'000; ++i) {
    const std::uint32_t one = random_node(1000);
    const std::uint32_t other = random_below(2) == 0 ? 7 : random_node(1000);
    graph.edges.push_back(
        {i % 2 == 0 ? one : other, i % 2 == 0 ? other : one, static_cast<float>(i)});
  }
  expect_rows(Context(ContextOptions{.threads = 3, .load_profile = false}), graph);
}

TEST(RowPlan, LongRowsAreSplitIntoBlocksBetweenTiles) {
  const RowPlan plan = plan_rows(offsets_of({10, 4096, 4097, 5, 12289}), 4096, 2048);
  EXPECT_THAT(plan.tiles, ElementsAre(0, 1, 1, 2, 3, 4));
  EXPECT_THAT(plan.long_rows, ElementsAre(2, 4));
  EXPECT_THAT(plan.long_first, ElementsAre(0, 2, 6));
  EXPECT_THAT(plan.block_long_row, ElementsAre(0, 0, 1, 1, 1, 1));
  const RowPlan none = plan_rows(offsets_of({}), 4096, 2048);
  EXPECT_THAT(none.tiles, IsEmpty());
  EXPECT_THAT(none.long_first, ElementsAre(0));
}

TEST(RowPlan, EveryShortRowIsInOneTile) {
  std::vector<std::uint64_t> lengths(3000);
  for (std::uint64_t& length : lengths)
    length = random_below(50) == 0 ? random_below(6000) : random_below(20);
  const std::vector<std::uint64_t> offsets = offsets_of(lengths);
  const RowPlan plan = plan_rows(offsets, 4096, 2048);
  std::vector<int> seen(lengths.size());
  for (std::size_t i = 0; i < plan.tiles.size(); i += 2) {
    for (std::uint32_t row = plan.tiles[i]; row < plan.tiles[i + 1]; ++row) ++seen[row];
    EXPECT_LE(offsets[plan.tiles[i + 1]] - offsets[plan.tiles[i]], 4096U);
  }
  for (const std::uint32_t row : plan.long_rows) ++seen[row];
  EXPECT_THAT(seen, ::testing::Each(1));
}

}  // namespace Kindred::Testing::Graphs::AdjacencyTest

// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/graph/BinnedEdges.hpp>

#include "GraphSupport.hpp"

namespace Kindred::Testing::Graphs::BinnedEdgesTest {

constexpr std::uint64_t device_short_max = 32;

/// Row lengths around every limit: of short rows, blocks and bins; then many rows without edges.
std::vector<std::uint64_t> awkward_lengths() {
  std::vector<std::uint64_t> lengths{0, 1, 32, 33, 4095, 4096, 4097, 24576, 24577, 100000, 0, 31};
  for (int i = 0; i < 9000; ++i) lengths.push_back(random_below(20));
  for (int i = 0; i < 200; ++i) lengths.push_back(random_below(5000));
  lengths.insert(lengths.end(), 40000, 0);
  lengths.push_back(70000);
  for (int i = 0; i < 50000; ++i) lengths.push_back(random_below(3));
  return lengths;
}

TEST(BinPlan, EveryEdgeAndRowIsInOneBinWithinItsLimits) {
  const auto offsets = offsets_of(awkward_lengths());
  const RowPlan plan = plan_rows(offsets, device_short_max, offsets.back() + 1);
  const BinPlan bins = plan_bins(offsets, plan);
  ASSERT_EQ(bins.edges.size(), bins.bins() + 1);
  EXPECT_EQ(bins.edges.front(), 0U);
  EXPECT_EQ(bins.edges.back(), offsets.back());
  EXPECT_EQ(bins.rows.back(), offsets.size() - 1);
  EXPECT_EQ(bins.blocks.back(), plan.block_long_row.size());
  for (std::size_t bin = 0; bin < bins.bins(); ++bin) {
    ASSERT_LE(bins.edges[bin], bins.edges[bin + 1]);
    ASSERT_LE(bins.edges[bin + 1] - bins.edges[bin], bin_edges_max);
    ASSERT_LE(bins.rows[bin + 1] - bins.rows[bin], bin_rows_max + 1);
    for (std::uint32_t row = bins.rows[bin]; row < bins.rows[bin + 1]; ++row) {
      ASSERT_GE(offsets[row], bins.edges[bin]);
      if (offsets[row + 1] - offsets[row] <= device_short_max) {
        ASSERT_LE(offsets[row + 1], bins.edges[bin + 1]);
      }
    }
    for (std::uint32_t block = bins.blocks[bin]; block < bins.blocks[bin + 1]; ++block) {
      const std::uint32_t entry = plan.block_long_row[block];
      const std::uint64_t begin =
          offsets[plan.long_rows[entry]] + (block - plan.long_first[entry]) * 4096;
      const std::uint64_t end = std::min(begin + 4096, offsets[plan.long_rows[entry] + 1]);
      ASSERT_GE(begin, bins.edges[bin]);
      ASSERT_LE(end, bins.edges[bin + 1]);
    }
  }
}

TEST(BinPlan, OfNoRowsAndOfNoEdgesIsLegal) {
  for (const std::size_t rows : {0, 1, 3}) {
    const std::vector<std::uint64_t> offsets(rows + 1);
    const BinPlan bins = plan_bins(offsets, plan_rows(offsets, device_short_max, 1));
    EXPECT_EQ(bins.rows.back(), rows);
    EXPECT_EQ(bins.edges.back(), 0U);
  }
}

TEST(BinPlan, ScattersCoverEveryCellOnce) {
  constexpr std::size_t bins = 300;
  constexpr std::size_t blocks = 5;
  std::vector<std::uint32_t> cells((blocks + 1) * bins);
  std::uint32_t place = 0;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    for (std::size_t block = 0; block <= blocks; ++block) {
      cells[block * bins + bin] = place;
      if (block < blocks && random_below(3) != 0) place += 8 * random_below(700);
    }
  }
  std::vector<int> seen(blocks * bins);
  for (const BinScatter& scatter : plan_scatters(cells, bins)) {
    for (std::uint32_t bin = scatter.first_bin; bin < scatter.end_bin; ++bin)
      ++seen[scatter.block * bins + bin];
  }
  for (std::size_t cell = 0; cell < seen.size(); ++cell) {
    const bool has_places = cells[cell + bins] > cells[cell];
    ASSERT_LE(seen[cell], 1);
    ASSERT_TRUE(seen[cell] == 1 || !has_places) << cell;
  }
}

/// Binned edges in memory that a space can access.
template <class ExecutionSpace>
auto placed_bins(const ExecutionSpace& exec_space, SpaceArrays<ExecutionSpace>& arrays,
                 const Rows& host, const GraphRows<typename ExecutionSpace::memory_space>& graph) {
  const BinPlan plan =
      plan_bins(host.offsets, plan_rows(host.offsets, device_short_max, host.offsets.back() + 1));
  BinnedEdges<typename ExecutionSpace::memory_space> bins;
  bins.edges = arrays.copy(plan.edges);
  bins.rows = arrays.copy(plan.rows);
  bins.blocks = arrays.copy(plan.blocks);
  const auto cells =
      arrays.template zeros<std::uint32_t>((bin_blocks(graph.rows()) + 1) * plan.bins());
  count_bins<ExecutionSpace>(exec_space, graph.sources, bins.edges, cells);
  const std::vector<std::uint32_t> words = to_host(exec_space, cells);
  bins.cells = cells;
  bins.scatters = arrays.copy(plan_scatters(words, plan.bins()));
  const auto sources = arrays.template zeros<std::uint16_t>(words.back());
  const auto slots = arrays.template zeros<std::uint16_t>(words.back());
  const auto weights = arrays.template zeros<float>(words.back());
  fill_bins<ExecutionSpace>(exec_space, graph.sources, graph.weights, bins.edges,
                            arrays.copy(words), sources, slots, weights);
  exec_space.fence("Kindred::Testing::bins");
  bins.sources = sources;
  bins.slots = slots;
  bins.weights = weights;
  bins.values = arrays.template zeros<float>(words.back());
  return bins;
}

/// A graph whose rows have awkward lengths.
Graph awkward_graph() {
  const auto lengths = awkward_lengths();
  return random_graph(lengths.size(), lengths, 0, -1);
}

TEST(BinnedEdges, SlotsHoldEveryEdgeOnceInItsCell) {
  const Rows rows = rows_of(awkward_graph(), HopDirection::along);
  on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    SpaceArrays<ExecutionSpace> arrays(exec_space);
    const auto bins = placed_bins(exec_space, arrays, rows, placed(arrays, rows, Stored::floats));
    const std::size_t count = bins.bins();
    const auto cells = to_host(exec_space, bins.cells);
    const auto edges = to_host(exec_space, bins.edges);
    const auto sources = to_host(exec_space, bins.sources);
    const auto slots = to_host(exec_space, bins.slots);
    const auto weights = to_host(exec_space, bins.weights);
    std::vector<int> seen(rows.sources.size());
    for (std::size_t cell = 0; cell + count < cells.size(); ++cell) {
      ASSERT_EQ(cells[cell] % 8, 0U);
      for (std::uint32_t place = cells[cell]; place < cells[cell + count]; ++place) {
        if (slots[place] == bin_edges_max) continue;
        const std::uint64_t edge = edges[cell % count] + slots[place];
        ASSERT_EQ(rows.sources[edge], cell / count * bin_sources + sources[place]);
        ASSERT_EQ(rows.weights[edge], weights[place]);
        ++seen[edge];
      }
    }
    EXPECT_THAT(seen, ::testing::Each(1));
  });
}

TEST(BinnedEdges, HopsGiveTheSameBitsAsHopsOverRows) {
  const Graph graph = awkward_graph();
  const Parts parts(graph);
  const std::vector<float> x = values_and_zeros(graph.nodes);
  const auto expected = bits(reference_hop(graph, x, 1, {}));
  bool has_bins = false;
  on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    SpaceArrays<ExecutionSpace> arrays(exec_space);
    auto side = placed(arrays, parts);
    for (const bool is_binned : {false, true}) {
      if (is_binned) {
        if (!can_bin(exec_space, graph.nodes, graph.edges.size())) continue;
        side.bins = placed_bins(exec_space, arrays, parts.built, side.built);
        has_bins = true;
      }
      EXPECT_EQ(bits(hopped(exec_space, side, HopWidth::one, x)), expected)
          << (is_binned ? "bins" : "");
    }
  });
  if (!has_bins) GTEST_SKIP() << "needs a device with enough scratch memory for bins";
}

}  // namespace Kindred::Testing::Graphs::BinnedEdgesTest

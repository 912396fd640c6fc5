// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/graph/BinnedEdges.hpp>
#include <kindred/memory/Copies.hpp>

#include <numeric>

#include "GraphSupport.hpp"

namespace BinnedEdgesTest {

using namespace Kindred;
using namespace Testing::Graphs;
using Testing::Graphs::Array;

constexpr std::uint64_t device_short_max = 32;

std::vector<std::uint64_t> offsets_of(const std::vector<std::uint64_t>& lengths) {
  std::vector<std::uint64_t> offsets{0};
  for (const std::uint64_t length : lengths) offsets.push_back(offsets.back() + length);
  return offsets;
}

/// Row lengths around every limit: of short rows, blocks and bins; then many rows without edges.
std::vector<std::uint64_t> awkward_lengths(std::mt19937_64& generator) {
  std::vector<std::uint64_t> lengths{0, 1, 32, 33, 4095, 4096, 4097, 24576, 24577, 100000, 0, 31};
  for (int i = 0; i < 9000; ++i) lengths.push_back(generator() % 20);
  for (int i = 0; i < 200; ++i) lengths.push_back(generator() % 5000);
  lengths.insert(lengths.end(), 40000, 0);
  lengths.push_back(70000);
  for (int i = 0; i < 50000; ++i) lengths.push_back(generator() % 3);
  return lengths;
}

TEST(BinPlan, EveryEdgeAndRowIsInOneBinWithinItsLimits) {
  auto generator = Testing::generator("BinPlan.partition");
  const auto offsets = offsets_of(awkward_lengths(generator));
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
  auto generator = Testing::generator("BinPlan.sends");
  constexpr std::size_t bins = 300;
  constexpr std::size_t blocks = 5;
  std::vector<std::uint32_t> cells((blocks + 1) * bins);
  std::uint32_t place = 0;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    for (std::size_t block = 0; block <= blocks; ++block) {
      cells[block * bins + bin] = place;
      if (block < blocks && generator() % 3 != 0) place += 8 * (generator() % 700);
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
struct PlacedBins {
  Array<ExecutionSpace, std::uint64_t> edges;
  Array<ExecutionSpace, std::uint32_t> rows, blocks, cells;
  Array<ExecutionSpace, BinScatter> scatters;
  Array<ExecutionSpace, std::uint16_t> sources, slots;
  Array<ExecutionSpace, float> weights, values;

  PlacedBins(const ExecutionSpace& exec_space, const Rows& host,
             const GraphRows<typename ExecutionSpace::memory_space>& graph) {
    const BinPlan plan =
        plan_bins(host.offsets, plan_rows(host.offsets, device_short_max, host.offsets.back() + 1));
    const std::size_t bins = plan.bins();
    edges = to_space(exec_space, plan.edges);
    rows = to_space(exec_space, plan.rows);
    blocks = to_space(exec_space, plan.blocks);
    std::vector<std::uint32_t> words((bin_blocks(graph.rows()) + 1) * bins);
    cells = to_space(exec_space, words);
    count_bins<ExecutionSpace>(exec_space, graph.sources, edges, cells);
    Impl::download(exec_space, words.data(), cells, words.size());
    const std::uint32_t places = words.back();
    scatters = to_space(exec_space, plan_scatters(words, bins));
    const auto next = to_space(exec_space, words);
    sources = Array<ExecutionSpace, std::uint16_t>("Kindred::Testing::sources", places);
    slots = Array<ExecutionSpace, std::uint16_t>("Kindred::Testing::slots", places);
    weights = Array<ExecutionSpace, float>("Kindred::Testing::weights", places);
    values = Array<ExecutionSpace, float>("Kindred::Testing::values", places);
    fill_bins<ExecutionSpace>(exec_space, graph.sources, graph.weights, edges, next, sources, slots,
                              weights);
    exec_space.fence("Kindred::Testing::bins");
  }
  BinnedEdges<typename ExecutionSpace::memory_space> view() const {
    BinnedEdges<typename ExecutionSpace::memory_space> bins;
    bins.edges = edges;
    bins.rows = rows;
    bins.blocks = blocks;
    bins.cells = cells;
    bins.scatters = scatters;
    bins.sources = sources;
    bins.slots = slots;
    bins.weights = weights;
    bins.values = values;
    return bins;
  }
};

TEST(BinnedEdges, SlotsHoldEveryEdgeOnceInItsCell) {
  auto generator = Testing::generator("BinnedEdges.places");
  Rows rows;
  const auto lengths = awkward_lengths(generator);
  for (const std::uint64_t length : lengths) {
    for (std::uint64_t i = 0; i < length; ++i)
      rows.add_edge(static_cast<std::uint32_t>(generator() % lengths.size()),
                    static_cast<float>(generator() % 1000), 0);
    rows.close_row();
  }
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
      using exec_type = std::decay_t<decltype(exec_space)>;
      const PlacedRows<exec_type> placed(exec_space, rows, Stored::floats);
      const PlacedBins<exec_type> bins(exec_space, rows, placed.view());
      const std::size_t count = bins.view().bins();
      std::vector<std::uint32_t> cells(bins.cells.extent(0));
      std::vector<std::uint64_t> edges(count + 1);
      std::vector<std::uint16_t> sources(bins.sources.extent(0));
      std::vector<std::uint16_t> slots(sources.size());
      std::vector<float> weights(sources.size());
      Impl::download(exec_space, cells.data(), bins.cells, cells.size());
      Impl::download(exec_space, edges.data(), bins.edges, edges.size());
      Impl::download(exec_space, sources.data(), bins.sources, sources.size());
      Impl::download(exec_space, slots.data(), bins.slots, slots.size());
      Impl::download(exec_space, weights.data(), bins.weights, weights.size());
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
      EXPECT_TRUE(std::ranges::all_of(seen, [](int times) { return times == 1; }));
    });
  }
}

TEST(BinnedEdges, HopsGiveTheSameBitsAsHopsOverRows) {
  auto generator = Testing::generator("BinnedEdges.hop");
  Graph graph(0, {});
  const auto lengths = awkward_lengths(generator);
  std::uniform_real_distribution<float> value(-1, 1);
  std::vector<Edge> edges;
  for (std::uint32_t row = 0; row < lengths.size(); ++row) {
    for (std::uint64_t i = 0; i < lengths[row]; ++i)
      edges.push_back(
          {static_cast<std::uint32_t>(generator() % lengths.size()), row, value(generator)});
  }
  graph = Graph(lengths.size(), std::move(edges));
  std::vector<float> x(graph.nodes);
  for (float& v : x) v = generator() % 4 == 0 ? -0.0F : value(generator);
  std::vector<std::vector<std::uint32_t>> answers;
  bool has_bins = false;
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
      using exec_type = std::decay_t<decltype(exec_space)>;
      const Parts parts(graph);
      const Placed<exec_type> placed(exec_space, parts);
      const PlacedBins<exec_type> bins(exec_space, parts.built, placed.view().built);
      for (const bool is_binned : {false, true}) {
        auto side = placed.view();
        if (is_binned) {
          if (!can_bin(exec_space, graph.nodes, graph.edges.size())) continue;
          side.bins = bins.view();
          has_bins = true;
        }
        const auto from = to_space(exec_space, x);
        const Array<exec_type, float> to("Kindred::Testing::y", x.size());
        const Array<exec_type, double> partial("Kindred::Testing::partial", side.blocks());
        Kokkos::deep_copy(exec_space, to, 7.0F);
        hop<exec_type>(exec_space, side, HopWidth::one, from, to, partial);
        std::vector<float> y(x.size());
        Impl::download(exec_space, y.data(), to, y.size());
        std::vector<std::uint32_t>& words = answers.emplace_back();
        for (const float v : y) words.push_back(std::bit_cast<std::uint32_t>(v));
        EXPECT_EQ(words, answers.front()) << to_string(space) << (is_binned ? ", bins" : "");
      }
    });
  }
  if (!has_bins) GTEST_SKIP() << "needs a device with enough scratch memory for bins";
}

}  // namespace BinnedEdgesTest

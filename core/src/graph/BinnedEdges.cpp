// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/core/arch/launch/Launch.hpp>
#include <kindred/core/graph/BinnedEdges.hpp>
#include <kindred/core/graph/impl/GraphChecks.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/numeric/ReproducibleBlock.hpp>

namespace Kindred {

namespace {

constexpr std::uint32_t send_places = 1U << 17;

/// Gives every edge of a bin the next place of its cell, which is that of its source block. One
/// team per bin.
template <class ExecutionSpace>
struct PlaceEdges {
  ArrayView<const std::uint32_t, ExecutionSpace> sources;
  ArrayView<const std::uint64_t, ExecutionSpace> bin_edges;
  ArrayView<std::uint32_t, ExecutionSpace> next;
  ArrayView<const float, ExecutionSpace> weights = {};
  ArrayView<std::uint16_t, ExecutionSpace> slot_sources = {};  ///< empty: edges are only counted
  ArrayView<std::uint16_t, ExecutionSpace> slot_edges = {};
  ArrayView<float, ExecutionSpace> slot_weights = {};

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& team) const {
    const std::size_t bin = team.league_rank();
    const std::size_t bins = bin_edges.extent(0) - 1;
    const std::uint64_t begin = bin_edges(bin);
    const auto count = static_cast<std::int64_t>(bin_edges(bin + 1) - begin);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](std::int64_t i) {
      const std::uint64_t edge = begin + static_cast<std::uint64_t>(i);
      const std::uint32_t source = sources(edge);
      const std::uint32_t place =
          Kokkos::atomic_fetch_add(&next(source / bin_sources * bins + bin), 1U);
      if (slot_sources.extent(0) == 0) return;
      slot_sources(place) = static_cast<std::uint16_t>(source % bin_sources);
      slot_edges(place) = static_cast<std::uint16_t>(i);
      slot_weights(place) = weights(edge);
    });
  }
};

/// Converts counts to first slots, bin by bin.
template <class ExecutionSpace>
struct ScanBins {
  ArrayView<std::uint32_t, ExecutionSpace> cells;
  std::size_t bins;
  std::size_t columns;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t index, std::uint32_t& sum,
                                         bool is_final) const {
    std::uint32_t& cell = cells(index % columns * bins + index / columns);
    const std::uint32_t places = (cell + 7U) & ~7U;
    if (is_final) cell = sum;
    sum += places;
  }
};

template <class ExecutionSpace>
void place_edges(const ExecutionSpace& exec_space, const char* label,
                 const PlaceEdges<ExecutionSpace>& places) {
  Launch::for_each_team<Launch::Finishing>(exec_space, label,
                                           {.count = places.bin_edges.extent(0) - 1}, places);
}

}  // namespace

BinPlan plan_bins(std::span<const std::uint64_t> offsets, const RowPlan& plan) {
  BinPlan bins{{0}, {0}, {0}};
  std::uint32_t block = 0;
  std::size_t entry = 0;
  const auto close = [&](std::uint64_t edge, std::size_t row) {
    bins.edges.push_back(edge);
    bins.rows.push_back(static_cast<std::uint32_t>(row));
    bins.blocks.push_back(block);
  };
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
    const std::uint64_t end = offsets[row + 1];
    if (entry == plan.long_rows.size() || plan.long_rows[entry] != row) {
      if (end - bins.edges.back() > bin_edges_max || row - bins.rows.back() == bin_rows_max)
        close(offsets[row], row);
      continue;
    }
    ++entry;
    for (std::uint64_t begin = offsets[row]; begin < end; begin += reproducible_block, ++block) {
      const std::uint64_t last =
          begin + reproducible_block < end ? begin + reproducible_block : end;
      // The row begins where its first block does.
      if (last - bins.edges.back() > bin_edges_max)
        close(begin, begin == offsets[row] ? row : row + 1);
    }
  }
  close(offsets.back(), offsets.size() - 1);
  return bins;
}

std::vector<BinScatter> plan_scatters(std::span<const std::uint32_t> cells, std::size_t bins) {
  std::vector<BinScatter> scatters;
  if (bins == 0) return scatters;
  const std::size_t blocks = cells.size() / bins - 1;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const auto places = [&](std::size_t bin) {
      return cells[(block + 1) * bins + bin] - cells[block * bins + bin];
    };
    std::uint32_t first = 0;
    std::uint64_t sum = 0;
    for (std::uint32_t bin = 0; bin < bins; ++bin) {
      sum += places(bin);
      if (sum < send_places && bin + 1 < bins) continue;
      if (sum > 0) scatters.push_back({block, first, bin + 1});
      first = bin + 1;
      sum = 0;
    }
  }
  return scatters;
}

template <class ExecutionSpace>
bool can_bin(const ExecutionSpace& exec_space, std::uint64_t nodes, std::uint64_t edges) {
  // Slots have 32 bits, and cells take few bytes compared with the edges.
  constexpr std::size_t scratch = (bin_edges_max + 8) * sizeof(double);
  static_assert(scratch >= bin_sources * sizeof(float));
  return Arch::scratch_bytes_limit(exec_space) >= scratch && nodes <= (std::uint64_t{1} << 29) &&
         edges <= (std::uint64_t{1} << 31);
}

template <class ExecutionSpace>
void count_bins(const ExecutionSpace& exec_space,
                const ArrayView<const std::uint32_t, ExecutionSpace>& sources,
                const ArrayView<const std::uint64_t, ExecutionSpace>& bin_edges,
                const ArrayView<std::uint32_t, ExecutionSpace>& cells) {
  const Impl::ArgumentCheck check("count_bins");
  check.has("bin_edges", bin_edges, 2);
  check.is_multiple("the size of cells", cells.size(), bin_edges.size() - 1);
  check.has("cells", cells, Impl::extent_of(2, bin_edges.size() - 1));
  check.is_aligned("sources", sources);
  const std::size_t bins = bin_edges.extent(0) - 1;
  Arch::start_fill(exec_space, cells, 0U);
  place_edges<ExecutionSpace>(exec_space, "Kindred::Graph::bins::count",
                              {sources, bin_edges, cells});
  Launch::scan_indices(exec_space, "Kindred::Graph::bins::scan", cells.extent(0),
                       ScanBins<ExecutionSpace>{cells, bins, cells.extent(0) / bins});
}

template <class ExecutionSpace>
void fill_bins(const ExecutionSpace& exec_space,
               const ArrayView<const std::uint32_t, ExecutionSpace>& sources,
               const ArrayView<const float, ExecutionSpace>& weights,
               const ArrayView<const std::uint64_t, ExecutionSpace>& bin_edges,
               const ArrayView<std::uint32_t, ExecutionSpace>& next,
               const ArrayView<std::uint16_t, ExecutionSpace>& slot_sources,
               const ArrayView<std::uint16_t, ExecutionSpace>& slot_edges,
               const ArrayView<float, ExecutionSpace>& slot_weights) {
  const Impl::ArgumentCheck check("fill_bins");
  check.has("bin_edges", bin_edges, 2);
  check.has("weights", weights, sources.size());
  check.is_aligned("sources", sources);
  check.is_multiple("the size of next", next.size(), bin_edges.size() - 1);
  check.is_aligned("next", next);
  check.has("slot_sources", slot_sources, sources.size());
  check.has("slot_edges", slot_edges, slot_sources.size());
  check.has("slot_weights", slot_weights, slot_sources.size());
  Arch::start_fill(exec_space, slot_sources, std::uint16_t{0});
  Arch::start_fill(exec_space, slot_edges, static_cast<std::uint16_t>(bin_edges_max));
  Arch::start_fill(exec_space, slot_weights, 0.0F);
  place_edges<ExecutionSpace>(
      exec_space, "Kindred::Graph::bins::fill",
      {sources, bin_edges, next, weights, slot_sources, slot_edges, slot_weights});
}

KINDRED_INSTANTIATE_FOR_SPACES(can_bin);
KINDRED_INSTANTIATE_FOR_SPACES(count_bins);
KINDRED_INSTANTIATE_FOR_SPACES(fill_bins);

}  // namespace Kindred

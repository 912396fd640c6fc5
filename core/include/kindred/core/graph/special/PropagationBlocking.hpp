// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_SPECIAL_PROPAGATION_BLOCKING_HPP
#define KINDRED_CORE_GRAPH_SPECIAL_PROPAGATION_BLOCKING_HPP

/// \file
/// A special form for CUDA: 1.9 × on `hop-100m`, 2026-11-30, H200. \see SpecialForms.hpp

#include <kindred/core/arch/CachedAccess.hpp>
#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/launch/Launch.hpp>
#include <kindred/core/arch/launch/Warp.hpp>
#include <kindred/core/graph/impl/AddTerm.hpp>
#include <kindred/core/graph/impl/EdgeAccessors.hpp>
#include <kindred/core/graph/impl/HopUpdate.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// Four places of 16 bits, read together.
using SlotPlaces = Arch::Adjacent<std::uint32_t, 2>;
KOKKOS_INLINE_FUNCTION std::uint32_t place_of(const SlotPlaces& places, unsigned i) {
  return places.value[i / 2] >> (i % 2 * 16U) & 0xFFFFU;
}

/// \brief Device: scatters the values of a source block from scratch to the slots of some bins.
///
/// A warp processes one cell at a time, a thread four slots: random reads stay in scratch, and
/// memory is read and written contiguously.
template <class MemorySpace, class Update>
struct ScatterValues {
  static constexpr unsigned threads_max = 1024;
  static constexpr unsigned teams_at_once = 1;
  static constexpr std::size_t scratch_bytes = bin_sources * sizeof(float);

  using warp = Arch::Warp<DeviceSpace>;
  using Floats = Arch::Adjacent<float, 4>;

  BinnedEdges<MemorySpace> bins;
  std::size_t bin_count;
  std::size_t nodes;
  const float* x;
  Update update;

  KOKKOS_INLINE_FUNCTION void operator()(const Arch::Team& team, std::byte* memory) const {
    if (!update.is_needed()) return;
    auto* scratch = reinterpret_cast<float*>(memory);
    const auto scatter = bins.scatters(team.team());
    const std::size_t first = std::size_t{scatter.block} * bin_sources;
    const std::size_t left = nodes - first;
    const auto count = static_cast<unsigned>(left < bin_sources ? left : bin_sources);
    for (unsigned i = 4 * team.thread(); i < count; i += 4 * threads_max) {
      if (i + 4 <= count) {
        *reinterpret_cast<Floats*>(scratch + i) = *reinterpret_cast<const Floats*>(x + first + i);
      } else {
        for (unsigned k = i; k < count; ++k) scratch[k] = x[first + k];
      }
    }
    team.barrier();
    const std::uint32_t* begins = bins.cells.data() + std::size_t{scatter.block} * bin_count;
    const std::uint32_t* ends = begins + bin_count;
    constexpr unsigned warps = threads_max / 32;
    constexpr unsigned at_once = 8;
    const unsigned lane = warp::lane();
    for (std::uint32_t bin = scatter.first_bin + team.thread() / 32; bin < scatter.end_bin;
         bin += warps * at_once) {
      std::uint32_t begin[at_once];
      std::uint32_t end[at_once];
      KINDRED_UNROLL
      for (unsigned k = 0; k < at_once; ++k) {
        const std::uint32_t cell = bin + k * warps;
        begin[k] = cell < scatter.end_bin ? begins[cell] : 0;
        end[k] = cell < scatter.end_bin ? ends[cell] : 0;
      }
      SlotPlaces sources[at_once];
      KINDRED_UNROLL
      for (unsigned k = 0; k < at_once; ++k) {
        const std::uint32_t place = begin[k] + 4 * lane;
        if (place < end[k])
          sources[k] = Arch::load_streaming(
              reinterpret_cast<const SlotPlaces*>(bins.sources.data() + place));
      }
      KINDRED_UNROLL
      for (unsigned k = 0; k < at_once; ++k) {
        std::uint32_t place = begin[k] + 4 * lane;
        if (place < end[k]) store(sources[k], scratch, bins.values.data() + place);
        for (place += 128; place < end[k]; place += 128) {
          store(Arch::load_streaming(
                    reinterpret_cast<const SlotPlaces*>(bins.sources.data() + place)),
                scratch, bins.values.data() + place);
        }
      }
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION static void store(const SlotPlaces& sources, const float* scratch,
                                           float* to) {
    Floats values;
    KINDRED_UNROLL
    for (unsigned i = 0; i < 4; ++i) values.value[i] = scratch[place_of(sources, i)];
    Arch::store_streaming(reinterpret_cast<Floats*>(to), values);
  }
};

/// \brief Device: one team per bin: the products of its values and weights go from slots to edges
/// in scratch, then each thread sums a row.
template <class MemorySpace, class Edges, class Update>
struct SumBins {
  static constexpr unsigned threads_max = 1024;
  static constexpr unsigned teams_at_once = 1;
  static constexpr std::size_t scratch_bytes = (bin_edges_max + 8) * sizeof(double);
  static constexpr unsigned short_max = 32;

  using warp = Arch::Warp<DeviceSpace>;
  using Floats = Arch::Adjacent<float, 4>;

  BinnedEdges<MemorySpace> bins;
  std::size_t end_cells;  ///< the first of the cells that hold the ends of the bins
  Edges edges;
  LongRowTable long_rows;
  Update update;

  KOKKOS_INLINE_FUNCTION void operator()(const Arch::Team& team, std::byte* scratch) const {
    if (!update.is_needed()) return;
    const std::size_t bin = team.team();
    auto* products = reinterpret_cast<double*>(scratch);
    receive(team, bin, products);
    team.barrier();
    const std::uint64_t first = bins.edges(bin);
    const Visitor<Update> visitor(update, bin);
    for (std::uint32_t row = bins.rows(bin) + team.thread(); row < bins.rows(bin + 1);
         row += threads_max)
      sum_row(row, products, first, visitor);
    for (std::uint32_t block = bins.blocks(bin) + team.thread() / 32; block < bins.blocks(bin + 1);
         block += threads_max / 32)
      sum_block(block, products, first, visitor);
    visitor.end();
  }

 private:
  KOKKOS_INLINE_FUNCTION void receive(const Arch::Team& team, std::size_t bin,
                                      double* products) const {
    const std::uint32_t begin = bins.cells(bin);
    const std::uint32_t end = bins.cells(end_cells + bin);
    constexpr unsigned at_once = 3;
    for (std::uint32_t at = begin + 4 * team.thread(); at < end; at += 4 * threads_max * at_once) {
      Floats values[at_once];
      Floats weights[at_once];
      SlotPlaces slots[at_once];
      KINDRED_UNROLL
      for (unsigned k = 0; k < at_once; ++k) {
        const std::uint32_t place = at + 4 * threads_max * k;
        if (place < end) {
          values[k] =
              Arch::load_streaming(reinterpret_cast<const Floats*>(bins.values.data() + place));
          weights[k] =
              Arch::load_streaming(reinterpret_cast<const Floats*>(bins.weights.data() + place));
          slots[k] =
              Arch::load_streaming(reinterpret_cast<const SlotPlaces*>(bins.slots.data() + place));
        }
      }
      KINDRED_UNROLL
      for (unsigned k = 0; k < at_once; ++k) {
        if (at + 4 * threads_max * k < end) {
          KINDRED_UNROLL
          for (unsigned i = 0; i < 4; ++i)
            products[place_of(slots[k], i)] = product(values[k].value[i], weights[k].value[i]);
        }
      }
    }
  }
  /// Exact.
  KOKKOS_INLINE_FUNCTION static double product(float value, float weight) {
    return static_cast<double>(value) * static_cast<double>(weight);
  }

  template <class Visit>
  KOKKOS_INLINE_FUNCTION void sum_row(std::uint32_t row, const double* products,
                                      std::uint64_t first, const Visit& visit) const {
    if (edges.is_replaced(row)) return;
    const std::uint64_t begin = edges.offsets[row];
    const std::uint64_t length = edges.offsets[std::size_t{row} + 1] - begin;
    if (length > short_max) return;
    const std::size_t place = edges.node_of(row);
    const auto held = visit.ask(place);
    visit(place, sum_of({products + (begin - first), static_cast<unsigned>(length)}), held);
  }
  /// The edges of a row.
  struct Terms {
    const double* products;
    unsigned count;

    KOKKOS_INLINE_FUNCTION double first(unsigned i) const {
      return i < count ? products[i] + 0.0 : 0.0;
    }
    KOKKOS_INLINE_FUNCTION double add(double sum, unsigned i) const {
      return i < count ? sum + products[i] : sum;
    }
  };
  KOKKOS_INLINE_FUNCTION static double sum_of(const Terms& terms) {
    if (terms.count <= 8) return sum_of_terms<8>(terms);
    if (terms.count <= 16) return sum_of_terms<16>(terms);
    return sum_of_terms<short_max>(terms);
  }

  /// One warp sums a block of a long row.
  template <class Visit>
  KOKKOS_INLINE_FUNCTION void sum_block(std::uint32_t index, const double* products,
                                        std::uint64_t first, const Visit& visit) const {
    const RowBlock block = long_rows.block(edges, index);
    if (edges.is_replaced(block.row)) return;
    const double* terms = products + (block.begin - first);
    double sum = 0;
    for (unsigned i = warp::lane(); i < block.count; i += 32) sum += terms[i];
    sum = warp::sum(sum);
    if (warp::lane() != 0) return;
    if (block.is_whole) {
      const std::size_t place = edges.node_of(block.row);
      visit(place, sum);
    } else {
      update.partial()[index] = sum;
    }
  }
};

/// Sums every row; for a long row of several blocks, each of its blocks. Does not fence.
template <class ExecutionSpace, class MemorySpace, class Edges, class Update>
void sum_by_bins(const ExecutionSpace& exec_space, const BinnedEdges<MemorySpace>& bins,
                 const Edges& edges, const LongRowTable& long_rows, const float* x,
                 const Update& update) {
  using scatter = ScatterValues<MemorySpace, Update>;
  Arch::launch(exec_space,
               {.label = "Kindred::Graph::hop::scatter_values",
                .groups = bins.scatters.extent(0),
                .scratch_bytes = scatter::scratch_bytes},
               scatter{bins, bins.bins(), edges.rows, x, update});
  using sum = SumBins<MemorySpace, Edges, Update>;
  Arch::launch(exec_space,
               {.label = "Kindred::Graph::hop::sum_bins",
                .groups = bins.bins(),
                .scratch_bytes = sum::scratch_bytes},
               sum{bins, bin_blocks(edges.rows) * bins.bins(), edges, long_rows, update});
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_SPECIAL_PROPAGATION_BLOCKING_HPP

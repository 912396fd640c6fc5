// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_PROPAGATION_BLOCKING_CUDA_HPP
#define KINDRED_CORE_GRAPH_IMPL_PROPAGATION_BLOCKING_CUDA_HPP

#include <kindred/core/arch/CachedAccess.hpp>
#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/launch/Launch.hpp>
#include <kindred/core/arch/launch/Warp.hpp>
#include <kindred/core/graph/impl/LongRowTable.hpp>
#include <kindred/core/graph/impl/RowTerms.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief Sums of rows by propagation blocking, on spaces with enough scratch.
template <class ExecutionSpace>
struct PropagationBlocking {
  static constexpr bool is_there = false;
};

/// Four places of 16 bits, read together.
using SlotPlaces = Arch::Adjacent<std::uint32_t, 2>;
KOKKOS_INLINE_FUNCTION std::uint32_t place_of(const SlotPlaces& places, unsigned i) {
  return places.value[i / 2] >> (i % 2 * 16U) & 0xFFFFU;
}

/// \brief Device: scatters the values of a source block from scratch to the slots of some bins.
///
/// A warp processes one cell at a time, a thread four slots: random reads stay in scratch, and
/// memory is read and written contiguously.
template <class Bins, class Update>
struct ScatterValues {
  static constexpr unsigned threads_max = 1024;
  static constexpr unsigned teams_at_once = 1;
  static constexpr std::size_t scratch_bytes = Bins::sources_max * sizeof(float);

  using warp = Arch::Warp<DeviceSpace>;
  using Floats = Arch::Adjacent<float, 4>;

  Bins bins;
  const float* x;
  Update update;

  KOKKOS_INLINE_FUNCTION void operator()(const Arch::Team& team, std::byte* memory) const {
    if (!update.is_needed()) return;
    auto* scratch = reinterpret_cast<float*>(memory);
    const auto scatter = bins.scatters[team.team()];
    const std::size_t first = std::size_t{scatter.block} * Bins::sources_max;
    const std::size_t left = bins.nodes - first;
    const auto count = static_cast<unsigned>(left < Bins::sources_max ? left : Bins::sources_max);
    for (unsigned i = 4 * team.thread(); i < count; i += 4 * threads_max) {
      if (i + 4 <= count) {
        *reinterpret_cast<Floats*>(scratch + i) = *reinterpret_cast<const Floats*>(x + first + i);
      } else {
        for (unsigned k = i; k < count; ++k) scratch[k] = x[first + k];
      }
    }
    team.barrier();
    const std::uint32_t* begins = bins.cells + std::size_t{scatter.block} * bins.count;
    const std::uint32_t* ends = begins + bins.count;
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
          sources[k] =
              Arch::load_streaming(reinterpret_cast<const SlotPlaces*>(bins.sources + place));
      }
      KINDRED_UNROLL
      for (unsigned k = 0; k < at_once; ++k) {
        std::uint32_t place = begin[k] + 4 * lane;
        if (place < end[k]) store(sources[k], scratch, bins.values + place);
        for (place += 128; place < end[k]; place += 128) {
          store(Arch::load_streaming(reinterpret_cast<const SlotPlaces*>(bins.sources + place)),
                scratch, bins.values + place);
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
template <class Bins, class Edges, class Update, template <class> class Visitor>
struct SumBins {
  static constexpr unsigned threads_max = 1024;
  static constexpr unsigned teams_at_once = 1;
  static constexpr std::size_t scratch_bytes = (Bins::edges_max + 8) * sizeof(double);
  static constexpr unsigned short_max = 32;

  using warp = Arch::Warp<DeviceSpace>;
  using Floats = Arch::Adjacent<float, 4>;

  Bins bins;
  Edges edges;
  LongRowTable long_rows;
  Update update;

  KOKKOS_INLINE_FUNCTION void operator()(const Arch::Team& team, std::byte* scratch) const {
    if (!update.is_needed()) return;
    const std::size_t bin = team.team();
    auto* products = reinterpret_cast<double*>(scratch);
    receive(team, bin, products);
    team.barrier();
    const std::uint64_t first = bins.edges[bin];
    const Visitor<Update> visitor(update, bin);
    for (std::uint32_t row = bins.rows[bin] + team.thread(); row < bins.rows[bin + 1];
         row += threads_max)
      sum_row(row, products, first, visitor);
    for (std::uint32_t block = bins.blocks[bin] + team.thread() / 32; block < bins.blocks[bin + 1];
         block += threads_max / 32)
      sum_block(block, products, first, visitor);
    visitor.end();
  }

 private:
  KOKKOS_INLINE_FUNCTION void receive(const Arch::Team& team, std::size_t bin,
                                      double* products) const {
    const std::uint32_t begin = bins.cells[bin];
    const std::uint32_t end = bins.cells[bins.source_blocks * bins.count + bin];
    constexpr unsigned at_once = 3;
    for (std::uint32_t at = begin + 4 * team.thread(); at < end; at += 4 * threads_max * at_once) {
      Floats values[at_once];
      Floats weights[at_once];
      SlotPlaces slots[at_once];
      KINDRED_UNROLL
      for (unsigned k = 0; k < at_once; ++k) {
        const std::uint32_t place = at + 4 * threads_max * k;
        if (place < end) {
          values[k] = Arch::load_streaming(reinterpret_cast<const Floats*>(bins.values + place));
          weights[k] = Arch::load_streaming(reinterpret_cast<const Floats*>(bins.weights + place));
          slots[k] = Arch::load_streaming(reinterpret_cast<const SlotPlaces*>(bins.slots + place));
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
      visit(place, sum, visit.ask(place));
    } else {
      update.partial()[index] = sum;
    }
  }
};

template <>
struct PropagationBlocking<DeviceSpace> {
  static constexpr bool is_there = true;

  /// Sums every row; for a long row of several blocks, each of its blocks. Does not fence.
  template <template <class> class Visitor, class Bins, class Edges, class Update>
  static void run(const DeviceSpace& exec_space, const Bins& bins, const Edges& edges,
                  const LongRowTable& long_rows, const float* x, const Update& update) {
    using scatter = ScatterValues<Bins, Update>;
    Arch::launch(exec_space,
                 {.label = "Kindred::Graph::hop::scatter_values",
                  .groups = bins.scatter_count,
                  .scratch_bytes = scatter::scratch_bytes},
                 scatter{bins, x, update});
    using sum = SumBins<Bins, Edges, Update, Visitor>;
    Arch::launch(exec_space,
                 {.label = "Kindred::Graph::hop::sum_bins",
                  .groups = bins.count,
                  .scratch_bytes = sum::scratch_bytes},
                 sum{bins, edges, long_rows, update});
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_IMPL_PROPAGATION_BLOCKING_CUDA_HPP

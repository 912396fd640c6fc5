// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_PROPAGATION_BLOCKING_HPP
#define KINDRED_CORE_ARCH_PROPAGATION_BLOCKING_HPP

#include <kindred/core/arch/LargeScratch.hpp>
#include <kindred/core/arch/RowTerms.hpp>

namespace Kindred::Arch {

/// \brief Sums of rows by propagation blocking, on spaces with enough scratch.
template <class ExecutionSpace>
struct PropagationBlocking {
  static constexpr bool is_there = false;
};

#if KINDRED_HAS_DEVICE && defined(__CUDACC__)
/// \brief Device: scatters the values of a source block from scratch to the slots of some bins.
///
/// A warp processes one cell at a time, a thread four slots: random reads stay in scratch, and
/// memory is read and written contiguously.
template <class Bins, class Update>
struct ScatterValues {
  static constexpr unsigned threads = 1024;
  static constexpr unsigned teams_at_once = 1;
  static constexpr std::size_t scratch_bytes = Bins::sources_max * sizeof(float);

  Bins bins;
  const float* x;
  Update update;

  __device__ void operator()(std::size_t team, float* scratch) const {
    if (!update.is_needed()) return;
    const auto scatter = bins.scatters[team];
    const std::size_t first = std::size_t{scatter.block} * Bins::sources_max;
    const std::size_t left = bins.nodes - first;
    const auto count = static_cast<unsigned>(left < Bins::sources_max ? left : Bins::sources_max);
    for (unsigned i = 4 * threadIdx.x; i < count; i += 4 * threads) {
      if (i + 4 <= count) {
        *reinterpret_cast<float4*>(scratch + i) = *reinterpret_cast<const float4*>(x + first + i);
      } else {
        for (unsigned k = i; k < count; ++k) scratch[k] = x[first + k];
      }
    }
    __syncthreads();
    const std::uint32_t* begins = bins.cells + std::size_t{scatter.block} * bins.count;
    const std::uint32_t* ends = begins + bins.count;
    constexpr unsigned warps = threads / 32;
    constexpr unsigned at_once = 8;
    const unsigned lane = threadIdx.x % 32;
    for (std::uint32_t bin = scatter.first_bin + threadIdx.x / 32; bin < scatter.end_bin;
         bin += warps * at_once) {
      std::uint32_t begin[at_once];
      std::uint32_t end[at_once];
#pragma unroll
      for (unsigned k = 0; k < at_once; ++k) {
        const std::uint32_t cell = bin + k * warps;
        begin[k] = cell < scatter.end_bin ? begins[cell] : 0;
        end[k] = cell < scatter.end_bin ? ends[cell] : 0;
      }
      uint2 sources[at_once];
#pragma unroll
      for (unsigned k = 0; k < at_once; ++k) {
        const std::uint32_t place = begin[k] + 4 * lane;
        if (place < end[k])
          sources[k] = __ldcs(reinterpret_cast<const uint2*>(bins.sources + place));
      }
#pragma unroll
      for (unsigned k = 0; k < at_once; ++k) {
        std::uint32_t place = begin[k] + 4 * lane;
        if (place < end[k]) store(sources[k], scratch, bins.values + place);
        for (place += 128; place < end[k]; place += 128) {
          store(__ldcs(reinterpret_cast<const uint2*>(bins.sources + place)), scratch,
                bins.values + place);
        }
      }
    }
  }

 private:
  __device__ static void store(uint2 sources, const float* scratch, float* to) {
    __stcs(reinterpret_cast<float4*>(to),
           make_float4(scratch[sources.x & 0xFFFFU], scratch[sources.x >> 16U],
                       scratch[sources.y & 0xFFFFU], scratch[sources.y >> 16U]));
  }
};

/// \brief Device: one team per bin: the products of its values and weights go from slots to edges
/// in scratch, then each thread sums a row.
template <class Bins, class Edges, class Update, template <class> class Visitor>
struct SumBins {
  static constexpr unsigned threads = 1024;
  static constexpr unsigned teams_at_once = 1;
  static constexpr std::size_t scratch_bytes = (Bins::edges_max + 8) * sizeof(double);
  static constexpr unsigned short_max = 32;

  Bins bins;
  Edges edges;
  const std::uint32_t* long_rows;
  const std::uint64_t* long_first;
  const std::uint32_t* block_long_row;
  Update update;

  __device__ void operator()(std::size_t bin, float* scratch) const {
    if (!update.is_needed()) return;
    auto* products = reinterpret_cast<double*>(scratch);
    receive(bin, products);
    __syncthreads();
    const std::uint64_t first = bins.edges[bin];
    const Visitor<Update> visitor(update, bin);
    for (std::uint32_t row = bins.rows[bin] + threadIdx.x; row < bins.rows[bin + 1]; row += threads)
      sum_row(row, products, first, visitor);
    for (std::uint32_t block = bins.blocks[bin] + threadIdx.x / 32; block < bins.blocks[bin + 1];
         block += threads / 32)
      sum_block(block, products, first, visitor);
    visitor.end();
  }

 private:
  __device__ void receive(std::size_t bin, double* products) const {
    const std::uint32_t begin = bins.cells[bin];
    const std::uint32_t end = bins.cells[bins.source_blocks * bins.count + bin];
    constexpr unsigned at_once = 3;
    for (std::uint32_t at = begin + 4 * threadIdx.x; at < end; at += 4 * threads * at_once) {
      float4 values[at_once];
      float4 weights[at_once];
      uint2 slots[at_once];
#pragma unroll
      for (unsigned k = 0; k < at_once; ++k) {
        const std::uint32_t place = at + 4 * threads * k;
        if (place < end) {
          values[k] = __ldcs(reinterpret_cast<const float4*>(bins.values + place));
          weights[k] = __ldcs(reinterpret_cast<const float4*>(bins.weights + place));
          slots[k] = __ldcs(reinterpret_cast<const uint2*>(bins.slots + place));
        }
      }
#pragma unroll
      for (unsigned k = 0; k < at_once; ++k) {
        if (at + 4 * threads * k < end) {
          products[slots[k].x & 0xFFFFU] = product(values[k].x, weights[k].x);
          products[slots[k].x >> 16U] = product(values[k].y, weights[k].y);
          products[slots[k].y & 0xFFFFU] = product(values[k].z, weights[k].z);
          products[slots[k].y >> 16U] = product(values[k].w, weights[k].w);
        }
      }
    }
  }
  /// Exact.
  __device__ static double product(float value, float weight) {
    return static_cast<double>(value) * static_cast<double>(weight);
  }

  template <class Visit>
  __device__ void sum_row(std::uint32_t row, const double* products, std::uint64_t first,
                          const Visit& visit) const {
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

    __device__ double first(unsigned i) const { return i < count ? products[i] + 0.0 : 0.0; }
    __device__ double add(double sum, unsigned i) const {
      return i < count ? sum + products[i] : sum;
    }
  };
  __device__ static double sum_of(const Terms& terms) {
    if (terms.count <= 8) return sum_of_terms<8>(terms);
    if (terms.count <= 16) return sum_of_terms<16>(terms);
    return sum_of_terms<short_max>(terms);
  }

  /// One warp sums a block of a long row.
  template <class Visit>
  __device__ void sum_block(std::uint32_t block, const double* products, std::uint64_t first,
                            const Visit& visit) const {
    const std::uint32_t entry = block_long_row[block];
    const std::uint32_t row = long_rows[entry];
    if (edges.is_replaced(row)) return;
    const std::uint64_t row_block = block - long_first[entry];
    const std::uint64_t begin = edges.offsets[row] + row_block * block_edges;
    const std::uint64_t left = edges.offsets[std::size_t{row} + 1] - begin;
    const auto count = static_cast<unsigned>(left < block_edges ? left : block_edges);
    const double* terms = products + (begin - first);
    double sum = 0;
    for (unsigned i = threadIdx.x % 32; i < count; i += 32) sum += terms[i];
#pragma unroll
    for (unsigned half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(0xFFFFFFFFU, sum, half);
    if (threadIdx.x % 32 != 0) return;
    if (long_first[entry + 1] - long_first[entry] == 1) {
      const std::size_t place = edges.node_of(row);
      visit(place, sum, visit.ask(place));
    } else {
      update.partial()[block] = sum;
    }
  }

  static constexpr std::uint64_t block_edges = 4096;
};

template <>
struct PropagationBlocking<DeviceSpace> {
  static constexpr bool is_there = true;

  /// Sums every row; for a long row of several blocks, each of its blocks. Does not fence.
  template <template <class> class Visitor, class Bins, class Edges, class Update>
  static void run(const DeviceSpace& exec_space, const Bins& bins, const Edges& edges,
                  const std::uint32_t* long_rows, const std::uint64_t* long_first,
                  const std::uint32_t* block_long_row, const float* x, const Update& update) {
    launch_with_scratch("Kindred::SpreadingEngine::hop::scatter_values", exec_space,
                        bins.scatter_count, ScatterValues<Bins, Update>{bins, x, update});
    launch_with_scratch("Kindred::SpreadingEngine::hop::sum_bins", exec_space, bins.count,
                        SumBins<Bins, Edges, Update, Visitor>{bins, edges, long_rows, long_first,
                                                              block_long_row, update});
  }
};
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_PROPAGATION_BLOCKING_HPP

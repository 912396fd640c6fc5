// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_BIN_POINTERS_HPP
#define KINDRED_CORE_GRAPH_IMPL_BIN_POINTERS_HPP

#include <kindred/core/graph/BinnedEdges.hpp>
#include <kindred/core/graph/impl/PropagationBlocking_Cuda.hpp>

namespace Kindred::Impl {

/// Bins as kernels read them, as pointers to keep the kernel arguments small.
struct BinPointers {
  static constexpr std::uint32_t sources_max = bin_sources;
  static constexpr std::uint32_t edges_max = bin_edges_max;

  const std::uint64_t* edges;
  const std::uint32_t* rows;
  const std::uint32_t* blocks;
  const std::uint32_t* cells;
  const BinScatter* scatters;
  const std::uint16_t* sources;
  const std::uint16_t* slots;
  const float* weights;
  float* values;
  std::size_t count;
  std::size_t source_blocks;
  std::size_t scatter_count;
  std::size_t nodes;
};

template <class MemorySpace>
BinPointers pointers_of(const BinnedEdges<MemorySpace>& bins, std::size_t nodes) {
  return {bins.edges.data(),
          bins.rows.data(),
          bins.blocks.data(),
          bins.cells.data(),
          bins.scatters.data(),
          bins.sources.data(),
          bins.slots.data(),
          bins.weights.data(),
          bins.values.data(),
          bins.bins(),
          bin_blocks(nodes),
          bins.scatters.extent(0),
          nodes};
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_IMPL_BIN_POINTERS_HPP

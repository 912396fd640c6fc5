// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_TRANSPOSED_GRAPH_HPP
#define KINDRED_CORE_GRAPH_TRANSPOSED_GRAPH_HPP

#include <kindred/core/common/ArrayView.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred {

/// \brief The transpose of a graph in one memory space, with its `RowPlan`: row v holds v's
/// in-edges in (source index, input order). Owned by someone else.
template <class MemorySpace>
struct TransposedGraph {
  ArrayView<const std::uint64_t, MemorySpace> offsets;  ///< nodes + 1
  ArrayView<const std::uint32_t, MemorySpace> sources;
  ArrayView<const float, MemorySpace> weights;
  ArrayView<const std::uint32_t, MemorySpace> tiles;  ///< empty on a device: its units are uniform
  ArrayView<const std::uint32_t, MemorySpace> long_rows;
  ArrayView<const std::uint64_t, MemorySpace> long_first;
  ArrayView<const std::uint32_t, MemorySpace> block_long_row;

  KOKKOS_INLINE_FUNCTION std::size_t nodes() const { return offsets.extent(0) - 1; }
};

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_TRANSPOSED_GRAPH_HPP

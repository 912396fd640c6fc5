// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_GRAPH_ROWS_HPP
#define KINDRED_CORE_GRAPH_GRAPH_ROWS_HPP

#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/graph/BinnedEdges.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred {

/// \brief Edges of a graph grouped by the node at one end, in one memory space, with their
/// `RowPlan`. Non-owning.
///
/// In the transpose, row v holds v's in-edges in (source index, input order), and `sources` holds
/// their sources; in the graph itself, row v holds v's out-edges in input order, and `sources`
/// holds their targets. A graph that has changed consists of two of these, see `GraphSide`.
template <class MemorySpace>
struct GraphRows {
  ArrayView<const std::uint64_t, MemorySpace> offsets;  ///< rows + 1
  ArrayView<const std::uint32_t, MemorySpace> sources;
  ArrayView<const float, MemorySpace> weights;  ///< empty: see `short_weights`
  /// Empty on a device, whose work items are uniform.
  ArrayView<const std::uint32_t, MemorySpace> tiles;
  ArrayView<const std::uint32_t, MemorySpace> long_rows;
  ArrayView<const std::uint64_t, MemorySpace> long_first;
  ArrayView<const std::uint32_t, MemorySpace> block_long_row;
  /// bfloat16; if it and `weights` are empty, every weight is 1
  ArrayView<const std::uint16_t, MemorySpace> short_weights;
  ArrayView<const std::uint8_t, MemorySpace> kinds;  ///< one per edge; empty: all are of kind 0
  ArrayView<const std::uint32_t, MemorySpace> row_nodes;  ///< ascending; empty: row i is node i
  ArrayView<const std::uint64_t, MemorySpace>
      replaced;  ///< bit i: row i is not used; empty: all rows are used

  KOKKOS_INLINE_FUNCTION std::size_t rows() const {
    return offsets.extent(0) == 0 ? 0 : offsets.extent(0) - 1;
  }
  std::size_t blocks() const { return block_long_row.extent(0); }
  KOKKOS_INLINE_FUNCTION std::uint32_t node_of(std::size_t row) const {
    return row_nodes.extent(0) == 0 ? static_cast<std::uint32_t>(row) : row_nodes(row);
  }
  KOKKOS_INLINE_FUNCTION bool is_replaced(std::size_t row) const {
    return replaced.extent(0) != 0 && (replaced(row / 64) >> row % 64 & 1U) != 0;
  }
};

/// \brief One direction of a graph that may have changed: the rows as built, except those that are
/// `replaced`, and `delta`, the rows that replace them, rebuilt completely so that their sums keep
/// the reproducible order. A node that is beyond the built rows and not in `delta` has no edges.
template <class MemorySpace>
struct GraphSide {
  GraphRows<MemorySpace> built;
  GraphRows<MemorySpace> delta;
  std::size_t nodes = 0;
  BinnedEdges<MemorySpace> bins = {};  ///< of `built`, for dense hops of one query; may be empty

  /// Partial sums that one hop needs per column.
  std::size_t blocks() const {
    return built.blocks() < delta.blocks() ? delta.blocks() : built.blocks();
  }
  /// Whether the edges of some node are not in its row of `built`.
  bool is_changed() const {
    return delta.rows() != 0 || built.replaced.extent(0) != 0 || nodes > built.rows();
  }
};

/// The location of a node's edges.
template <class MemorySpace>
struct RowPlace {
  const GraphRows<MemorySpace>* part = nullptr;  ///< null: it has no row and thus no edges
  std::uint64_t begin = 0;                       ///< first edge, in `part`
  std::uint64_t count = 0;
};

namespace Impl {

/// The index of \p node in ascending \p nodes, or \p count.
KOKKOS_INLINE_FUNCTION std::size_t find_node(const std::uint32_t* nodes, std::size_t count,
                                             std::uint32_t node) {
  std::size_t low = 0;
  std::size_t high = count;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (nodes[middle] < node)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && nodes[low] == node ? low : count;
}

}  // namespace Impl

/// \brief The row of \p node. Complexity O(1); for a replaced or added node O(log rows of \p
/// delta).
template <class MemorySpace>
KOKKOS_INLINE_FUNCTION RowPlace<MemorySpace> row_of(const GraphRows<MemorySpace>& built,
                                                    const GraphRows<MemorySpace>& delta,
                                                    std::uint32_t node) {
  const GraphRows<MemorySpace>* part = &built;
  std::size_t row = node;
  if (node >= built.rows() || built.is_replaced(node)) {
    row = Impl::find_node(delta.row_nodes.data(), delta.rows(), node);
    if (row == delta.rows()) return {};
    part = &delta;
  }
  const std::uint64_t begin = part->offsets(row);
  return {part, begin, part->offsets(row + 1) - begin};
}

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_GRAPH_ROWS_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_GRAPH_ROWS_HPP
#define KINDRED_CORE_GRAPH_GRAPH_ROWS_HPP

#include <kindred/core/common/ArrayView.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred {

/// \brief Edges of a graph by the node at one end, in one memory space, with their `RowPlan`. Owned
/// by someone else.
///
/// Of the transpose, row v holds v's in-edges in (source index, input order) and `sources` where
/// they come from; of the graph itself, v's out-edges in input order and `sources` where they end.
/// A graph that has changed is two of these: the rows as built, less those that are `replaced`, and
/// the rows that replace them, which are rebuilt whole so that their sums keep the canonical order.
template <class MemorySpace>
struct GraphRows {
  ArrayView<const std::uint64_t, MemorySpace> offsets;  ///< rows + 1
  ArrayView<const std::uint32_t, MemorySpace> sources;
  ArrayView<const float, MemorySpace> weights;        ///< empty: see `short_weights`
  ArrayView<const std::uint32_t, MemorySpace> tiles;  ///< empty on a device: its units are uniform
  ArrayView<const std::uint32_t, MemorySpace> long_rows;
  ArrayView<const std::uint64_t, MemorySpace> long_first;
  ArrayView<const std::uint32_t, MemorySpace> block_long_row;
  ArrayView<const std::uint16_t, MemorySpace> short_weights;  ///< bfloat16; empty, and `weights`
                                                              ///< too: every weight is 1
  ArrayView<const std::uint8_t, MemorySpace> kinds;           ///< of edges; empty: all are of kind 0
  ArrayView<const std::uint32_t, MemorySpace> row_nodes;      ///< ascending; empty: row i is node i
  ArrayView<const std::uint64_t, MemorySpace> replaced;  ///< bit i: row i is not used; empty: all are

  KOKKOS_INLINE_FUNCTION std::size_t nodes() const { return offsets.extent(0) - 1; }
};

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_GRAPH_ROWS_HPP

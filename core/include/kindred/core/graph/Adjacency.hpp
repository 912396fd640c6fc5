// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_ADJACENCY_HPP
#define KINDRED_CORE_GRAPH_ADJACENCY_HPP

#include <kindred/core/graph/Spreading.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred {

/// \brief Compressed sparse rows (CSR) of a graph on the host, in memory of the caller.
///
/// Row v is `ends[offsets[v] … offsets[v + 1])`: in the transpose the sources of v's in-edges,
/// otherwise the targets of its out-edges.
struct AdjacencySpan {
  std::span<std::uint64_t> offsets;             ///< nodes + 1
  std::span<std::uint32_t> ends;                ///< one per edge
  std::span<float> weights;                     ///< one per edge; empty: not filled
  std::span<std::uint16_t> short_weights = {};  ///< the same as bfloat16; empty: not filled
  std::span<std::uint8_t> kinds = {};           ///< one per edge; empty: not filled
};

/// The bfloat16 nearest to \p weight, ties to even. \p weight is not NaN.
std::uint16_t short_weight(float weight) noexcept;
/// The float32 value of the bfloat16 \p weight.
float widen_weight(std::uint16_t weight) noexcept;

/// \brief How the rows of a transposed graph are divided into work items.
///
/// A short row is summed by one work item; adjacent short rows form tiles of about equal work. A
/// long row is summed block by block (`reproducible_block` edges), one work item per block, however
/// long it is.
struct RowPlan {
  std::vector<std::uint32_t> tiles;           ///< first row and end of each tile
  std::vector<std::uint32_t> long_rows;       ///< ascending
  std::vector<std::uint64_t> long_first;      ///< first block of each long row, and the total
  std::vector<std::uint32_t> block_long_row;  ///< index into `long_rows` of each block
};

/// \param offsets of the transpose \param short_max edges of the longest short row, ≤ 4096
/// \param tile_max maximum edges of a tile with more than one row
RowPlan plan_rows(std::span<const std::uint64_t> offsets, std::uint64_t short_max,
                  std::uint64_t tile_max);

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_ADJACENCY_HPP

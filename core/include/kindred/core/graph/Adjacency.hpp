// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_ADJACENCY_HPP
#define KINDRED_CORE_GRAPH_ADJACENCY_HPP

#include <kindred/core/graph/Spreading.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred {

/// \brief Compressed rows of a graph on the host, in memory of the caller.
///
/// Row v is `ends[offsets[v] … offsets[v + 1])`: the sources of v's in-edges in the transpose, the
/// targets of its out-edges otherwise.
struct AdjacencySpan {
  std::span<std::uint64_t> offsets;             ///< nodes + 1
  std::span<std::uint32_t> ends;                ///< an edge each
  std::span<float> weights;                     ///< an edge each; empty: not wanted
  std::span<std::uint16_t> short_weights = {};  ///< the same as bfloat16; empty: not wanted
  std::span<std::uint8_t> kinds = {};           ///< of edges; empty: not wanted
};

/// The bfloat16 nearest to \p weight, ties to even. \p weight is not NaN.
std::uint16_t short_weight(float weight) noexcept;
/// The float32 that it is.
float widen_weight(std::uint16_t weight) noexcept;

/// \brief How the rows of a transposed graph are dealt out to units of work.
///
/// A short row is one unit's; neighbouring short rows are tiles of about equal work. A long row is
/// summed block by block (`reproducible_block` edges), a block a unit, however long it is.
struct RowPlan {
  std::vector<std::uint32_t> tiles;       ///< first and last-plus-one row of each tile
  std::vector<std::uint32_t> long_rows;   ///< ascending
  std::vector<std::uint64_t> long_first;  ///< first block of each long row, and the number of all
  std::vector<std::uint32_t> block_long_row;  ///< which entry of `long_rows` each block belongs to
};

/// \param offsets of the transpose \param short_max edges of the longest short row, ≤ 4096
/// \param tile_max edges of a tile of more than one row
RowPlan plan_rows(std::span<const std::uint64_t> offsets, std::uint64_t short_max,
                  std::uint64_t tile_max);

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_ADJACENCY_HPP

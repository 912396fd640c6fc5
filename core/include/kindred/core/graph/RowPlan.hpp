// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_ROW_PLAN_HPP
#define KINDRED_CORE_GRAPH_ROW_PLAN_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred {

/// \brief How the rows of a transposed graph are divided into work items.
///
/// A short row is summed by one work item; adjacent short rows form tiles of about equal work. A
/// long row is summed block by block (`reproducible_block` edges), one work item per block, however
/// long it is.
struct RowPlan {
  std::vector<std::uint32_t> tiles;           ///< first row and end of each tile
  std::vector<std::uint32_t> long_rows;       ///< ascending
  std::vector<std::uint64_t> long_first{0};   ///< first block of each long row, and the total
  std::vector<std::uint32_t> block_long_row;  ///< index into `long_rows` of each block

  /// Appends the blocks of `long_rows[entry]`, which has \p length edges.
  void add_blocks(std::size_t entry, std::uint64_t length);
};

/// \param offsets of the transpose \param short_max edges of the longest short row, ≤ 4096
/// \param tile_max maximum edges of a tile with more than one row
RowPlan plan_rows(std::span<const std::uint64_t> offsets, std::uint64_t short_max,
                  std::uint64_t tile_max);

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_ROW_PLAN_HPP

// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/graph/RowPlan.hpp>
#include <kindred/core/numeric/ReproducibleBlock.hpp>

#include <cstddef>

namespace Kindred {

void RowPlan::add_blocks(std::size_t entry, std::uint64_t length) {
  const std::uint64_t blocks = reproducible_blocks(length);
  block_long_row.insert(block_long_row.end(), blocks, static_cast<std::uint32_t>(entry));
  long_first.push_back(long_first.back() + blocks);
}

RowPlan plan_rows(std::span<const std::uint64_t> offsets, std::uint64_t short_max,
                  std::uint64_t tile_max) {
  constexpr std::uint64_t tile_rows = 512;
  RowPlan plan;
  const std::size_t rows = offsets.size() - 1;
  std::size_t first = 0;
  const auto close_tile = [&](std::size_t end) {
    if (first == end) return;
    plan.tiles.push_back(static_cast<std::uint32_t>(first));
    plan.tiles.push_back(static_cast<std::uint32_t>(end));
    first = end;
  };
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint64_t length = offsets[row + 1] - offsets[row];
    if (length > short_max) {
      close_tile(row);
      first = row + 1;
      plan.add_blocks(plan.long_rows.size(), length);
      plan.long_rows.push_back(static_cast<std::uint32_t>(row));
    } else if (offsets[row + 1] - offsets[first] > tile_max || row - first == tile_rows) {
      close_tile(row);
    }
  }
  close_tile(rows);
  return plan;
}

}  // namespace Kindred

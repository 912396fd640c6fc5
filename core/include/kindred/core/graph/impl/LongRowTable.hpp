// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_LONG_ROW_TABLE_HPP
#define KINDRED_CORE_GRAPH_IMPL_LONG_ROW_TABLE_HPP

#include <kindred/core/graph/GraphRows.hpp>
#include <kindred/core/numeric/ReproducibleBlock.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// A block of a long row: at most `reproducible_block` edges.
struct RowBlock {
  std::uint32_t row;
  std::uint32_t count;  ///< of edges
  std::uint64_t begin;  ///< its first edge
  bool is_whole;        ///< the row has no other block
};

/// Long rows and their blocks as kernels read them, as pointers to keep the kernel arguments small.
struct LongRowTable {
  const std::uint32_t* rows;
  const std::uint64_t* first;     ///< first block of each long row, and the total
  const std::uint32_t* of_block;  ///< index into `rows` of each block
  std::size_t size;               ///< number of long rows
  std::size_t blocks;             ///< of all long rows

  template <class Edges>
  KOKKOS_INLINE_FUNCTION RowBlock block(const Edges& edges, std::size_t index) const {
    const std::uint32_t entry = of_block[index];
    const std::uint32_t row = rows[entry];
    const std::uint64_t begin = edges.offsets[row] + (index - first[entry]) * reproducible_block;
    return {row, block_length(begin, edges.offsets[std::size_t{row} + 1]), begin,
            first[entry + 1] - first[entry] == 1};
  }
};

/// The long rows of \p rows.
template <class MemorySpace>
LongRowTable long_rows_of(const GraphRows<MemorySpace>& rows) {
  return {rows.long_rows.data(), rows.long_first.data(), rows.block_long_row.data(),
          rows.long_rows.extent(0), rows.blocks()};
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_IMPL_LONG_ROW_TABLE_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_IMPL_INT8_DOTS_HPP
#define KINDRED_CORE_VECTOR_IMPL_INT8_DOTS_HPP

#include <cstdint>

namespace Kindred::Impl {

/// Rows that a work item of the prefilter processes together.
inline constexpr int prefilter_batch = 32;

/// \brief Rows of int8 values, and queries of two planes each, high then low.
struct Int8Operands {
  const std::int8_t* rows;      ///< row r at r · row_stride
  std::uint64_t row_stride;     ///< bytes
  std::uint64_t dimension;      ///< readable values per row
  const std::int8_t* planes;    ///< planes of the first query; 0 beyond the dimension
  std::uint64_t plane_stride;   ///< bytes, a multiple of 64; a query has two planes
  std::uint64_t row_alignment;  ///< of every row: 16, 4 or 1
};

/// Queries that share the data read from a row.
inline constexpr int int8_tile = 4;

/// \brief Dot products of a batch of 32 rows with a few queries, computed by one work item.
///
/// `batch<Ratio, Aligned, Queries>(operands, first, mask, offsets, offset_stride, visit)` calls
/// `visit(r, dots)` once for each of the 32 rows: on the host for all rows in turn, on a device in
/// each lane for its own row, where all lanes of a warp must make the call. Rows whose mask bit is
/// 0 are not read.
/// \tparam Tile maximum number of queries per call
template <class ExecutionSpace, int Tile>
class Int8Dots;

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_IMPL_INT8_DOTS_HPP

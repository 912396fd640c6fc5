// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_IMPL_VECTOR_TILE_SHAPE_HPP
#define KINDRED_CORE_VECTOR_IMPL_VECTOR_TILE_SHAPE_HPP

#include <kindred/core/arch/simd/Lanes.hpp>

namespace Kindred::Impl {

/// \brief How many rows and queries a work item scores together: as many sums as its registers
/// hold, with enough loads in flight.
template <class ExecutionSpace>
struct VectorTileShape {
  static constexpr int tile_queries = 4;  ///< per batch
  static constexpr int tile_rows = 4;
  static constexpr int single_rows = 4;  ///< for a batch with one query
  static constexpr int work_item_rows = 4;
  /// Rows per work item if there are fewer queries than a tile holds.
  static constexpr int scan_rows = 4;
  static constexpr int scan_depth = 8;  ///< steps of 32 elements in flight
  static constexpr int work_item_queries =
      64;  ///< queries that are scored with a row before the next rows are read
  static constexpr int candidate_rows = 4;
  static constexpr int candidate_depth = 12;
  static constexpr int prefetch_rows = 0;  ///< prefetch distance ahead of the row that is read
};

template <>
struct VectorTileShape<HostSpace> {
  static constexpr int tile_queries = Arch::host_has_wide_registers ? 6 : 1;
  static constexpr int tile_rows = 1;
  // One row after the other keeps the hardware prefetcher on one stream: 1.4 × as fast as four
  // together.
  static constexpr int single_rows = 1;
  static constexpr int work_item_rows = 16;
  static constexpr int scan_rows = 16;
  static constexpr int scan_depth = 1;
  static constexpr int work_item_queries = 96;
  // Rows far apart: four streams hide the latency of each other.
  static constexpr int candidate_rows = 4;
  static constexpr int candidate_depth = 1;
  static constexpr int prefetch_rows = 4;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_IMPL_VECTOR_TILE_SHAPE_HPP

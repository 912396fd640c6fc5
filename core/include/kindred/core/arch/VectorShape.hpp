// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_VECTOR_SHAPE_HPP
#define KINDRED_CORE_ARCH_VECTOR_SHAPE_HPP

#include <kindred/core/arch/Lanes.hpp>

namespace Kindred::Arch {

/// \brief How many rows and queries a unit of work scores at once: as many sums as its registers
/// hold, and enough loads in flight.
template <class ExecutionSpace>
struct VectorShape {
  static constexpr int tile_queries = 4;  ///< of a batch
  static constexpr int tile_rows = 4;
  static constexpr int single_rows = 4;  ///< with one query of a batch
  static constexpr int work_item_rows = 4;
  static constexpr int scan_rows = 4;   ///< of a unit where queries are fewer than a tile's
  static constexpr int scan_depth = 8;  ///< steps of 32 elements in flight together
  static constexpr int work_item_queries =
      64;  ///< that pass over a row before the next rows are read
  static constexpr int candidate_rows = 4;
  static constexpr int candidate_depth = 12;
  static constexpr int prefetch_rows = 0;  ///< asked for ahead of the row that is read
};

template <>
struct VectorShape<HostSpace> {
#if defined(__AVX512F__)
  static constexpr int tile_queries = 6;
#else
  static constexpr int tile_queries = 1;
#endif
  static constexpr int tile_rows = 1;
  // One row after the other keeps the hardware's prefetch on one stream: 1.4 × of four at once.
  static constexpr int single_rows = 1;
  static constexpr int work_item_rows = 16;
  static constexpr int scan_rows = 16;
  static constexpr int scan_depth = 1;
  static constexpr int work_item_queries = 96;
  static constexpr int candidate_rows = 4;  // rows far apart: four streams hide what one waits for
  static constexpr int candidate_depth = 1;
  static constexpr int prefetch_rows = 4;
};

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_VECTOR_SHAPE_HPP

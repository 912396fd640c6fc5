// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_SEED_ROWS_HPP
#define KINDRED_CORE_SEED_SEED_ROWS_HPP

#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/seed/SeedChunks.hpp>
#include <kindred/core/seed/SeedState.hpp>
#include <kindred/core/vector/VectorElement.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred {

/// \brief Rows of `hidden` contiguous elements of float32, float16 or bfloat16. \p Byte is
/// `std::byte`, const for rows that are only read.
template <class Byte, class ExecutionSpace>
struct SeedRows {
  ArrayView<Byte, ExecutionSpace> bytes;
  VectorElement element = VectorElement::float32;
  std::uint64_t stride = 0;  ///< elements from one row to the next, at least `hidden`
};

/// \brief The blueprints' weights: one row of `hidden` float32 each; its element f applies to
/// feature f.
template <class ExecutionSpace>
struct SeedWeights {
  ArrayView<const float, ExecutionSpace> values;  ///< row-major
  /// The row of each blueprint; size 0: row = id.
  ArrayView<const std::int32_t, ExecutionSpace> slots;
  std::uint32_t blueprints = 0;  ///< ids are below it
  std::uint64_t stride = 0;      ///< floats from one row to the next
};

/// \brief A layer as its kernels read it.
template <class ExecutionSpace>
struct SeedLayerView {
  SeedChunks chunks;
  SeedStateView<ExecutionSpace> state;
  SeedWeights<ExecutionSpace> weights;
};

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_SEED_ROWS_HPP

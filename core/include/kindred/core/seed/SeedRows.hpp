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

/// \brief Rows of `hidden` neighbouring elements, of float32, float16 or bfloat16. \p Byte is
/// `std::byte`, const for what is only read.
template <class Byte, class ExecutionSpace>
struct SeedRows {
  ArrayView<Byte, ExecutionSpace> bytes;
  VectorElement element = VectorElement::float32;
  std::uint64_t stride = 0;  ///< elements from row to row, at least `hidden`
};

/// \brief The blueprints' weights: a row of `hidden` float32 each, its feature f applied to f.
template <class ExecutionSpace>
struct SeedWeights {
  ArrayView<const float, ExecutionSpace> values;        ///< row-major
  ArrayView<const std::int32_t, ExecutionSpace> slots;  ///< a blueprint's row; of size 0: its id
  std::uint32_t blueprints = 0;                         ///< ids are below
  std::uint64_t stride = 0;                             ///< floats from row to row
};

/// \brief A layer as its kernels see it.
template <class ExecutionSpace>
struct SeedLayerView {
  SeedChunks chunks;
  SeedStateView<ExecutionSpace> state;
  SeedWeights<ExecutionSpace> weights;
};

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_SEED_ROWS_HPP

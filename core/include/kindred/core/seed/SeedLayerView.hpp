// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_SEED_LAYER_VIEW_HPP
#define KINDRED_CORE_SEED_SEED_LAYER_VIEW_HPP

#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/seed/SeedChunks.hpp>
#include <kindred/core/seed/SeedPassState.hpp>

#include <cstdint>

namespace Kindred {

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
  SeedPassState<ExecutionSpace> state;  ///< of `chunks.seeds` seeds
  SeedWeights<ExecutionSpace> weights;
};

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_SEED_LAYER_VIEW_HPP

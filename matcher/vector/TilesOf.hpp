// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_TILES_OF_HPP
#define KINDRED_MATCHER_VECTOR_TILES_OF_HPP

#include "DeviceTiles.hpp"
#include "HostTiles.hpp"

#include <kindred/backends/vendor/DeviceGemm.hpp>
#include <kindred/backends/vendor/ThresholdGemm.hpp>

namespace Kindred::Impl {

/// The tile implementation of a space.
template <class ExecutionSpace>
struct TilesOf {
  using type = DeviceTiles<ExecutionSpace, DeviceGemm, ThresholdGemm>;
};
template <>
struct TilesOf<HostSpace> {
  using type = HostTiles;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_TILES_OF_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LAYERS_IMPL_LAYERS_OF_LAUNCH_HPP
#define KINDRED_CORE_LAYERS_IMPL_LAYERS_OF_LAUNCH_HPP

#include <kindred/core/common/ContainingEntry.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// The layers of a launch: a list in the memory of its space.
template <class Layer>
struct LayerList {
  const Layer* layers;
  std::uint32_t count;

  /// The layer that contains the team or work item \p part.
  KOKKOS_INLINE_FUNCTION const Layer& of(std::uint64_t part) const {
    return layers[containing_entry<&Layer::first_team>(layers, count, part)];
  }
};

/// One layer, in the parameters of the kernel: nothing needs to be copied before the launch.
template <class Layer>
struct OneLayer {
  Layer layer;

  KOKKOS_INLINE_FUNCTION const Layer& of(std::uint64_t) const { return layer; }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_LAYERS_IMPL_LAYERS_OF_LAUNCH_HPP

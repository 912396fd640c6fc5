// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LATTICE_LATTICE_GRID_HPP
#define KINDRED_CORE_LATTICE_LATTICE_GRID_HPP

#include <kindred/core/lattice/LatticeShape.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace Kindred {

/// \brief The shape of a lattice as kernels read it.
struct LatticeGrid {
  std::uint32_t dimensions = 0;
  std::uint32_t size = 0;
  std::uint64_t nodes = 0;
  std::uint64_t strides[LatticeShape::dimensions_max] = {};

  LatticeGrid() = default;
  explicit LatticeGrid(const LatticeShape& shape)
      : dimensions(shape.dimensions()), size(shape.size()), nodes(shape.nodes()) {
    for (std::uint32_t i = 0; i < dimensions; ++i) strides[i] = shape.stride(i);
  }

  KOKKOS_INLINE_FUNCTION std::uint32_t coordinate(std::uint64_t node, std::uint32_t i) const {
    return static_cast<std::uint32_t>(node / strides[i] % size);
  }

  /// Where the row of \p node begins: Σ degrees of the nodes before it. Complexity O(dimensions).
  KOKKOS_INLINE_FUNCTION std::uint64_t row_begin(std::uint64_t node) const {
    std::uint64_t missing = 0;
    for (std::uint32_t i = 0; i < dimensions; ++i) {
      const std::uint64_t stride = strides[i];
      const std::uint64_t period = stride * size;  // of the coordinate; at most nodes
      const std::uint64_t whole = node / period * stride;
      const std::uint64_t rest = node % period;
      const std::uint64_t last = period - stride;
      missing += 2 * whole + (rest < stride ? rest : stride) + (rest > last ? rest - last : 0);
    }
    return 2 * dimensions * node - missing;
  }
};

}  // namespace Kindred

#endif  // KINDRED_CORE_LATTICE_LATTICE_GRID_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LATTICE_LATTICE_ROUTES_HPP
#define KINDRED_CORE_LATTICE_LATTICE_ROUTES_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/lattice/LatticeGrid.hpp>

#include <cstdint>

namespace Kindred {

/// \brief The path that `trace_lattice_paths` finds if nothing is blocked, computed without a
/// search.
/// \param to_path distance + 1 nodes
KOKKOS_INLINE_FUNCTION void lattice_route(const LatticeGrid& grid, std::uint64_t from,
                                          std::uint64_t to, std::uint64_t* to_path) {
  std::uint64_t node = from;
  *to_path++ = node;
  for (std::uint32_t i = grid.dimensions; i-- > 0;) {
    const std::uint32_t here = grid.coordinate(from, i);
    const std::uint32_t there = grid.coordinate(to, i);
    const std::uint64_t step = there > here ? grid.strides[i] : 0 - grid.strides[i];
    for (std::uint32_t left = there > here ? there - here : here - there; left > 0; --left)
      *to_path++ = node += step;
  }
}

/// \brief Routes between \p pairs of nodes. Does not fence. Complexity as for
/// `trace_lattice_paths`.
/// \param begins where route i begins in \p paths
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void lattice_routes(const ExecutionSpace& exec_space, const LatticeGrid& grid,
                    const ArrayView<const std::uint64_t, ExecutionSpace>& pairs,
                    const ArrayView<const std::uint64_t, ExecutionSpace>& begins,
                    const ArrayView<std::uint64_t, ExecutionSpace>& paths);

}  // namespace Kindred

#endif  // KINDRED_CORE_LATTICE_LATTICE_ROUTES_HPP

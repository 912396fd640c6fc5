// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LATTICE_LATTICE_ADJACENCY_HPP
#define KINDRED_CORE_LATTICE_LATTICE_ADJACENCY_HPP

#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/lattice/LatticeGrid.hpp>

#include <cstdint>

namespace Kindred {

/// \brief Writes a lattice as compressed sparse rows: both directions of every edge, rows
/// ascending. The beginning of a row has a closed form, so nothing is counted or scanned. Does not
/// fence. Complexity O(nodes · dimensions).
/// \param offsets has nodes + 1 elements \param ends has two elements per edge; node indices must
/// fit in 32 bits
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void fill_lattice_adjacency(const ExecutionSpace& exec_space, const LatticeGrid& grid,
                            const ArrayView<std::uint64_t, ExecutionSpace>& offsets,
                            const ArrayView<std::uint32_t, ExecutionSpace>& ends);

}  // namespace Kindred

#endif  // KINDRED_CORE_LATTICE_LATTICE_ADJACENCY_HPP

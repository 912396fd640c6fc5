// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/Special.hpp>
#include <kindred/core/common/ArgumentCheck.hpp>
#include <kindred/core/lattice/LatticeAdjacency.hpp>
#include <kindred/core/lattice/special/LatticeLines.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>

#include <cstdint>

namespace Kindred {

namespace Impl {

/// Writes the row of a node.
template <class ExecutionSpace>
struct LatticeNodeRow {
  LatticeGrid grid;
  ArrayView<std::uint64_t, ExecutionSpace> offsets;
  ArrayView<std::uint32_t, ExecutionSpace> ends;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t node) const {
    std::uint64_t place = grid.row_begin(node);
    offsets(node) = place;
    if (node == grid.nodes) return;
    for (std::uint32_t i = 0; i < grid.dimensions; ++i)
      if (grid.coordinate(node, i) > 0)
        ends(place++) = static_cast<std::uint32_t>(node - grid.strides[i]);
    for (std::uint32_t i = grid.dimensions; i-- > 0;)
      if (grid.coordinate(node, i) + 1 < grid.size)
        ends(place++) = static_cast<std::uint32_t>(node + grid.strides[i]);
  }
};

}  // namespace Impl

template <class ExecutionSpace>
void fill_lattice_adjacency(const ExecutionSpace& exec_space, const LatticeGrid& grid,
                            const ArrayView<std::uint64_t, ExecutionSpace>& offsets,
                            const ArrayView<std::uint32_t, ExecutionSpace>& ends) {
  const Impl::ArgumentCheck check("fill_lattice_adjacency");
  check.is_at_most("grid.nodes", grid.nodes, std::uint64_t{1} << 32U);
  check.has("offsets", offsets, Impl::extent_sum(grid.nodes, 1));
  check.has("ends", ends, grid.row_begin(grid.nodes));
  const char* label = "Kindred::Lattice::rows";
  if constexpr (Special::is_compiled<Special::Form::lattice_lines, ExecutionSpace>) {
    if (Special::is_used<Special::Form::lattice_lines, ExecutionSpace>()) {
      const Impl::LatticeLines rows{grid, offsets.data(), ends.data()};
      return Launch::for_each_index<Launch::Coarse>(exec_space, label, rows.work_items(), rows);
    }
  }
  Launch::for_each_index(exec_space, label, grid.nodes + 1,
                         Impl::LatticeNodeRow<ExecutionSpace>{grid, offsets, ends});
}

KINDRED_INSTANTIATE_FOR_SPACES(fill_lattice_adjacency);

}  // namespace Kindred

// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/lattice/impl/LatticeAdjacency.hpp>

#include <algorithm>

namespace Kindred {

namespace {

template <class ExecutionSpace>
using Items = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::uint64_t>>;

}  // namespace

template <class ExecutionSpace>
void fill_lattice_adjacency(const ExecutionSpace& exec_space, const LatticeGrid& grid,
                            const ArrayView<std::uint64_t, ExecutionSpace>& offsets,
                            const ArrayView<std::uint32_t, ExecutionSpace>& ends) {
  const char* label = "Kindred::Lattice::rows";
  if constexpr (Arch::is_device<ExecutionSpace>) {
    Kokkos::parallel_for(label, Items<ExecutionSpace>(exec_space, 0, grid.nodes + 1),
                         Impl::LatticeNodeRow<ExecutionSpace>{grid, offsets, ends});
  } else {
    constexpr std::uint64_t nodes_each = 8192;
    const std::uint64_t lines = grid.nodes / grid.size;
    const std::uint64_t lines_each = std::max<std::uint64_t>(nodes_each / grid.size, 1);
    Kokkos::parallel_for(
        label, Items<ExecutionSpace>(exec_space, 0, (lines + lines_each - 1) / lines_each),
        Impl::LatticeLineRows{grid, offsets.data(), ends.data(), lines, lines_each});
  }
}

#define KINDRED_INSTANTIATE(SPACE)                                                    \
  template void fill_lattice_adjacency<SPACE>(const SPACE&, const LatticeGrid&,       \
                                              const ArrayView<std::uint64_t, SPACE>&, \
                                              const ArrayView<std::uint32_t, SPACE>&);
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred

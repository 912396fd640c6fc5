// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/ArgumentCheck.hpp>
#include <kindred/core/lattice/LatticeRoutes.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>

namespace Kindred {

namespace {

template <class ExecutionSpace>
struct RoutesKernel {
  LatticeGrid grid;
  ArrayView<const std::uint64_t, ExecutionSpace> pairs;
  ArrayView<const std::uint64_t, ExecutionSpace> begins;
  ArrayView<std::uint64_t, ExecutionSpace> paths;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i) const {
    lattice_route(grid, pairs(2 * i), pairs(2 * i + 1), paths.data() + begins(i));
  }
};

}  // namespace

template <class ExecutionSpace>
void lattice_routes(const ExecutionSpace& exec_space, const LatticeGrid& grid,
                    const ArrayView<const std::uint64_t, ExecutionSpace>& pairs,
                    const ArrayView<const std::uint64_t, ExecutionSpace>& begins,
                    const ArrayView<std::uint64_t, ExecutionSpace>& paths) {
  const Impl::ArgumentCheck check("lattice_routes");
  check.has("pairs", pairs, Impl::extent_of(2, begins.size()));
  check.is_aligned("begins", begins);
  check.is_aligned("paths", paths);
  Launch::for_each_index(exec_space, "Kindred::Lattice::routes", begins.extent(0),
                         RoutesKernel<ExecutionSpace>{grid, pairs, begins, paths});
}

KINDRED_INSTANTIATE_FOR_SPACES(lattice_routes);

}  // namespace Kindred

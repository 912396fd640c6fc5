// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_POLICIES_HPP
#define KINDRED_CORE_ARCH_LAUNCH_POLICIES_HPP

#include <kindred/core/common/Error.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>

/// The only places where numbers of work items become the types in which Kokkos and devices count
/// them: a number that does not fit is refused before anything is launched.
namespace Kindred::Arch {

/// The largest number of teams of a league, and of thread blocks of a grid.
inline constexpr std::uint64_t teams_max = std::numeric_limits<std::int32_t>::max();

/// \brief The number of teams of a launch as Kokkos takes it.
/// \throws InvalidArgument for more than `teams_max`
inline int league_size(std::uint64_t teams) {
  KINDRED_THROW_IF(teams > teams_max, "a launch of " + std::to_string(teams) +
                                          " teams; the limit is " + std::to_string(teams_max) +
                                          ": make several calls with smaller arrays");
  return static_cast<int>(teams);
}

/// \brief The number of teams of \p team_size work items each that \p work_items need.
/// \throws InvalidArgument for more than `teams_max`
inline int league_size(std::uint64_t work_items, std::uint64_t team_size) {
  return league_size(work_items / team_size + (work_items % team_size == 0 ? 0 : 1));
}

/// \brief \p count as an extent in \p Index.
/// \throws InvalidArgument if a kernel cannot count so far
template <class Index>
Index index_extent(std::uint64_t count) {
  if constexpr (sizeof(Index) < sizeof(std::uint64_t)) {
    // A device counts in steps of thread blocks, which must not overflow either.
    constexpr std::uint64_t most = std::numeric_limits<Index>::max() - 4095;
    KINDRED_THROW_IF(count > most, "a launch over " + std::to_string(count) +
                                       " indices; the limit is " + std::to_string(most) +
                                       ": make several calls with smaller arrays");
  }
  return static_cast<Index>(count);
}

/// \brief The policy of a kernel that runs once for each index below \p count, on \p exec_space.
/// \throws InvalidArgument, \see index_extent
template <class Index = std::uint64_t, class ExecutionSpace>
auto range(const ExecutionSpace& exec_space, std::uint64_t count) {
  return Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Index>>(exec_space, 0,
                                                                       index_extent<Index>(count));
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LAUNCH_POLICIES_HPP

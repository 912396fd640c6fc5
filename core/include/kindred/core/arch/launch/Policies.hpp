// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_POLICIES_HPP
#define KINDRED_CORE_ARCH_LAUNCH_POLICIES_HPP

#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/Error.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

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

namespace Impl {

/// \brief The number of indices that a thread takes at once, as `RangePolicy` would choose it for
/// \p threads. It asks for the concurrency of the default instance, \see concurrency, and allocates
/// for that.
inline int chunk_size(std::uint64_t count, int threads) {
  const auto shared_in = [&](std::uint64_t chunks_of_thread) {
    const std::uint64_t chunks =
        chunks_of_thread * static_cast<std::uint64_t>(std::max(threads, 1));
    return std::bit_ceil(std::min<std::uint64_t>(count / chunks + 1, std::uint64_t{1} << 30U));
  };
  const std::uint64_t large = shared_in(100);
  return static_cast<int>(large >= 128 ? large : std::min<std::uint64_t>(shared_in(40), 128));
}

}  // namespace Impl

/// \brief The policy of a kernel that runs once for each index from \p begin up to \p end, on
/// \p exec_space.
/// \tparam Properties further ones of the policy, such as a schedule
/// \throws InvalidArgument, \see index_extent
template <class Index = std::uint64_t, class... Properties, class ExecutionSpace>
auto range(const ExecutionSpace& exec_space, std::uint64_t begin, std::uint64_t end) {
  using policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Index>, Properties...>;
  const Index first = index_extent<Index>(begin);
  const Index last = index_extent<Index>(end);
  if constexpr (is_device<ExecutionSpace>) {
    return policy(exec_space, first, last);
  } else {
    const std::uint64_t count = end > begin ? end - begin : 0;
    return policy(exec_space, first, last,
                  Kokkos::ChunkSize(Impl::chunk_size(count, concurrency(exec_space))));
  }
}

/// The same for each index below \p count.
template <class Index = std::uint64_t, class... Properties, class ExecutionSpace>
auto range(const ExecutionSpace& exec_space, std::uint64_t count) {
  return range<Index, Properties...>(exec_space, 0, count);
}

/// \brief Refuses a kernel whose teams need more scratch than a multiprocessor has.
/// \throws InvalidArgument if \p bytes are more than \p bytes_max
inline void check_scratch(std::string_view label, std::size_t bytes, std::size_t bytes_max) {
  KINDRED_THROW_IF(bytes > bytes_max, std::string(label) + " needs " + std::to_string(bytes) +
                                          " bytes of scratch per team; the device has " +
                                          std::to_string(bytes_max));
}

/// \brief \p policy, of teams that have \p bytes of scratch each. The host has no limit.
/// \throws InvalidArgument, \see check_scratch
template <class Policy>
Policy with_scratch(std::string_view label, Policy policy, std::size_t bytes) {
  if constexpr (is_device<typename Policy::execution_space>) {
    std::size_t bytes_max = static_cast<std::size_t>(Policy::scratch_size_max(0));
    if constexpr (requires { policy.space().cuda_device_prop(); }) {
      // `scratch_size_max` is the limit of the largest teams. Kokkos places a number for each
      // thread of a team, of a warp at least, before the scratch, and its kernels have a few
      // variables of their own in shared memory.
      constexpr std::size_t variables = 64;
      const std::size_t threads = static_cast<std::size_t>(std::max(policy.team_size(), 32));
      const std::size_t reserved = sizeof(double) * (threads + 2) + variables;
      bytes_max = policy.space().cuda_device_prop().sharedMemPerBlock - reserved;
    }
    check_scratch(label, bytes, bytes_max);
  }
  policy.set_scratch_size(0, Kokkos::PerTeam(bytes));
  return policy;
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LAUNCH_POLICIES_HPP

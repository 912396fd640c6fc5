// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SPACES_HPP
#define KINDRED_CORE_ARCH_SPACES_HPP

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace Kindred {

/// The host's execution space: OpenMP if Kokkos has it. A single thread (`serial`) is an instance
/// of it with a pool of one thread.
using HostSpace = Kokkos::DefaultHostExecutionSpace;

#if defined(KOKKOS_ENABLE_CUDA)
/// The device's execution space.
using DeviceSpace = Kokkos::Cuda;
#define KINDRED_HAS_DEVICE 1
/// Instantiates MACRO(ExecutionSpace) for every space type of this build.
#define KINDRED_FOR_EACH_SPACE(MACRO) MACRO(::Kindred::HostSpace) MACRO(::Kindred::DeviceSpace)
#else
/// Stands in for the device's execution space in a host build, which parses device code but never
/// instantiates it.
struct DeviceSpace {
  int concurrency() const { return 1; }
};
#define KINDRED_HAS_DEVICE 0
#define KINDRED_FOR_EACH_SPACE(MACRO) MACRO(::Kindred::HostSpace)
#endif

namespace Arch {

/// True if a thread is one lane of a warp of 32; false if a thread processes whole packs.
template <class ExecutionSpace>
inline constexpr bool is_device = !std::is_same_v<ExecutionSpace, HostSpace>;

/// \brief Launch shape of a kernel whose work item is a warp (device) or a thread (host).
///
/// A kernel takes `TeamPolicy(exec, league, team_size, vector_length)`; work item u of the league
/// is `league_rank * team_size + team_rank`. Team scratch level 0 stays within 48 KB.
template <class ExecutionSpace>
struct LaunchShape {
  static constexpr int team_size = is_device<ExecutionSpace> ? 8 : 1;
  static constexpr int vector_length = is_device<ExecutionSpace> ? 32 : 1;
  /// Lanes of a reproducible sum per thread: one on a device, all 32 on the host.
  static constexpr int lanes_per_thread = is_device<ExecutionSpace> ? 1 : 32;
};

inline constexpr int scratch_bytes_max = 48 * 1024;

}  // namespace Arch
}  // namespace Kindred

#endif  // KINDRED_CORE_ARCH_SPACES_HPP

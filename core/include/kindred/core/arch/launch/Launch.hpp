// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_LAUNCH_HPP
#define KINDRED_CORE_ARCH_LAUNCH_LAUNCH_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/Specialized.hpp>
#include <kindred/core/arch/launch/CurrentDevice.hpp>
#include <kindred/core/arch/launch/DeviceStatus.hpp>
#include <kindred/core/arch/launch/HostPieces.hpp>
#include <kindred/core/arch/launch/KernelCode.hpp>
#include <kindred/core/arch/launch/LaunchConfig.hpp>
#include <kindred/core/arch/launch/Policies.hpp>
#include <kindred/core/arch/launch/ProfiledKernel.hpp>
#include <kindred/core/arch/launch/Team.hpp>
#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

/// \brief The launches that no Kokkos policy can express: clusters, cooperative grids, launches
/// that begin before the preceding one has ended, more than 48 KB of scratch, few microseconds of
/// overhead.
///
/// A functor that is launched declares
/// - `view_type` (optional, `Team`): what a thread sees of the launch, \see ThreadGroup,
/// TeamCluster;
/// - `threads_max` and `teams_at_once`, which bound the registers: that many teams of so many
///   threads fit a multiprocessor;
/// - `architecture_min` (optional): on older devices its kernel is empty, and `can_launch` is
/// false;
/// - `cluster_teams` (optional): the size of a cluster; without it, as many teams as the device can
///   place together;
/// - `operator()(view, scratch)`.
namespace Kindred::Arch {

namespace Impl {
/// Of a team's scratch, in bytes.
inline constexpr std::size_t scratch_alignment = 16;
}  // namespace Impl

/// The number of multiprocessors (SMs); 1 on the host.
template <class ExecutionSpace>
std::uint64_t multiprocessors([[maybe_unused]] const ExecutionSpace& exec_space) {
#if KINDRED_HAS_DEVICE
  if constexpr (is_device<ExecutionSpace>)
    return static_cast<std::uint64_t>(exec_space.cuda_device_prop().multiProcessorCount);
#endif
  return 1;
}

/// Bytes of scratch that a team of \p ExecutionSpace can request; 0 on the host, which has caches.
template <class ExecutionSpace>
std::size_t scratch_bytes_limit([[maybe_unused]] const ExecutionSpace& exec_space) {
#if KINDRED_HAS_DEVICE && KINDRED_ENABLE_SPECIALIZED
  if constexpr (is_device<ExecutionSpace>)
    return exec_space.cuda_device_prop().sharedMemPerBlockOptin;
#elif KINDRED_HAS_DEVICE
  if constexpr (is_device<ExecutionSpace>)
    return static_cast<std::size_t>(Kokkos::TeamPolicy<ExecutionSpace>::scratch_size_max(0)) -
           Impl::scratch_alignment;
#endif
  return 0;
}

/// \brief The largest of a kernel's sizes that was allowed so far, where allowing a size replaces
/// the one before. Thread-safe.
class LargestAllowed {
 public:
  /// \brief Calls \p allow unless \p size or more is allowed already. No two calls overlap and none
  /// allows less than an earlier one, so the largest size of all threads stays in force. If it
  /// throws, the size is not allowed.
  template <class Allow>
  void raise_to(std::size_t size, const Allow& allow) {
    if (size <= m_size.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(m_mutex);
    if (size <= m_size.load(std::memory_order_relaxed)) return;
    allow();
    m_size.store(size, std::memory_order_release);
  }

 private:
  std::mutex m_mutex;
  std::atomic<std::size_t> m_size{0};
};

namespace Impl {

// A variable, since device code of nvcc cannot call constexpr functions of the host.
template <class Functor>
inline constexpr int architecture_min = 0;
template <class Functor>
requires requires { Functor::architecture_min; }
inline constexpr int architecture_min<Functor> = Functor::architecture_min;

/// 0: as many as the device can place together.
template <class Functor>
inline constexpr unsigned cluster_teams = 0;
template <class Functor>
requires requires { Functor::cluster_teams; }
inline constexpr unsigned cluster_teams<Functor> = Functor::cluster_teams;

template <class Functor>
struct LaunchView {
  using type = Team;
};
template <class Functor>
requires requires { typename Functor::view_type; }
struct LaunchView<Functor> {
  using type = typename Functor::view_type;
};

/// \brief The groups of a launch on the host, where a group is one thread. A thread processes
/// several of them one after the other, with the same scratch.
/// \throws OutOfMemory before any group runs
template <class Functor>
void launch_on_host(const HostSpace& exec_space, const LaunchConfig& config,
                    const Functor& functor) {
  const Pieces pieces(exec_space, config.groups);
  const HostScratch scratch(config.label, pieces.count, config.scratch_bytes);
  for_each_piece(exec_space, config.label, pieces, [&](const std::size_t piece) {
    for (std::size_t group = pieces.begin(piece); group < pieces.begin(piece + 1); ++group) {
      typename LaunchView<Functor>::type view(GroupKind::team, group);
      functor(view, scratch.of(piece));
    }
  });
}

/// A team of a device without specialised forms: a group is one team of a Kokkos policy.
template <class Functor>
struct PolicyTeam {
  Functor functor;
  GroupKind kind;
  std::size_t scratch_bytes;
  int scratch_level;

  template <class Member>
  KOKKOS_INLINE_FUNCTION void operator()(const Member& member) const {
    typename LaunchView<Functor>::type view(kind, static_cast<std::size_t>(member.league_rank()));
    functor(view,
            static_cast<std::byte*>(member.team_scratch(scratch_level)
                                        .get_shmem_aligned(scratch_bytes, scratch_alignment)));
  }
};

template <class ExecutionSpace, class Functor>
void launch_policy(const ExecutionSpace& exec_space, const LaunchConfig& config,
                   const Functor& functor) {
  using policy =
      Kokkos::TeamPolicy<ExecutionSpace,
                         Kokkos::LaunchBounds<Functor::threads_max, Functor::teams_at_once>>;
  // What does not fit the scratch of a multiprocessor lies in the device's memory.
  const int level = config.scratch_bytes > scratch_bytes_limit(exec_space) ? 1 : 0;
  const unsigned threads = config.threads == 0 ? unsigned{Functor::threads_max} : config.threads;
  policy teams(exec_space, league_size(config.groups), static_cast<int>(threads), 1);
  teams.set_scratch_size(level, Kokkos::PerTeam(config.scratch_bytes + scratch_alignment));
  Kokkos::parallel_for(tool_label(config.label), teams,
                       PolicyTeam<Functor>{functor, config.kind, config.scratch_bytes, level});
}

#if KINDRED_HAS_DEVICE && defined(__CUDACC__) && KINDRED_ENABLE_SPECIALIZED

/// Scratch of a kernel is aligned as any of its contents needs.
struct alignas(32) ScratchUnit {
  std::byte bytes[32];
};

template <class Functor>
__global__ void __launch_bounds__(Functor::threads_max, Functor::teams_at_once)
    launched_kernel(const __grid_constant__ Functor functor, [[maybe_unused]] GroupKind kind) {
#if defined(__CUDA_ARCH__)
  if constexpr (architecture_min<Functor> <= __CUDA_ARCH__ / 10) {
    extern __shared__ ScratchUnit kindred_scratch[];
    typename LaunchView<Functor>::type view(kind, 0);
    functor(view, reinterpret_cast<std::byte*>(kindred_scratch));
  }
#endif
}

/// \brief Allows \p kernel \p bytes of scratch on the current device.
template <class Kernel>
void allow_scratch(Kernel* kernel, std::size_t bytes, const char* label) {
  constexpr std::size_t always_allowed = 48 * 1024;
  if (bytes <= always_allowed) return;
  static OnEachDevice<LargestAllowed> allowed_on;
  allowed_on.here([](LargestAllowed&) {}).raise_to(bytes, [&] {
    require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(bytes)),
            label);
  });
}

/// Maximum teams per cluster that the device can place, a power of two up to 16; 1 if \p kernel
/// cannot use clusters.
template <class Kernel>
unsigned largest_cluster(Kernel* kernel, unsigned team_threads, std::size_t team_bytes) {
  if (!code_of(kernel).has_clusters()) return 1;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  unsigned size = 16;
  for (; size > 1; size /= 2) {
    cudaLaunchConfig_t config{};
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {size, 1, 1};
    config.gridDim = dim3(size);
    config.blockDim = dim3(team_threads);
    config.dynamicSmemBytes = team_bytes;
    config.attrs = &cluster;
    config.numAttrs = 1;
    int resident = 0;
    if (cudaOccupancyMaxActiveClusters(&resident, kernel, &config) == cudaSuccess && resident > 0)
      break;
  }
  cudaGetLastError();
  return size;
}

/// The number of teams of a group on the current device; 0: it cannot launch the functor.
struct GroupTeams {
  unsigned of_grid = 0;
  unsigned of_cluster = 0;  ///< 1: there are no clusters
};

/// A functor that synchronises teams is always launched with the same \p scratch_bytes.
template <class Functor>
const GroupTeams& group_teams(std::size_t scratch_bytes) {
  static OnEachDevice<GroupTeams> teams;
  return teams.here([&](GroupTeams& found) {
    const auto kernel = launched_kernel<Functor>;
    constexpr int threads = Functor::threads_max;
    int device = 0;
    int processors = 0;
    int scratch_limit = 0;
    int fit = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&scratch_limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    const KernelCode code = code_of(kernel);
    if (!code.exists() || code.compiled_for < architecture_min<Functor> ||
        static_cast<std::size_t>(scratch_limit) < scratch_bytes)
      return;
    allow_scratch(kernel, scratch_bytes, "scratch of a group of teams");
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, threads, scratch_bytes);
    found.of_grid = static_cast<unsigned>(fit > 0 ? processors : 1);
    found.of_cluster = largest_cluster(kernel, threads, scratch_bytes);
  });
}
#endif

}  // namespace Impl

/// \brief Whether the device and the compiled code support the launch; for clusters, whether the
/// device can place more than one team together. Always true on the host. Without specialised
/// forms there are no clusters and every grid has one team.
template <class Functor, class ExecutionSpace>
bool can_launch([[maybe_unused]] const ExecutionSpace& exec_space,
                [[maybe_unused]] const LaunchConfig& config) {
#if !KINDRED_ENABLE_SPECIALIZED
  if constexpr (is_device<ExecutionSpace>)
    return config.kind != GroupKind::cluster &&
           config.scratch_bytes <= scratch_bytes_limit(exec_space);
#elif KINDRED_HAS_DEVICE && defined(__CUDACC__)
  if constexpr (is_device<ExecutionSpace>) {
    if (config.scratch_bytes > scratch_bytes_limit(exec_space)) return false;
    if (config.kind == GroupKind::team) return true;
    const Impl::GroupTeams& teams = Impl::group_teams<Functor>(config.scratch_bytes);
    return config.kind == GroupKind::grid ? teams.of_grid > 0 : teams.of_cluster > 1;
  }
#endif
  return true;
}

#if KINDRED_HAS_DEVICE && defined(__CUDACC__) && KINDRED_ENABLE_SPECIALIZED
/// \brief The code with which the current device launches the functor, \see code_of.
template <class Functor>
KernelCode code_of_launch(bool is_for_90a = false) {
  return code_of(Impl::launched_kernel<Functor>, is_for_90a);
}
#endif

/// \brief Runs `functor(view, scratch)` in every thread of the teams of \p config. Does not fence.
///
/// On the host a group is one thread, and a single group is not a parallel region. Where the device
/// has no clusters, a cluster is one team.
/// \throws InvalidArgument for more teams or scratch than a device has; OutOfMemory,
/// SpaceUnavailable or DeviceLost if the launch is refused
template <class ExecutionSpace, class Functor>
void launch(const ExecutionSpace& exec_space, const LaunchConfig& config, const Functor& functor) {
  if (config.groups == 0) return;
  if constexpr (!is_device<ExecutionSpace>) {
    Impl::launch_on_host(exec_space, config, functor);
  } else {
#if KINDRED_HAS_DEVICE && !KINDRED_ENABLE_SPECIALIZED
    Impl::launch_policy(exec_space, config, functor);
#elif KINDRED_HAS_DEVICE && defined(__CUDACC__)
    const std::size_t scratch_max = scratch_bytes_limit(exec_space);
    check_scratch(config.label, config.scratch_bytes, scratch_max);
    const CurrentDevice current(exec_space);
    const auto kernel = Impl::launched_kernel<Functor>;
    cudaLaunchAttribute attribute{};
    cudaLaunchConfig_t launched{};
    launched.attrs = &attribute;
    unsigned teams = 1;  // per group
    if (config.kind == GroupKind::grid) {
      teams = std::max(1U, Impl::group_teams<Functor>(config.scratch_bytes).of_grid);
      attribute.id = cudaLaunchAttributeCooperative;
      attribute.val.cooperative = 1;
      launched.numAttrs = 1;
    } else if (config.kind == GroupKind::cluster) {
      teams = Impl::cluster_teams<Functor>;
      if (teams == 0)
        teams = std::max(1U, Impl::group_teams<Functor>(config.scratch_bytes).of_cluster);
      attribute.id = cudaLaunchAttributeClusterDimension;
      attribute.val.clusterDim = {teams, 1, 1};
      launched.numAttrs = teams > 1 ? 1 : 0;
    } else if (config.begins_early) {
      static OnEachDevice<bool> waits;
      const bool may_begin_early =
          waits.here([&](bool& may) { may = code_of(kernel).waits_for_previous_launch(); });
      attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
      attribute.val.programmaticStreamSerializationAllowed = 1;
      launched.numAttrs = may_begin_early ? 1 : 0;
    }
    Impl::allow_scratch(kernel, config.scratch_bytes, config.label);
    const auto groups = static_cast<std::uint64_t>(league_size(config.groups));
    launched.gridDim = dim3(static_cast<unsigned>(league_size(groups * teams)));
    launched.blockDim = dim3(config.threads == 0 ? Functor::threads_max : config.threads);
    launched.dynamicSmemBytes = config.scratch_bytes;
    launched.stream = exec_space.cuda_stream();
    run_profiled(exec_space, config.label, [&] {
      require(cudaLaunchKernelEx(&launched, kernel, functor, config.kind), config.label);
    });
#endif
  }
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LAUNCH_LAUNCH_HPP

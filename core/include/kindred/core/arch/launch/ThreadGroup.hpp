// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_THREAD_GROUP_HPP
#define KINDRED_CORE_ARCH_LAUNCH_THREAD_GROUP_HPP

#include <kindred/core/arch/CachedAccess.hpp>
#include <kindred/core/arch/launch/LaunchConfig.hpp>
#include <kindred/core/arch/launch/Warp.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Kindred::Arch {

/// \brief Threads that cooperate and synchronise between the steps of one task: the view of a
/// launch whose groups are clusters or the whole grid.
///
/// All teams of a group are resident at the same time, so that a team that waits for another cannot
/// deadlock. On the host a group is one thread. A unit of a group is a warp, or the host thread;
/// calls that mention a unit must be made by all its lanes together.
template <class ExecutionSpace>
class ThreadGroup {
 public:
  using warp_type = Warp<ExecutionSpace>;
  static constexpr unsigned team_threads = 1;
  static constexpr unsigned lanes = 1;  ///< per unit

  KOKKOS_INLINE_FUNCTION ThreadGroup(GroupKind, std::size_t index) : m_index(index) {}

  KOKKOS_INLINE_FUNCTION std::size_t index() const { return m_index; }
  KOKKOS_INLINE_FUNCTION unsigned team() const { return 0; }
  KOKKOS_INLINE_FUNCTION unsigned teams() const { return 1; }
  KOKKOS_INLINE_FUNCTION unsigned thread() const { return 0; }
  KOKKOS_INLINE_FUNCTION unsigned warp() const { return 0; }
  KOKKOS_INLINE_FUNCTION unsigned warps() const { return 1; }
  KOKKOS_INLINE_FUNCTION unsigned lane() const { return 0; }
  KOKKOS_INLINE_FUNCTION bool is_leader() const { return true; }
  KOKKOS_INLINE_FUNCTION void bind_barrier(std::uint32_t*) {}
  KOKKOS_INLINE_FUNCTION void barrier() const {}
  KOKKOS_INLINE_FUNCTION void team_barrier() const {}
  KOKKOS_INLINE_FUNCTION void warp_barrier() const {}

  /// Reads what other threads of the group may have written before the last barrier.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T read(const T* from) {
    return *from;
  }
  /// Atomically adds to a number shared by the group; returns the previous value.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T add(T* to, std::type_identity_t<T> value) {
    const T before = *to;
    *to += value;
    return before;
  }
  /// Atomic maximum of the number and \p value; returns the previous value.
  KOKKOS_INLINE_FUNCTION static std::uint32_t raise(std::uint32_t* to, std::uint32_t value) {
    const std::uint32_t before = *to;
    if (before < value) *to = value;
    return before;
  }

 private:
  std::size_t m_index;
};

/// \brief The arithmetic of a barrier between teams that share a 32-bit cell, which starts at 0.
///
/// The highest bit is the phase, the others are a counter. Every team adds its share once per
/// barrier; the shares of a group add up to the highest bit, so the last team to arrive flips the
/// phase and leaves the counter at 0. The cell can therefore serve groups of different sizes one
/// after another.
class ArrivalBarrier {
 public:
  ArrivalBarrier() = default;
  /// \param now the cell before this team first arrives; no phase of this group can have ended by
  /// then
  KOKKOS_INLINE_FUNCTION ArrivalBarrier(unsigned team, unsigned teams, std::uint32_t now)
      : m_share(team == 0 ? phase_bit - (teams - 1) : 1), m_phase(now & phase_bit) {}

  /// What this team adds to the cell when it arrives.
  KOKKOS_INLINE_FUNCTION std::uint32_t share() const { return m_share; }
  /// Whether all teams have arrived, given the cell's value \p now.
  KOKKOS_INLINE_FUNCTION bool is_over(std::uint32_t now) const {
    return (now & phase_bit) != m_phase;
  }
  /// Moves on to the next barrier.
  KOKKOS_INLINE_FUNCTION void advance() { m_phase ^= phase_bit; }

 private:
  static constexpr std::uint32_t phase_bit = 0x80000000U;

  std::uint32_t m_share = 0;
  std::uint32_t m_phase = 0;
};

/// 0: the rank of this team in its cluster; 1: the number of teams in the cluster; 2: the cluster's
/// index.
template <int which>
KOKKOS_INLINE_FUNCTION unsigned cluster_register() {
  unsigned value = which == 1 ? 1 : 0;
#if defined(__CUDA_ARCH__)
#if KINDRED_HAS_CLUSTERS
  if constexpr (which == 0) asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(value));
  if constexpr (which == 1) asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(value));
  if constexpr (which == 2) asm("mov.u32 %0, %%clusterid.x;" : "=r"(value));
#else
  if constexpr (which == 2) value = blockIdx.x;
#endif
#endif
  return value;
}

/// Waits until all teams of the cluster have arrived, and makes their writes visible.
KOKKOS_INLINE_FUNCTION void cluster_barrier() {
#if KINDRED_HAS_CLUSTERS
  __syncwarp();
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
#endif
}

template <>
class ThreadGroup<DeviceSpace> {
 public:
  using warp_type = Warp<DeviceSpace>;
  static constexpr unsigned lanes = warp_type::lanes;
  static constexpr unsigned team_threads = 512;

  KOKKOS_INLINE_FUNCTION ThreadGroup([[maybe_unused]] GroupKind kind,
                                     [[maybe_unused]] std::size_t index)
      : m_is_cluster(kind == GroupKind::cluster) {
#if !KINDRED_ENABLE_SPECIALIZED
    m_index = static_cast<unsigned>(index);
#else
    KOKKOS_IF_ON_DEVICE((m_team = m_is_cluster ? cluster_register<0>() : blockIdx.x;
                         m_teams = m_is_cluster ? cluster_register<1>() : gridDim.x;
                         m_index = m_is_cluster ? cluster_register<2>() : 0;))
#endif
  }

  KOKKOS_INLINE_FUNCTION std::size_t index() const { return m_index; }
  KOKKOS_INLINE_FUNCTION unsigned team() const { return m_team; }
  KOKKOS_INLINE_FUNCTION unsigned teams() const { return m_teams; }
  KOKKOS_INLINE_FUNCTION unsigned thread() const {
    KOKKOS_IF_ON_DEVICE((return device_thread();))
    return 0;
  }
  /// Consecutive units belong to different teams, which spreads little work over all teams.
  KOKKOS_INLINE_FUNCTION unsigned warp() const { return thread() / lanes * teams() + team(); }
  KOKKOS_INLINE_FUNCTION unsigned warps() const { return team_threads / lanes * teams(); }
  KOKKOS_INLINE_FUNCTION unsigned lane() const { return thread() % lanes; }
  KOKKOS_INLINE_FUNCTION bool is_leader() const { return team() == 0 && thread() == 0; }

  /// Sets the barrier cell of teams that form no cluster; it must be 0 before the very first
  /// launch.
  KOKKOS_INLINE_FUNCTION void bind_barrier(std::uint32_t* cell) {
    m_cell = cell;
    if (!m_is_cluster && thread() == 0)
      m_arrival_barrier = ArrivalBarrier(m_team, m_teams, read(cell));
  }
  KOKKOS_INLINE_FUNCTION void barrier() {
#if defined(__CUDA_ARCH__)
#if KINDRED_HAS_CLUSTERS
    if (m_is_cluster) return cluster_barrier();
#endif
    __syncthreads();
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
    if (m_teams == 1) return;
    if (thread() == 0) {
      asm volatile("fence.acq_rel.gpu;\n\tred.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(m_cell),
                   "r"(m_arrival_barrier.share())
                   : "memory");
      std::uint32_t now = 0;
      do {
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(m_cell) : "memory");
      } while (!m_arrival_barrier.is_over(now));
      m_arrival_barrier.advance();
      asm volatile("fence.acq_rel.gpu;" ::: "memory");
    }
    __syncthreads();
#endif
#endif
  }
  KOKKOS_INLINE_FUNCTION void team_barrier() const { KOKKOS_IF_ON_DEVICE((__syncthreads();)) }
  KOKKOS_INLINE_FUNCTION void warp_barrier() const { warp_type::barrier(); }

  template <class T>
  KOKKOS_INLINE_FUNCTION static T read(const T* from) {
    return load_shared(from);
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION static T add(T* to, std::type_identity_t<T> value) {
    return Kokkos::atomic_fetch_add(to, value);
  }
  KOKKOS_INLINE_FUNCTION static std::uint32_t raise(std::uint32_t* to, std::uint32_t value) {
    return Kokkos::atomic_fetch_max(to, value);
  }

 private:
  bool m_is_cluster;
  unsigned m_team = 0;
  unsigned m_teams = 1;
  unsigned m_index = 0;
  std::uint32_t* m_cell = nullptr;
  ArrivalBarrier m_arrival_barrier;  // used by the first thread
};

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LAUNCH_THREAD_GROUP_HPP

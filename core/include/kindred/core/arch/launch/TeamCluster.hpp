// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_TEAM_CLUSTER_HPP
#define KINDRED_CORE_ARCH_LAUNCH_TEAM_CLUSTER_HPP

#include <kindred/core/arch/launch/LaunchConfig.hpp>
#include <kindred/core/arch/launch/ThreadGroup.hpp>
#include <kindred/core/arch/launch/Warp.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace Kindred::Arch {

/// \brief Teams that can access each other's scratch and synchronise: the view of a launch whose
/// groups are clusters. On a device it needs architecture 90; on the host it is one thread.
///
/// Calls that mention a unit (a warp, or the host thread) must be made by all its lanes together.
template <class ExecutionSpace>
class TeamCluster : public ThreadGroup<ExecutionSpace> {
 public:
  static constexpr unsigned teams_max = 1;

  using ThreadGroup<ExecutionSpace>::ThreadGroup;

  KOKKOS_INLINE_FUNCTION static constexpr unsigned warps() { return 1; }
  /// Reads from \p team's scratch the element that corresponds to \p own in this team's scratch.
  template <class T>
  KOKKOS_INLINE_FUNCTION T load(const T* own, unsigned /*team*/) const {
    return *own;
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION void store(T* own, unsigned /*team*/, const T& value) const {
    *own = value;
  }
  /// Sets bits in this team's scratch; returns the previous value.
  KOKKOS_INLINE_FUNCTION static std::uint32_t atomic_or(std::uint32_t* to, std::uint32_t bits) {
    const std::uint32_t before = *to;
    *to |= bits;
    return before;
  }
  /// Writes \p value if \p empty is stored there; returns the previous value.
  KOKKOS_INLINE_FUNCTION static std::uint32_t compare_and_swap(std::uint32_t* at,
                                                               std::uint32_t empty,
                                                               std::uint32_t value) {
    const std::uint32_t before = *at;
    if (before == empty) *at = value;
    return before;
  }
};

template <>
class TeamCluster<DeviceSpace> {
 public:
  using warp_type = Warp<DeviceSpace>;
  static constexpr unsigned team_threads = 512;
  static constexpr unsigned lanes = warp_type::lanes;
  static constexpr unsigned teams_max = 16;

  KOKKOS_INLINE_FUNCTION TeamCluster(GroupKind, std::size_t /*index*/) {
    KOKKOS_IF_ON_DEVICE((m_team = cluster_register<0>(); m_teams = cluster_register<1>();
                         m_index = cluster_register<2>();))
  }

  KOKKOS_INLINE_FUNCTION std::size_t index() const { return m_index; }
  KOKKOS_INLINE_FUNCTION unsigned team() const { return m_team; }
  KOKKOS_INLINE_FUNCTION unsigned teams() const { return m_teams; }
  KOKKOS_INLINE_FUNCTION unsigned thread() const {
    KOKKOS_IF_ON_DEVICE((return device_thread();))
    return 0;
  }
  KOKKOS_INLINE_FUNCTION unsigned warp() const { return thread() / lanes; }
  KOKKOS_INLINE_FUNCTION static constexpr unsigned warps() { return team_threads / lanes; }
  KOKKOS_INLINE_FUNCTION unsigned lane() const { return thread() % lanes; }

  KOKKOS_INLINE_FUNCTION void barrier() const { cluster_barrier(); }
  KOKKOS_INLINE_FUNCTION void team_barrier() const { KOKKOS_IF_ON_DEVICE((__syncthreads();)) }
  KOKKOS_INLINE_FUNCTION void warp_barrier() const { warp_type::barrier(); }

  template <class T>
  KOKKOS_INLINE_FUNCTION T load(const T* own, [[maybe_unused]] unsigned team) const {
    static_assert(sizeof(T) == 8);
#if KINDRED_HAS_CLUSTERS
    std::uint64_t word = 0;
    asm volatile("ld.shared::cluster.u64 %0, [%1];"
                 : "=l"(word)
                 : "r"(address_of(own, team))
                 : "memory");
    T value{};
    memcpy(&value, &word, sizeof(T));
    return value;
#else
    return *own;
#endif
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION void store(T* own, [[maybe_unused]] unsigned team, const T& value) const {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
#if KINDRED_HAS_CLUSTERS
    if constexpr (sizeof(T) == 4) {
      std::uint32_t word = 0;
      memcpy(&word, &value, sizeof(T));
      asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(address_of(own, team)), "r"(word)
                   : "memory");
    } else {
      std::uint64_t word = 0;
      memcpy(&word, &value, sizeof(T));
      asm volatile("st.shared::cluster.u64 [%0], %1;" ::"r"(address_of(own, team)), "l"(word)
                   : "memory");
    }
#else
    *own = value;
#endif
  }
  KOKKOS_INLINE_FUNCTION static std::uint32_t add(std::uint32_t* to, std::uint32_t value) {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
    return atomicAdd(to, value);
#else
    return Kokkos::atomic_fetch_add(to, value);
#endif
  }
  KOKKOS_INLINE_FUNCTION static std::uint32_t atomic_or(std::uint32_t* to, std::uint32_t bits) {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
    return atomicOr(to, bits);
#else
    return Kokkos::atomic_fetch_or(to, bits);
#endif
  }
  KOKKOS_INLINE_FUNCTION static std::uint32_t compare_and_swap(std::uint32_t* at,
                                                               std::uint32_t empty,
                                                               std::uint32_t value) {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
    return atomicCAS(at, empty, value);
#else
    return Kokkos::atomic_compare_exchange(at, empty, value);
#endif
  }

 private:
  template <class T>
  KOKKOS_INLINE_FUNCTION static std::uint32_t address_of([[maybe_unused]] const T* own,
                                                         [[maybe_unused]] unsigned team) {
    std::uint32_t address = 0;
#if KINDRED_HAS_CLUSTERS
    address = static_cast<std::uint32_t>(__cvta_generic_to_shared(own));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(address), "r"(team));
#endif
    return address;
  }

  unsigned m_team = 0;
  unsigned m_teams = 1;
  unsigned m_index = 0;
};

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LAUNCH_TEAM_CLUSTER_HPP

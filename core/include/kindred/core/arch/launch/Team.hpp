// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_TEAM_HPP
#define KINDRED_CORE_ARCH_LAUNCH_TEAM_HPP

#include <kindred/core/arch/CachedAccess.hpp>
#include <kindred/core/arch/launch/LastTeam.hpp>
#include <kindred/core/arch/launch/LaunchConfig.hpp>
#include <kindred/core/arch/launch/Warp.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Arch {

/// \brief What a thread of a device team (a thread block) knows about its team and its place in it.
/// Team kernels are templates over it, so that host threads can replace device threads in tests.
class Team {
 public:
  Team() = default;
  KOKKOS_INLINE_FUNCTION Team(GroupKind, [[maybe_unused]] std::size_t index)
#if !KINDRED_ENABLE_SPECIALIZED
      : m_team(static_cast<unsigned>(index))
#endif
  {
  }

  KOKKOS_INLINE_FUNCTION unsigned team() const {
#if KINDRED_ENABLE_SPECIALIZED
    KOKKOS_IF_ON_DEVICE((return blockIdx.x;))
    return 0;
#else
    return m_team;
#endif
  }
  KOKKOS_INLINE_FUNCTION unsigned thread() const {
    KOKKOS_IF_ON_DEVICE((return device_thread();))
    return 0;
  }
  KOKKOS_INLINE_FUNCTION unsigned threads() const {
    KOKKOS_IF_ON_DEVICE((return blockDim.x * blockDim.y;))
    return 1;
  }
  KOKKOS_INLINE_FUNCTION void barrier() const { KOKKOS_IF_ON_DEVICE((__syncthreads();)) }
  /// \see Arch::arrive
  KOKKOS_INLINE_FUNCTION std::uint32_t arrive(std::uint32_t* counter) const {
    return Arch::arrive(counter);
  }
  /// If this launch began early, waits for the end of the preceding launch; the results of all
  /// earlier launches are then visible.
  KOKKOS_INLINE_FUNCTION void wait_for_previous_launch() const {
#if KINDRED_HAS_CLUSTERS
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  }
  /// Allows the next launch to begin early once all teams have called this.
  KOKKOS_INLINE_FUNCTION void trigger_next_launch() const {
#if KINDRED_HAS_CLUSTERS
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
  }
  /// Reads what another team wrote before it arrived.
  template <class T>
  KOKKOS_INLINE_FUNCTION T read(const T* from) const {
    return load_shared(from);
  }

#if !KINDRED_ENABLE_SPECIALIZED
 private:
  unsigned m_team = 0;  // of a Kokkos policy, whose thread blocks may process several teams
#endif
};

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LAUNCH_TEAM_HPP

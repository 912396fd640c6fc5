// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_LAST_TEAM_HPP
#define KINDRED_CORE_ARCH_LAUNCH_LAST_TEAM_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/Specialized.hpp>

#include <cstdint>

namespace Kindred::Arch {

/// Adds 1 to \p counter after all writes of this thread and before all its later reads; returns the
/// previous value.
KOKKOS_INLINE_FUNCTION std::uint32_t arrive(std::uint32_t* counter) {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
  std::uint32_t before = 0;
  asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], 1;"
               : "=r"(before)
               : "l"(counter)
               : "memory");
#else
  Kokkos::memory_fence();
  const std::uint32_t before = Kokkos::atomic_fetch_add(counter, 1U);
  Kokkos::memory_fence();
#endif
  return before;
}

/// \brief Whether this team is the last of \p teams teams to arrive at \p counter, which is then 0
/// again. Its threads see what the other teams wrote before they arrived.
///
/// Every thread of the team makes the call. One of them arrives for all: the barriers on both sides
/// pass the order of its access on.
/// \param flag in the team's scratch; not written again before the next barrier
template <class Member>
KOKKOS_INLINE_FUNCTION bool is_last_team(const Member& team, std::uint32_t* counter,
                                         std::uint32_t teams, std::uint32_t* flag) {
  team.team_barrier();
  Kokkos::single(Kokkos::PerTeam(team), [&] {
    const bool is_last = arrive(counter) + 1 == teams;
    if (is_last) *counter = 0;
    *flag = is_last ? 1 : 0;
  });
  team.team_barrier();
  return *flag != 0;
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LAUNCH_LAST_TEAM_HPP

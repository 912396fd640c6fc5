// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LAUNCH_FOR_EACH_TEAM_HPP
#define KINDRED_CORE_LAUNCH_FOR_EACH_TEAM_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/launch/Policies.hpp>
#include <kindred/core/launch/Start.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace Kindred::Launch {

/// The place of a thread in its team; on a host, a team is one thread.
template <class ExecutionSpace>
using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;

/// The number of a warp of a device, or of a thread of a host, among those of all teams.
template <class Member>
KOKKOS_INLINE_FUNCTION std::uint64_t warp_of(const Member& member) {
  return static_cast<std::uint64_t>(member.league_rank()) * member.team_size() + member.team_rank();
}

/// Teams of `size` × `lanes` threads of a device.
struct Teams {
  std::uint64_t count;
  std::size_t scratch_bytes = 0;  ///< per team, of level 0
  int size = 8;
  int lanes = 32;
};

namespace Impl {

/// A functor whose constants take so much memory that Kokkos would copy them to the device before
/// each launch declares `is_light`: they are arguments of the kernel then.
template <class Functor>
inline constexpr bool is_light = false;
template <class Functor>
requires requires { Functor::is_light; }
inline constexpr bool is_light<Functor> = Functor::is_light;

template <class Form, class Bounds, class ExecutionSpace, class Functor>
void start_teams(const ExecutionSpace& exec_space, const char* label, const Teams& teams,
                 const Functor& functor) {
  constexpr bool on_device = Arch::is_device<ExecutionSpace>;
  using policy_type = Kokkos::TeamPolicy<ExecutionSpace, ScheduleOf<Form>, Bounds>;
  const policy_type policy =
      Arch::with_scratch(label,
                         policy_type(exec_space, Arch::league_size(teams.count),
                                     on_device ? teams.size : 1, on_device ? teams.lanes : 1),
                         teams.scratch_bytes);
  if constexpr (!on_device) {
    start_here<Form>(
        [&](const auto& body) { Kokkos::parallel_for(tool_label(label), policy, body); }, functor);
  } else {
    start(label, [&](const std::string& name) {
      if constexpr (is_light<Functor>) {
        constexpr auto light = Kokkos::Experimental::WorkItemProperty::HintLightWeight;
        Kokkos::parallel_for(name, Kokkos::Experimental::require(policy, light), functor);
      } else {
        Kokkos::parallel_for(name, policy, functor);
      }
    });
  }
}

/// The items of warps: teams consist of several.
template <class ExecutionSpace, class Functor>
struct WarpItems {
  Functor functor;
  std::uint64_t count;

  KOKKOS_INLINE_FUNCTION void operator()(const Member<ExecutionSpace>& member) const {
    const std::uint64_t item = warp_of(member);
    if (item < count) functor(member, item);
  }
};

}  // namespace Impl

/// \brief Runs `functor(member)` in the teams \p teams; `member.league_rank()` is the number of the
/// team, `member.team_scratch(0)` its scratch.
///
/// On a device, a functor may declare `threads_max` and `teams_at_once`, which bound the registers,
/// and `is_light`.
/// \tparam Form how the threads of a host share the teams
/// \throws InvalidArgument for more teams or scratch than a device has; Cancelled on the host: the
/// results are then incomplete; OutOfMemory, SpaceUnavailable or DeviceLost
template <class Form = Coarse, class ExecutionSpace, class Functor>
void for_each_team(const ExecutionSpace& exec_space, const char* label, const Teams& teams,
                   const Functor& functor) {
  if (teams.count == 0) return;
  Impl::start_teams<Form, typename Impl::BoundsOf<Functor>::type>(exec_space, label, teams,
                                                                  functor);
}

/// \brief Runs `functor(member, item)` for the items below \p items, each in a warp of a device or
/// a thread of a host. Otherwise as `for_each_team`.
template <class Form = Coarse, class ExecutionSpace, class Functor>
void for_each_warp(const ExecutionSpace& exec_space, const char* label, std::uint64_t items,
                   const Functor& functor) {
  if (items == 0) return;
  const auto warps = static_cast<std::uint64_t>(Arch::is_device<ExecutionSpace> ? Teams{}.size : 1);
  const Teams teams{.count = static_cast<std::uint64_t>(Arch::league_size(items, warps))};
  Impl::start_teams<Form, typename Impl::BoundsOf<Functor>::type>(
      exec_space, label, teams, Impl::WarpItems<ExecutionSpace, Functor>{functor, items});
}

}  // namespace Kindred::Launch

#endif  // KINDRED_CORE_LAUNCH_FOR_EACH_TEAM_HPP

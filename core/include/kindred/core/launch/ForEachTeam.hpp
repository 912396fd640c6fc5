// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LAUNCH_FOR_EACH_TEAM_HPP
#define KINDRED_CORE_LAUNCH_FOR_EACH_TEAM_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/launch/HostPieces.hpp>
#include <kindred/core/arch/launch/Policies.hpp>
#include <kindred/core/launch/StartKernel.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

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

/// \brief Teams of one thread of a host. Threads take them in equal shares, or, where \p Form is
/// `Dynamic`, some at a time.
template <class Form, class Functor>
void start_teams_here(const HostSpace& exec_space, const char* label, const Teams& teams,
                      const Functor& functor) {
  using data_type = Kokkos::Impl::HostThreadTeamData;
  constexpr int reduce_bytes = 512;  // as Kokkos reserves for the sums of a team
  constexpr std::uint64_t rounds = 32, most_at_once = 64;
  const int count = Arch::league_size(teams.count);
  const Arch::Pieces pieces(exec_space, teams.count);
  const std::size_t bytes = data_type::scratch_size(0, reduce_bytes, teams.scratch_bytes, 0);
  const Arch::HostScratch scratch(label, pieces.count, bytes);
  const auto at_once = static_cast<int>(
      std::clamp<std::uint64_t>(teams.count / (rounds * pieces.count), 1, most_at_once));
  std::atomic<std::int64_t> next{0};
  const auto start_pieces = [&](const auto& body) {
    Arch::for_each_piece(exec_space, label, pieces, [&](const std::size_t piece) {
      data_type data;
      data_type* members[] = {&data};
      data.scratch_assign(scratch.of(piece), bytes, 0, reduce_bytes, teams.scratch_bytes, 0);
      data_type::organize_pool(members, 1);
      const auto run = [&](int team, int end) {
        for (; team < end; ++team) body(Member<HostSpace>(data, team, count));
      };
      if constexpr (std::is_same_v<Form, Dynamic>) {
        while (true) {
          const std::int64_t team = next.fetch_add(at_once, std::memory_order_relaxed);
          if (team >= count) break;
          run(static_cast<int>(team),
              static_cast<int>(std::min<std::int64_t>(count, team + at_once)));
        }
      } else {
        run(static_cast<int>(pieces.begin(piece)), static_cast<int>(pieces.begin(piece + 1)));
      }
    });
  };
  start_here<Form>(start_pieces, functor);
}

template <class Form, class Bounds, class ExecutionSpace, class Functor>
void start_teams(const ExecutionSpace& exec_space, const char* label, const Teams& teams,
                 const Functor& functor) {
  if constexpr (!Arch::is_device<ExecutionSpace>) {
    start_teams_here<Form>(exec_space, label, teams, functor);
  } else {
    using policy_type = Kokkos::TeamPolicy<ExecutionSpace, Bounds>;
    const policy_type policy = Arch::with_scratch(
        label, policy_type(exec_space, Arch::league_size(teams.count), teams.size, teams.lanes),
        teams.scratch_bytes);
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

// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/launch/ForEachTeam.hpp>

#include <gmock/gmock.h>
#include <kindred/core/arch/Fence.hpp>

#include "Allocations.hpp"
#include "MessageOf.hpp"
#include "OnSpaces.hpp"

namespace ForEachTeamTest {

using namespace Kindred;
using testing::Each;
using testing::Eq;
using testing::HasSubstr;
using Testing::on_spaces;

constexpr const char* label = "Kindred::Testing::for_each_team";

template <class ExecutionSpace>
std::vector<std::uint32_t> values_of(const ExecutionSpace& exec_space,
                                     const Kokkos::View<std::uint32_t*, ExecutionSpace>& view) {
  Arch::fence(exec_space, label);
  const auto copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return {copy.data(), copy.data() + copy.size()};
}

template <class ExecutionSpace>
struct CountItems {
  Kokkos::View<std::uint32_t*, ExecutionSpace> visits;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member,
                                         std::uint64_t item) const {
    Kokkos::single(Kokkos::PerThread(member), [&] { ++visits(item); });
  }
};

template <class ExecutionSpace>
struct CountItemsBounded : CountItems<ExecutionSpace> {
  static constexpr unsigned threads_max = 256;
  static constexpr unsigned teams_at_once = 2;
};

TEST(ForEachWarp, VisitsEveryItemOnceAndNoOther) {
  on_spaces([]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    for (const std::size_t count : {0, 1, 7, 8, 9, 255, 10'001}) {
      SCOPED_TRACE(count);
      const Kokkos::View<std::uint32_t*, ExecutionSpace> visits("Kindred::Testing::visits",
                                                                count + 8);
      Launch::for_each_warp(exec_space, label, count, CountItems<ExecutionSpace>{visits});
      Launch::for_each_warp<Launch::Dynamic>(exec_space, label, count,
                                             CountItemsBounded<ExecutionSpace>{{visits}});
      std::vector<std::uint32_t> expected(count, 2);
      expected.resize(count + 8, 0);
      EXPECT_EQ(values_of(exec_space, visits), expected);
    }
  });
}

/// The threads of a team add up in its scratch, and store the sum.
template <class ExecutionSpace, bool Light>
struct SumThreads {
  static constexpr bool is_light = Light;
  Kokkos::View<std::uint32_t*, ExecutionSpace> sums;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& team) const {
    auto* sum = static_cast<std::uint32_t*>(team.team_scratch(0).get_shmem(sizeof(std::uint32_t)));
    Kokkos::single(Kokkos::PerTeam(team), [&] { *sum = 0; });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 1000),
                         [&](int) { Kokkos::atomic_add(sum, 1U); });
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] { sums(team.league_rank()) = *sum; });
  }
};

TEST(ForEachTeam, GivesEachTeamItsScratch) {
  on_spaces([]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    for (const Launch::Teams& teams :
         {Launch::Teams{0, 64}, Launch::Teams{1, 64}, Launch::Teams{100, 64},
          Launch::Teams{100, 64, 1}, Launch::Teams{100, 64, 16}, Launch::Teams{100, 64, 256, 1}}) {
      SCOPED_TRACE(std::to_string(teams.count) + " teams of " + std::to_string(teams.size) + " x " +
                   std::to_string(teams.lanes));
      const Kokkos::View<std::uint32_t*, ExecutionSpace> sums("Kindred::Testing::sums",
                                                              teams.count);
      Launch::for_each_team(exec_space, label, teams, SumThreads<ExecutionSpace, false>{sums});
      EXPECT_THAT(values_of(exec_space, sums), Each(Eq(1000U)));
      Kokkos::deep_copy(exec_space, sums, 0U);
      Launch::for_each_team<Launch::Dynamic>(exec_space, label, teams,
                                             SumThreads<ExecutionSpace, true>{sums});
      EXPECT_THAT(values_of(exec_space, sums), Each(Eq(1000U)));
    }
  });
}

TEST(ForEachTeam, RefusesMoreTeamsOrScratchThanThereAre) {
  on_spaces([]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    const SumThreads<ExecutionSpace, false> none{};
    const auto message = [&](const Launch::Teams& teams) {
      return Testing::message_of<InvalidArgument>(
          [&] { Launch::for_each_team(exec_space, label, teams, none); });
    };
    EXPECT_THAT(message({.count = Arch::teams_max + 1}), HasSubstr("a launch of 2147483648 teams"));
    EXPECT_THAT(Testing::message_of<InvalidArgument>([&] {
                  Launch::for_each_warp(exec_space, label, std::uint64_t{1} << 40U,
                                        CountItems<ExecutionSpace>{});
                }),
                HasSubstr("teams; the limit is 2147483647"));
    if constexpr (Arch::is_device<ExecutionSpace>) {
      EXPECT_THAT(message({.count = 1, .scratch_bytes = std::size_t{1} << 20U}),
                  HasSubstr(std::string(label) + " needs 1048576 bytes of scratch per team"));
    }
  });
}

TEST(ForEachTeam, OnAHostAllocatesNothingAndEndsEarlyIfItIsCancelled) {
  Testing::on_hosts([](const HostSpace& exec_space) {
    std::atomic<std::uint64_t> visited{0};
    Cancellation cancellation;
    const auto visit = [&](const Launch::Member<HostSpace>&) {
      if (++visited == 100) cancellation.cancel();
    };
    Launch::for_each_team(exec_space, label, {.count = 10}, visit);
    const std::size_t before = Testing::allocations();
    Launch::for_each_team(exec_space, label, {.count = 10}, visit);
    EXPECT_EQ(Testing::allocations(), before);
    const Cancellation::Scope scope(cancellation);
    EXPECT_THROW(Launch::for_each_team(exec_space, label, {.count = 100'000}, visit), Cancelled);
    EXPECT_LT(visited, 1000U);
    visited = 0;
    EXPECT_THROW(Launch::for_each_team(exec_space, label, {.count = 10}, visit), Cancelled);
    EXPECT_EQ(visited, 0U);
    Launch::for_each_team<Launch::Finishing>(exec_space, label, {.count = 10}, visit);
    EXPECT_EQ(visited, 10U);
  });
}

}  // namespace ForEachTeamTest

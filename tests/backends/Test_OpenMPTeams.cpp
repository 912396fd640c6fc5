// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/backends/impl/OpenMPTeams.hpp>
#include <kindred/backends/impl/ThreadCount.hpp>
#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/matcher/BulkOperationInfo.hpp>

#include <gmock/gmock.h>
#include <sched.h>

#include <map>
#include <set>

#include "Support.hpp"
#include "ThreadSanitizer.hpp"

namespace OpenMPTeamsTest {

using namespace Kindred;
using Impl::OpenMPTeams;

constexpr int all_threads = 24;  // more than the machine has, and not a power of two

ContextOptions options_of(int threads) { return {.threads = threads, .load_profile = false}; }

/// Whether parallel regions with several threads can run in this build.
bool has_regions() {
  return Testing::context().is_usable(Space::openmp) && !Testing::thread_sanitizer;
}

template <class Body>
int run(OpenMPTeams& teams, int threads, const Body& body) {
  return run_on_team(
      teams, threads, [](const void* given) { (*static_cast<const Body*>(given))(); }, &body);
}

/// The threads that execute a parallel region of the team.
std::set<std::thread::id> threads_of(const OpenMPTeams& teams) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  const HostSpace& exec_space = *teams.here();
  Kokkos::parallel_for("Kindred::Testing::threads",
                       Kokkos::RangePolicy<HostSpace>(exec_space, 0, Arch::concurrency(exec_space)),
                       [&](int) {
                         const std::lock_guard lock(mutex);
                         seen.insert(std::this_thread::get_id());
                       });
  return seen;
}

TEST(OpenMPTeams, SizesArePowersOfTwoAndAllThreads) {
  EXPECT_THAT(Impl::team_sizes(1), testing::ElementsAre(1));
  EXPECT_THAT(Impl::team_sizes(2), testing::ElementsAre(2));
  EXPECT_THAT(Impl::team_sizes(6), testing::ElementsAre(2, 4, 6))
      << "all threads, although not a power of two";
  EXPECT_THAT(Impl::team_sizes(64), testing::ElementsAre(2, 4, 8, 16, 32, 64));
}

TEST(OpenMPTeams, BindTheirThreadsToSubsetsOfTheProcessors) {
  const auto processors = std::thread::hardware_concurrency();
  if (!has_regions() || processors < 2)
    GTEST_SKIP() << "needs two processors and OpenMP, which ThreadSanitizer does not support";
  const Context context(options_of(2));
  Impl::LeasePool<Impl::HostInstance> single;
  OpenMPTeams teams(context.threads(), Impl::host_instance(context, Space::openmp), single);
  std::array<std::set<int>, 2> seen;
  for (int round = 0; round < 200; ++round) {
    run(teams, 2, [&] {
      Kokkos::parallel_for("Kindred::Testing::processors",
                           Kokkos::RangePolicy<HostSpace>(*teams.here(), 0, 2),
                           [&](int i) { seen[i].insert(::sched_getcpu()); });
    });
  }
  for (const int processor : seen[0]) EXPECT_EQ(seen[1].count(processor), 0U) << processor;
}

TEST(OpenMPTeams, KeepTheirThreadsWhereSizesAlternate) {
  if (!has_regions()) GTEST_SKIP() << "needs OpenMP, which ThreadSanitizer does not support";
  const Context context(options_of(all_threads));
  Impl::LeasePool<Impl::HostInstance> single;
  OpenMPTeams teams(context.threads(), Impl::host_instance(context, Space::openmp), single);
  std::map<int, std::set<std::thread::id>> seen;
  for (int round = 0; round < 1000; ++round) {
    for (const int threads : {1, 4, 16, all_threads}) {
      run(teams, threads, [&, round] {
        const auto here = threads_of(teams);
        if (round == 0) seen[threads] = here;
        EXPECT_TRUE(
            std::includes(seen[threads].begin(), seen[threads].end(), here.begin(), here.end()))
            << threads << " threads, round " << round;
      });
    }
  }
  for (const auto& [threads, ids] : seen) EXPECT_EQ(ids.size(), static_cast<std::size_t>(threads));
}

TEST(OpenMPTeams, PropagateExceptionsOfACall) {
  Impl::LeasePool<Impl::HostInstance> single;
  OpenMPTeams teams(4, Impl::host_instance(Testing::context(), Space::serial), single);
  for (const int threads : {1, 2, 4}) {
    EXPECT_THROW(run(teams, threads, [] { throw std::out_of_range("thrown"); }), std::out_of_range);
    int calls = 0;
    EXPECT_GE(run(teams, threads, [&] { ++calls; }), threads);
    EXPECT_EQ(calls, 1);
  }
}

TEST(OpenMPTeams, RunANestedCallOnItsTeam) {
  Impl::LeasePool<Impl::HostInstance> single;
  OpenMPTeams teams(8, Impl::host_instance(Testing::context(), Space::serial), single);
  const HostSpace* outer = nullptr;
  const HostSpace* inner = nullptr;
  run(teams, 2, [&] {
    outer = teams.here();
    run(teams, 8, [&] { inner = teams.here(); });
  });
  EXPECT_NE(outer, nullptr);
  EXPECT_EQ(inner, outer);
  EXPECT_EQ(teams.here(), nullptr);
}

TEST(OpenMPTeams, GiveACallerASmallerTeamWhereOthersAreBusyAndItsOwnThreadWhereAllAre) {
  Impl::LeasePool<Impl::HostInstance> single;
  OpenMPTeams teams(4, Impl::host_instance(Testing::context(), Space::serial), single);
  std::mutex mutex;
  // The first calls need the mutex, and this caller makes another call while it holds the mutex.
  std::unique_lock lock(mutex);
  std::vector<std::thread> busy;
  const auto occupy = [&](int threads) {
    std::atomic<bool> inside{false};
    busy.emplace_back([&] {
      run(teams, threads, [&] {
        inside = true;
        const std::lock_guard wait(mutex);
      });
    });
    while (!inside) std::this_thread::yield();
  };
  int calls = 0;
  const auto count = [&] { ++calls; };
  occupy(4);
  EXPECT_EQ(run(teams, 4, count), 2);
  occupy(2);
  const auto here = std::this_thread::get_id();
  EXPECT_EQ(run(teams, 4, [&] { calls += std::this_thread::get_id() == here ? 1 : 0; }), 1);
  EXPECT_EQ(calls, 2);
  lock.unlock();
  for (std::thread& thread : busy) thread.join();
}

TEST(OpenMPTeams, CallersOfOneThreadHaveInstancesOfTheirOwn) {
  Context& context = Testing::context();
  for (const Space space : {Space::serial, Space::openmp}) {
    if (!context.is_usable(space)) continue;
    const auto instance = [&](const auto& body) {
      const Workload workload{Operations::reduction, 1, 1, 0, SpaceSet::host()};
      context.dispatcher().force_threads(space == Space::openmp ? 1 : 0);
      context.run(workload, space, [&](Space chosen) {
        Impl::with_instance(context, chosen, [&](const auto& exec_space) {
          if constexpr (std::is_same_v<std::decay_t<decltype(exec_space)>, HostSpace>) {
            // Kokkos locks an instance during a kernel.
            Kokkos::parallel_for("Kindred::Testing::one",
                                 Kokkos::RangePolicy<HostSpace>(exec_space, 0, 1),
                                 [&](int) { body(); });
          }
        });
      });
    };
    bool ran = false;
    instance([&] { std::thread([&] { instance([&] { ran = true; }); }).join(); });
    context.dispatcher().force_threads(0);
    EXPECT_TRUE(ran) << to_string(space);
  }
}

TEST(OpenMPTeams, HaveTheSizeThatACallJustifies) {
  if (!Testing::context().is_usable(Space::openmp)) GTEST_SKIP() << "needs OpenMP";
  Context context(options_of(8));
  int before = 0;
  for (const double work : {1e3, 1e6, 1e8, 1e10}) {
    Workload workload{Operations::reduction, 1, work, 0, SpaceSet::host()};
    int concurrency = 0;
    const DispatchRecord record = context.run(workload, Space::openmp, [&](Space space) {
      concurrency = Arch::concurrency(Impl::host_instance(context, space));
    });
    EXPECT_EQ(record.threads, concurrency);
    EXPECT_GE(concurrency, before);
    before = concurrency;
  }
  EXPECT_EQ(before, 8);
  const DispatchRecord record = context.run({Operations::reduction, 1, 1e10, 0, SpaceSet::host()},
                                            Space::serial, [](Space) {});
  EXPECT_EQ(record.threads, 1);
}

}  // namespace OpenMPTeamsTest

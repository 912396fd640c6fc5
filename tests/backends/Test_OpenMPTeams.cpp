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

/// The threads that execute a loop of \p count indices.
std::set<std::thread::id> threads_seen(const HostSpace& exec_space, int count) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  Kokkos::parallel_for("Kindred::Testing::threads",
                       Kokkos::RangePolicy<HostSpace>(exec_space, 0, count), [&](int) {
                         const std::lock_guard lock(mutex);
                         seen.insert(std::this_thread::get_id());
                       });
  exec_space.fence("Kindred::Testing::threads_seen");
  return seen;
}

/// The teams of up to \p threads threads of an instance of \p context.
struct Teams {
  explicit Teams(int threads, Space space = Space::serial,
                 const Context& context = Testing::context())
      : teams(threads, Impl::host_instance(context, space), single) {}

  /// Runs \p body on a team. Returns the threads that it got.
  template <class Body>
  int run(int threads, const Body& body) {
    return run_on_team(
        teams, threads, [](const void* given) { (*static_cast<const Body*>(given))(); }, &body);
  }
  const HostSpace* here() const { return teams.here(); }

  Impl::LeasePool<Impl::HostInstance> single;
  OpenMPTeams teams;
};

TEST(OpenMPTeams, SizesArePowersOfTwoAndAllThreads) {
  EXPECT_THAT(Impl::team_sizes(1), testing::ElementsAre(1));
  EXPECT_THAT(Impl::team_sizes(2), testing::ElementsAre(2));
  EXPECT_THAT(Impl::team_sizes(6), testing::ElementsAre(2, 4, 6))
      << "all threads, although not a power of two";
  EXPECT_THAT(Impl::team_sizes(64), testing::ElementsAre(2, 4, 8, 16, 32, 64));
}

TEST(Context, RunsOnTheRequestedNumberOfThreadsBesideOthers) {
  EXPECT_TRUE(Testing::context().is_usable(Space::serial));
  for (const int threads : {1, 2, 3, 7, 16}) {
    const Context context(options_of(threads));
    const auto threads_on = [&](Space space) {
      return threads_seen(Impl::host_instance(context, space), 10'000).size();
    };
    EXPECT_EQ(context.threads(), threads);
    EXPECT_EQ(threads_on(Space::serial), 1U);
    if (!has_regions()) continue;
    EXPECT_EQ(context.info(Space::openmp).concurrency, threads);
    EXPECT_EQ(threads_on(Space::openmp), static_cast<std::size_t>(threads));
  }
}

TEST(OpenMPTeams, BindTheirThreadsToSubsetsOfTheProcessors) {
  const auto processors = std::thread::hardware_concurrency();
  if (!has_regions() || processors < 2)
    GTEST_SKIP() << "needs two processors and OpenMP, which ThreadSanitizer does not support";
  const Context context(options_of(2));
  Teams teams(context.threads(), Space::openmp, context);
  std::array<std::set<int>, 2> seen;
  for (int round = 0; round < 200; ++round) {
    teams.run(2, [&] {
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
  Teams teams(context.threads(), Space::openmp, context);
  std::map<int, std::set<std::thread::id>> seen;
  for (int round = 0; round < 1000; ++round) {
    for (const int threads : {1, 4, 16, all_threads}) {
      teams.run(threads, [&, round] {
        const HostSpace& instance = *teams.here();
        const auto here = threads_seen(instance, Arch::concurrency(instance));
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
  Teams teams(4);
  for (const int threads : {1, 2, 4}) {
    EXPECT_THROW(teams.run(threads, [] { throw std::out_of_range("thrown"); }), std::out_of_range);
    int calls = 0;
    EXPECT_GE(teams.run(threads, [&] { ++calls; }), threads);
    EXPECT_EQ(calls, 1);
  }
}

TEST(OpenMPTeams, RunANestedCallOnItsTeam) {
  Teams teams(8);
  const HostSpace* outer = nullptr;
  const HostSpace* inner = nullptr;
  teams.run(2, [&] {
    outer = teams.here();
    teams.run(8, [&] { inner = teams.here(); });
  });
  EXPECT_NE(outer, nullptr);
  EXPECT_EQ(inner, outer);
  EXPECT_EQ(teams.here(), nullptr);
}

TEST(OpenMPTeams, GiveACallerASmallerTeamWhereOthersAreBusyAndItsOwnThreadWhereAllAre) {
  Teams teams(4);
  std::mutex mutex;
  // The first calls need the mutex, and this caller makes another call while it holds the mutex.
  std::unique_lock lock(mutex);
  std::vector<std::thread> busy;
  const auto occupy = [&](int threads) {
    std::atomic<bool> inside{false};
    busy.emplace_back([&] {
      teams.run(threads, [&] {
        inside = true;
        const std::lock_guard wait(mutex);
      });
    });
    while (!inside) std::this_thread::yield();
  };
  int calls = 0;
  const auto count = [&] { ++calls; };
  occupy(4);
  EXPECT_EQ(teams.run(4, count), 2);
  occupy(2);
  const auto here = std::this_thread::get_id();
  EXPECT_EQ(teams.run(4, [&] { calls += std::this_thread::get_id() == here ? 1 : 0; }), 1);
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

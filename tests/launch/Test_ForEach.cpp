// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>

#include <gmock/gmock.h>
#include <omp.h>

#include <set>

#include "Allocations.hpp"
#include "KokkosEvents.hpp"
#include "MessageOf.hpp"
#include "OnSpaces.hpp"
#include "ToHost.hpp"

namespace ForEachTest {

using namespace Kindred;
using testing::Each;
using testing::Eq;
using testing::HasSubstr;
using namespace Testing;

constexpr const char* label = "Kindred::Testing::for_each";

// --- indices

template <class ExecutionSpace>
struct CountVisits {
  Kokkos::View<std::uint32_t*, ExecutionSpace> visits;
  template <class Index>
  KOKKOS_INLINE_FUNCTION void operator()(Index index) const {
    ++visits(index);
  }
};

template <class Form, class Index, class ExecutionSpace>
std::vector<std::uint32_t> visits_of(const ExecutionSpace& exec_space,
                                     const Launch::Indices& indices, std::size_t size) {
  const Kokkos::View<std::uint32_t*, ExecutionSpace> visits("Kindred::Testing::visits", size);
  Launch::for_each_index<Form, Index>(exec_space, label, indices,
                                      CountVisits<ExecutionSpace>{visits});
  return to_host(exec_space, visits);
}

template <class Form>
class ForEachIndex : public testing::Test {};
using Forms = testing::Types<Launch::Fine, Launch::Coarse, Launch::Dynamic, Launch::Finishing>;
TYPED_TEST_SUITE(ForEachIndex, Forms);

TYPED_TEST(ForEachIndex, VisitsEveryIndexOnceAndNoOther) {
  on_spaces([]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    for (const std::size_t count : {0, 1, 2, 7, 4095, 4096, 4097, 8193, 100'003}) {
      for (const std::size_t begin : {0, 1, 5000}) {
        SCOPED_TRACE(std::to_string(count) + " from " + std::to_string(begin));
        std::vector<std::uint32_t> expected(begin + count + 2, 0);
        std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(begin), count, 1);
        const Launch::Indices indices(begin, begin + count);
        EXPECT_EQ((visits_of<TypeParam, std::uint64_t>(exec_space, indices, expected.size())),
                  expected);
        EXPECT_EQ((visits_of<TypeParam, std::uint32_t>(exec_space, indices, expected.size())),
                  expected);
      }
    }
  });
}

TYPED_TEST(ForEachIndex, RefusesMoreThanItsIndexCounts) {
  on_spaces([]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    const CountVisits<ExecutionSpace> none{};
    const std::uint64_t many = (std::uint64_t{1} << 32U) + 1;
    for (const Launch::Indices& indices :
         {Launch::Indices(many), Launch::Indices(many - 2), Launch::Indices(many - 1, many)}) {
      const auto launch = [&] {
        Launch::for_each_index<TypeParam, std::uint32_t>(exec_space, label, indices, none);
      };
      EXPECT_THAT(message_of<InvalidArgument>(launch), HasSubstr("the limit is 4294963200"));
    }
  });
}

TYPED_TEST(ForEachIndex, AllocatesNothingOnTheHost) {
  on_hosts([](const HostSpace& exec_space) {
    std::vector<std::uint32_t> visits(10'000);
    const auto visit = [&](std::uint64_t index) { ++visits[index]; };
    Launch::for_each_index<TypeParam>(exec_space, label, visits.size(), visit);
    const std::size_t before = allocations();
    Launch::for_each_index<TypeParam>(exec_space, label, visits.size(), visit);
    EXPECT_EQ(allocations(), before);
  });
}

TYPED_TEST(ForEachIndex, OfACancelledCallEndsEarlyUnlessItMustFinish) {
  on_hosts([](const HostSpace& exec_space) {
    constexpr std::uint64_t count = 1'000'000;
    // Each thread finishes the piece that it has begun.
    const auto begun = 4096ULL * static_cast<std::uint64_t>(Arch::concurrency(exec_space));
    for (const std::uint64_t cancelled_at : {0, 100}) {
      std::atomic<std::uint64_t> visited{0};
      const KokkosEvents events;
      Cancellation cancellation;
      const Cancellation::Scope scope(cancellation);
      if (cancelled_at == 0) cancellation.cancel();
      const auto run = [&] {
        Launch::for_each_index<TypeParam>(exec_space, label, count, [&](std::uint64_t) {
          if (++visited == cancelled_at) cancellation.cancel();
        });
      };
      if constexpr (std::is_same_v<TypeParam, Launch::Finishing>) {
        run();
        EXPECT_EQ(visited, count);
      } else {
        EXPECT_THROW(run(), Cancelled);
        EXPECT_LE(visited, cancelled_at == 0 ? 0 : cancelled_at + begun);
        EXPECT_EQ(events.kernel_count, cancelled_at == 0 ? 0 : 1);
      }
    }
  });
}

TEST(ForEachIndexPieces, AreShortAndTheSameForAllThreads) {
  using Launch::Impl::piece_length;
  EXPECT_EQ(piece_length(1, 1), 1U);
  EXPECT_EQ(piece_length(4096, 1), 4096U);
  EXPECT_EQ(piece_length(4097, 1), 2049U);
  EXPECT_EQ(piece_length(16, 8), 2U);
  EXPECT_EQ(piece_length(12'288, 2), 3072U);
  EXPECT_EQ(piece_length(std::numeric_limits<std::uint64_t>::max(), 1), 4096U);
}

TEST(ForEachIndexPieces, OnOneThreadOrOfOneIndexRunsOnTheCallingThread) {
  on_hosts([](const HostSpace& exec_space) {
    const std::thread::id caller = std::this_thread::get_id();
    const auto expect_here = [&] {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      EXPECT_FALSE(omp_in_parallel());  // what it calls may use threads
    };
    Launch::for_each_index<Launch::Coarse>(exec_space, label, 1,
                                           [&](std::uint64_t) { expect_here(); });
    Launch::for_each_team(exec_space, label, {.count = 1},
                          [&](const Launch::Member<HostSpace>&) { expect_here(); });
    Launch::sum_over_indices(exec_space, label, 1,
                             [&](std::uint64_t, std::uint64_t&) { expect_here(); });
  });
}

TYPED_TEST(ForEachIndex, OfOneIndexPerThreadUsesAllThreads) {
  // A thread that is early may take all of them.
  if (std::is_same_v<TypeParam, Launch::Dynamic>) return;
  on_hosts([](const HostSpace& exec_space) {
    const auto threads = static_cast<std::uint64_t>(Arch::concurrency(exec_space));
    std::mutex mutex;
    std::set<std::thread::id> used;
    Launch::for_each_index<TypeParam>(exec_space, label, threads, [&](std::uint64_t) {
      const std::lock_guard lock(mutex);
      used.insert(std::this_thread::get_id());
    });
    EXPECT_EQ(used.size(), threads);
  });
}

TEST(ForEachIndexPieces, OfNothingStartNothing) {
  on_hosts([](const HostSpace& exec_space) {
    const KokkosEvents events;
    const auto fail = [](const auto&...) { FAIL(); };
    Launch::for_each_index(exec_space, label, 0, fail);
    Launch::for_each_team(exec_space, label, {.count = 0}, fail);
    Launch::for_each_warp(exec_space, label, 0, fail);
    EXPECT_EQ(Launch::sum_over_indices(exec_space, label, 0, fail), 0U);
    Launch::scan_indices(exec_space, label, 0, [](std::uint64_t, int&, bool) { FAIL(); });
    EXPECT_EQ(events.kernel_count, 0);
  });
}

TEST(ForEachWorker, RunsOncePerWorkerAndRethrowsTheFirstException) {
  on_hosts([](const HostSpace& exec_space) {
    std::vector<std::atomic<int>> runs(5);
    Launch::for_each_worker(
        exec_space, label, runs.size(),
        [&](std::uint64_t worker, const Launch::SharedWork&) { ++runs[worker]; });
    for (const auto& each : runs) EXPECT_EQ(each, 1);
    const auto fail = [](std::uint64_t, const Launch::SharedWork& work) {
      if (!work.is_over()) throw std::length_error("of a worker");
    };
    EXPECT_THROW(Launch::for_each_worker(exec_space, label, 5, fail), std::length_error);
  });
}

TEST(ForEachWorker, SeesThatAnotherHasThrown) {
  Launch::SharedWork work;
  work.run([] {});
  EXPECT_FALSE(work.is_over());
  work.run([] { throw std::length_error("first"); });
  EXPECT_TRUE(work.is_over());
  work.run([] { throw std::runtime_error("second"); });
  EXPECT_THROW(work.rethrow(), std::length_error);
}

TEST(ForEachWorker, SeesACancellation) {
  on_hosts([](const HostSpace& exec_space) {
    Cancellation cancellation;
    const Cancellation::Scope scope(cancellation);
    const auto wait = [&](std::uint64_t, const Launch::SharedWork& work) {
      cancellation.cancel();
      while (!work.is_over()) {
      }
    };
    EXPECT_THROW(Launch::for_each_worker(exec_space, label, 3, wait), Cancelled);
  });
}

struct AddIndex {
  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t index, std::uint64_t& sum) const {
    sum += index;
  }
};

TEST(SumOverIndices, AddsWhatTheFunctorAdds) {
  on_spaces([](const auto& exec_space) {
    EXPECT_EQ(Launch::sum_over_indices(exec_space, label, 0, AddIndex{}), 0U);
    EXPECT_EQ(Launch::sum_over_indices(exec_space, label, 100'001, AddIndex{}), 5'000'050'000U);
    EXPECT_EQ(Launch::sum_over_indices(exec_space, label, {10, 13}, AddIndex{}), 33U);
  });
}

template <class ExecutionSpace>
struct StorePrefix {
  Kokkos::View<std::uint64_t*, ExecutionSpace> sums;
  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t index, std::uint64_t& sum,
                                         bool is_final) const {
    if (is_final) sums(index) = sum;
    sum += index;
  }
};

TEST(ScanIndices, GivesTheSumsOfTheIndicesBefore) {
  on_spaces([]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    constexpr std::size_t count = 10'001;
    const Kokkos::View<std::uint64_t*, ExecutionSpace> sums("Kindred::Testing::sums", count);
    Launch::scan_indices(exec_space, label, count, StorePrefix<ExecutionSpace>{sums});
    const auto found = to_host(exec_space, sums);
    for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(found[i], i * (i - 1) / 2) << i;
  });
}

TEST(ScanIndices, CallsTheFunctorOnceForEachIndexWithItsFinalSum) {
  on_hosts([](const HostSpace& exec_space) {
    std::vector<std::uint32_t> visits(1001);
    Launch::scan_indices(exec_space, label, visits.size(),
                         [&](std::uint64_t index, std::uint64_t& sum, bool is_final) {
                           if (is_final) ++visits[index];
                           ++sum;
                         });
    EXPECT_THAT(visits, Each(Eq(1U)));
  });
}

TEST(SumsAndScans, OfACancelledCallThrowWithoutAnyCallOrBehindAll) {
  on_hosts([](const HostSpace& exec_space) {
    for (const bool is_before : {true, false}) {
      Cancellation cancellation;
      const Cancellation::Scope scope(cancellation);
      std::atomic<int> calls{0};
      const auto call = [&](const auto&...) {
        ++calls;
        cancellation.cancel();
      };
      if (is_before) cancellation.cancel();
      EXPECT_THROW(Launch::sum_over_indices(exec_space, label, 10, call), Cancelled);
      EXPECT_EQ(calls, is_before ? 0 : 10);
      if (!is_before) cancellation.reset();
      calls = 0;
      EXPECT_THROW(
          Launch::scan_indices(exec_space, label, 10, [&](std::uint64_t, int&, bool) { call(); }),
          Cancelled);
      EXPECT_EQ(calls > 0, !is_before);
    }
  });
}

TEST(Start, GivesToolsTheLabelAndTranslatesFailuresOfTheDevice) {
  EXPECT_EQ(Arch::tool_label(label), "");
  const auto failing = [](const char* message) {
    return [message] {
      Launch::Impl::start(label, [&](const std::string&) { throw std::runtime_error(message); });
    };
  };
  const char* memory = "cudaMalloc error( cudaErrorMemoryAllocation): out of memory";
  EXPECT_THAT(message_of<OutOfMemory>(failing(memory)), HasSubstr(label));
  EXPECT_EQ(message_of<std::runtime_error>(failing("of Kokkos")), "of Kokkos");
}

/// Exits with 0 if a failure that breaks the context is recorded: for good, so in a child.
[[noreturn]] void exit_after_a_lost_device() {
  try {
    Launch::Impl::start(label, [](const std::string&) {
      throw std::runtime_error("cudaStreamSynchronize(s) error( cudaErrorIllegalAddress): text");
    });
  } catch (const DeviceLost&) {
    std::_Exit(Arch::device_is_lost() ? 0 : 1);
  }
  std::_Exit(2);
}

TEST(StartDeathTest, RecordsThatTheDeviceIsLost) {
  EXPECT_EXIT(exit_after_a_lost_device(), testing::ExitedWithCode(0), "");
}

// --- teams and warps

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
      EXPECT_EQ(to_host(exec_space, visits), expected);
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
      EXPECT_THAT(to_host(exec_space, sums), Each(Eq(1000U)));
      Kokkos::deep_copy(exec_space, sums, 0U);
      Launch::for_each_team<Launch::Dynamic>(exec_space, label, teams,
                                             SumThreads<ExecutionSpace, true>{sums});
      EXPECT_THAT(to_host(exec_space, sums), Each(Eq(1000U)));
    }
  });
}

TEST(ForEachTeam, OfDynamicFormAreNotKeptWaitingByASlowOne) {
  on_hosts([](const HostSpace& exec_space) {
    if (Arch::concurrency(exec_space) == 1) return;
    constexpr int count = 64;
    std::atomic<int> ended{0};
    Launch::for_each_team<Launch::Dynamic>(
        exec_space, label, {.count = count}, [&](const Launch::Member<HostSpace>& member) {
          // The first one ends behind all others.
          const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
          while (member.league_rank() == 0 && ended < count - 1 &&
                 std::chrono::steady_clock::now() < end)
            std::this_thread::yield();
          EXPECT_EQ(member.league_rank() == 0, ++ended == count);
        });
  });
}

TEST(ForEachTeam, RefusesMoreTeamsOrScratchThanThereAre) {
  on_spaces([]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    const SumThreads<ExecutionSpace, false> none{};
    const auto message = [&](const Launch::Teams& teams) {
      return message_of<InvalidArgument>(
          [&] { Launch::for_each_team(exec_space, label, teams, none); });
    };
    EXPECT_THAT(message({.count = Arch::teams_max + 1}), HasSubstr("a launch of 2147483648 teams"));
    EXPECT_THAT(message_of<InvalidArgument>([&] {
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
    const std::size_t before = allocations();
    Launch::for_each_team(exec_space, label, {.count = 10}, visit);
    EXPECT_EQ(allocations(), before);
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

}  // namespace ForEachTest

// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/launch/Launch.hpp>

#include <gmock/gmock.h>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/launch/Policies.hpp>
#include <kindred/core/common/Alignment.hpp>
#include <kindred/core/graph/SourceArrays.hpp>
#include <kindred/core/lattice/LatticeSearch.hpp>
#include <kindred/core/vector/VectorScores.hpp>

#include "Allocations.hpp"
#include "MessageOf.hpp"
#include "OnSpaces.hpp"
#include "Threads.hpp"

namespace LaunchTest {

using namespace Kindred;
using testing::HasSubstr;
using Testing::on_hosts;
using Testing::on_spaces;

constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();

TEST(Launch, RefusesMoreTeamsThanALeagueHas) {
  EXPECT_EQ(Arch::league_size(0), 0);
  EXPECT_EQ(Arch::league_size(most), std::numeric_limits<int>::max());
  // Truncated to 32 bits, these would be negative, zero and one.
  for (const std::uint64_t teams :
       {most + 1, std::uint64_t{1} << 32U, (std::uint64_t{1} << 32U) + 1, ~std::uint64_t{0}}) {
    EXPECT_THAT(Testing::message_of<InvalidArgument>([&] { (void)Arch::league_size(teams); }),
                HasSubstr(std::to_string(teams) + " teams; the limit is 2147483647"));
  }
}

TEST(Launch, DividesWorkItemsAmongTeamsWithoutOverflow) {
  EXPECT_EQ(Arch::league_size(0, 8), 0);
  EXPECT_EQ(Arch::league_size(1, 8), 1);
  EXPECT_EQ(Arch::league_size(8, 8), 1);
  EXPECT_EQ(Arch::league_size(9, 8), 2);
  EXPECT_EQ(Arch::league_size(8 * most, 8), std::numeric_limits<int>::max());
  EXPECT_THROW((void)Arch::league_size(8 * most + 1, 8), InvalidArgument);
  EXPECT_THROW((void)Arch::league_size(~std::uint64_t{0}, 8), InvalidArgument);
}

/// Nothing is read or written before the refusal, so no array needs memory.
TEST(Launch, OfMoreRowsThanALeagueHasIsRefusedByTheFunctionsOfCore) {
  on_spaces([]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    double number = 0;
    // Truncated to 32 bits, the leagues of these numbers are 0 or 1 on a host and on a device.
    for (const std::uint64_t rows : {std::uint64_t{1} << 40U, (std::uint64_t{1} << 40U) + 1}) {
      VectorRows<ExecutionSpace> x;
      x.dimension = 1;
      EXPECT_THROW(vector_norms(exec_space, x, ArrayView<double, ExecutionSpace>(&number, rows)),
                   InvalidArgument);
      EXPECT_THROW(decode_rows(exec_space, x, 0, rows, ArrayView<float, ExecutionSpace>()),
                   InvalidArgument);
      EXPECT_THROW(prepare_queries(exec_space, ArrayView<const float, ExecutionSpace>(), 1,
                                   ArrayView<double, ExecutionSpace>(),
                                   ArrayView<double, ExecutionSpace>(&number, rows)),
                   InvalidArgument);
      EXPECT_THROW(start_from_arrays(exec_space, SpreadState<ExecutionSpace>{},
                                     SourceArrays<ExecutionSpace>{}, 0, 0, rows, SpreadMode::linear,
                                     ArrayView<std::uint32_t, ExecutionSpace>()),
                   InvalidArgument);
    }
    Arch::fence(exec_space, "Kindred::Testing::refused");
  });
}

TEST(Launch, RefusesMoreWordsOfALatticeThanAKernelCounts) {
  on_spaces([]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    // Truncated to 32 bits, it is a lattice of one word.
    LatticeSearch<ExecutionSpace> search;
    search.bits.line_words = 1;
    search.bits.lines = (std::uint64_t{1} << 32U) + 1;
    std::uint64_t word = 0;
    std::uint32_t number = 0;
    const ArrayView<std::uint64_t, ExecutionSpace> words(&word, search.bits.guarded_words());
    search.unreached = search.frontiers[0] = search.frontiers[1] = words;
    search.found = ArrayView<std::uint32_t, ExecutionSpace>(&number, search.found_size);
    EXPECT_THAT(Testing::message_of<InvalidArgument>(
                    [&] { start_lattice_search(exec_space, search, {}, {}); }),
                HasSubstr("a launch over 4294967297 indices"));
  });
}

TEST(Launch, OverIndicesTakesChunksForItsStartThreads) {
  EXPECT_EQ(Arch::Impl::chunk_size(0, 8), 1);
  EXPECT_EQ(Arch::Impl::chunk_size(319, 8), 1);
  EXPECT_EQ(Arch::Impl::chunk_size(1000, 8), 4);
  EXPECT_EQ(Arch::Impl::chunk_size(100'000, 8), 128);
  EXPECT_EQ(Arch::Impl::chunk_size(10'000'000, 8), 16384);
  EXPECT_EQ(Arch::Impl::chunk_size(~std::uint64_t{0}, 0), 1 << 30);
  on_spaces([]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    const std::size_t before = Testing::allocations();
    const auto policy = Arch::range(exec_space, 100'000);
    EXPECT_EQ(Testing::allocations(), before);
    if constexpr (!Arch::is_device<ExecutionSpace>) {
      EXPECT_EQ(policy.chunk_size(), static_cast<std::uint64_t>(Arch::Impl::chunk_size(
                                         100'000, Arch::concurrency(exec_space))));
    }
  });
}

struct NoTeams {
  template <class Member>
  KOKKOS_INLINE_FUNCTION void operator()(const Member&) const {}
};

TEST(Launch, RefusesMoreScratchThanADeviceHas) {
  EXPECT_THAT(Testing::message_of<InvalidArgument>(
                  [] { Arch::check_scratch("Kindred::Testing::scratch", 49153, 49152); }),
              HasSubstr("Kindred::Testing::scratch needs 49153 bytes of scratch per team; the "
                        "device has 49152"));
  on_spaces([]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    const char* label = "Kindred::Testing::scratch";
    const Kokkos::TeamPolicy<ExecutionSpace> teams(exec_space, 1, 1, 1);
    const auto launch = [&](std::size_t bytes) {
      Kokkos::parallel_for(label, Arch::with_scratch(label, teams, bytes), NoTeams{});
      Arch::fence(exec_space, label);
    };
    if constexpr (Arch::is_device<ExecutionSpace>) {
      const std::string message =
          Testing::message_of<InvalidArgument>([&] { launch(std::size_t{1} << 20U); });
      EXPECT_THAT(message, HasSubstr(label));
      // What the message promises can be launched.
      const std::string has = "the device has ";
      launch(std::stoull(message.substr(message.find(has) + has.size())));
    } else {
      launch(std::size_t{1} << 20U);
    }
  });
}

/// The number of a group, on the host.
struct GroupOfHost {
  KOKKOS_INLINE_FUNCTION GroupOfHost(Arch::GroupKind, std::size_t of) : index(of) {}
  std::size_t index;
};

/// Fills its scratch, and counts how often each group finds what it wrote.
struct FillScratch {
  using view_type = GroupOfHost;
  static constexpr unsigned threads_max = 32;
  static constexpr unsigned teams_at_once = 1;

  std::uint32_t* runs;
  std::size_t bytes;

  template <class View>
  KOKKOS_INLINE_FUNCTION void operator()(const View& group, std::byte* scratch) const {
    KOKKOS_IF_ON_HOST((fill(group.index, scratch);))
  }
  void fill(std::size_t group, std::byte* scratch) const {
    if (!begin_at(64, scratch)) return;
    std::memset(scratch, static_cast<int>(group % 251), bytes);
    for (std::size_t i = 0; i < bytes; ++i)
      if (scratch[i] != static_cast<std::byte>(group % 251)) return;
    ++runs[group];
  }
};

template <class ExecutionSpace>
void fill_scratch(const ExecutionSpace& exec_space, std::size_t groups, std::size_t bytes,
                  std::uint32_t* runs) {
  Arch::launch(exec_space,
               {.label = "Kindred::Testing::fill", .groups = groups, .scratch_bytes = bytes},
               FillScratch{runs, bytes});
}

TEST(Launch, OnAHostGivesEachGroupScratchThatNoOtherUsesMeanwhile) {
  on_hosts([](const auto& exec_space) {
    for (const std::size_t groups : {1, 2, 3, 31, 1000}) {
      for (const std::size_t bytes : {0, 1, 63, 64, 5000}) {
        std::vector<std::uint32_t> runs(groups);
        fill_scratch(exec_space, groups, bytes, runs.data());
        Arch::fence(exec_space, "Kindred::Testing::fill");
        EXPECT_EQ(runs, std::vector<std::uint32_t>(groups, 1)) << bytes;
      }
    }
  });
}

TEST(Launch, OnAHostReportsMissingMemoryForScratchBeforeAnyGroupRuns) {
  std::size_t bytes = 100'000;
  on_hosts([&](const auto& exec_space) {
    for (const std::size_t groups : {1, 2, 100}) {
      bytes *= 2;  // more than the calling thread has kept
      std::vector<std::uint32_t> runs(groups);
      const auto call = [&] { fill_scratch(exec_space, groups, bytes, runs.data()); };
      const std::size_t failures = Testing::fail_every_allocation(
          10'000, call, [&](std::size_t) { EXPECT_EQ(runs, std::vector<std::uint32_t>(groups)); });
      EXPECT_EQ(failures, 1U);
      EXPECT_EQ(runs, std::vector<std::uint32_t>(groups, 1));
    }
  });
}

TEST(Launch, OnADeviceRefusesMoreTeamsAndScratchThanItHas) {
  on_spaces([]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    if constexpr (Arch::is_device<ExecutionSpace>) {
      const auto message = [&](std::size_t groups, std::size_t bytes) {
        return Testing::message_of<InvalidArgument>(
            [&] { fill_scratch(exec_space, groups, bytes, nullptr); });
      };
      // Truncated to 32 bits, this is one team.
      EXPECT_THAT(message((std::size_t{1} << 32U) + 1, 0), HasSubstr("the limit is 2147483647"));
#if KINDRED_ENABLE_SPECIALIZED
      EXPECT_THAT(message(1, (std::size_t{1} << 32U) + 64), HasSubstr("bytes of scratch"));
#endif
    }
  });
}

/// Each number is another kernel, which no thread has launched before.
template <int Number>
struct NeedsScratch {
  static constexpr unsigned threads_max = 32;
  static constexpr unsigned teams_at_once = 1;

  KOKKOS_INLINE_FUNCTION void operator()(const Arch::Team& team, std::byte* scratch) const {
    scratch[team.thread()] = std::byte{Number};
  }
};

/// Lets two threads launch a kernel for the first time, with different scratch above 48 KB.
template <int Number, class ExecutionSpace>
void launch_from_two_threads(const ExecutionSpace& exec_space) {
  std::atomic<int> waiting = 2;
  std::atomic<int> failed = 0;
  const auto launch = [&](std::size_t bytes) {
    --waiting;
    while (waiting > 0) std::this_thread::yield();
    try {
      for (int repeat = 0; repeat < 3; ++repeat)
        Arch::launch(exec_space, {.label = "Kindred::Testing::scratch", .scratch_bytes = bytes},
                     NeedsScratch<Number>{});
    } catch (const Error&) {
      ++failed;
    }
  };
  std::thread other(launch, std::size_t{60} << 10U);
  launch(std::size_t{96} << 10U);
  other.join();
  EXPECT_EQ(failed, 0) << Number;
}

TEST(Launch, OnADeviceHasTheScratchThatAnyOfTwoThreadsNeeds) {
  on_spaces([]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    if constexpr (Arch::is_device<ExecutionSpace>) {
      if (Arch::scratch_bytes_limit(exec_space) < std::size_t{96} << 10U) return;
      [&]<int... Numbers>(std::integer_sequence<int, Numbers...>) {
        (launch_from_two_threads<Numbers>(exec_space), ...);
      }
      (std::make_integer_sequence<int, 16>());
      Arch::fence(exec_space, "Kindred::Testing::scratch");
    }
  });
}

TEST(LargestAllowed, KeepsTheLargestSizeOfAllThreadsInForce) {
  constexpr std::size_t threads = 8;
  for (int repeat = 0; repeat < 50; ++repeat) {
    Arch::LargestAllowed allowed;
    std::atomic<std::size_t> in_force =
        0;  // what the last call allowed, as an attribute of a kernel
    std::atomic<std::size_t> inside = 0;
    std::atomic<bool> failed = false;
    std::atomic<std::size_t> waiting = threads;
    Testing::by_threads(threads, [&](std::size_t t) {
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      for (std::size_t i = 0; i < threads; ++i) {
        const std::size_t size = 1 + (t * 5 + i * 3) % (2 * threads);
        allowed.raise_to(size, [&] {
          if (++inside != 1) failed = true;
          std::this_thread::yield();
          in_force = size;
          --inside;
        });
        // What a thread needs is in force when it launches.
        if (in_force < size) failed = true;
      }
    });
    ASSERT_FALSE(failed);
    ASSERT_EQ(in_force, 2 * threads);
  }
}

TEST(LargestAllowed, AllowsOnlyWhatIsLargerThanBefore) {
  Arch::LargestAllowed allowed;
  std::vector<std::size_t> calls;
  for (const std::size_t size : {5U, 5U, 3U, 9U, 5U, 9U, 10U})
    allowed.raise_to(size, [&] { calls.push_back(size); });
  EXPECT_EQ(calls, (std::vector<std::size_t>{5, 9, 10}));
}

TEST(LargestAllowed, TriesAgainAfterAFailure) {
  Arch::LargestAllowed allowed;
  const auto fail = [] { throw std::runtime_error("refused"); };
  EXPECT_THROW(allowed.raise_to(5, fail), std::runtime_error);
  int calls = 0;
  allowed.raise_to(5, [&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

}  // namespace LaunchTest

// SPDX-License-Identifier: Apache-2.0
// State of contexts, budgets and reports that the threads of a program share.
#include <kindred/backends/KernelProfile.hpp>
#include <kindred/backends/Trace.hpp>
#include <kindred/matcher/Bulk.hpp>
#include <kindred/matcher/Calibration.hpp>
#include <kindred/matcher/SequenceOperationInfo.hpp>
#include <kindred/memory/LimitAdaptor.hpp>
#include <kindred/memory/StatisticsAdaptor.hpp>

#include <cmath>

#include "OneThread.hpp"
#include "TempFolder.hpp"
#include "UpstreamMemory.hpp"

namespace BackendThreadsTest {

using namespace Kindred;
using namespace Testing;

TEST(DispatcherThreads, EveryCallOfEightThreadsIsCounted) {
  Dispatcher dispatcher(SpaceSet::all(), 8, {});
  const std::vector<Operation> operations = engine_operations();
  by_threads(8, [&](std::size_t caller) {
    for (std::size_t i = 0; i < 2000; ++i) {
      Workload w{operations[(caller + i) % operations.size()], 1,
                 std::ldexp(1.0, static_cast<int>(i % 40)), 0, SpaceSet::all()};
      DispatchRecord record = dispatcher.decide(w);
      record.taken = 1e-3;
      dispatcher.observe(record);
      dispatcher.observe_success(w.operation, record.chosen);
      if (i % 100 == 0) dispatcher.observe_failure(w.operation, Space::cuda);
      if (i % 500 == 0) dispatcher.calibrate(w.operation, Space::openmp, 1e6, 1e-3);
      if (i % 500 == 1) dispatcher.calibrate_transfer(1e9, 1e-6);
      if (i % 50 == 0) (void)dispatcher.profile_json();
    }
  });
  EXPECT_EQ(dispatcher.regret().decisions, 16000U);
  EXPECT_NEAR(dispatcher.regret().taken, 16.0, 1e-9);
}

TEST(ProfileFileThreads, IsCompleteWhileManySaveAndLeavesNoTemporary) {
  const TempFolder folder;
  const std::string path = folder / "profile.json";
  const ContextOptions options{.threads = 1, .space = Space::serial, .profile = path};
  Context context(options);
  context.dispatcher().calibrate(Operations::lcs, Space::serial, 1000, 2.0);
  context.save_profile();
  const auto text = [&] { return read_all(path); };
  const std::string whole = text();
  EXPECT_FALSE(whole.empty());
  by_threads(4, [&](std::size_t) {
    for (int i = 0; i < 10; ++i) {
      context.save_profile();
      EXPECT_EQ(text(), whole);
    }
  });
  EXPECT_EQ(folder.names().size(), 1U);
}

TEST(ReportThreads, KernelsAndSpansOfSeveralThreadsAreCounted) {
  one_thread();
  const std::vector<float> values(1000, 2.0F);
  const auto call = [&] {
    float sum = 0;
    Bulk(one_thread()).reduce(Reduction::sum, values, std::span(&sum, 1));
    EXPECT_EQ(sum, 2000.0F);
  };
  const auto kernels_of = [](const KernelProfile& profile) {
    std::uint64_t count = 0;
    for (const KernelTime& time : profile.kernels()) count += time.count;
    return count;
  };
  const KernelProfile of_one;
  call();
  const std::uint64_t kernels = kernels_of(of_one);
  EXPECT_GT(kernels, 0U);

  const KernelProfile of_all;
  Trace trace;
  by_threads(4, [&](std::size_t) {
    for (int i = 0; i < 50; ++i) {
      const auto span = trace.span("call");
      call();
      (void)trace.dropped();
      if (i % 10 == 0) (void)trace.json();
    }
  });
  EXPECT_EQ(kernels_of(of_all), 200 * kernels);
  EXPECT_EQ(trace.dropped(), 0U);
}

TEST(MemoryThreads, ALimitIsNeverExceededUnderEightThreads) {
  constexpr std::uint64_t bytes_max = 10'000;
  UpstreamMemory upstream;
  StatisticsAdaptor statistics(upstream);
  LimitAdaptor limit(statistics, bytes_max);
  std::atomic<std::uint64_t> granted{0};
  std::atomic<std::uint64_t> refused{0};
  by_threads(8, [&](std::size_t caller) {
    auto generator = Testing::generator("limit " + std::to_string(caller));
    std::uniform_int_distribution<std::size_t> size(1, 4000);
    for (int i = 0; i < 5000; ++i) {
      const std::size_t bytes = size(generator);
      try {
        void* data = limit.allocate(bytes, "x");
        ++granted;
        if (i % 16 == 0) std::this_thread::yield();
        limit.deallocate(data, bytes);
      } catch (const OutOfMemory&) {
        ++refused;
      }
    }
  });
  EXPECT_LE(upstream.peak, bytes_max);
  EXPECT_LE(statistics.statistics().bytes_peak, bytes_max);
  EXPECT_EQ(upstream.held, 0U);
  EXPECT_EQ(limit.used(), 0U);
  EXPECT_EQ(granted + refused, 40'000U);
  EXPECT_GT(refused, 0U) << "the limit was never reached";
  EXPECT_EQ(statistics.statistics().allocations_total, granted);
  EXPECT_EQ(statistics.statistics().allocations_in_use, 0U);
  EXPECT_EQ(statistics.statistics().bytes_in_use, 0U);
  EXPECT_EQ(statistics.statistics().failures, 0U)
      << "the limit rejects allocations before they are counted";
}

}  // namespace BackendThreadsTest

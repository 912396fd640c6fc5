// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/Context.hpp>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/matcher/BulkOperationInfo.hpp>
#include <kindred/matcher/VectorOperationInfo.hpp>
#include <kindred/memory/Buffer.hpp>

#include <gtest/gtest.h>

#include "Support.hpp"

#include <limits>
#include <mutex>
#include <new>
#include <set>
#include <thread>

namespace ContextTest {

using namespace Kindred;

ContextOptions plain() {
  ContextOptions options;
  options.load_profile = false;
  return options;
}

/// The number of distinct host threads that execute a loop of \p context on \p space.
std::size_t threads_seen(const Context& context, Space space) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  const HostSpace& exec_space = Impl::host_instance(context, space);
  Kokkos::parallel_for("Kindred::Testing::threads",
                       Kokkos::RangePolicy<HostSpace>(exec_space, 0, 10'000), [&](int) {
                         const std::lock_guard lock(mutex);
                         seen.insert(std::this_thread::get_id());
                       });
  exec_space.fence("Kindred::Testing::threads_seen");
  return seen.size();
}

TEST(Context, TwoContextsCanCoexist) {
  ContextOptions options = plain();
  options.threads = 3;
  const Context other(options);
  EXPECT_EQ(other.threads(), 3);
  EXPECT_TRUE(Testing::context().is_usable(Space::serial));
}

TEST(Context, RejectsAValueThatIsNoSpace) {
  Context& context = Testing::context();
  for (const auto wrong :
       {static_cast<Space>(3), static_cast<Space>(32), static_cast<Space>(255)}) {
    EXPECT_EQ(to_string(wrong), "unknown");
    EXPECT_FALSE(context.is_usable(wrong));
    EXPECT_THROW((void)context.info(wrong), InvalidArgument);
    EXPECT_THROW(Impl::HostLease(context, wrong), InvalidArgument);
    Workload workload;
    workload.operation = Operations::search;
    EXPECT_THROW(context.run(workload, wrong, [](Space) {}), InvalidArgument);
    ContextOptions options = plain();
    options.space = wrong;
    EXPECT_THROW(Context{options}, InvalidArgument);
  }
}

TEST(Context, RecordsWhichCallIsTheFirstOfItsSize) {
  Context context(plain());
  CallHistory engine;
  Workload workload;
  workload.operation = Operations::search;
  workload.work = 1000;
  const auto is_first = [&] { return context.run(workload, Space::serial, [](Space) {}).first; };
  EXPECT_TRUE(is_first());
  EXPECT_FALSE(is_first());
  workload.history = &engine;
  EXPECT_TRUE(is_first()) << "another engine";
  EXPECT_FALSE(is_first());
  workload.work = 1e6;
  EXPECT_TRUE(is_first()) << "its workspace grows";
  workload.work = 10;
  EXPECT_FALSE(is_first());
}

TEST(Context, RunsOnTheRequestedNumberOfThreads) {
  for (const int threads : {1, 2, 3, 7, 16}) {
    ContextOptions options = plain();
    options.threads = threads;
    const Context context(options);
    EXPECT_EQ(context.threads(), threads);
    EXPECT_EQ(threads_seen(context, Space::serial), 1U);
    if (!context.is_usable(Space::openmp)) continue;
    EXPECT_EQ(context.info(Space::openmp).concurrency, threads);
    EXPECT_EQ(threads_seen(context, Space::openmp), static_cast<std::size_t>(threads));
  }
}

TEST(Context, RejectsThreadsAndBudgetsOutOfRange) {
  for (const int threads : {-1, 513}) {
    ContextOptions options = plain();
    options.threads = threads;
    EXPECT_THROW(Context{options}, InvalidArgument);
  }
  for (const double fraction : {0.0, -1.0, 1.5, std::nan("")}) {
    ContextOptions options = plain();
    options.budget_fraction = fraction;
    EXPECT_THROW(Context{options}, InvalidArgument);
  }
}

TEST(Context, ReportsWhyASpaceCannotBeUsed) {
  for (const SpaceInfo& info : Testing::context().spaces())
    EXPECT_EQ(info.usable, info.why_not.empty());
}

TEST(Context, RejectsAForcedSpaceThatIsNotAvailable) {
  if (Testing::context().is_usable(Space::cuda)) GTEST_SKIP() << "this machine has a CUDA device";
  ContextOptions options = plain();
  options.space = Space::cuda;
  EXPECT_THROW(Context{options}, SpaceUnavailable);
}

TEST(Context, EnforcesItsBudgetToTheByte) {
  ContextOptions options = plain();
  options.host_budget = 1000;
  Context context(options);
  EXPECT_EQ(context.info(Space::serial).memory_budget, 1000U);
  MemoryResource& memory = context.memory(Space::serial);
  EXPECT_EQ(&memory, &context.memory(Space::openmp)) << "the host has one budget";
  void* data = memory.allocate(1000, "Kindred::Testing::all");
  EXPECT_EQ(context.memory_statistics(Space::openmp).bytes_in_use, 1000U);
  EXPECT_THROW(memory.allocate(1, "Kindred::Testing::more"), OutOfMemory);
  EXPECT_THROW(context.pinned_memory().allocate(1, "Kindred::Testing::pinned"), OutOfMemory);
  memory.deallocate(data, 1000);
  data = context.pinned_memory().allocate(600, "Kindred::Testing::pinned");
  EXPECT_EQ(context.memory_statistics(Space::serial).bytes_in_use, 600U);
  EXPECT_THROW(memory.allocate(401, "Kindred::Testing::more"), OutOfMemory);
  context.pinned_memory().deallocate(data, 600);
  EXPECT_EQ(context.memory_statistics(Space::serial).bytes_in_use, 0U);
}

TEST(Context, KeepsCallsOffADeviceWithoutEnoughMemory) {
  if (!Testing::context().is_usable(Space::cuda)) GTEST_SKIP() << "needs a device";
  ContextOptions options = plain();
  options.device_budget_max = 1000;
  Context context(options);
  EXPECT_EQ(context.info(Space::cuda).memory_budget, 1000U);
  Workload w{Operations::matrix_multiply, 1, 1e12, 0, SpaceSet::all()};
  w.device_bytes = 1000;
  EXPECT_EQ(context.dispatcher().decide(w).chosen, Space::cuda);
  MemoryResource& memory = context.memory(Space::cuda);
  void* data = memory.allocate(1, "Kindred::Testing::held");
  EXPECT_EQ(context.dispatcher().decide(w).why, Reason::memory);
  EXPECT_EQ(context.dispatcher().decide(w, Space::cuda).chosen, Space::cuda)
      << "the space was forced";
  memory.deallocate(data, 1);
  EXPECT_EQ(context.dispatcher().decide(w).chosen, Space::cuda);
}

TEST(Context, ExcludesADeviceWithTooLittleMemory) {
  ContextOptions options = plain();
  options.device_memory_min = std::numeric_limits<std::uint64_t>::max();
  const Context context(options);
  EXPECT_FALSE(context.is_usable(Space::cuda));
  EXPECT_FALSE(context.info(Space::cuda).why_not.empty());
}

TEST(Context, RejectsADeviceThatDoesNotExist) {
  ContextOptions options = plain();
  options.device = -1;
  EXPECT_THROW(Context{options}, InvalidArgument);
  options.device = 1 << 20;
  if (Context(plain()).info(Space::cuda).compiled) {
    EXPECT_THROW(Context{options}, InvalidArgument);
  } else {
    EXPECT_THROW(Context{options}, SpaceUnavailable) << "a host build has no devices";
  }
}

TEST(Context, ReportsTheDeviceItUses) {
  const Context context(plain());
  const SpaceInfo& device = context.info(Space::cuda);
  if (!device.usable) GTEST_SKIP() << "no device";
  EXPECT_LT(device.device_index, device.device_count);
  ContextOptions options = plain();
  options.device = device.device_index;
  EXPECT_EQ(Context(options).info(Space::cuda).device_index, device.device_index);
  if (device.device_count < 2) return;
  options.device = device.device_index == 0 ? 1 : 0;
  EXPECT_EQ(Context(options).info(Space::cuda).device_index, *options.device);
}

TEST(Context, UsesTheGivenShareOfFreeMemory) {
  ContextOptions options = plain();
  options.budget_fraction = 0.5;
  const Context context(options);
  const SpaceInfo& info = context.info(Space::serial);
  EXPECT_GT(info.memory_free, 0U);
  EXPECT_EQ(info.memory_budget, info.memory_free / 2);
}

TEST(Context, CallsBackBeforeEveryAllocation) {
  std::vector<std::string> labels;
  ContextOptions options = plain();
  options.before_allocation = [&](std::string_view, std::size_t, const std::string& label) {
    labels.push_back(label);
  };
  Context context(options);
  const Buffer<int, Kokkos::HostSpace> buffer(context.memory(Space::serial), "Kindred::Testing::b",
                                              4);
  EXPECT_EQ(labels, std::vector<std::string>{"Kindred::Testing::b"});
}

// --- run

Workload workload() { return {Operations::search, 1, 1e9, 0, SpaceSet::host()}; }

class ContextRun : public testing::Test {
 protected:
  static ContextOptions options(ContextRun* self) {
    ContextOptions given = plain();
    given.threads = 2;
    given.log = [self](LogLevel, std::string_view text) { self->log.emplace_back(text); };
    given.on_dispatch = [self](const DispatchRecord& record) { self->records.push_back(record); };
    return given;
  }
  void SetUp() override {
    if (!context.is_usable(Space::openmp)) GTEST_SKIP() << "needs two spaces";
  }

  std::vector<std::string> log;
  std::vector<DispatchRecord> records;
  Context context{options(this)};
};

template <class Throw>
DispatchRecord run_failing_on_openmp(Context& context, const Throw& fail) {
  return context.run(workload(), {}, [&](Space space) {
    if (space == Space::openmp) fail();
  });
}

TEST_F(ContextRun, FallsBackWhenMemoryOrTheDeviceFails) {
  const std::vector<std::function<void()>> failures{
      [] { throw OutOfMemory("host", 7, "x", "made to fail"); },
      [] { throw DeviceLost("made to fail"); },
      [] { throw SpaceUnavailable("made to fail"); },
      [] { throw std::bad_alloc(); },
      [] {
        throw std::runtime_error(
            "Kokkos ERROR: HostSpace memory space failed to allocate 1.8 TiB (label=\"x\").");
      },
      [] { throw std::runtime_error("cudaMalloc(&p, n) error( cudaErrorMemoryAllocation): no"); },
      [] {
        throw std::runtime_error("cudaStreamSynchronize(s) error( cudaErrorECCUncorrectable)");
      },
  };
  for (const auto& fail : failures) {
    Context fresh(options(this));
    records.clear();
    log.clear();
    const DispatchRecord record = run_failing_on_openmp(fresh, fail);
    EXPECT_EQ(record.chosen, Space::serial);
    EXPECT_EQ(record.why, Reason::fallback);
    EXPECT_EQ(records.size(), 1U) << "one call, one record";
    ASSERT_EQ(log.size(), 1U);
    EXPECT_NE(log[0].find("search failed on openmp, runs on serial instead"), std::string::npos);
  }
}

TEST_F(ContextRun, ThrowsTypedErrorsWhenNoSpaceIsLeft) {
  const auto everywhere = [&](auto error) {
    return [&, error] { Context(plain()).run(workload(), {}, [&](Space) { throw error; }); };
  };
  EXPECT_THROW(everywhere(std::bad_alloc())(), OutOfMemory);
  EXPECT_THROW(everywhere(std::runtime_error("failed to allocate 3 B"))(), OutOfMemory);
  EXPECT_THROW(everywhere(std::runtime_error("f() error( cudaErrorUnknown): x"))(), DeviceLost);
  EXPECT_THROW(everywhere(std::runtime_error("f() error( cudaErrorNoKernelImageForDevice): x"))(),
               SpaceUnavailable);
  EXPECT_THROW(everywhere(std::runtime_error("f() error( cudaErrorMemoryAllocation): x"))(),
               OutOfMemory);
  EXPECT_THROW(everywhere(OutOfMemory("host", 1, "x", "y"))(), OutOfMemory);
  EXPECT_THROW(everywhere(DeviceLost("x"))(), DeviceLost);
}

TEST_F(ContextRun, DoesNotFallBackFromAForcedSpace) {
  int calls = 0;
  EXPECT_THROW(context.run(workload(), Space::openmp,
                           [&](Space) {
                             ++calls;
                             throw std::bad_alloc();
                           }),
               OutOfMemory);
  EXPECT_EQ(calls, 1);
}

TEST_F(ContextRun, PropagatesOtherErrorsUnchanged) {
  int calls = 0;
  const auto run = [&](const auto& error) {
    context.run(workload(), {}, [&](Space) {
      ++calls;
      throw error;
    });
  };
  EXPECT_THROW(run(InvalidArgument("x")), InvalidArgument);
  EXPECT_THROW(run(std::logic_error("failed to allocate")), std::logic_error);
  EXPECT_THROW(run(std::runtime_error("other")), std::runtime_error);
  EXPECT_THROW(run(7), int);
  EXPECT_EQ(calls, 4);
  EXPECT_TRUE(records.empty());
  EXPECT_FALSE(context.dispatcher().breaker_open(Operations::search, Space::openmp));
}

TEST_F(ContextRun, AsynchronousCallsCountAsSuccessesForTheBreaker) {
  Workload w = workload();
  w.waits = false;
  const auto call = [&](bool fails) {
    context.run(w, {}, [&](Space space) {
      if (fails && space == Space::openmp) throw OutOfMemory("host", 7, "x", "made to fail");
    });
    return records.back().chosen;
  };
  for (int failure = 0; failure < 2; ++failure) {
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(call(false), Space::openmp);
    EXPECT_EQ(call(true), Space::serial);
  }
  EXPECT_FALSE(context.dispatcher().breaker_open(Operations::search, Space::openmp))
      << "2 failures in 2002 calls";
  EXPECT_EQ(context.dispatcher().regret().decisions, 0U) << "no times were observed";
}

TEST_F(ContextRun, AnErrorOfTheCallbackIsNotAFailureOfTheSpace) {
  ContextOptions given = plain();
  given.on_dispatch = [](const DispatchRecord&) { throw std::bad_alloc(); };
  Context throwing(given);
  int calls = 0;
  EXPECT_THROW(throwing.run(workload(), {}, [&](Space) { ++calls; }), std::bad_alloc);
  EXPECT_EQ(calls, 1);
}

TEST(DispatcherFlaw, E_TheFailedAttemptIsNotCountedAsTimeOfTheFallback) {
  Context context(plain());
  if (!context.is_usable(Space::openmp)) GTEST_SKIP() << "needs two spaces";
  const DispatchRecord record = run_failing_on_openmp(context, [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    throw OutOfMemory("host", 7, "x", "made to fail");
  });
  EXPECT_EQ(record.chosen, Space::serial);
  EXPECT_LT(record.taken, 0.3);
  EXPECT_LT(context.dispatcher().regret().taken, 0.3);
}

}  // namespace ContextTest

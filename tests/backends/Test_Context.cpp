// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/Context.hpp>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/backends/impl/KeptObjects.hpp>
#include <kindred/matcher/BulkOperationInfo.hpp>
#include <kindred/matcher/VectorOperationInfo.hpp>
#include <kindred/memory/Buffer.hpp>

#include <gtest/gtest.h>

#include "Support.hpp"
#include "Threads.hpp"

#include <new>

namespace ContextTest {

using namespace Kindred;

TEST(Context, RejectsAValueThatIsNoSpace) {
  Context& context = Testing::context();
  const Workload workload{.operation = Operations::search};
  for (const auto wrong :
       {static_cast<Space>(3), static_cast<Space>(32), static_cast<Space>(255)}) {
    EXPECT_EQ(to_string(wrong), "unknown");
    EXPECT_FALSE(context.is_usable(wrong));
    EXPECT_THROW((void)context.info(wrong), InvalidArgument);
    EXPECT_THROW(Impl::HostLease(context, wrong), InvalidArgument);
    EXPECT_THROW(context.run(workload, wrong, [](Space) {}), InvalidArgument);
    EXPECT_THROW(Context({.space = wrong, .load_profile = false}), InvalidArgument);
  }
}

TEST(Context, RecordsWhichCallIsTheFirstOfItsSize) {
  Context context({.load_profile = false});
  CallHistory engine;
  Workload workload{.operation = Operations::search, .work = 1000};
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

TEST(Context, RejectsThreadsBudgetsAndDevicesOutOfRange) {
  for (const int threads : {-1, 513})
    EXPECT_THROW(Context({.threads = threads}), InvalidArgument) << threads;
  for (const double fraction : {0.0, -1.0, 1.5, std::nan("")})
    EXPECT_THROW(Context({.budget_fraction = fraction}), InvalidArgument) << fraction;
  EXPECT_THROW(Context({.device = -1}), InvalidArgument);
  const ContextOptions beyond_all{.device = 1 << 20};
  if (Testing::context().info(Space::cuda).compiled) {
    EXPECT_THROW(Context{beyond_all}, InvalidArgument);
  } else {
    EXPECT_THROW(Context{beyond_all}, SpaceUnavailable) << "a host build has no devices";
  }
}

TEST(Context, ReportsWhyASpaceCannotBeUsed) {
  for (const SpaceInfo& info : Testing::context().spaces())
    EXPECT_EQ(info.usable, info.why_not.empty());
  const Context too_little({.device_memory_min = std::numeric_limits<std::uint64_t>::max()});
  EXPECT_FALSE(too_little.is_usable(Space::cuda));
  EXPECT_FALSE(too_little.info(Space::cuda).why_not.empty());
}

TEST(Context, RejectsAForcedSpaceThatIsNotAvailable) {
  if (Testing::context().is_usable(Space::cuda)) GTEST_SKIP() << "this machine has a CUDA device";
  EXPECT_THROW(Context({.space = Space::cuda}), SpaceUnavailable);
}

TEST(Context, EnforcesItsBudgetToTheByte) {
  Context context({.host_budget = 1000, .load_profile = false});
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
  Context context({.device_budget_max = 1000, .load_profile = false});
  EXPECT_EQ(context.info(Space::cuda).memory_budget, 1000U);
  const Workload w{.operation = Operations::matrix_multiply, .work = 1e12, .device_bytes = 1000};
  EXPECT_EQ(context.dispatcher().decide(w).chosen, Space::cuda);
  MemoryResource& memory = context.memory(Space::cuda);
  void* data = memory.allocate(1, "Kindred::Testing::held");
  EXPECT_EQ(context.dispatcher().decide(w).why, Reason::memory);
  EXPECT_EQ(context.dispatcher().decide(w, Space::cuda).chosen, Space::cuda)
      << "the space was forced";
  memory.deallocate(data, 1);
  EXPECT_EQ(context.dispatcher().decide(w).chosen, Space::cuda);
}

TEST(Context, ReportsTheDeviceItUses) {
  const SpaceInfo& device = Testing::context().info(Space::cuda);
  if (!device.usable) GTEST_SKIP() << "no device";
  EXPECT_LT(device.device_index, device.device_count);
  const auto index_of = [](int given) {
    return Context({.device = given}).info(Space::cuda).device_index;
  };
  EXPECT_EQ(index_of(device.device_index), device.device_index);
  if (device.device_count < 2) return;
  const int other = device.device_index == 0 ? 1 : 0;
  EXPECT_EQ(index_of(other), other);
}

TEST(Context, UsesTheGivenShareOfFreeMemory) {
  const Context context({.budget_fraction = 0.5, .load_profile = false});
  const SpaceInfo& info = context.info(Space::serial);
  EXPECT_GT(info.memory_free, 0U);
  EXPECT_EQ(info.memory_budget, info.memory_free / 2);
}

TEST(Context, CallsBackBeforeEveryAllocation) {
  std::vector<std::string> labels;
  Context context(
      {.load_profile = false,
       .before_allocation = [&](std::string_view, std::size_t, const std::string& label) {
         labels.push_back(label);
       }});
  const char* const name = "Kindred::Testing::b";
  const Buffer<int, Kokkos::HostSpace> buffer(context.memory(Space::serial), name, 4);
  EXPECT_EQ(labels, std::vector<std::string>{name});
}

// --- objects that a context keeps

template <int Number>
struct Object {
  int value = Number;
  std::function<void()> at_end = [] {};

  ~Object() { at_end(); }
};

TEST(KeptObjects, AreOnePerTypeAndContext) {
  Context context;
  const Context other;
  Impl::kept_objects(context).get<Object<1>>().value = 5;
  EXPECT_EQ(Impl::kept_objects(context).get<Object<1>>().value, 5);
  EXPECT_EQ(Impl::kept_objects(context).get<Object<2>>().value, 2);
  EXPECT_EQ(Impl::kept_objects(other).get<Object<1>>().value, 1);
  EXPECT_EQ(Impl::kept_objects(other).get<std::vector<int>>(3U, 7), (std::vector{7, 7, 7}));
  EXPECT_EQ(Impl::kept_objects(other).get<std::vector<int>>(1U, 1).size(), 3U);
}

TEST(KeptObjects, AreDestroyedBeforeTheMemoryOfTheirContext) {
  bool freed = false;
  {
    auto context = std::make_unique<Context>();
    MemoryResource& memory = context->memory(Space::serial);
    void* const data = memory.allocate(64, "Kindred::Testing::kept");
    Impl::kept_objects(*context).get<Object<3>>().at_end = [&memory, &freed, data] {
      memory.deallocate(data, 64);
      freed = true;
    };
    EXPECT_FALSE(freed);
  }
  EXPECT_TRUE(freed);
}

TEST(KeptObjects, AreMadeOnceByManyThreads) {
  const Context context;
  std::vector<Object<4>*> found(8);
  Testing::by_threads(found.size(), [&](std::size_t caller) {
    found[caller] = &Impl::kept_objects(context).get<Object<4>>();
  });
  for (const Object<4>* one : found) EXPECT_EQ(one, found[0]);
}

// --- run

const Workload call{Operations::search, 1, 1e9, 0, SpaceSet::host()};

class ContextRun : public testing::Test {
 protected:
  static ContextOptions options(ContextRun* self) {
    return {.threads = 2,
            .load_profile = false,
            .log = [self](LogLevel, std::string_view text) { self->log.emplace_back(text); },
            .on_dispatch = [self](const DispatchRecord& one) { self->records.push_back(one); }};
  }
  void SetUp() override {
    if (!context.is_usable(Space::openmp)) GTEST_SKIP() << "needs two spaces";
  }

  std::vector<std::string> log;
  std::vector<DispatchRecord> records;
  Context context{options(this)};
};

template <class Error>
std::function<void()> throws(const Error& error) {
  return [error] { throw error; };
}
std::runtime_error of_cuda(const char* status) {
  return std::runtime_error("f(x) error( " + std::string(status) + "): text");
}

TEST_F(ContextRun, FallsBackWhenMemoryOrTheDeviceFails) {
  for (const auto& fail :
       {throws(OutOfMemory("host", 7, "x", "made to fail")), throws(DeviceLost("made to fail")),
        throws(SpaceUnavailable("made to fail")), throws(std::bad_alloc()),
        throws(std::runtime_error("Kokkos ERROR: HostSpace memory space failed to allocate 1.8 TiB "
                                  "(label=\"x\").")),
        throws(of_cuda("cudaErrorMemoryAllocation")),
        throws(of_cuda("cudaErrorECCUncorrectable"))}) {
    Context fresh(options(this));
    records.clear();
    log.clear();
    const DispatchRecord record = fresh.run(call, {}, [&](Space space) {
      if (space == Space::openmp) fail();
    });
    EXPECT_EQ(record.chosen, Space::serial);
    EXPECT_EQ(record.why, Reason::fallback);
    EXPECT_EQ(records.size(), 1U) << "one call, one record";
    ASSERT_EQ(log.size(), 1U);
    EXPECT_NE(log[0].find("search failed on openmp, runs on serial instead"), std::string::npos);
  }
}

TEST_F(ContextRun, ThrowsTypedErrorsWhenNoSpaceIsLeft) {
  const auto run = [](const std::function<void()>& fail) {
    Context({.load_profile = false}).run(call, {}, [&](Space) { fail(); });
  };
  for (const auto& fail :
       {throws(std::bad_alloc()), throws(std::runtime_error("failed to allocate 3 B")),
        throws(of_cuda("cudaErrorMemoryAllocation")), throws(OutOfMemory("host", 1, "x", "y"))})
    EXPECT_THROW(run(fail), OutOfMemory);
  EXPECT_THROW(run(throws(of_cuda("cudaErrorUnknown"))), DeviceLost);
  EXPECT_THROW(run(throws(DeviceLost("x"))), DeviceLost);
  EXPECT_THROW(run(throws(of_cuda("cudaErrorNoKernelImageForDevice"))), SpaceUnavailable);
}

TEST_F(ContextRun, DoesNotFallBackFromAForcedSpace) {
  int calls = 0;
  const auto fail = [&](Space) {
    ++calls;
    throw std::bad_alloc();
  };
  EXPECT_THROW(context.run(call, Space::openmp, fail), OutOfMemory);
  EXPECT_EQ(calls, 1);
}

TEST_F(ContextRun, PropagatesOtherErrorsUnchanged) {
  int calls = 0;
  const auto run = [&](const auto& error) {
    context.run(call, {}, [&](Space) {
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
  Workload w = call;
  w.waits = false;
  const auto chosen = [&](bool fails) {
    context.run(w, {}, [&](Space space) {
      if (fails && space == Space::openmp) throw OutOfMemory("host", 7, "x", "made to fail");
    });
    return records.back().chosen;
  };
  for (int failure = 0; failure < 2; ++failure) {
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(chosen(false), Space::openmp);
    EXPECT_EQ(chosen(true), Space::serial);
  }
  EXPECT_FALSE(context.dispatcher().breaker_open(Operations::search, Space::openmp))
      << "2 failures in 2002 calls";
  EXPECT_EQ(context.dispatcher().regret().decisions, 0U) << "no times were observed";
}

TEST_F(ContextRun, WhatACallMakesForLaterOnesIsNotItsCost) {
  const auto predicted = [&] {
    return context.dispatcher().predict(call)[space_index(Space::openmp)];
  };
  for (int i = 0; i < 3; ++i) context.run(call, Space::openmp, [](Space) {});
  const double before = predicted();
  const DispatchRecord record = context.run(call, Space::openmp, [](Space) {
    Impl::OneTimeWork::note();
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
  });
  EXPECT_TRUE(record.first);
  EXPECT_GT(record.taken, 0.05);
  EXPECT_EQ(predicted(), before);
  EXPECT_FALSE(context.run(call, Space::openmp, [](Space) {}).first);
}

TEST_F(ContextRun, AnErrorOfTheCallbackIsNotAFailureOfTheSpace) {
  Context throwing({.load_profile = false,
                    .on_dispatch = [](const DispatchRecord&) { throw std::bad_alloc(); }});
  int calls = 0;
  const DispatchRecord record = throwing.run(call, {}, [&](Space) { ++calls; });
  EXPECT_EQ(calls, 1);
  EXPECT_NE(record.why, Reason::fallback);
}

TEST_F(ContextRun, TheFailedAttemptIsNotCountedAsTimeOfTheFallback) {
  std::chrono::steady_clock::time_point failed;
  const DispatchRecord record = context.run(call, {}, [&](Space space) {
    if (space == Space::serial) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    failed = std::chrono::steady_clock::now();
    throw OutOfMemory("host", 7, "x", "made to fail");
  });
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - failed;
  EXPECT_EQ(record.chosen, Space::serial);
  EXPECT_LE(record.taken, since.count());
  EXPECT_LE(context.dispatcher().regret().taken, since.count());
}

}  // namespace ContextTest

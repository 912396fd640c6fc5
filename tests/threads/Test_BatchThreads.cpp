// SPDX-License-Identifier: Apache-2.0
// Asynchronous calls, and batches of lattice tasks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/CallQueue.hpp>
#include <kindred/matcher/LatticeBatch.hpp>

#include <atomic>
#include <future>
#include <numeric>
#include <thread>
#include <vector>

#include "OneThread.hpp"
#include "TempFolder.hpp"

namespace BatchThreadsTest {

using namespace Kindred;
using ::testing::HasSubstr;
using Testing::one_thread;

TEST(CallQueue, ReturnsResultsInSubmissionOrderToManyCallers) {
  const Bulk bulk(one_thread());
  CallQueue queue(3);
  std::atomic<int> made{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller) {
    callers.emplace_back([&] {
      std::vector<std::vector<float>> arrays(40, std::vector<float>(100, 1.5F));
      std::vector<float> sums(arrays.size());
      std::vector<Submission<int>> submissions;
      for (std::size_t i = 0; i < arrays.size(); ++i) {
        submissions.push_back(queue.submit([&, i] {
          const std::span<const float> array(arrays[i]);
          bulk.reduce<float>(Reduction::sum, {&array, 1}, {&sums[i], 1});
          return made++;
        }));
      }
      int before = -1;
      for (auto& submission : submissions) {
        const int place = submission.get();
        EXPECT_GT(place, before);
        before = place;
        const std::span<const float> array(arrays[0]);
        float sum = 0;
        bulk.reduce<float>(Reduction::sum, {&array, 1}, {&sum, 1});
        EXPECT_EQ(sum, 150.0F);
      }
      EXPECT_EQ(sums, std::vector<float>(arrays.size(), 150.0F));
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(made, 120);
}

TEST(CallQueue, ReportsAnErrorToItsOwnSubmission) {
  CallQueue queue;
  auto good = queue.submit([] { return std::make_unique<int>(5); });
  auto bad = queue.submit([] { throw NotFound("nothing is here"); });
  auto after = queue.submit([] {});
  EXPECT_EQ(*good.get(), 5);
  EXPECT_THROW(good.get(), InvalidArgument) << "the result was already taken";
  EXPECT_THROW(bad.get(), NotFound);
  EXPECT_NO_THROW(after.get());
  EXPECT_TRUE(after.is_done());
  EXPECT_FALSE(after.cancel());
  EXPECT_THROW(CallQueue(0), InvalidArgument);
}

/// A call that runs until it is released.
struct Gate {
  std::promise<void> begun;
  std::promise<void> open;
  auto call() {
    return [this] {
      begun.set_value();
      open.get_future().wait();
    };
  }
};

TEST(CallQueue, CancelsOnlyCallsThatHaveNotStarted) {
  Gate gate;
  std::atomic<int> calls{0};
  CallQueue queue;
  auto first = queue.submit(gate.call());
  const auto held = std::make_shared<int>(1);
  auto one = queue.submit([&calls, held] { ++calls; });
  auto other = queue.submit([&calls, held] { ++calls; });
  auto last = queue.submit([&calls, held] { ++calls; });
  gate.begun.get_future().wait();
  EXPECT_FALSE(first.cancel()) << "the call has started";
  EXPECT_TRUE(one.cancel());
  EXPECT_FALSE(one.cancel());
  EXPECT_TRUE(one.is_done());
  EXPECT_THROW(one.get(), Cancelled);
  EXPECT_EQ(queue.cancel(), 2U);
  EXPECT_EQ(held.use_count(), 1) << "a cancelled call must release its captures";
  gate.open.set_value();
  first.get();
  EXPECT_THROW(other.get(), Cancelled);
  EXPECT_THROW(last.get(), Cancelled);
  EXPECT_EQ(queue.submit([] { return 7; }).get(), 7);
  queue.wait();
  EXPECT_EQ(calls, 0);
}

TEST(CallQueue, LimitsTheCallsThatWaitAndFinishesThemOnDestruction) {
  Gate gate;
  std::atomic<int> submitted{0};
  std::atomic<int> calls{0};
  std::thread caller;
  {
    CallQueue queue(2);
    queue.submit(gate.call());
    gate.begun.get_future().wait();
    caller = std::thread([&] {
      for (int i = 0; i < 6; ++i) {
        queue.submit([&] { ++calls; });
        ++submitted;
      }
    });
    while (submitted < 2) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(submitted, 2) << "the third submission must wait for a free slot";
    gate.open.set_value();
    caller.join();
  }
  EXPECT_EQ(calls, 6);
}

TEST(CallQueue, RejectsANestedSubmissionThatWouldWaitForItself) {
  CallQueue queue(1);
  std::atomic<int> calls{0};
  auto outer = queue.submit([&] {
    queue.submit([&] { ++calls; });
    queue.submit([&] { ++calls; });
  });
  EXPECT_THROW(outer.get(), Busy);
  queue.wait();
  EXPECT_EQ(calls, 1);
}

TEST(CallQueue, RejectsWaitingInACallForALaterCall) {
  CallQueue queue;
  std::promise<Submission<int>*> own;
  auto outer = queue.submit([&] {
    EXPECT_THROW(queue.wait(), Busy);
    EXPECT_THROW(own.get_future().get()->wait(), Busy);
    auto later = queue.submit([] { return 1; });
    EXPECT_THROW(later.wait(), Busy);
    EXPECT_THROW(later.get(), Busy);
    auto cancelled = queue.submit([] {});
    EXPECT_TRUE(cancelled.cancel());
    EXPECT_THROW(cancelled.get(), Cancelled) << "it has ended, so getting it must not wait";
    return 7;
  });
  own.set_value(&outer);
  EXPECT_EQ(outer.get(), 7);
  queue.wait();
}

TEST(CallQueue, CallsMayWaitForThoseOfAnotherQueue) {
  CallQueue queue;
  CallQueue other;
  auto before = queue.submit([] { return 1; });
  queue.wait();
  EXPECT_EQ(queue.submit([&] { return before.get() + other.submit([] { return 2; }).get(); }).get(),
            3);
}

/// One task of every kind, repeatedly, each with its own arrays.
struct Tasks {
  explicit Tasks(std::size_t count, const Testing::TempFolder& folder)
      : bytes(count, std::vector<std::uint8_t>(500)), products(count, std::vector<float>(4)) {
    static const std::vector<std::uint8_t> key(500, 0x5A);
    static const std::vector<float> ones(8, 1.0F);
    for (std::size_t i = 0; i < count; ++i) {
      LatticeTask task;
      task.dimensions = 2 + static_cast<std::uint32_t>(i % 3);
      task.size = 4 + static_cast<std::uint32_t>(i % 4);
      std::iota(bytes[i].begin(), bytes[i].end(), static_cast<std::uint8_t>(i));
      switch (i % 7) {
        case 0:
          task.work = AnalyzeLattice();
          break;
        case 1:
          task.work = MeasureLattice();
          break;
        case 2:
          task.work = FindLatticePath{{0, 15}};
          task.blocks.nodes = blocked;
          break;
        case 3:
          task.work = BuildLattice();
          break;
        case 4:
          task.work = SaveLattice{folder / ("g" + std::to_string(i))};
          break;
        case 5:
          task.work = XorLatticeBytes{bytes[i], key, bytes[i]};
          break;
        default:
          task.work = MultiplyLatticeMatrices<float>{{ones, ones, products[i], 2, 2, 4}};
      }
      tasks.push_back(task);
    }
  }

  std::vector<std::vector<std::uint8_t>> bytes;
  std::vector<std::vector<float>> products;
  std::vector<std::uint64_t> blocked{1};
  std::vector<LatticeTask> tasks;
};

TEST(LatticeBatch, MatchesTheCallsInOrderOnAnyNumberOfWorkers) {
  const Testing::TempFolder folder;
  const auto caller = std::this_thread::get_id();
  for (const int workers : {1, 4}) {
    Tasks given(70, folder);
    std::size_t next = 0;
    LatticeBatchOptions options;
    options.workers = workers;
    options.on_result = [&](std::size_t task, LatticeResult result) {
      EXPECT_EQ(task, next++);
      EXPECT_EQ(std::this_thread::get_id(), caller);
      ASSERT_FALSE(result.error);
      const LatticeTask& of = given.tasks[task];
      const Lattice lattice(one_thread(), of.dimensions, of.size, of.blocks);
      if (std::holds_alternative<MeasureLattice>(of.work)) {
        const auto& found = std::get<GraphStructure>(result.answer);
        EXPECT_EQ(found.edges, lattice.metrics().edges);
        EXPECT_EQ(found.diameter, lattice.metrics().diameter);
      } else if (std::holds_alternative<FindLatticePath>(of.work)) {
        EXPECT_EQ(std::get<std::vector<std::uint64_t>>(result.answer), lattice.path(0, 15));
      } else if (std::holds_alternative<BuildLattice>(of.work)) {
        EXPECT_EQ(std::get<LatticeRows>(result.answer).ends, lattice.rows().ends);
      } else if (std::holds_alternative<XorLatticeBytes>(of.work)) {
        for (std::size_t i = 0; i < 500; ++i)
          EXPECT_EQ(given.bytes[task][i], static_cast<std::uint8_t>(task + i) ^ 0x5A);
      } else if (std::holds_alternative<MultiplyLatticeMatrices<float>>(of.work)) {
        EXPECT_EQ(given.products[task], std::vector<float>(4, 4.0F));
      } else {
        EXPECT_EQ(std::get<LatticeMetrics>(result.answer).nodes, lattice.shape().nodes());
      }
    };
    const LatticeBatchReport report = run_lattices(one_thread(), given.tasks, options);
    EXPECT_EQ(report.done, 70U);
    EXPECT_EQ(report.failed, 0U);
    EXPECT_FALSE(report.cancelled);
    EXPECT_EQ(next, 70U);
  }
  EXPECT_EQ(run_lattices(one_thread(), {}).done, 0U);
}

TEST(LatticeBatch, AFailedTaskIsAResultAndStopsNoOther) {
  std::vector<LatticeTask> tasks(30);
  tasks[7].size = 1001;
  tasks[20].work = FindLatticePath{{0, 10'000}};
  for (const int workers : {1, 3}) {
    std::vector<std::size_t> failed;
    LatticeBatchOptions options;
    options.workers = workers;
    options.on_result = [&](std::size_t task, const LatticeResult& result) {
      EXPECT_EQ(result.error == nullptr, result.answer.index() != 0);
      if (!result.error) return;
      failed.push_back(task);
      EXPECT_THROW(std::rethrow_exception(result.error), InvalidArgument);
    };
    const LatticeBatchReport report = run_lattices(one_thread(), tasks, options);
    EXPECT_EQ(report.done, 30U);
    EXPECT_EQ(report.failed, 2U);
    EXPECT_EQ(failed, (std::vector<std::size_t>{7, 20}));
  }
  LatticeBatchOptions options;
  options.workers = 513;
  EXPECT_THROW(run_lattices(one_thread(), tasks, options), InvalidArgument);
}

TEST(LatticeBatch, AnExceptionOfTheCallbackEndsTheRunAndIsRethrown) {
  const std::vector<LatticeTask> tasks(200);
  for (const int workers : {1, 4}) {
    std::size_t reported = 0;
    LatticeBatchOptions options;
    options.workers = workers;
    options.on_result = [&](std::size_t task, const LatticeResult&) {
      ++reported;
      if (task == 5) throw NotFound("the callback failed");
    };
    EXPECT_THROW(run_lattices(one_thread(), tasks, options), NotFound);
    EXPECT_EQ(reported, 6U);
  }
}

TEST(LatticeBatch, StartsNothingAfterCancellationAndReportsWhatHadStarted) {
  const std::vector<LatticeTask> tasks(2000);
  for (const int workers : {1, 4}) {
    std::stop_source source;
    std::size_t reported = 0;
    LatticeBatchOptions options;
    options.workers = workers;
    options.stop = source.get_token();
    options.on_result = [&](std::size_t task, const LatticeResult&) {
      EXPECT_EQ(task, reported++);
      if (task != 9) return;
      std::thread([&] { source.request_stop(); }).join();
    };
    LatticeBatchReport report = run_lattices(one_thread(), tasks, options);
    EXPECT_TRUE(report.cancelled);
    EXPECT_EQ(report.done, reported);
    EXPECT_GE(reported, 10U);
    EXPECT_LE(reported, 10U + 4U * 4U) << "the most that workers may be ahead";
    report = run_lattices(one_thread(), tasks, options);
    EXPECT_EQ(report.done, 0U) << "the run was cancelled before it started";
  }
}

}  // namespace BatchThreadsTest

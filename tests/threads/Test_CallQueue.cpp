// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Bulk.hpp>
#include <kindred/matcher/CallQueue.hpp>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "OneThread.hpp"

namespace CallQueueTest {

using namespace Kindred;
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

}  // namespace CallQueueTest

// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/HostWorkers.hpp>

#include <gtest/gtest.h>

#include "Threads.hpp"

#include <cmath>
#include <set>
#include <stdexcept>
#include <string>

namespace HostWorkersTest {

using namespace Kindred::Impl;

TEST(HostWorkers, AreAsManyAsTheWorkJustifies) {
  EXPECT_EQ(useful_threads(64, 0), 1U);
  EXPECT_EQ(useful_threads(64, thread_worth), 1U);
  EXPECT_EQ(useful_threads(64, 2 * thread_worth), 2U);
  EXPECT_EQ(useful_threads(64, 10.9 * thread_worth), 10U);
  EXPECT_EQ(useful_threads(64, 1e12), 64U);
  EXPECT_EQ(useful_threads(1, 1e12), 1U);
  EXPECT_EQ(useful_threads(64, std::nan("")), 1U);
}

TEST(HostWorkers, StartNoThreadForLittleWork) {
  HelperThreads helpers;
  const HostWorkers workers(helpers, 16);
  std::set<std::thread::id> seen;  // not protected by a lock
  workers.for_each_item(1000, 1, thread_worth / 1000,
                        [&](std::size_t, std::size_t) { seen.insert(std::this_thread::get_id()); });
  workers.for_each_range(1000, thread_worth / 1000, [&](std::size_t begin, std::size_t end) {
    EXPECT_EQ(begin, 0U);
    EXPECT_EQ(end, 1000U);
    seen.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(seen, std::set{std::this_thread::get_id()});
}

TEST(HostWorkers, ProcessEveryItemOnceWithValidWorkerIndices) {
  HelperThreads helpers;
  const HostWorkers workers(helpers, 5);
  for (const std::size_t items : {0UL, 1UL, 2UL, 5UL, 64UL, 1000UL}) {
    for (const std::size_t chunk : {1UL, 7UL}) {
      std::vector<std::atomic<int>> taken(items);
      workers.for_each_item(items, chunk, thread_worth, [&](std::size_t worker, std::size_t i) {
        EXPECT_LT(worker, 5U);
        ++taken[i];
      });
      for (const auto& times : taken) EXPECT_EQ(times, 1);
    }
    std::vector<std::atomic<int>> taken(items);
    workers.for_each_range(items, thread_worth, [&](std::size_t begin, std::size_t end) {
      EXPECT_LT(begin, end);
      for (std::size_t i = begin; i < end; ++i) ++taken[i];
    });
    for (const auto& times : taken) EXPECT_EQ(times, 1);
  }
}

TEST(HostWorkers, DoNotWaitForAnIdleHelper) {
  HelperThreads helpers;
  std::atomic<int> inside{0};
  std::atomic<bool> may_go{false};
  // The only helper is busy until the second caller has finished.
  std::thread first([&] {
    helpers.run(2, [&](std::size_t) {
      ++inside;
      while (!may_go) std::this_thread::yield();
    });
  });
  while (inside < 2) std::this_thread::yield();
  std::size_t done = 0;
  HostWorkers(helpers, 2).for_each_item(100, 1, thread_worth, [&](std::size_t, std::size_t) {
    ++done;
  });
  EXPECT_EQ(done, 100U);
  may_go = true;
  first.join();
}

TEST(HostWorkers, FinishANestedLoop) {
  HelperThreads helpers;
  const HostWorkers workers(helpers, 4);
  std::atomic<int> done{0};
  workers.for_each_item(20, 1, thread_worth, [&](std::size_t, std::size_t) {
    workers.for_each_item(20, 1, thread_worth, [&](std::size_t, std::size_t) { ++done; });
  });
  EXPECT_EQ(done, 400);
}

TEST(HostWorkers, ThrowTheExceptionOfTheLowestItem) {
  HelperThreads helpers;
  const HostWorkers workers(helpers, 8);
  for (int run = 0; run < 50; ++run) {
    try {
      workers.for_each_item(200, 1, thread_worth, [&](std::size_t, std::size_t i) {
        if (i % 50 == 49) throw std::runtime_error(std::to_string(i));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "49");
    }
  }
}

TEST(HostWorkers, DoTheirOwnPartWhereNoHelperIsAvailable) {
  HelperThreads helpers;
  const HostWorkers workers(helpers, 2);
  int calls = 0;
  std::atomic<int> beside{0};
  for (int run = 0; run < 100; ++run)
    workers.run_beside([&] { ++calls; },
                       [&] {
                         ++beside;
                         throw std::runtime_error("dropped");
                       });
  EXPECT_EQ(calls, 100);
  EXPECT_LE(beside, 100);
  EXPECT_THROW(workers.run_beside([] { throw std::out_of_range("kept"); }, [] {}),
               std::out_of_range);
  HostWorkers().run_beside([&] { ++calls; }, [] { FAIL() << "there is one thread"; });
  EXPECT_EQ(calls, 101);
}

TEST(HostWorkers, ServeSeveralCallersConcurrently) {
  HelperThreads helpers;
  const HostWorkers workers(helpers, 4);
  Kindred::Testing::by_threads(6, [&](std::size_t) {
    for (int call = 0; call < 100; ++call) {
      std::atomic<std::size_t> sum{0};
      workers.for_each_item(50, 3, thread_worth, [&](std::size_t, std::size_t i) { sum += i; });
      EXPECT_EQ(sum, 1225U);
    }
  });
}

}  // namespace HostWorkersTest

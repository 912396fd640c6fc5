// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/launch/Launch.hpp>

#include <gtest/gtest.h>

#include "Threads.hpp"

namespace LargestAllowedTest {

using namespace Kindred;

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

}  // namespace LargestAllowedTest

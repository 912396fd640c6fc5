// SPDX-License-Identifier: Apache-2.0
// What a dispatcher keeps of the last calls: their times, and whether they failed.
#include "CircuitBreaker.hpp"
#include "ObservationWindow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "Support.hpp"

namespace LastCallsTest {

using namespace Kindred;
using namespace std::chrono_literals;
using Impl::CircuitBreaker;
using Impl::ObservationWindow;

/// The median of \p ratios and two ones.
double median_with_two_ones(const std::deque<float>& ratios) {
  std::vector<float> sorted(ratios.begin(), ratios.end());
  sorted.insert(sorted.end(), {1.0F, 1.0F});
  std::sort(sorted.begin(), sorted.end());
  return sorted[(ratios.size() + 1) / 2];
}

TEST(ObservationWindow, IsTheMedianOfTheLastRatiosAndTwoOnes) {
  auto generator = Testing::generator("ObservationWindow");
  for (const std::size_t size : {1U, 2U, 3U, 7U, 40U}) {
    ObservationWindow window;
    std::deque<float> last;
    EXPECT_EQ(window.ratio(), 1.0);
    for (int step = 0; step < 2000; ++step) {
      if (generator() % 10 == 0) {
        const std::size_t kept = generator() % (size + 2);
        window.keep_newest(kept);
        while (last.size() > kept) last.pop_front();
      } else {
        // Few values, so that there are ties, also with 1.
        const float ratio = 0.25F * static_cast<float>(1 + generator() % 9);
        window.add(ratio, size);
        last.push_back(ratio);
        if (last.size() > size) last.pop_front();
      }
      ASSERT_EQ(window.ratio(), median_with_two_ones(last)) << size << ", step " << step;
    }
  }
}

TEST(ObservationWindow, ObservesNothingWithoutMemory) {
  ObservationWindow window;
  const std::size_t more_than_there_is = std::size_t{1} << 59U;
  for (int i = 0; i < 5; ++i) window.add(5, more_than_there_is);
  EXPECT_EQ(window.ratio(), 1.0);
}

constexpr CircuitBreaker::Time start{};

TEST(CircuitBreaker, OpensAtTheFailureThatMakesTheShareOfTheWindowTooLow) {
  auto generator = Testing::generator("CircuitBreaker");
  for (const std::size_t window : {1U, 4U, 20U}) {
    for (const std::size_t failures_min : {1U, 2U, 5U}) {
      for (const double success_rate_min : {0.5, 0.75, 0.9}) {
        for (int round = 0; round < 50; ++round) {
          CircuitBreaker breaker(window, 10s, success_rate_min, failures_min);
          std::deque<bool> failed;
          for (int call = 0; call < 100 && !breaker.open(); ++call) {
            failed.push_back(generator() % 4 == 0);
            if (failed.size() > window) failed.pop_front();
            if (failed.back()) {
              breaker.failed(start);
            } else {
              breaker.succeeded();
            }
            const auto failures =
                static_cast<std::size_t>(std::count(failed.begin(), failed.end(), true));
            const auto count = static_cast<double>(failed.size());
            const bool opens = failed.back() && failures >= failures_min &&
                               1 - static_cast<double>(failures) / count < success_rate_min;
            ASSERT_EQ(breaker.open(), opens) << window << ", " << failures << " of " << count;
          }
        }
      }
    }
  }
}

TEST(CircuitBreaker, LetsATrialThroughAfterEachInterval) {
  CircuitBreaker breaker(4, 10s, 0.9, 1);
  EXPECT_TRUE(breaker.admits(start));
  breaker.failed(start + 1s);
  EXPECT_FALSE(breaker.admits(start + 1s));
  EXPECT_FALSE(breaker.admits(start + 11s - 1ns));
  EXPECT_TRUE(breaker.admits(start + 11s));
  breaker.succeeded();
  EXPECT_TRUE(breaker.open()) << "a call that began before";
  breaker.start_trial(start + 12s);
  EXPECT_FALSE(breaker.admits(start + 12s)) << "there is one";
  EXPECT_TRUE(breaker.admits(start + 22s)) << "it never ended";
  breaker.failed(start + 13s);
  EXPECT_TRUE(breaker.open());
  EXPECT_FALSE(breaker.admits(start + 22s));
  breaker.succeeded();
  EXPECT_TRUE(breaker.open()) << "the trial has failed";
  breaker.start_trial(start + 23s);
  breaker.succeeded();
  EXPECT_FALSE(breaker.open());
  EXPECT_TRUE(breaker.admits(start + 23s));
}

TEST(CircuitBreaker, ForgetsTheFailuresOnceATrialHasSucceeded) {
  CircuitBreaker breaker(4, 10s, 0.9, 2);
  breaker.failed(start);
  breaker.failed(start);
  ASSERT_TRUE(breaker.open());
  breaker.start_trial(start + 10s);
  breaker.succeeded();
  breaker.failed(start + 11s);
  EXPECT_FALSE(breaker.open());
  breaker.failed(start + 11s);
  EXPECT_TRUE(breaker.open());
}

}  // namespace LastCallsTest

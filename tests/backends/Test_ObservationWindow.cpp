// SPDX-License-Identifier: Apache-2.0
#include "ObservationWindow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "Support.hpp"

namespace ObservationWindowTest {

using namespace Kindred;
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

TEST(ObservationWindow, OneOrTwoCallsDoNotMoveItAndThreeThatAgreeDo) {
  ObservationWindow window;
  window.add(5, 100);
  EXPECT_EQ(window.ratio(), 1.0);
  window.add(5, 100);
  EXPECT_EQ(window.ratio(), 1.0);
  window.add(5, 100);
  EXPECT_EQ(window.ratio(), 5.0);
  window.keep_newest(0);
  EXPECT_EQ(window.ratio(), 1.0);
}

TEST(ObservationWindow, CanKeepNothingOfNothing) {
  ObservationWindow window;
  window.keep_newest(0);
  EXPECT_EQ(window.ratio(), 1.0);
}

TEST(ObservationWindow, ObservesNothingWithoutMemory) {
  ObservationWindow window;
  const std::size_t more_than_there_is = std::size_t{1} << 59U;
  for (int i = 0; i < 5; ++i) window.add(5, more_than_there_is);
  EXPECT_EQ(window.ratio(), 1.0);
}

}  // namespace ObservationWindowTest

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kit/MadeOnce.hpp"

#include "OneThread.hpp"

namespace MadeOnceTest {

using namespace Kindred;
using Impl::MadeOnce;

/// Cannot be moved.
struct Number {
  explicit Number(int given) : value(given) {}
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  int value;
};

TEST(MadeOnce, IsMadeByOneOfManyCallers) {
  MadeOnce<Number> made;
  EXPECT_EQ(made.get(), nullptr);
  std::atomic<int> times{0};
  Testing::by_threads(8, [&](std::size_t) {
    const Number& number = made.get([&] {
      ++times;
      std::this_thread::yield();
      return Number(7);
    });
    EXPECT_EQ(number.value, 7);
    EXPECT_EQ(made.get(), &number);
  });
  EXPECT_EQ(times, 1);
}

TEST(MadeOnce, PassesErrorsAndIsMadeByTheNextCaller) {
  MadeOnce<Number> made;
  const auto fail = []() -> Number { throw InvalidArgument("not now"); };
  EXPECT_THROW(made.get(fail), InvalidArgument);
  EXPECT_THROW(made.try_get(fail), InvalidArgument);
  EXPECT_EQ(made.get(), nullptr);
  EXPECT_EQ(made.get([] { return Number(1); }).value, 1);
  EXPECT_EQ(made.get(fail).value, 1);
}

TEST(MadeOnce, IsNotedAsOneTimeWorkOnce) {
  const auto make = [] { return Number(1); };
  MadeOnce<Number> made;
  MadeOnce<Number> tried;
  for (const bool is_first : {true, false}) {
    bool is_noted = false;
    bool is_noted_of_try = false;
    {
      const Impl::OneTimeWork work(is_noted);
      made.get(make);
    }
    {
      const Impl::OneTimeWork work(is_noted_of_try);
      tried.try_get(make);
    }
    EXPECT_EQ(is_noted, is_first);
    EXPECT_EQ(is_noted_of_try, is_first);
  }
}

TEST(MadeOnce, CallersThatWaitCanBeCancelledAndOthersNeedNotWait) {
  MadeOnce<Number> made;
  Testing::Stop stop;
  std::thread maker([&] {
    made.get([&] {
      stop.here();
      return Number(3);
    });
  });
  EXPECT_TRUE(stop.wait_until_reached());
  const auto other = [] { return Number(4); };
  EXPECT_EQ(made.try_get(other), nullptr);
  Testing::expect_cancelled([&] { made.get(other); });
  Testing::expect_busy_in_check([&] { made.get(other); });
  std::thread waits([&] { EXPECT_EQ(made.get(other).value, 3); });
  stop.go_on();
  maker.join();
  waits.join();
  EXPECT_EQ(made.try_get(other)->value, 3);
}

}  // namespace MadeOnceTest

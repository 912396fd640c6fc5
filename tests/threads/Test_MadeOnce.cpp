// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kit/MadeOnce.hpp"

#include <kindred/core/common/Error.hpp>

#include "Threads.hpp"

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

TEST(MadeOnce, CallersThatWaitCanBeCancelledAndOthersNeedNotWait) {
  MadeOnce<Number> made;
  std::promise<void> begun;
  std::promise<void> may_end;
  std::thread maker([&] {
    made.get([&] {
      begun.set_value();
      may_end.get_future().wait();
      return Number(3);
    });
  });
  begun.get_future().wait();
  EXPECT_EQ(made.try_get([] { return Number(4); }), nullptr);
  Cancellation cancellation;
  cancellation.cancel();
  {
    const Cancellation::Scope scope(cancellation);
    EXPECT_THROW(made.get([] { return Number(4); }), Cancelled);
  }
  std::thread waits([&] { EXPECT_EQ(made.get([] { return Number(4); }).value, 3); });
  may_end.set_value();
  maker.join();
  waits.join();
  EXPECT_EQ(made.try_get([] { return Number(4); })->value, 3);
}

}  // namespace MadeOnceTest

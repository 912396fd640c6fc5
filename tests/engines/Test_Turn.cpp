// SPDX-License-Identifier: Apache-2.0
#include "kit/Turn.hpp"

#include <kindred/core/common/Error.hpp>

#include <gtest/gtest.h>

namespace TurnTest {

using namespace Kindred;

TEST(Turn, IsRefusedInTheCheckOfACancellation) {
  Impl::Turns<> turns;
  bool is_refused = false;
  Cancellation cancellation([&] {
    try {
      const Impl::Turn<> turn(turns);
    } catch (const Busy&) {
      is_refused = true;
    }
    return false;
  });
  cancellation.request_check();
  const Cancellation::Scope scope(cancellation);
  Impl::CancelPoint().check();
  EXPECT_TRUE(is_refused);
  EXPECT_NO_THROW(const Impl::Turn<> turn(turns));
}

}  // namespace TurnTest

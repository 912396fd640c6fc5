// SPDX-License-Identifier: Apache-2.0
#include "kit/Turn.hpp"

#include "OneThread.hpp"

namespace TurnTest {

using namespace Kindred;

TEST(Turn, IsRefusedInTheCheckOfACancellation) {
  Impl::Turns<> turns;
  const auto take = [&] { const Impl::Turn<> turn(turns); };
  Testing::expect_busy_in_check(take);
  EXPECT_NO_THROW(take());
}

}  // namespace TurnTest

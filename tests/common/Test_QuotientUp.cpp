// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/common/QuotientUp.hpp>

#include <cstdint>
#include <limits>

namespace QuotientUpTest {

using Kindred::quotient_up;

TEST(QuotientUp, HoldsEveryElementInTheFewestParts) {
  EXPECT_EQ(quotient_up(0U, 4U), 0U);
  EXPECT_EQ(quotient_up(1U, 4U), 1U);
  EXPECT_EQ(quotient_up(4U, 4U), 1U);
  EXPECT_EQ(quotient_up(5U, 4U), 2U);
  EXPECT_EQ(quotient_up(5U, 1U), 5U);
}

TEST(QuotientUp, HasTheTypeOfTheQuotient) {
  constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(quotient_up(std::uint64_t{most}, std::uint32_t{2}), std::uint64_t{1} << 31U);
}

}  // namespace QuotientUpTest

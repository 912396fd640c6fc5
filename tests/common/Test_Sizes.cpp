// SPDX-License-Identifier: Apache-2.0
// Sums, products and quotients of sizes.
#include <gmock/gmock.h>

#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/QuotientUp.hpp>

#include "MessageOf.hpp"

#include <limits>

namespace SizesTest {

using namespace Kindred;

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t half = std::uint64_t{1} << 32U;

TEST(CheckedSize, SumsAndProductsAreExactUpTo64Bits) {
  EXPECT_EQ(checked_sum({}), 0U);
  EXPECT_EQ(checked_sum({most - 1, 1, 0}), most);
  EXPECT_EQ(checked_sum({most, 1}), std::nullopt);
  EXPECT_EQ(checked_product({}), 1U);
  EXPECT_EQ(checked_product({most, 1}), most);
  EXPECT_EQ(checked_product({3, 5, 17, 257, 65537, half + 1}), most);
  EXPECT_EQ(checked_product({half, half}), std::nullopt);
  EXPECT_EQ(checked_product({half, half - 1, 2}), std::nullopt);
}

TEST(CheckedSize, RejectsAProductWithoutElementsInAnyOrder) {
  EXPECT_EQ(checked_product({0, half, 7}), 0U);
  EXPECT_EQ(checked_product({0, half, half}), std::nullopt);
  EXPECT_EQ(checked_product({half, 0, half}), std::nullopt);
  EXPECT_EQ(checked_product({half, half, 0}), std::nullopt);
}

TEST(CheckedSize, AnExtentEndsWithTheLastElement) {
  EXPECT_EQ(checked_extent(3, 5, 7, 4), (2 * 7 + 5) * 4U);
  EXPECT_EQ(checked_extent(0, 5, 7, 4), 0U);
  EXPECT_EQ(checked_extent(3, 0, 7, 4), 0U);
  EXPECT_EQ(checked_extent(1, 1, most / 4, 4), 4U);
  EXPECT_EQ(checked_extent(1, 1, most / 4 + 1, 4), std::nullopt);
  EXPECT_EQ(checked_extent(half + 1, 1, half, 1), std::nullopt);
  EXPECT_EQ(checked_extent(half, half, half, 1), std::nullopt);
  EXPECT_EQ(checked_extent(half, half - 1, half, 1), most);
}

TEST(CheckedSize, AnErrorNamesTheSizes) {
  EXPECT_EQ(size_product("rows × dimension", {6, 7}), 42U);
  EXPECT_THAT(Testing::message_of<InvalidArgument>([] {
                size_product("rows × dimension", {half, half + 1});
              }),
              testing::HasSubstr("rows × dimension is 4294967296 × 4294967297"));
}

TEST(QuotientUp, HoldsEveryElementInTheFewestParts) {
  EXPECT_EQ(quotient_up(0U, 4U), 0U);
  EXPECT_EQ(quotient_up(1U, 4U), 1U);
  EXPECT_EQ(quotient_up(4U, 4U), 1U);
  EXPECT_EQ(quotient_up(5U, 4U), 2U);
  EXPECT_EQ(quotient_up(5U, 1U), 5U);
}

TEST(QuotientUp, HasTheTypeOfTheQuotient) {
  constexpr std::uint32_t most_of_32 = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(quotient_up(std::uint64_t{most_of_32}, std::uint32_t{2}), std::uint64_t{1} << 31U);
}

}  // namespace SizesTest

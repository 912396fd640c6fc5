// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/math/Gelu.hpp>

#include <bit>
#include <cmath>
#include <limits>

#include "Support.hpp"

namespace Kindred::Testing::GeluTest {

double exact(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }

struct Range {
  float least;  // smallest |x|
  float most;
  double below;  // bound of the relative error for negative x, in units of 2⁻²⁴
};

TEST(PortableGelu, IsWithinItsStatedError) {
  for (const Range& range :
       {Range{1e-30F, 0.5F, 4}, {0.5F, 1, 7}, {1, 3, 81}, {3, 9, 4096}, {9, 1e30F, 1e300}}) {
    const auto begin = std::bit_cast<std::uint32_t>(range.least);
    const auto end = std::bit_cast<std::uint32_t>(range.most);
    for (std::uint32_t bits = begin; bits < end; bits += (end - begin) / 200000 + 1) {
      const auto x = std::bit_cast<float>(bits);
      ASSERT_LE(std::abs(portable_gelu(x) - exact(x)), 0x1p-22 * exact(x)) << x;
      for (const float either : {x, -x}) {
        ASSERT_LE(std::abs(portable_gelu(either) - exact(either)), 0x1p-23 * x) << either;
      }
      ASSERT_LE(std::abs(portable_gelu(-x) - exact(-x)),
                std::abs(exact(-x)) * range.below * 0x1p-24 + 1.1e-18)
          << -x;
    }
  }
}

TEST(PortableGelu, HasExactLimits) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const auto is = [](float x, float expected) {
    return std::bit_cast<std::uint32_t>(portable_gelu(x)) == std::bit_cast<std::uint32_t>(expected);
  };
  for (const float x : {0.0F, -0.0F, infinity, 9.0F}) EXPECT_TRUE(is(x, x)) << x;
  for (const float x : {-infinity, -9.0F}) EXPECT_TRUE(is(x, -0.0F)) << x;
  EXPECT_TRUE(std::isnan(portable_gelu(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_TRUE(is(1e-45F, 1e-45F) || is(1e-45F, 0.0F));
}

/// They are those of the polynomial with fused multiply-adds in its order.
TEST(PortableGelu, HasKnownBits) {
  std::uint64_t sum = 0;
  for (std::uint32_t bits = 0; bits < 0xFF800000U; bits += 9973) {
    const auto x = std::bit_cast<float>(bits);
    if (!std::isnan(x)) sum = sum * 31 + std::bit_cast<std::uint32_t>(portable_gelu(x));
  }
  EXPECT_EQ(sum, 0x467947867FC50EBDU);
}

}  // namespace Kindred::Testing::GeluTest

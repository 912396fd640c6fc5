// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/math/Gelu.hpp>
#include <kindred/reference/Reference.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "Support.hpp"

namespace GeluTest {

using namespace Kindred;

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

TEST(PortableGelu, MatchesReferenceBitForBit) {
  auto generator = Testing::generator("PortableGelu");
  for (int i = 0; i < 300000; ++i) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(generator()));
    const int exponent = std::isfinite(x) && x != 0 ? std::ilogb(x) : 0;
    for (const float value : {x, std::ldexp(x, i % 5 - 1 - exponent)}) {
      if (value != value) continue;
      ASSERT_EQ(
          std::bit_cast<std::uint32_t>(portable_gelu(value)),
          std::bit_cast<std::uint32_t>(Reference::apply_activation(LayerActivation::gelu, value)))
          << value;
    }
  }
}

}  // namespace GeluTest

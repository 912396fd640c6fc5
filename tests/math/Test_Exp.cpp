// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/math/Exp.hpp>

#include <cmath>
#include <limits>

#include "Support.hpp"

namespace Kindred::Testing::ExpTest {

TEST(PortableExp, IsWithinItsStatedError) {
  auto generator = Testing::generator("PortableExp");
  std::uniform_real_distribution<double> wide(-700.0, 700.0);
  std::uniform_real_distribution<double> narrow(-1.0, 1.0);
  for (int i = 0; i < 400000; ++i) {
    const double x = i % 2 == 0 ? wide(generator) : narrow(generator);
    const long double expected = std::exp(static_cast<long double>(x));
    ASSERT_LT(std::abs(static_cast<double>((portable_exp(x) - expected) / expected)), 4e-16) << x;
  }
}

TEST(PortableExp, HasExactLimits) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double limits[][2] = {{0.0, 1.0},       {-0.0, 1.0},       {infinity, infinity},
                              {-infinity, 0.0}, {710.0, infinity}, {-746.0, 0.0}};
  for (const auto& [x, expected] : limits) EXPECT_EQ(portable_exp(x), expected) << x;
  EXPECT_GT(portable_exp(-745.0), 0.0);
  EXPECT_NEAR(portable_exp(709.7) / std::exp(709.7), 1.0, 1e-15);
  EXPECT_TRUE(std::isnan(portable_exp(std::numeric_limits<double>::quiet_NaN())));
}

TEST(PortableSigmoid, IsWithinItsStatedError) {
  auto generator = Testing::generator("PortableSigmoid");
  std::uniform_real_distribution<double> values(-60.0, 60.0);
  for (int i = 0; i < 100000; ++i) {
    const double z = values(generator);
    const long double expected = 1.0L / (1.0L + std::exp(static_cast<long double>(-z)));
    ASSERT_LT(std::abs(static_cast<double>((portable_sigmoid(z) - expected) / expected)), 1e-15)
        << z;
  }
  EXPECT_EQ(portable_sigmoid(1e308), 1.0);
  EXPECT_EQ(portable_sigmoid(-1e308), 0.0);
}

}  // namespace Kindred::Testing::ExpTest

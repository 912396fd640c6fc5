// SPDX-License-Identifier: Apache-2.0
// Exponential functions, logarithms and powers.
#include <gtest/gtest.h>
#include <kindred/core/math/Exp.hpp>
#include <kindred/core/math/Pow.hpp>

#include <bit>
#include <cmath>
#include <limits>

#include "Support.hpp"

namespace Kindred::Testing::PowersTest {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double relative_error(double value, long double exact) {
  return static_cast<double>(std::abs((value - exact) / exact));
}

TEST(PortableExp, IsWithinItsStatedError) {
  auto generator = Testing::generator("PortableExp");
  std::uniform_real_distribution<double> wide(-700.0, 700.0);
  std::uniform_real_distribution<double> narrow(-1.0, 1.0);
  for (int i = 0; i < 400000; ++i) {
    const double x = i % 2 == 0 ? wide(generator) : narrow(generator);
    ASSERT_LT(relative_error(portable_exp(x), std::exp(static_cast<long double>(x))), 4e-16) << x;
  }
}

TEST(PortableExp, HasExactLimits) {
  const double limits[][2] = {{0.0, 1.0},       {-0.0, 1.0},       {infinity, infinity},
                              {-infinity, 0.0}, {710.0, infinity}, {-746.0, 0.0}};
  for (const auto& [x, expected] : limits) EXPECT_EQ(portable_exp(x), expected) << x;
  EXPECT_GT(portable_exp(-745.0), 0.0);
  EXPECT_NEAR(portable_exp(709.7) / std::exp(709.7), 1.0, 1e-15);
  EXPECT_TRUE(std::isnan(portable_exp(nan)));
}

TEST(PortableSigmoid, IsWithinItsStatedError) {
  auto generator = Testing::generator("PortableSigmoid");
  std::uniform_real_distribution<double> values(-60.0, 60.0);
  for (int i = 0; i < 100000; ++i) {
    const double z = values(generator);
    const long double expected = 1.0L / (1.0L + std::exp(static_cast<long double>(-z)));
    ASSERT_LT(relative_error(portable_sigmoid(z), expected), 1e-15) << z;
  }
  EXPECT_EQ(portable_sigmoid(1e308), 1.0);
  EXPECT_EQ(portable_sigmoid(-1e308), 0.0);
}

/// The distance of \p value from \p exact, in units in the last place of \p exact.
double units_between(double value, long double exact) {
  int exponent = 0;
  std::frexp(static_cast<double>(exact), &exponent);
  return static_cast<double>(std::abs(value - exact) / std::ldexp(1.0L, exponent - 53));
}

/// Arguments near 1, denormal, huge, quotients of small integers (as metrics have them), and
/// random.
std::vector<double> arguments() {
  auto generator = Testing::generator("Log");
  std::uniform_real_distribution<double> share(0.0, 1.0);
  std::uniform_real_distribution<double> exponent(-1070.0, 1023.0);
  std::vector<double> values{0x1p-1074, 0x1.8p-1073, 0x1.fffffffffffffp1023, 0x1p-1022};
  for (const double base : {1.0, 0.5, 2.0, 0x1.6a09e667f3bcdp-1, 0x1.6a09e667f3bcdp+0}) {
    for (int i = 1; i <= 64; ++i) {
      values.push_back(base * (1.0 + i * 0x1p-52));
      values.push_back(base * (1.0 - i * 0x1p-53));
      values.push_back(base * (1.0 + std::ldexp(1.0, -i % 52)));
    }
  }
  for (int i = 0; i < 50000; ++i) {
    values.push_back(share(generator) + 0x1p-60);
    values.push_back(0.6 + share(generator));
    values.push_back(std::exp2(exponent(generator)));
    values.push_back(static_cast<double>(1 + generator() % 300) /
                     static_cast<double>(1 + generator() % 300));
  }
  return values;
}

template <class Function, class Exact>
void expect_nearly_correct_rounding(const Function& function, const Exact& exact) {
  std::size_t others = 0;
  const std::vector<double> values = arguments();
  for (const double x : values) {
    const long double expected = exact(static_cast<long double>(x));
    const double value = function(x);
    if (expected == 0.0L) {
      EXPECT_EQ(value, 0.0) << x;
      continue;
    }
    // Where long double has a 64-bit mantissa, the reference itself has a rounding error of 2⁻¹¹
    // units.
    ASSERT_LT(units_between(value, expected), 0.502) << x;
    others += value == static_cast<double>(expected) ? 0 : 1;
  }
  EXPECT_LT(others, values.size() / 1000);
}

TEST(PortableLog, IsWithinItsStatedError) {
  expect_nearly_correct_rounding(portable_log, [](long double x) { return std::log(x); });
  expect_nearly_correct_rounding(portable_log2, [](long double x) { return std::log2(x); });
}

TEST(PortableLog, HasExactLimits) {
  for (const auto log : {portable_log, portable_log2}) {
    EXPECT_EQ(log(0.0), -infinity);
    EXPECT_EQ(log(-0.0), -infinity);
    EXPECT_EQ(log(infinity), infinity);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(log(1.0)), 0U) << "+0";
    for (const double x : {-1.0, -0x1p-1074, -infinity, nan}) EXPECT_TRUE(std::isnan(log(x))) << x;
  }
}

TEST(PortableLog, ToBase2IsExactForPowersOfTwo) {
  for (int k = -1074; k <= 1023; ++k) ASSERT_EQ(portable_log2(std::ldexp(1.0, k)), k);
}

/// Values computed to 200 bits with mpmath, then rounded.
TEST(PortableLog, HasKnownBits) {
  EXPECT_EQ(portable_log(2.0), 0x1.62e42fefa39efp-1);
  EXPECT_EQ(portable_log(10.0), 0x1.26bb1bbb55516p+1);
  EXPECT_EQ(portable_log(3.0 / 7.0), -0x1.b1d10670aae9ap-1);
  EXPECT_EQ(portable_log2(3.0), 0x1.95c01a39fbd68p+0);
  EXPECT_EQ(portable_log2(55.0 / 57.0), -0x1.a622df8012067p-5);
}

TEST(PortablePow, IsWithinItsStatedError) {
  auto generator = Testing::generator("Pow");
  std::uniform_real_distribution<double> exponents(-4.0, 4.0);
  std::uniform_real_distribution<double> logarithms(-100.0, 100.0);
  for (int i = 0; i < 100000; ++i) {
    const double base =
        i % 2 == 0 ? static_cast<double>(1 + generator() % 1000) : std::exp2(logarithms(generator));
    const double exponent = exponents(generator);
    const long double expected =
        std::pow(static_cast<long double>(base), static_cast<long double>(exponent));
    ASSERT_LT(relative_error(portable_pow(base, exponent), expected), 6e-16)
        << base << ", " << exponent;
  }
}

TEST(PortablePow, HasExactLimits) {
  for (const double x : {0.0, 1.0, 7.5, infinity, nan}) {
    EXPECT_EQ(portable_pow(x, 0.0), 1.0);
    EXPECT_EQ(portable_pow(1.0, x), 1.0);
  }
  const double limits[][3] = {
      {0.0, 2.0, 0.0},           {0.0, -2.0, infinity},     {infinity, -2.0, 0.0},
      {infinity, 2.0, infinity}, {2.0, infinity, infinity}, {2.0, -infinity, 0.0},
      {0.5, infinity, 0.0},      {1e300, 2.0, infinity},    {1e300, -2.0, 0.0},
      {2.0, -1074.0, 0x1p-1074}, {2.0, 10.0, 1024.0}};
  for (const auto& [base, exponent, expected] : limits)
    EXPECT_EQ(portable_pow(base, exponent), expected) << base << ", " << exponent;
  for (const auto& [base, exponent] : {std::pair(-2.0, 2.0), {nan, 2.0}, {2.0, nan}})
    EXPECT_TRUE(std::isnan(portable_pow(base, exponent))) << base << ", " << exponent;
}

}  // namespace Kindred::Testing::PowersTest

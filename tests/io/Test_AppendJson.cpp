// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "Support.hpp"
#include "io/AppendJson.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

namespace AppendJsonTest {

using namespace Kindred;
using namespace Kindred::Tools;

template <class Value>
std::string json(Value value) {
  std::string out;
  append_json(out, value);
  return out;
}

TEST(JsonNumber, IsLaidOutAsPythonsRepr) {
  EXPECT_EQ(json(0.0), "0.0");
  EXPECT_EQ(json(-0.0), "-0.0");
  EXPECT_EQ(json(1.0), "1.0");
  EXPECT_EQ(json(-2.5), "-2.5");
  EXPECT_EQ(json(0.1), "0.1");
  EXPECT_EQ(json(2.0 / 3.0), "0.6666666666666666");
  EXPECT_EQ(json(1e-4), "0.0001");
  EXPECT_EQ(json(1e-5), "1e-05");
  EXPECT_EQ(json(1.5e-7), "1.5e-07");
  EXPECT_EQ(json(123456789.0), "123456789.0");
  EXPECT_EQ(json(1234567890123456.0), "1234567890123456.0");
  EXPECT_EQ(json(1e16), "1e+16");
  EXPECT_EQ(json(1.7976931348623157e308), "1.7976931348623157e+308");
  EXPECT_EQ(json(5e-324), "5e-324");
}

TEST(JsonNumber, HasTheFewestDigitsOfAFloat32) {
  EXPECT_EQ(json(0.1F), "0.1");
  EXPECT_EQ(json(2.0F / 3.0F), "0.6666667");
  EXPECT_EQ(json(16777216.0F), "16777216.0");
  EXPECT_EQ(json(std::numeric_limits<float>::max()), "3.4028235e+38");
  EXPECT_EQ(json(std::numeric_limits<float>::denorm_min()), "1e-45");
}

TEST(JsonNumber, WritesWhatIsNotFiniteAsJson) {
  EXPECT_EQ(json(std::nanf("")), "null");
  EXPECT_EQ(json(std::numeric_limits<float>::infinity()), "1e999");
  EXPECT_EQ(json(-std::numeric_limits<double>::infinity()), "-1e999");
}

TEST(JsonNumber, GivesTheSameBitsBack) {
  auto random = Testing::generator("GivesTheSameBitsBack");
  for (int i = 0; i < 20000; ++i) {
    const auto number = std::bit_cast<double>(random());
    if (std::isfinite(number)) {
      ASSERT_EQ(std::strtod(json(number).c_str(), nullptr), number);
    }
    const auto small = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isfinite(small)) {
      ASSERT_EQ(std::strtof(json(small).c_str(), nullptr), small);
    }
  }
}

TEST(JsonString, EscapesWhatJsonMust) {
  EXPECT_EQ(json(std::string_view("a\"b\\c\n\r\t\b\f\x01\x7f é")),
            "\"a\\\"b\\\\c\\n\\r\\t\\b\\f\\u0001\x7f é\"");
}

}  // namespace AppendJsonTest

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "Support.hpp"
#include "io/AppendJson.hpp"
#include "program/ParseNumber.hpp"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>

namespace NumbersTest {

using namespace Kindred;
using namespace Kindred::Tools;

template <class Value>
std::string json(Value value) {
  std::string out;
  append_json(out, value);
  return out;
}

TEST(JsonNumber, IsLaidOutAsPythonsRepr) {
  for (const char* text :
       {"0.0", "-0.0", "1.0", "-2.5", "0.1", "0.6666666666666666", "0.0001", "1e-05", "1.5e-07",
        "123456789.0", "1234567890123456.0", "1e+16", "1.7976931348623157e+308", "5e-324"})
    EXPECT_EQ(json(std::strtod(text, nullptr)), text);
}

TEST(JsonNumber, HasTheFewestDigitsOfAFloat32) {
  for (const char* text : {"0.1", "0.6666667", "16777216.0", "3.4028235e+38", "1e-45"})
    EXPECT_EQ(json(std::strtof(text, nullptr)), text);
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
    const auto small = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isfinite(number)) {
      ASSERT_EQ(std::strtod(json(number).c_str(), nullptr), number);
    }
    if (std::isfinite(small)) {
      ASSERT_EQ(std::strtof(json(small).c_str(), nullptr), small);
    }
  }
}

TEST(JsonString, EscapesWhatJsonMust) {
  EXPECT_EQ(json(std::string_view("a\"b\\c\n\r\t\b\f\x01\x7f é")),
            "\"a\\\"b\\\\c\\n\\r\\t\\b\\f\\u0001\x7f é\"");
}

TEST(ParseNumber, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_number("0.25"), 0.25);
  EXPECT_EQ(parse_number("+1e3"), 1000);
  EXPECT_EQ(parse_number("-7"), -7);
  EXPECT_EQ(parse_number("1e-400"), 0);
  for (const char* text :
       {"", "+", "x", "1x", " 1", "1 ", "1e400", "-1e400", "nan", "inf", "0x10", "+-1"})
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
}

TEST(ParseCount, TakesDigitsOnly) {
  EXPECT_EQ(parse_count("0"), 0U);
  EXPECT_EQ(parse_count("010"), 10U);
  EXPECT_EQ(parse_count("18446744073709551615"), 18446744073709551615ULL);
  for (const char* text : {"", "-1", "+1", "1.0", "1e3", "18446744073709551616"})
    EXPECT_EQ(parse_count(text), std::nullopt) << text;
}

}  // namespace NumbersTest

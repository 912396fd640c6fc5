// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "program/ParseNumber.hpp"

#include <optional>

namespace ParseNumberTest {

using namespace Kindred::Tools;

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

}  // namespace ParseNumberTest

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/common/Quotes.hpp>

namespace QuotesTest {

using namespace Kindred;

TEST(InQuotes, HidesControlBytesAndCutsBetweenCodePoints) {
  EXPECT_EQ(in_quotes("a\n\x7f"), "'a\\x0a\\x7f'");
  const std::string text = std::string(59, 'a') + "é" + "b";
  EXPECT_EQ(in_quotes(text), "'" + std::string(59, 'a') + "é…'");
}

}  // namespace QuotesTest

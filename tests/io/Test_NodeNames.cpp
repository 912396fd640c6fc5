// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "io/NodeNames.hpp"

namespace NodeNamesTest {

using Kindred::Tools::NodeNames;

TEST(NodeNames, NumbersThatAreNotThereAreNoNames) {
  const NodeNames all = NodeNames::numbers(3);
  const NodeNames some = NodeNames::numbers(3, [](std::uint32_t node) { return node != 1; });
  EXPECT_EQ(all.find("2"), 1U);
  EXPECT_EQ(some.find("2"), std::nullopt);
  EXPECT_EQ(some.find("3"), 2U);
  EXPECT_EQ(some.size(), 3U);
}

}  // namespace NodeNamesTest

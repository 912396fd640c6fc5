// SPDX-License-Identifier: Apache-2.0
#include "ReferenceSupport.hpp"

namespace Kindred::Testing::SumTest {

// 2^53: the next double is 2 away, so adding 1 is lost, which reveals the order of the additions.
constexpr double huge = 9007199254740992.0;

/// The sum of \p count terms, of which all but the \p values are 0.
double sum(std::size_t count, const std::vector<std::pair<std::size_t, double>>& values) {
  std::vector<double> terms(count, 0.0);
  for (const auto& [at, value] : values) terms[at] = value;
  return Reference::reproducible_sum(terms);
}

TEST(ReferenceSum, IsAddedInLanesTreesAndBlocks) {
  EXPECT_EQ(sum(2, {{0, 1.5}, {1, -0.25}}), 1.25);
  // A lane adds every thirty-second term.
  EXPECT_EQ(sum(64, {{0, huge}, {1, 1}, {32, -huge}}), 1.0);
  EXPECT_EQ(sum(65, {{0, huge}, {32, 1}, {64, -huge}}), 0.0);
  // Lanes are added by a pairwise tree.
  for (const std::size_t count : {32, 3}) {
    const std::size_t half = count == 32 ? 16 : 2;
    EXPECT_EQ(sum(count, {{0, huge}, {1, 1}, {half, -huge}}), 1.0);
    EXPECT_EQ(sum(count, {{0, huge}, {half, 1}, {1, -huge}}), 0.0);
  }
  // Blocks of 4096 are added by a padded pairwise tree.
  EXPECT_EQ(sum(4096, {{0, huge}, {1, 1}, {4064, -huge}}), 1.0);
  EXPECT_EQ(sum(4097, {{1, huge}, {33, 1}, {4096, -huge}}), 0.0);
  EXPECT_EQ(sum(12288, {{0, huge}, {4096, 1}, {8192, -huge}}), 1.0);
  EXPECT_EQ(sum(12288, {{0, huge}, {8192, 1}, {4096, -huge}}), 0.0);
  // It is never −0.
  EXPECT_FALSE(std::signbit(sum(0, {})));
  EXPECT_FALSE(std::signbit(Reference::reproducible_sum(std::vector<double>(65, -0.0))));
}

TEST(ReferenceSum, DotAndDifferenceAreDouble) {
  const std::vector<float> a{1e30F, 1.0F, 3.0F}, b{1e30F, 2.0F, -1.0F};
  EXPECT_EQ(Reference::dot(a, b), static_cast<double>(1e30F) * 1e30F + -1.0);
  EXPECT_EQ(Reference::squared_difference(a, b), 17.0);
}

}  // namespace Kindred::Testing::SumTest

// SPDX-License-Identifier: Apache-2.0
#include "ReferenceSupport.hpp"

namespace SumTest {

using namespace Kindred;
using namespace Kindred::Testing;

// 2^53: the next double is 2 away, so adding 1 is lost, which reveals the order of the additions.
constexpr double huge = 9007199254740992.0;

std::vector<double> sparse(std::size_t count, std::vector<std::pair<std::size_t, double>> values) {
  std::vector<double> terms(count, 0.0);
  for (const auto& [at, value] : values) terms[at] = value;
  return terms;
}

TEST(ReferenceSum, SmallSizesByHand) {
  EXPECT_EQ(Reference::reproducible_sum({}), 0.0);
  EXPECT_FALSE(std::signbit(Reference::reproducible_sum({})));
  EXPECT_EQ(Reference::reproducible_sum(std::vector<double>{1.5}), 1.5);
  EXPECT_EQ(Reference::reproducible_sum(std::vector<double>{1.5, -0.25}), 1.25);
  EXPECT_EQ(Reference::reproducible_sum(std::vector<double>{1, 2, 4}), 7.0);
}

TEST(ReferenceSum, IsNeverMinusZero) {
  EXPECT_FALSE(std::signbit(Reference::reproducible_sum(std::vector<double>(65, -0.0))));
}

TEST(ReferenceSum, ALaneAddsEveryThirtySecondTerm) {
  EXPECT_EQ(Reference::reproducible_sum(sparse(64, {{0, huge}, {1, 1}, {32, -huge}})), 1.0);
  EXPECT_EQ(Reference::reproducible_sum(sparse(65, {{0, huge}, {32, 1}, {64, -huge}})), 0.0);
}

TEST(ReferenceSum, LanesAreAddedByAPairwiseTree) {
  EXPECT_EQ(Reference::reproducible_sum(sparse(32, {{0, huge}, {1, 1}, {16, -huge}})), 1.0);
  EXPECT_EQ(Reference::reproducible_sum(sparse(32, {{0, huge}, {16, 1}, {1, -huge}})), 0.0);
  EXPECT_EQ(Reference::reproducible_sum(sparse(3, {{0, huge}, {1, 1}, {2, -huge}})), 1.0);
  EXPECT_EQ(Reference::reproducible_sum(sparse(3, {{0, huge}, {2, 1}, {1, -huge}})), 0.0);
}

TEST(ReferenceSum, BlocksOf4096AreAddedByAPaddedPairwiseTree) {
  EXPECT_EQ(Reference::reproducible_sum(sparse(4096, {{0, huge}, {1, 1}, {4064, -huge}})), 1.0);
  EXPECT_EQ(Reference::reproducible_sum(sparse(4097, {{1, huge}, {33, 1}, {4096, -huge}})), 0.0);
  EXPECT_EQ(Reference::reproducible_sum(sparse(12288, {{0, huge}, {4096, 1}, {8192, -huge}})), 1.0);
  EXPECT_EQ(Reference::reproducible_sum(sparse(12288, {{0, huge}, {8192, 1}, {4096, -huge}})), 0.0);
}

TEST(ReferenceSum, DotAndDifferenceAreDouble) {
  const std::vector<float> a{1e30F, 1.0F, 3.0F};
  const std::vector<float> b{1e30F, 2.0F, -1.0F};
  EXPECT_EQ(Reference::dot(a, b), static_cast<double>(1e30F) * 1e30F + -1.0);
  EXPECT_EQ(Reference::squared_difference(a, b), 17.0);
}

}  // namespace SumTest

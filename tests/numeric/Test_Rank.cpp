// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/numeric/Rank.hpp>

#include <bit>
#include <cmath>
#include <limits>

#include "Support.hpp"

namespace Kindred::Testing::RankTest {

/// Special values and random bit patterns.
std::vector<float> scores() {
  using Limits = std::numeric_limits<float>;
  std::vector<float> out;
  for (const float value : {0.0F, 1.0F, Limits::min(), Limits::denorm_min(), Limits::max(),
                            Limits::infinity(), Limits::quiet_NaN()}) {
    out.push_back(value);
    out.push_back(-value);
  }
  auto generator = Testing::generator("Rank");
  for (int i = 0; i < 100000; ++i)
    out.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(generator())));
  return out;
}

std::uint32_t expected_bits(float score) {
  if (std::isnan(score)) return canonical_nan_bits;
  return score == 0.0F ? 0U : std::bit_cast<std::uint32_t>(score);
}

TEST(Rank, ReturnsTheScoreAndTheIndex) {
  std::uint32_t index = 0;
  for (const float score : scores()) {
    const Rank down = rank_descending(score, index);
    const Rank up = rank_ascending(score, index);
    ASSERT_EQ(std::bit_cast<std::uint32_t>(score_descending(down)), expected_bits(score));
    ASSERT_EQ(std::bit_cast<std::uint32_t>(score_ascending(up)), expected_bits(score));
    ASSERT_EQ(rank_index(down), index);
    ASSERT_EQ(rank_index(up), index);
    index += 40009U;
  }
}

TEST(Rank, OrdersByScoreThenIndexWithNaNLast) {
  const std::vector<float> all = scores();
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const float a = all[i];
    const float b = all[i + 1];
    const bool tie = a == b || (std::isnan(a) && std::isnan(b));
    const bool larger = !std::isnan(a) && (std::isnan(b) || a > b);
    const bool smaller = !std::isnan(a) && (std::isnan(b) || a < b);
    ASSERT_EQ(rank_descending(a, 2) < rank_descending(b, 1), !tie && larger) << a << ' ' << b;
    ASSERT_EQ(rank_ascending(a, 2) < rank_ascending(b, 1), !tie && smaller) << a << ' ' << b;
    ASSERT_TRUE(rank_descending(a, 1) < rank_descending(a, 2));
    ASSERT_TRUE(rank_ascending(a, 1) < rank_none);
  }
}

}  // namespace Kindred::Testing::RankTest

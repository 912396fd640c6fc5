// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/numeric/Rank.hpp>
#include <kindred/core/sequence/Similarity.hpp>
#include <kindred/core/sequence/impl/MatchKeysKernel.hpp>

#include <gtest/gtest.h>

#include "Support.hpp"

namespace SimilarityArithmeticTest {

using namespace Kindred;

TEST(SimilarityArithmetic, MinimumMatchedIsTheFirstCountThatReachesTheThreshold) {
  auto generator = Testing::generator("least");
  for (std::uint64_t total = 1; total < 300; ++total) {
    for (int repeat = 0; repeat < 50; ++repeat) {
      // Exact boundaries and arbitrary values.
      const double threshold = repeat % 2 == 0 ? similarity(generator() % (total / 2 + 1), total)
                                               : static_cast<double>(generator() % 10001) / 10000.0;
      const std::uint64_t least = least_matched(threshold, total);
      EXPECT_GE(similarity(least, total), threshold);
      if (least > 0) {
        EXPECT_LT(similarity(least - 1, total), threshold);
      }
    }
  }
}

TEST(SimilarityArithmetic, Float32DistinguishesAllCountsUpToItsLimit) {
  // The closest pair of ratios with these denominators: neighbors in a Farey sequence.
  const std::uint64_t limit = float_similarity_total_max;
  for (std::uint64_t total = limit - 40; total <= limit; ++total) {
    for (std::uint64_t other = total - 30; other < total; ++other) {
      for (std::uint64_t matched = 1; matched <= other / 2; matched += 7) {
        const double a = similarity(matched, other);
        for (const std::uint64_t near : {matched, matched + 1}) {
          const double b = similarity(near, total);
          EXPECT_EQ(a < b, static_cast<float>(a) < static_cast<float>(b));
          EXPECT_EQ(a == b, static_cast<float>(a) == static_cast<float>(b));
        }
      }
    }
  }
}

TEST(SimilarityArithmetic, KeysMatchTheTotalOrder) {
  for (std::uint64_t total = 1; total < 200; ++total) {
    for (std::uint64_t matched = 0; matched <= total / 2; ++matched) {
      const double value = similarity(matched, total);
      EXPECT_EQ(Impl::match_key<Rank>(value, 7), rank_descending(static_cast<float>(value), 7));
      EXPECT_LT(Impl::match_key<WideRank>(value, 7), Impl::match_key<WideRank>(value, 8));
      if (matched > 0) {
        EXPECT_LT(Impl::match_key<WideRank>(value, 7),
                  Impl::match_key<WideRank>(similarity(matched - 1, total), 0));
      }
    }
  }
  EXPECT_LT(Impl::match_key<WideRank>(0.0, 0xFFFFFFFEU), key_none<WideRank>());
}

}  // namespace SimilarityArithmeticTest

// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Rank.hpp>
#include <kindred/core/sequence/RatcliffObershelp.hpp>
#include <kindred/core/sequence/Similarity.hpp>
#include <kindred/core/sequence/impl/MatchKeysKernel.hpp>

#include <gtest/gtest.h>

#include "Support.hpp"

#include <set>
#include <string_view>

namespace SimilarityTest {

using namespace Kindred;

TEST(Similarity, MinimumMatchedIsTheFirstCountThatReachesTheThreshold) {
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

TEST(Similarity, Float32DistinguishesAllCountsUpToItsLimit) {
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

TEST(Similarity, KeysMatchTheTotalOrder) {
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

std::vector<Block> blocks(std::string_view pattern, std::string_view query) {
  return matching_blocks(std::vector<Symbol>(pattern.begin(), pattern.end()),
                         std::vector<Symbol>(query.begin(), query.end()));
}

TEST(MatchingBlocks, MatchPython) {
  // Recorded from difflib.SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks().
  EXPECT_EQ(blocks("abxcd", "abcd"), (std::vector<Block>{{0, 0, 2}, {3, 2, 2}}));
  EXPECT_EQ(blocks("qabxcd", "abycdf"), (std::vector<Block>{{1, 0, 2}, {4, 3, 2}}));
  EXPECT_EQ(blocks("abcd", "bdca"), (std::vector<Block>{{0, 3, 1}}));
  EXPECT_EQ(blocks("aaaa", "aa"), (std::vector<Block>{{0, 0, 2}}));
  EXPECT_EQ(blocks("", "aa"), std::vector<Block>{});
  EXPECT_EQ(blocks("aa", ""), std::vector<Block>{});
  EXPECT_EQ(
      matching_blocks(std::vector<Symbol>{unknown_symbol}, std::vector<Symbol>{unknown_symbol}),
      std::vector<Block>{});
}

}  // namespace SimilarityTest

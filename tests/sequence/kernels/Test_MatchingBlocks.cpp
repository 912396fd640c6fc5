// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/MatchingBlocks.hpp>

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace MatchingBlocksTest {

using namespace Kindred;

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

}  // namespace MatchingBlocksTest

// SPDX-License-Identifier: Apache-2.0
#include "ReferenceSupport.hpp"

namespace Kindred::Testing::SequenceTest {

using Reference::Matched;
using Reference::MatchItem;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

using Blocks = std::vector<Block>;

TEST(ReferenceSequence, PairsByHand) {
  struct Case {
    const char* a;
    const char* b;
    std::uint32_t lcs;
    Blocks blocks;  ///< of difflib
    Blocks lcs_blocks;
  };
  const std::vector<Case> cases{
      {"", "a", 0, {}, {}},
      {"abc", "abc", 3, {{0, 0, 3}}, {{0, 0, 3}}},
      {"abc", "ac", 2, {{0, 0, 1}, {2, 1, 1}}, {{0, 0, 1}, {2, 1, 1}}},
      // Of Python's documentation.
      {"abxcd", "abcd", 4, {{0, 0, 2}, {3, 2, 2}}, {{0, 0, 2}, {3, 2, 2}}},
      {"qabxcd", "abycdf", 4, {{1, 0, 2}, {4, 3, 2}}, {{1, 0, 2}, {4, 3, 2}}},
      {" abcd", "abcd abcd", 5, {{0, 4, 5}}, {{0, 4, 5}}},
      // Ties go to the smallest starts in difflib; for the LCS the query is skipped before the
      // pattern, so that its first symbols match.
      {"ab", "ba", 1, {{0, 1, 1}}, {{1, 0, 1}}},
      {"a", "aaa", 1, {{0, 0, 1}}, {{0, 0, 1}}},
      // difflib's longest block hides the longer subsequence of these.
      {"abcd", "bdca", 2, {{0, 3, 1}}, {{1, 0, 1}, {3, 1, 1}}},
      {"aba", "bca", 2, {{0, 2, 1}}, {{1, 0, 1}, {2, 2, 1}}},
      // A prefix and a suffix of the LCS remain whole.
      {"xaay", "xay", 3, {{0, 0, 2}, {3, 2, 1}}, {{0, 0, 2}, {3, 2, 1}}},
      {"baa", "a", 1, {{1, 0, 1}}, {{2, 0, 1}}},
      {"abxb", "abab", 3, {{0, 0, 2}, {3, 3, 1}}, {{0, 0, 2}, {3, 3, 1}}},
      {"xabay", "zaw", 1, {{1, 1, 1}}, {{1, 1, 1}}},
      // An unknown symbol matches nothing, not even itself.
      {"a?b", "a?b", 2, {{0, 0, 1}, {2, 2, 1}}, {{0, 0, 1}, {2, 2, 1}}}};
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.a) + " and " + c.b);
    EXPECT_EQ(Reference::lcs(letters(c.a), letters(c.b)), c.lcs);
    EXPECT_EQ(Reference::blocks(letters(c.a), letters(c.b)), c.blocks);
    EXPECT_EQ(Reference::lcs_blocks(letters(c.a), letters(c.b)), c.lcs_blocks);
  }
}

TEST(ReferenceSequence, AutojunkMatchesPython) {
  const auto pairs = [](int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += "xy";
    return text;
  };
  // Recorded from Python's difflib.SequenceMatcher(None, a, b).get_matching_blocks().
  const auto junk = [](const std::string& a, const std::string& b) {
    return Reference::blocks(letters(a), letters(b), true);
  };
  // 200 symbols of which x and y are popular: no run starts with them, …
  EXPECT_THAT(junk(pairs(5), "zz" + pairs(99)), IsEmpty());
  // … but at the corner of a window a run of popular symbols grows without a rare one.
  EXPECT_THAT(junk(pairs(5), pairs(100)), ElementsAre(Block{0, 0, 10}));
  // Without the heuristic, and with one symbol fewer: a run.
  EXPECT_EQ(Reference::difflib(letters(pairs(5)), letters("z" + pairs(100))), 10U);
  EXPECT_THAT(junk(pairs(5), "z" + pairs(99)), ElementsAre(Block{0, 1, 10}));
  // A run of rare symbols grows over popular symbols on both sides, within its window.
  EXPECT_THAT(junk("xyzxyq", pairs(98) + "zxyw"), ElementsAre(Block{0, 194, 5}));
  // In 200 symbols, three occurrences are not popular and four are; in 199 symbols none is popular.
  for (const auto& [length, times, found] :
       {std::tuple{200, 3, 1}, {200, 4, 0}, {199, 4, 1}, {199, 50, 1}, {300, 4, 1}, {300, 5, 0}}) {
    std::vector<Symbol> b(length);
    for (int j = 0; j < length; ++j) b[j] = j >= 1 && j <= times ? 7 : 1000 + j;
    EXPECT_EQ(Reference::difflib(std::vector<Symbol>{1, 7, 2}, b, true), found)
        << length << ' ' << times;
  }
}

TEST(ReferenceSequence, MatchRanksAndTruncates) {
  EXPECT_EQ(Reference::similarity(Matched::lcs, 0, 0, 0), 0.0);
  EXPECT_EQ(Reference::similarity(Matched::difflib, 0, 0, 0), 1.0);
  const std::vector<std::vector<Symbol>> patterns{letters("xyz"), letters("ab"), letters(""),
                                                  letters("ab"), letters("abc")};
  const auto matched = [&](Matched measure, double threshold, std::size_t top = 10) {
    return Reference::match(patterns, letters("ab"), measure, threshold, top);
  };
  const MatchItem whole[] = {{1, 1.0, 2}, {3, 1.0, 2}, {4, 0.8, 2}, {0, 0.0, 0}, {2, 0.0, 0}};
  for (const Matched measure : {Matched::lcs, Matched::difflib}) {
    EXPECT_THAT(matched(measure, 0.0), ElementsAreArray(whole));
    EXPECT_THAT(matched(measure, 0.8), ElementsAreArray(whole, 3));
    EXPECT_THAT(matched(measure, 0.1, 2), ElementsAreArray(whole, 2));
  }
  EXPECT_THAT(Reference::match(patterns, {}, Matched::difflib, 0.0, 10), IsEmpty());
}

/// The matrix of \p pairs of \p size items; all others are not similar.
std::vector<std::vector<double>> matrix(
    std::size_t size, const std::vector<std::tuple<std::size_t, std::size_t, double>>& pairs) {
  std::vector<std::vector<double>> values(size, std::vector<double>(size, -1.0));
  for (const auto& [i, j, value] : pairs) values[i][j] = values[j][i] = value;
  return values;
}

TEST(ReferenceSequence, ClustersByHand) {
  using Members = std::vector<std::uint64_t>;
  EXPECT_THAT(Reference::cluster({}, false).members, IsEmpty());
  // A chain 0 - 1 - 2, and 3 alone.
  const auto chain = matrix(4, {{0, 1, 0.9}, {1, 2, 0.95}});
  const auto single = Reference::cluster(chain, false);
  EXPECT_THAT(single.members, ElementsAre(Members{0, 1, 2}, Members{3}));
  EXPECT_THAT(single.representatives, ElementsAre(1, 3));
  const auto complete = Reference::cluster(chain, true);
  EXPECT_THAT(complete.members, ElementsAre(Members{0}, Members{1, 2}, Members{3}));
  EXPECT_THAT(complete.representatives, ElementsAre(0, 1, 3));
  // Of equally similar pairs, that of the lower items is merged first.
  EXPECT_THAT(Reference::cluster(matrix(3, {{0, 1, 0.9}, {1, 2, 0.9}}), true).members,
              ElementsAre(Members{0, 1}, Members{2}));
  EXPECT_THAT(Reference::cluster(matrix(3, {{0, 2, 0.9}, {1, 2, 0.9}}), true).members,
              ElementsAre(Members{0, 2}, Members{1}));
  // {0, 1} and 2 are as similar as 0 and 2, so 2 joins 3.
  EXPECT_THAT(
      Reference::cluster(matrix(4, {{0, 1, 1.0}, {0, 2, 0.5}, {1, 2, 0.9}, {2, 3, 0.8}}), true)
          .members,
      ElementsAre(Members{0, 1}, Members{2, 3}));
}

}  // namespace Kindred::Testing::SequenceTest

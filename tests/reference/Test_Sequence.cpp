// SPDX-License-Identifier: Apache-2.0
#include "ReferenceSupport.hpp"

namespace SequenceTest {

using namespace Kindred;
using namespace Kindred::Testing;
using Reference::Matched;
using Reference::MatchItem;
using ::testing::ElementsAre;
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
      {"", "", 0, {}, {}},
      {"a", "", 0, {}, {}},
      {"", "a", 0, {}, {}},
      {"a", "a", 1, {{0, 0, 1}}, {{0, 0, 1}}},
      {"abc", "xyz", 0, {}, {}},
      {"abc", "abc", 3, {{0, 0, 3}}, {{0, 0, 3}}},
      {"abc", "ac", 2, {{0, 0, 1}, {2, 1, 1}}, {{0, 0, 1}, {2, 1, 1}}},
      // Of Python's documentation.
      {"abxcd", "abcd", 4, {{0, 0, 2}, {3, 2, 2}}, {{0, 0, 2}, {3, 2, 2}}},
      {"qabxcd", "abycdf", 4, {{1, 0, 2}, {4, 3, 2}}, {{1, 0, 2}, {4, 3, 2}}},
      {" abcd", "abcd abcd", 5, {{0, 4, 5}}, {{0, 4, 5}}},
      // Ties go to the smallest starts in difflib; for the LCS the query is skipped before the
      // pattern, so that its first symbols match.
      {"ab", "ba", 1, {{0, 1, 1}}, {{1, 0, 1}}},
      {"ba", "ab", 1, {{0, 1, 1}}, {{1, 0, 1}}},
      {"a", "aaa", 1, {{0, 0, 1}}, {{0, 0, 1}}},
      // difflib's longest block hides the longer subsequence of these.
      {"abcd", "bdca", 2, {{0, 3, 1}}, {{1, 0, 1}, {3, 1, 1}}},
      {"bdca", "abcd", 2, {{0, 1, 1}, {1, 3, 1}}, {{0, 1, 1}, {2, 2, 1}}},
      {"aba", "bca", 2, {{0, 2, 1}}, {{1, 0, 1}, {2, 2, 1}}},
      // A prefix and a suffix of the LCS remain whole.
      {"xaay", "xay", 3, {{0, 0, 2}, {3, 2, 1}}, {{0, 0, 2}, {3, 2, 1}}},
      {"baa", "a", 1, {{1, 0, 1}}, {{2, 0, 1}}},
      {"abxb", "abab", 3, {{0, 0, 2}, {3, 3, 1}}, {{0, 0, 2}, {3, 3, 1}}},
      {"xabay", "zaw", 1, {{1, 1, 1}}, {{1, 1, 1}}},
      // An unknown symbol matches nothing, not even itself.
      {"a?b", "a?b", 2, {{0, 0, 1}, {2, 2, 1}}, {{0, 0, 1}, {2, 2, 1}}},
      {"???", "???", 0, {}, {}}};
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.a) + " and " + c.b);
    EXPECT_EQ(Reference::lcs(letters(c.a), letters(c.b)), c.lcs);
    EXPECT_EQ(Reference::blocks(letters(c.a), letters(c.b)), c.blocks);
    EXPECT_EQ(Reference::lcs_blocks(letters(c.a), letters(c.b)), c.lcs_blocks);
  }
}

TEST(ReferenceSequence, CountsByHand) {
  struct Case {
    const char* a;
    const char* b;
    unsigned lcs, forward, backward;
  };
  for (const Case& c : {Case{"aba", "bca", 2, 1, 2},
                        {"bacb", "ab", 2, 1, 2},
                        {"abcd", "bdca", 2, 1, 2},
                        {"abc", "bdca", 2, 1, 2},
                        {"abcd", "cbda", 2, 1, 2},
                        {"abcdef", "abdfec", 4, 3, 4},
                        {"agcat", "gac", 2, 2, 2},
                        {"aggtab", "gxtxayb", 4, 2, 4}}) {
    SCOPED_TRACE(std::string(c.a) + " and " + c.b);
    EXPECT_EQ(Reference::lcs(letters(c.a), letters(c.b)), c.lcs);
    EXPECT_EQ(Reference::lcs(letters(c.b), letters(c.a)), c.lcs);
    EXPECT_EQ(Reference::difflib(letters(c.a), letters(c.b)), c.forward);
    EXPECT_EQ(Reference::difflib(letters(c.b), letters(c.a)), c.backward);
  }
  EXPECT_EQ(Reference::difflib(letters("private Thread currentThread;"),
                               letters("private volatile Thread currentThread;")),
            29U);
}

/// \p unit repeated \p times times.
std::string repeated(const char* unit, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += unit;
  return text;
}

TEST(ReferenceSequence, AutojunkMatchesPython) {
  // Recorded from Python's difflib.SequenceMatcher(None, a, b).get_matching_blocks().
  const auto junk = [](const std::string& a, const std::string& b) {
    return Reference::blocks(letters(a), letters(b), true);
  };
  // 200 symbols of which x and y are popular: no run starts with them, …
  EXPECT_THAT(junk(repeated("xy", 5), "zz" + repeated("xy", 99)), IsEmpty());
  // … but at the corner of a window a run of popular symbols grows without a rare one.
  EXPECT_THAT(junk(repeated("xy", 5), repeated("xy", 100)), ElementsAre(Block{0, 0, 10}));
  // Without the heuristic, and with one symbol fewer: a run.
  EXPECT_EQ(Reference::difflib(letters(repeated("xy", 5)), letters("z" + repeated("xy", 100))),
            10U);
  EXPECT_THAT(junk(repeated("xy", 5), "z" + repeated("xy", 99)), ElementsAre(Block{0, 1, 10}));
  // A run of rare symbols grows over popular symbols on both sides, within its window.
  EXPECT_THAT(junk("xyzxyq", repeated("xy", 98) + "zxyw"), ElementsAre(Block{0, 194, 5}));
  // In 200 symbols, three occurrences are not popular and four are; in 199 symbols none is popular.
  for (const auto& [length, times, found] :
       {std::tuple{200, 3, 1}, {200, 4, 0}, {199, 4, 1}, {199, 50, 1}, {300, 4, 1}, {300, 5, 0}}) {
    std::vector<Symbol> b(length);
    for (int j = 0; j < length; ++j) b[j] = j >= 1 && j <= times ? 7 : 1000 + j;
    EXPECT_EQ(Reference::difflib(std::vector<Symbol>{1, 7, 2}, b, true), found)
        << length << ' ' << times;
  }
}

TEST(ReferenceSequence, SimilarityOfEmptySequences) {
  EXPECT_EQ(Reference::similarity(Matched::lcs, 0, 0, 0), 0.0);
  EXPECT_EQ(Reference::similarity(Matched::difflib, 0, 0, 0), 1.0);
  EXPECT_EQ(Reference::similarity(Matched::lcs, 1, 1, 5), 1.0 / 3.0);
}

TEST(ReferenceSequence, GoldenSimilarities) {
  struct Case {
    const char* pattern;
    const char* query;
    double similarity;
  };
  for (const Case& c : {Case{"abc", "ab", 0.8},
                        {"abcd", "ab", 4.0 / 6},
                        {"abcdefghij", "ab", 4.0 / 12},
                        {"abcdefghij", "abcde", 10.0 / 15},
                        {"abcdefghi", "abcde", 10.0 / 14},
                        {"abcdefghi", "ad", 4.0 / 11},
                        {"abcd", "abxcd", 8.0 / 9},
                        {"abcd", "abxycdz", 8.0 / 11},
                        {"abcd", "axcy", 0.5},
                        {"abab", "ab", 4.0 / 6},
                        {"ab", "ab", 1.0},
                        {"abc", "??", 0.0}}) {
    const std::vector<std::vector<Symbol>> patterns{letters(c.pattern)};
    for (const Matched measure : {Matched::lcs, Matched::difflib}) {
      const auto found = Reference::match(patterns, letters(c.query), measure, c.similarity, 1);
      ASSERT_EQ(found.size(), 1U) << c.pattern << ' ' << c.query;
      EXPECT_EQ(found[0].similarity, c.similarity);
      EXPECT_THAT(Reference::match(patterns, letters(c.query), measure, c.similarity + 1e-12, 1),
                  IsEmpty());
    }
  }
}

TEST(ReferenceSequence, MatchRanksAndTruncates) {
  const std::vector<std::vector<Symbol>> patterns{letters("xyz"), letters("ab"), letters(""),
                                                  letters("ab"), letters("abc")};
  const auto all = Reference::match(patterns, letters("ab"), Matched::lcs, 0.0, 10);
  EXPECT_THAT(all, ElementsAre(MatchItem{1, 1.0, 2}, MatchItem{3, 1.0, 2}, MatchItem{4, 0.8, 2},
                               MatchItem{0, 0.0, 0}, MatchItem{2, 0.0, 0}));
  EXPECT_THAT(Reference::match(patterns, letters("ab"), Matched::lcs, 0.1, 2),
              ElementsAre(MatchItem{1, 1.0, 2}, MatchItem{3, 1.0, 2}));
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

}  // namespace SequenceTest

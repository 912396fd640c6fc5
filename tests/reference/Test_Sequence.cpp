// SPDX-License-Identifier: Apache-2.0
#include <kindred/reference/Reference.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace SequenceTest {

namespace Reference = Kindred::Reference;
using Kindred::Block;
using Kindred::Symbol;
using Kindred::unknown_symbol;
using Reference::Matched;
using Reference::MatchItem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// One symbol per letter; `?` is unknown.
std::vector<Symbol> letters(std::string_view text) {
  std::vector<Symbol> symbols;
  for (const char c : text)
    symbols.push_back(c == '?' ? unknown_symbol : static_cast<unsigned char>(c));
  return symbols;
}
std::uint32_t lcs(std::string_view a, std::string_view b) {
  return Reference::lcs(letters(a), letters(b));
}
std::uint32_t difflib(std::string_view a, std::string_view b) {
  return Reference::difflib(letters(a), letters(b));
}
std::vector<Block> blocks(std::string_view a, std::string_view b) {
  return Reference::blocks(letters(a), letters(b));
}

TEST(ReferenceSequence, SmallSizesByHand) {
  EXPECT_EQ(lcs("", ""), 0U);
  EXPECT_EQ(lcs("a", ""), 0U);
  EXPECT_EQ(lcs("a", "a"), 1U);
  EXPECT_EQ(lcs("ab", "ba"), 1U);
  EXPECT_EQ(lcs("abc", "ac"), 2U);
  EXPECT_EQ(difflib("", ""), 0U);
  EXPECT_EQ(difflib("", "a"), 0U);
  EXPECT_EQ(difflib("ab", "ba"), 1U);
  EXPECT_EQ(difflib("abc", "ac"), 2U);
  EXPECT_EQ(lcs("agcat", "gac"), 2U);
  EXPECT_EQ(lcs("aggtab", "gxtxayb"), 4U);
}

TEST(ReferenceSequence, DiffersFromDifflibWhereItMust) {
  struct Case {
    const char* a;
    const char* b;
    unsigned lcs, forward, backward;
  };
  for (const Case& c :
       {Case{"aba", "bca", 2, 1, 2}, Case{"bacb", "ab", 2, 1, 2}, Case{"abcd", "bdca", 2, 1, 2}}) {
    EXPECT_EQ(lcs(c.a, c.b), c.lcs);
    EXPECT_EQ(lcs(c.b, c.a), c.lcs);
    EXPECT_EQ(difflib(c.a, c.b), c.forward);
    EXPECT_EQ(difflib(c.b, c.a), c.backward);
  }
  EXPECT_EQ(lcs("abc", "bdca"), 2U);
  EXPECT_EQ(difflib("abc", "bdca"), 1U);
  EXPECT_EQ(lcs("abcd", "cbda"), 2U);
  EXPECT_EQ(difflib("abcd", "cbda"), 1U);
  EXPECT_EQ(lcs("abcdef", "abdfec"), 4U);
  EXPECT_EQ(difflib("abcdef", "abdfec"), 3U);
}

TEST(ReferenceSequence, BlocksOfPythonsDocumentation) {
  EXPECT_THAT(blocks("abxcd", "abcd"), ElementsAre(Block{0, 0, 2}, Block{3, 2, 2}));
  EXPECT_THAT(blocks("qabxcd", "abycdf"), ElementsAre(Block{1, 0, 2}, Block{4, 3, 2}));
  EXPECT_THAT(blocks(" abcd", "abcd abcd"), ElementsAre(Block{0, 4, 5}));
  EXPECT_EQ(difflib("private Thread currentThread;", "private volatile Thread currentThread;"),
            29U);
}

TEST(ReferenceSequence, TiesGoToTheSmallestStarts) {
  EXPECT_THAT(blocks("ab", "ba"), ElementsAre(Block{0, 1, 1}));
  EXPECT_THAT(blocks("ba", "ab"), ElementsAre(Block{0, 1, 1}));
  EXPECT_THAT(blocks("a", "aaa"), ElementsAre(Block{0, 0, 1}));
  EXPECT_THAT(blocks("abcd", "bdca"), ElementsAre(Block{0, 3, 1}));
}

TEST(ReferenceSequence, LcsBlocksByHand) {
  const auto lcs_blocks = [](std::string_view a, std::string_view b) {
    return Reference::lcs_blocks(letters(a), letters(b));
  };
  EXPECT_THAT(lcs_blocks("", ""), IsEmpty());
  EXPECT_THAT(lcs_blocks("abc", ""), IsEmpty());
  EXPECT_THAT(lcs_blocks("abc", "xyz"), IsEmpty());
  EXPECT_THAT(lcs_blocks("abc", "abc"), ElementsAre(Block{0, 0, 3}));
  // difflib's longest block hides the longer subsequence of these.
  EXPECT_THAT(lcs_blocks("abcd", "bdca"), ElementsAre(Block{1, 0, 1}, Block{3, 1, 1}));
  EXPECT_THAT(lcs_blocks("aba", "bca"), ElementsAre(Block{1, 0, 1}, Block{2, 2, 1}));
  // A prefix and a suffix remain whole.
  EXPECT_THAT(lcs_blocks("xaay", "xay"), ElementsAre(Block{0, 0, 2}, Block{3, 2, 1}));
  EXPECT_THAT(lcs_blocks("baa", "a"), ElementsAre(Block{2, 0, 1}));
  EXPECT_THAT(lcs_blocks("abxb", "abab"), ElementsAre(Block{0, 0, 2}, Block{3, 3, 1}));
  // The query is skipped before the pattern, so that its first symbols match.
  EXPECT_THAT(lcs_blocks("ab", "ba"), ElementsAre(Block{1, 0, 1}));
  EXPECT_THAT(lcs_blocks("ba", "ab"), ElementsAre(Block{1, 0, 1}));
  EXPECT_THAT(lcs_blocks("xabay", "zaw"), ElementsAre(Block{1, 1, 1}));
  EXPECT_THAT(lcs_blocks("a?b", "a?b"), ElementsAre(Block{0, 0, 1}, Block{2, 2, 1}));
}

TEST(ReferenceSequence, NoAutojunk) {
  std::string a;
  std::string b = "z";
  for (int i = 0; i < 5; ++i) a += "xy";
  for (int i = 0; i < 100; ++i) b += "xy";
  EXPECT_EQ(difflib(a, b), 10U);
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
  // One symbol fewer: no heuristic.
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

TEST(ReferenceSequence, UnknownMatchesNothingIncludingItself) {
  EXPECT_EQ(lcs("a?b", "a?b"), 2U);
  EXPECT_THAT(blocks("a?b", "a?b"), ElementsAre(Block{0, 0, 1}, Block{2, 2, 1}));
  EXPECT_EQ(difflib("???", "???"), 0U);
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
  for (const Case& c :
       {Case{"abc", "ab", 0.8}, Case{"abcd", "ab", 4.0 / 6}, Case{"abcdefghij", "ab", 4.0 / 12},
        Case{"abcdefghij", "abcde", 10.0 / 15}, Case{"abcdefghi", "abcde", 10.0 / 14},
        Case{"abcdefghi", "ad", 4.0 / 11}, Case{"abcd", "abxcd", 8.0 / 9},
        Case{"abcd", "abxycdz", 8.0 / 11}, Case{"abcd", "axcy", 0.5}, Case{"abab", "ab", 4.0 / 6},
        Case{"ab", "ab", 1.0}, Case{"abc", "??", 0.0}}) {
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

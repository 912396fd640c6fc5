// SPDX-License-Identifier: Apache-2.0
#include "ReferenceSupport.hpp"

namespace Kindred::Testing::MeasuresTest {

using Reference::PairMeasure;
using Reference::token_set_similarity;
using Reference::token_sort_similarity;
using ::testing::ElementsAre;

TEST(ReferenceMeasures, EditDistancesAndCommonEndsByHand) {
  struct Case {
    const char* a;
    const char* b;
    unsigned levenshtein, osa, prefix, postfix;
  };
  for (const Case& c : {Case{"", "abc", 3, 3, 0, 0},
                        {"kitten", "sitting", 3, 3, 0, 0},
                        {"saturday", "sunday", 3, 3, 1, 3},
                        {"abcd", "badc", 3, 2, 0, 0},
                        {"abcdef", "abdcef", 2, 1, 2, 2},
                        // An exchanged pair cannot be edited again: ca → ac → abc is not allowed.
                        {"ca", "abc", 3, 3, 0, 0},
                        {"aaaa", "aa", 2, 2, 2, 2},
                        // An unknown symbol matches nothing, not even itself.
                        {"a?b", "a?b", 1, 1, 1, 1},
                        {"?a", "a?", 2, 2, 0, 0}}) {
    const auto a = letters(c.a), b = letters(c.b);
    SCOPED_TRACE(std::string(c.a) + " and " + c.b);
    EXPECT_EQ(Reference::levenshtein_distance(a, b), c.levenshtein);
    EXPECT_EQ(Reference::osa_distance(b, a), c.osa);
    EXPECT_EQ(Reference::prefix_similarity(a, b), c.prefix);
    EXPECT_EQ(Reference::postfix_similarity(b, a), c.postfix);
  }
}

TEST(ReferenceMeasures, JaroWinklerByHandAndOfThePublishedExamples) {
  struct Case {
    const char* a;
    const char* b;
    double similarity;
  };
  for (const Case& c : {Case{"martha", "marhta", 17.0 / 18 + 0.3 / 18},
                        {"dixon", "dicksonx", 23.0 / 30 + 0.2 * 7 / 30},
                        {"jellyfish", "smellyfish", 121.0 / 135},
                        // Up to a length of 3, symbols match at equal positions only; from 4 on, at
                        // neighboring ones.
                        {"abcd", "dabc", 2.5 / 3},
                        {"abc", "bca", 0},
                        // Three matches out of order are one transposition, rounded down.
                        {"abcdef", "bcadef", (1 + 1 + 5.0 / 6) / 3},
                        // Two thirds are not above 0.7, so that the common prefix adds nothing.
                        {"abcd", "abxy", 2.0 / 3},
                        // Of a prefix of five symbols, four count.
                        {"abcdefgh", "abcdexyz", 0.75 + 0.4 * 0.25},
                        {"a?b", "a?b", (2.0 / 3 + 2.0 / 3 + 1) / 3 + 0.1 * 2.0 / 9},
                        {"", "a", 0},
                        {"a", "a", 1}})
    EXPECT_DOUBLE_EQ(Reference::jaro_winkler_similarity(letters(c.a), letters(c.b)), c.similarity)
        << c.a;
}

TEST(ReferenceMeasures, NormalizedByTheLongerLength) {
  const auto a = letters("abcdef"), b = letters("bacdf");
  const double jaro = Reference::jaro_winkler_similarity(a, b);
  for (const auto& [measure, distance, similarity] :
       {std::tuple(PairMeasure::levenshtein, 3.0, 1 - 3.0 / 6),
        {PairMeasure::osa, 2.0, 1 - 2.0 / 6},
        {PairMeasure::prefix, 6.0, 0.0},
        {PairMeasure::postfix, 5.0, 1 - 5.0 / 6},
        {PairMeasure::jaro_winkler, 1 - jaro, jaro}}) {
    EXPECT_EQ(Reference::distance(measure, a, b), distance);
    EXPECT_EQ(Reference::normalized_similarity(measure, b, a), similarity);
    EXPECT_EQ(Reference::normalized_similarity(measure, {}, {}), 1.0);
    EXPECT_EQ(Reference::normalized_similarity(measure, {}, a), 0.0);
  }
}

TEST(ReferenceMeasures, WordsAreSplitLikeInPython) {
  using Word = std::vector<Symbol>;
  EXPECT_THAT(Reference::code_points("aé一🙂z"),
              ElementsAre(0x61, 0xE9, 0x4E00, 0x1F642, 0x7A));
  EXPECT_THAT(Reference::words("  ab\t c \n"), ElementsAre(Word{'a', 'b'}, Word{'c'}));
  EXPECT_EQ(Reference::words("a\u0085b\u00A0c\u1680d\u2000e\u200Af\u2028g\u2029h\u202Fi\u205Fj"
                             "\u3000k\x1Cl\x1Fm\vn\fo\rp")
                .size(),
            16U);
  // Zero-width space, word joiner, byte order mark, Mongolian vowel separator, escape, backspace.
  EXPECT_EQ(Reference::words("a\u200Bb\u2060c\uFEFFd\u180Ee\x1B\bf").size(), 1U);
}

TEST(ReferenceMeasures, RatiosOfTokensByHand) {
  struct Case {
    const char* a;
    const char* b;
    double sorted, of_sets;
  };
  const char* const long_text = "fuzzy was a bear but not a dog";
  for (const Case& c :
       {Case{" ", "", 1, 0},
        {" ", "a", 0, 0},
        {"fuzzy wuzzy was a bear", "wuzzy fuzzy\twas a bear ", 1, 1},
        // Repeated words count in sorted texts: 16 and 22 symbols, of which "fuzzy " is inserted.
        {"fuzzy was a bear", "fuzzy fuzzy was a bear", 1 - 6.0 / 38, 1},
        {long_text, "fuzzy was a bear", 1 - 14.0 / 46, 1},
        // 24 common symbols. With them, " dog" and " cat" give 1 − 6 / 56; " dog" alone 1 − 4 / 52.
        {long_text, "fuzzy was a bear but not a cat", 1 - 6.0 / 60, 1 - 4.0 / 52},
        // One common symbol: 1 − 2 / 14 for both texts; 1 − 5 / 7 and 1 − 7 / 9 for "x" and each.
        {"x abcd", "x abcdef", 1 - 2.0 / 14, 1 - 2.0 / 14},
        // No common word: the distance of the sorted texts.
        {"ab cd", "ab1 cd1", 1 - 2.0 / 12, 1 - 2.0 / 12}}) {
    EXPECT_DOUBLE_EQ(token_sort_similarity(c.a, c.b), c.sorted) << c.a;
    EXPECT_DOUBLE_EQ(token_set_similarity(c.a, c.b), c.of_sets) << c.a;
  }
  // 6 of 13 symbols are in common. The ratio is rounded twice more than 1 − 7 / 13.
  EXPECT_EQ(token_sort_similarity("aab", "babaabbbbb"), 0.4615384615384615);
}

}  // namespace Kindred::Testing::MeasuresTest

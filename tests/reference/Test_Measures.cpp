// SPDX-License-Identifier: Apache-2.0
#include "ReferenceSupport.hpp"

namespace MeasuresTest {

using namespace Kindred;
using namespace Kindred::Testing;
using Reference::PairMeasure;
using Reference::token_set_similarity;
using Reference::token_sort_similarity;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::array all_measures{PairMeasure::levenshtein, PairMeasure::osa,
                                  PairMeasure::jaro_winkler, PairMeasure::prefix,
                                  PairMeasure::postfix};

double jaro_winkler(std::string_view a, std::string_view b) {
  return Reference::jaro_winkler_similarity(letters(a), letters(b));
}

TEST(ReferenceMeasures, EditDistancesAndCommonEndsByHand) {
  struct Case {
    const char* a;
    const char* b;
    unsigned levenshtein, osa, prefix, postfix;
  };
  for (const Case& c : {Case{"", "", 0, 0, 0, 0},
                        {"", "abc", 3, 3, 0, 0},
                        {"a", "a", 0, 0, 1, 1},
                        {"a", "b", 1, 1, 0, 0},
                        {"kitten", "sitting", 3, 3, 0, 0},
                        {"flaw", "lawn", 2, 2, 0, 0},
                        {"saturday", "sunday", 3, 3, 1, 3},
                        {"ab", "ba", 2, 1, 0, 0},
                        {"abcd", "badc", 3, 2, 0, 0},
                        {"abcdef", "abdcef", 2, 1, 2, 2},
                        {"abc", "cab", 2, 2, 0, 0},
                        // An exchanged pair cannot be edited again: ca → ac → abc is not allowed.
                        {"ca", "abc", 3, 3, 0, 0},
                        {"aaaa", "aa", 2, 2, 2, 2},
                        {"abcde", "abxde", 1, 1, 2, 2},
                        {"ab", "abab", 2, 2, 2, 2},
                        {"xyz", "z", 2, 2, 0, 1},
                        // An unknown symbol matches nothing, not even itself.
                        {"a?b", "a?b", 1, 1, 1, 1},
                        {"?a", "a?", 2, 2, 0, 0}}) {
    for (const bool swapped : {false, true}) {
      const auto a = letters(swapped ? c.b : c.a);
      const auto b = letters(swapped ? c.a : c.b);
      SCOPED_TRACE(std::string(c.a) + " and " + c.b);
      EXPECT_EQ(Reference::levenshtein_distance(a, b), c.levenshtein);
      EXPECT_EQ(Reference::osa_distance(a, b), c.osa);
      EXPECT_EQ(Reference::prefix_similarity(a, b), c.prefix);
      EXPECT_EQ(Reference::postfix_similarity(a, b), c.postfix);
    }
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
                        {"dwayne", "duane", 0.84},
                        {"jellyfish", "smellyfish", 121.0 / 135},
                        // Up to a length of 3, symbols match at equal positions only; from 4 on, at
                        // neighboring ones.
                        {"abcd", "dabc", 2.5 / 3},
                        {"abcd", "bacd", 2.75 / 3},
                        // Three matches out of order are one transposition, rounded down.
                        {"abcdef", "bcadef", (1 + 1 + 5.0 / 6) / 3},
                        // Two thirds are not above 0.7, so that the common prefix adds nothing.
                        {"abcd", "abxy", 2.0 / 3},
                        // Of a prefix of five symbols, four count.
                        {"abcdefgh", "abcdexyz", 0.75 + 0.4 * 0.25},
                        {"a?b", "a?b", (2.0 / 3 + 2.0 / 3 + 1) / 3 + 0.1 * 2.0 / 9}})
    EXPECT_DOUBLE_EQ(jaro_winkler(c.a, c.b), c.similarity) << c.a;
  for (const auto& [a, b] :
       {std::pair("", "a"), {"a", "b"}, {"ab", "ba"}, {"abc", "bca"}, {"?", "?"}})
    EXPECT_EQ(jaro_winkler(a, b), 0.0) << a;
  EXPECT_EQ(jaro_winkler("a", "a"), 1.0);
}

TEST(ReferenceMeasures, NormalizedByTheLongerLength) {
  const std::vector<Symbol> a = letters("abcdef");
  const std::vector<Symbol> b = letters("bacdf");
  struct Case {
    PairMeasure measure;
    double distance;
  };
  for (const Case& c : {Case{PairMeasure::levenshtein, 3}, Case{PairMeasure::osa, 2},
                        Case{PairMeasure::prefix, 6}, Case{PairMeasure::postfix, 5}}) {
    EXPECT_EQ(Reference::distance(c.measure, a, b), c.distance);
    EXPECT_EQ(Reference::normalized_similarity(c.measure, a, b), 1.0 - c.distance / 6);
    EXPECT_EQ(Reference::normalized_similarity(c.measure, b, a), 1.0 - c.distance / 6);
  }
  const double similarity = Reference::jaro_winkler_similarity(a, b);
  EXPECT_EQ(Reference::normalized_similarity(PairMeasure::jaro_winkler, a, b), similarity);
  EXPECT_EQ(Reference::distance(PairMeasure::jaro_winkler, a, b), 1.0 - similarity);
}

TEST(ReferenceMeasures, EmptySequencesAreEqualAndShareNothingWithOthers) {
  for (const PairMeasure measure : all_measures) {
    EXPECT_EQ(Reference::normalized_similarity(measure, {}, {}), 1.0);
    EXPECT_EQ(Reference::distance(measure, {}, {}), 0.0);
    EXPECT_EQ(Reference::normalized_similarity(measure, letters("ab"), {}), 0.0);
    EXPECT_EQ(Reference::normalized_similarity(measure, {}, letters("ab")), 0.0);
  }
}

TEST(ReferenceMeasures, CodePointsOfOneToFourBytes) {
  EXPECT_THAT(Reference::code_points("aé一🙂z"),
              ElementsAre(0x61, 0xE9, 0x4E00, 0x1F642, 0x7A));
  EXPECT_THAT(Reference::code_points(""), IsEmpty());
}

TEST(ReferenceMeasures, WordsAreSplitLikeInPython) {
  using Word = std::vector<Symbol>;
  EXPECT_THAT(Reference::words("  ab\t c \n"), ElementsAre(Word{'a', 'b'}, Word{'c'}));
  EXPECT_THAT(Reference::words(" \u3000"), IsEmpty());
  EXPECT_EQ(Reference::words("a\u0085b\u00A0c\u1680d\u2000e\u200Af\u2028g\u2029h\u202Fi\u205Fj"
                             "\u3000k\x1Cl\x1Fm\vn\fo\rp")
                .size(),
            16U);
  // Zero-width space, word joiner, byte order mark, Mongolian vowel separator, escape, backspace.
  EXPECT_EQ(Reference::words("a\u200Bb\u2060c\uFEFFd\u180Ee\x1B\bf").size(), 1U);
}

TEST(ReferenceMeasures, TokenSortByHand) {
  EXPECT_EQ(token_sort_similarity("", ""), 1.0);
  EXPECT_EQ(token_sort_similarity(" ", ""), 1.0);
  EXPECT_EQ(token_sort_similarity(" ", "a"), 0.0);
  EXPECT_EQ(token_sort_similarity("fuzzy wuzzy was a bear", "wuzzy fuzzy\twas a bear "), 1.0);
  // Repeated words count: 16 and 22 symbols, of which "fuzzy " is inserted.
  EXPECT_DOUBLE_EQ(token_sort_similarity("fuzzy was a bear", "fuzzy fuzzy was a bear"),
                   1.0 - 6.0 / 38);
  // 6 of 13 symbols are in common. The ratio is rounded twice more than 1 − 7 / 13.
  EXPECT_EQ(token_sort_similarity("aab", "babaabbbbb"), 0.4615384615384615);
  EXPECT_EQ(1.0 - 7.0 / 13, 0.46153846153846156);
}

TEST(ReferenceMeasures, TokenSetByHand) {
  EXPECT_EQ(token_set_similarity("", ""), 0.0);
  EXPECT_EQ(token_set_similarity(" ", " "), 0.0);
  EXPECT_EQ(token_set_similarity("a", ""), 0.0);
  EXPECT_EQ(token_set_similarity("fuzzy was a bear", "fuzzy fuzzy was a bear"), 1.0);
  EXPECT_EQ(token_set_similarity("fuzzy was a bear but not a dog", "fuzzy was a bear"), 1.0);
  // 24 common symbols. With them, " dog" and " cat" give 1 − 6 / 56; " dog" alone 1 − 4 / 52.
  EXPECT_DOUBLE_EQ(
      token_set_similarity("fuzzy was a bear but not a dog", "fuzzy was a bear but not a cat"),
      1.0 - 4.0 / 52);
  // One common symbol: 1 − 2 / 14 for both texts; 1 − 5 / 7 and 1 − 7 / 9 for "x" and each.
  EXPECT_DOUBLE_EQ(token_set_similarity("x abcd", "x abcdef"), 1.0 - 2.0 / 14);
  // No common word: the distance of the sorted texts.
  EXPECT_DOUBLE_EQ(token_set_similarity("ab cd", "ab1 cd1"), 1.0 - 2.0 / 12);
}

}  // namespace MeasuresTest

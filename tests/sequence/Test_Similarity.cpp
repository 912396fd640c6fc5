// SPDX-License-Identifier: Apache-2.0
// The code points of texts, and comparisons of one pair by every entry point.
#include <kindred/matcher/CodePoints.hpp>

#include "Properties.hpp"
#include "SequenceOracle.hpp"
#include "ShapedArray.hpp"

namespace SimilarityTest {

using namespace Kindred;
using namespace Kindred::Testing;
using ::testing::ElementsAre;
using Texts = std::vector<std::string_view>;

Symbols points(std::string_view text, BadBytes bad = BadBytes::refuse) {
  Symbols out;
  append_code_points(text, out, bad);
  return out;
}

TEST(CodePoints, AreDecodedAtTheLimitsOfEveryLength) {
  EXPECT_THAT(points(std::string_view("\0\x7f", 2)), ElementsAre(0, 0x7F));
  EXPECT_THAT(points("\xC2\x80\xDF\xBF"), ElementsAre(0x80, 0x7FF));
  EXPECT_THAT(points("\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF"),
              ElementsAre(0x800, 0xD7FF, 0xE000, 0xFFFF));
  EXPECT_THAT(points("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"), ElementsAre(0x10000, 0x10FFFF));
}

TEST(CodePoints, OfInvalidBytesAreRefusedOrKeptAboveAllOthers) {
  for (const std::string text :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x41", "\xE0\x9F\xBF", "\xED\xA0\x80",
        "\xE2\x82", "\xE2\x82\x41", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80",
        "\xF0\x90\x80", "\xFF"}) {
    Symbols out{1, 2};
    EXPECT_THROW(append_code_points("ab" + text, out), InvalidArgument);
    EXPECT_THAT(out, ElementsAre(1, 2));
    EXPECT_GE(points(text, BadBytes::keep)[0], code_point_limit);
  }
  EXPECT_THAT(points("a\xFF\xC3\xA9\xC3", BadBytes::keep),
              ElementsAre('a', code_point_limit + 0xFF, 0xE9, code_point_limit + 0xC3));
  const Texts second{"ab", "c\xFF"};
  for (const auto& [call, message] : std::vector<RefusedCall>{
           {[] { points("ab\xFF"); }, "not UTF-8: byte 0xff at 2 of the text"},
           {[&] { joined_code_points(second); }, "text 1: not UTF-8: byte 0xff at 1 of the text"},
           {[&] { code_points(second); }, "text 1: not UTF-8: byte 0xff at 1 of the text"}})
    EXPECT_EQ(message_of<InvalidArgument>(call), message);
}

TEST(CodePoints, OfTextsAreRowsAndOfEventsJoinedByOneSpace) {
  const Ragged<Symbol> rows = code_points(Texts{"ab", "", "é"});
  EXPECT_THAT(rows.offsets, ElementsAre(0, 2, 2, 3));
  EXPECT_THAT(rows.values, ElementsAre('a', 'b', 0xE9));
  EXPECT_EQ(code_points(Texts{}).rows(), 0U);
  EXPECT_THAT(joined_code_points(Texts{"ab", "é", ""}), ElementsAre('a', 'b', ' ', 0xE9, ' '));
  EXPECT_TRUE(joined_code_points(Texts{}).empty());
  EXPECT_TRUE(joined_code_points(Texts{""}).empty());
}

/// Calls every entry point for a pair, and requires that they agree bit for bit with the oracle. An
/// entry point that returns only results above the cutoff is compared where the pair is one.
PairTruth agreed(Measure measure, const Symbols& pattern, const Symbols& query, double cutoff = 0,
                 bool autojunk = false) {
  const PairTruth truth = oracle(measure, pattern, query, autojunk);
  const std::uint64_t whole = bits(truth.similarity);
  const std::uint64_t cut = truth.similarity >= cutoff ? whole : 0;
  const bool has_blocks = measure == Measure::lcs || measure == Measure::difflib;
  std::vector<Block> of_pair;
  if (has_blocks) of_pair = oracle_blocks(measure, pattern, query, autojunk);

  // Of texts, their code points are compared, not their bytes.
  const auto compare = [&](const Sequence& a, const Sequence& b) {
    EXPECT_EQ(matched(measure, a, b, autojunk), truth.matched);
    EXPECT_EQ(bits(similarity(measure, a, b, cutoff, autojunk)), cut);
    EXPECT_EQ(bits(similarity(measure, a, b, 0, autojunk)), whole);
    const PreparedQuery prepared(measure, b, autojunk);
    for (int repeat = 0; repeat < 2; ++repeat) {
      EXPECT_EQ(prepared.matched(a), truth.matched);
      EXPECT_EQ(bits(prepared.similarity(a, cutoff)), cut);
      EXPECT_EQ(bits(prepared.similarity(a)), whole);
      EXPECT_EQ(bits(prepared.similarity(a, truth.similarity)), whole);
      if (truth.similarity < 1) {
        EXPECT_EQ(bits(prepared.similarity(a, std::nextafter(truth.similarity, 1.0))), 0U);
      }
      if (has_blocks) {
        EXPECT_EQ(prepared.blocks(a), of_pair);
      }
    }
    if (has_blocks) {
      EXPECT_EQ(blocks(measure, a, b, autojunk), of_pair);
    }
  };
  compare(pattern, query);
  const auto is_text = [](const Symbols& one) {
    return std::ranges::all_of(
        one, [](Symbol s) { return s < 0xD800 || (s >= 0xE000 && s < 0x110000); });
  };
  if (is_text(pattern) && is_text(query)) compare(utf8(pattern), utf8(query));

  if (std::ranges::find(pattern, unknown_symbol) != pattern.end()) return truth;
  const SequenceMatcher matcher(context(), ragged<Symbol>({pattern}));
  expect_values<double>(matcher, {query}, {truth.similarity},
                        {.measure = measure, .autojunk = autojunk});
  expect_matches(
      {pattern}, {query},
      {.measures = {measure}, .thresholds = {cutoff}, .autojunk = autojunk, .blocks = has_blocks});
  return truth;
}

TEST(Similarity, EveryEntryPointAgreesAtEdgeLengths) {
  auto random = generator("agree");
  for (const std::size_t m : {0, 1, 63, 64, 65, 128, 199, 200, 201, 1000}) {
    for (const std::size_t n : {1, 64, 65, 199, 200, 201, 1100}) {
      const Symbol alphabet = random() % 2 == 0 ? 5 : 300;
      const Symbol stride = random() % 2 == 0 ? 1 : 1'000'003;
      Symbols pattern = random_sequence(random, m, alphabet);
      Symbols query = random_sequence(random, n, alphabet);
      for (std::size_t i = 0; i < std::min(m, n); ++i)
        if (random() % 4 != 0) pattern[i] = query[i];
      for (Symbols* sequence : {&pattern, &query})
        for (Symbol& symbol : *sequence) symbol *= stride;
      const double cutoff = static_cast<double>(random() % 11) / 10;
      for (const Measure measure : of_symbols) agreed(measure, pattern, query, cutoff);
      agreed(Measure::difflib, pattern, query, cutoff, true);
      if (HasFailure()) FAIL() << m << " symbols against " << n << ", cutoff " << cutoff;
    }
  }
}

TEST(Similarity, EveryEntryPointAgreesOnAnyPair) {
  expect_property("the entry points agree", [] {
    const auto symbol = rc::gen::oneOf(rc::gen::inRange<Symbol>(0, 5),
                                       rc::gen::element<Symbol>(4095, 4096, 70000, 4294967294U),
                                       rc::gen::just(unknown_symbol));
    const auto pattern = *rc::gen::container<Symbols>(symbol);
    const auto query = *rc::gen::container<Symbols>(symbol);
    const auto measure = *rc::gen::elementOf(of_symbols);
    const bool autojunk = measure == Measure::difflib && *rc::gen::arbitrary<bool>();
    const double cutoff = *rc::gen::element(0.0, 0.1, 1.0 / 3, 0.5, 2.0 / 3, 1.0);
    agreed(measure, pattern, query, cutoff, autojunk);
    RC_ASSERT(!::testing::Test::HasFailure());
  });
}

TEST(Similarity, EveryEntryPointAgreesOnTexts) {
  auto random = generator("texts");
  for (int i = 0; i < 400; ++i) {
    const Symbols query = random_text(random, random() % 120, 4);
    const Symbols pattern =
        i % 2 == 0 ? edited(random, query, random() % 20, 'd') : random_text(random, i % 40, 4);
    for (const Measure measure : of_words) agreed(measure, pattern, query);
  }
  // Texts of one to four bytes per code point, equal ones, texts that share bytes but no code
  // points, and such whose blocks depend on the measure and on the order of the two.
  const std::vector<std::string> texts{"",       "a",       "kindred", "kindled", "naïve",
                                       "naive",  "é€😀x",    "€é😀xx",   "ñ",       "ð",
                                       "abcabc", "kindred", "aba",     "bca",     "bacb",
                                       "ab",     "abcd",    "bdca",    "cbda",    "abdfec"};
  for (const std::string& pattern : texts)
    for (const std::string& query : texts)
      for (const Measure measure : all_measures)
        agreed(measure, Reference::code_points(pattern), Reference::code_points(query), 0.5);
  agreed(Measure::difflib, {}, {}, 1, true);
  const std::string junk = std::string(150, 'a') + "bc" + std::string(60, 'a');
  agreed(Measure::difflib, letters("aabcaa"), letters(junk), 0, true);
}

TEST(Similarity, CountsTheMatchedSymbolsOfScores) {
  EXPECT_EQ(matched(Measure::jaro_winkler, "dwayne", "duane"), 4U);
  EXPECT_EQ(matched(Measure::token_sort, "new york mets", "mets new york"), 13U);
  EXPECT_EQ(matched(Measure::token_sort, " ", "\t"), 0U);
  EXPECT_EQ(matched(Measure::token_set, "new york mets", "york new"), 8U);
  EXPECT_EQ(matched(Measure::token_set, "a cat", "a cot"), 3U) << "'a', and 'c' and 't'";
}

TEST(Similarity, AMatcherOfTextsMatchesAsOneOfCodePoints) {
  const Texts texts{"", "kitten", "naïve", "é€😀x", "ñ", "ð", "kitten"};
  const SequenceMatcher by_text(context(), texts);
  const SequenceMatcher by_point(context(), code_points(texts));
  ASSERT_EQ(by_text.patterns().values, by_point.patterns().values);
  const std::vector<std::string> owned(texts.begin(), texts.end());
  const MatchOptions options{.top = 5, .blocks = true, .space = Space::serial};
  const MatchResults expected = by_point.match(code_points(texts), options);
  for (const MatchResults& found :
       {by_text.match(texts, options), SequenceMatcher(context(), owned).match(owned, options)}) {
    EXPECT_EQ(found.matches.offsets, expected.matches.offsets);
    EXPECT_EQ(found.matches.values, expected.matches.values);
    EXPECT_EQ(found.blocks.values, expected.blocks.values);
    EXPECT_EQ(found.record.chosen, Space::serial);
  }
  EXPECT_EQ(SequenceMatcher(context(), Texts()).size(), 0U);
  EXPECT_TRUE(by_text.match(Texts()).matches.values.empty());
}

TEST(Similarity, ScoresTakeTextsAndArrays) {
  const Texts texts{"kitten", "", "naïve"};
  const SequenceMatcher matcher(context(), texts);
  std::vector<std::int32_t> out(6);
  const PairOptions options{Measure::levenshtein, PairValue::distance};
  matcher.score_all(Texts{"sitting", "naive"}, std::span(out), options);
  EXPECT_THAT(out, ElementsAre(3, 7, 7, 5, 5, 1));
  const Symbols symbols = letters("sittingnaive");
  const std::vector<std::int64_t> offsets{0, 7, 12};
  std::vector<std::int32_t> again(6);
  matcher.score_all({symbols, offsets}, again, options);
  EXPECT_EQ(again, out);
}

TEST(Similarity, ScoresLeaveWhatLiesBetweenTheRowsAsItIs) {
  auto random = generator("scores: rows");
  for (const std::size_t length : {8, 300}) {
    const SymbolRows patterns = random_sequences(random, 33, length - 2, length, 5);
    const Ragged<Symbol> queries = ragged(SymbolRows{patterns[0], {}, patterns[2]});
    const SequenceMatcher matcher(context(), ragged(patterns));
    for (const Measure measure : {Measure::lcs, Measure::jaro_winkler}) {
      std::vector<float> expected(3 * 33);
      matcher.score_all(queries, std::span(expected), {measure});
      for (const Space space : spaces()) {
        std::vector<float> out(3 * 40, -5);
        matcher.score_all(queries, shaped(out, {3, 33}, DataType::float32, {40, 1}),
                          {.measure = measure, .space = space});
        for (std::size_t i = 0; i < out.size(); ++i)
          ASSERT_EQ(out[i], i % 40 < 33 ? expected[i / 40 * 33 + i % 40] : -5.0F);
      }
    }
  }
}

}  // namespace SimilarityTest

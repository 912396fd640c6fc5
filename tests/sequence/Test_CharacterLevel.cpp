// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/CodePoints.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/Similarity.hpp>

#include <gmock/gmock.h>

#include "MessageOf.hpp"
#include "Support.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace CharacterLevelTest {

using namespace Kindred;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Texts = std::vector<std::string_view>;

/// Texts of one to four bytes per code point, equal ones, and texts that share bytes but no code
/// points.
const Texts texts{"",     "a",     "kindred", "kindled", "naïve",  "naive",
                  "é€😀x", "€é😀xx", "ñ",       "ð",       "abcabc", "kindred"};

std::vector<Symbol> points(std::string_view text) {
  std::vector<Symbol> out;
  append_code_points(text, out);
  return out;
}

template <class Call>
std::string refusal(const Call& call) {
  return Testing::message_of<InvalidArgument>(call);
}

TEST(CharacterLevel, ATextMatchesAsItsCodePoints) {
  for (const std::string_view pattern : texts) {
    for (const std::string_view query : texts) {
      SCOPED_TRACE(std::string(pattern) + " and " + std::string(query));
      const std::vector<Symbol> a = points(pattern);
      const std::vector<Symbol> b = points(query);
      for (const Measure measure : {Measure::lcs, Measure::difflib}) {
        const PreparedQuery prepared(measure, query);
        for (const double cutoff : {0.0, 0.5}) {
          EXPECT_EQ(similarity(measure, pattern, query, cutoff), similarity(measure, a, b, cutoff));
          EXPECT_EQ(prepared.similarity(pattern, cutoff), similarity(measure, a, b, cutoff));
        }
        EXPECT_EQ(matched(measure, pattern, query), matched(measure, a, b));
        EXPECT_EQ(prepared.matched(pattern), matched(measure, a, b));
        EXPECT_EQ(prepared.blocks(pattern), blocks(measure, a, b));
        EXPECT_EQ(blocks(measure, pattern, query), blocks(measure, a, b));
      }
    }
  }
  EXPECT_EQ(similarity(Measure::lcs, "naïve", "naive"), 0.8) << "5 code points, not 6 bytes";
}

TEST(CharacterLevel, AutojunkIsThatOfTheCodePoints) {
  const std::string query = std::string(150, 'a') + "bc" + std::string(60, 'a');
  const std::string_view pattern = "aabcaa";
  EXPECT_EQ(matched(Measure::difflib, pattern, query, true),
            matched(Measure::difflib, points(pattern), points(query), true));
  const std::vector<Block> expected =
      blocks(Measure::difflib, points(pattern), points(query), true);
  EXPECT_EQ(blocks(Measure::difflib, pattern, query, true), expected);
  EXPECT_EQ(PreparedQuery(Measure::difflib, query, true).blocks(pattern), expected);
  EXPECT_EQ(similarity(Measure::difflib, pattern, query, 0, true),
            similarity(Measure::difflib, points(pattern), points(query), 0, true));
}

TEST(CharacterLevel, AMatcherOfTextsMatchesAsOneOfCodePoints) {
  const SequenceMatcher by_text(Testing::context(), texts);
  const SequenceMatcher by_point(Testing::context(), code_points(texts));
  ASSERT_EQ(by_text.size(), texts.size());
  for (const Measure measure : {Measure::lcs, Measure::difflib}) {
    for (const Space space : Testing::spaces()) {
      MatchOptions options;
      options.measure = measure;
      options.top = 5;
      options.blocks = true;
      options.space = space;
      const MatchResults found = by_text.match(texts, options);
      const MatchResults expected = by_point.match(code_points(texts), options);
      EXPECT_EQ(found.matches.offsets, expected.matches.offsets);
      EXPECT_EQ(found.matches.values, expected.matches.values);
      EXPECT_EQ(found.blocks.values, expected.blocks.values);
      EXPECT_EQ(found.record.chosen, space);
    }
  }
  const std::vector<std::string> owned(texts.begin(), texts.end());
  EXPECT_EQ(SequenceMatcher(Testing::context(), owned).match(owned).matches.values,
            by_text.match(texts).matches.values);
  EXPECT_EQ(SequenceMatcher(Testing::context(), Texts{}).size(), 0U);
  EXPECT_THAT(by_text.match(Texts{}).matches.values, IsEmpty());
}

TEST(CharacterLevel, RejectsInvalidUtf8) {
  const std::string_view bad = "ab\xFF";
  EXPECT_THAT(refusal([&] { similarity(Measure::lcs, bad, "a"); }),
              HasSubstr("the pattern: not UTF-8: byte 0xff at 2 of the text"));
  EXPECT_THAT(refusal([&] { matched(Measure::lcs, "a", bad); }), HasSubstr("the query: not UTF-8"));
  EXPECT_THAT(refusal([&] { blocks(Measure::lcs, bad, bad); }), HasSubstr("not UTF-8"));
  EXPECT_THAT(refusal([&] { PreparedQuery(Measure::lcs, bad); }),
              HasSubstr("the query: not UTF-8"));
  const PreparedQuery prepared(Measure::difflib, "ab");
  EXPECT_THAT(refusal([&] { prepared.similarity(bad); }), HasSubstr("the pattern: not UTF-8"));
  EXPECT_THAT(refusal([&] { prepared.matched(bad); }), HasSubstr("the pattern: not UTF-8"));
  EXPECT_THAT(refusal([&] { prepared.blocks(bad); }), HasSubstr("the pattern: not UTF-8"));
  const Texts one_bad{"a", bad};
  EXPECT_THAT(refusal([&] { SequenceMatcher(Testing::context(), one_bad); }),
              HasSubstr("text 1: not UTF-8: byte 0xff at 2"));
  const SequenceMatcher matcher(Testing::context(), texts);
  EXPECT_THAT(refusal([&] { matcher.match(one_bad); }), HasSubstr("text 1: not UTF-8"));
}

}  // namespace CharacterLevelTest

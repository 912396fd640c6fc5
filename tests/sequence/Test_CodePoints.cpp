// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/CodePoints.hpp>

#include "SequenceSupport.hpp"

namespace CodePointsTest {

using namespace Kindred;
using namespace Kindred::Testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
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
  EXPECT_THAT(joined_code_points(Texts{}), IsEmpty());
  EXPECT_THAT(joined_code_points(Texts{""}), IsEmpty());
}

TEST(CodePoints, MatchKatosCharacterLevelSimilarities) {
  // From KATO's documents and runs: fuzz.ratio of the joined strings / 100.
  const auto ratio = [](const Texts& pattern, const Texts& state) {
    return similarity(Measure::lcs, joined_code_points(pattern), joined_code_points(state));
  };
  EXPECT_EQ(ratio({"m1", "m2", "m3"}, {"m1", "m2", "m3", "m4", "m5", "m6", "m7"}), 16.0 / 28);
  EXPECT_EQ(ratio({"sym1", "sym2"}, {"sym3", "sym4"}), 14.0 / 18);
  EXPECT_EQ(ratio({"alpha", "beta"}, {"alphabet"}), 16.0 / 18);
  EXPECT_NEAR(ratio({"zebra", "elephant", "giraffe"}, {"apple", "banana", "cherry"}), 0.341, 5e-4);
}

}  // namespace CodePointsTest

// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/TextFolding.hpp"

#include <kindred/core/common/Error.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace TextFoldingTest {

using namespace Kindred;
using namespace Kindred::Tools;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

constexpr TextFolding unchanged{};
constexpr TextFolding caseless{.ignore_case = true};
constexpr TextFolding nfc{.normalization = Normalization::nfc};
constexpr TextFolding nfkc{.normalization = Normalization::nfkc};
constexpr TextFolding caseless_nfc{.ignore_case = true, .normalization = Normalization::nfc};
constexpr TextFolding caseless_nfkc{.ignore_case = true, .normalization = Normalization::nfkc};

/// The code points of \p text, after others that stay.
std::vector<Symbol> folded(std::string_view text, const TextFolding& folding) {
  std::vector<Symbol> out{7};
  append_folded(text, folding, out);
  EXPECT_EQ(out.front(), 7U);
  out.erase(out.begin());
  return out;
}

TEST(TextFolding, KeepsTextsAsTheyAre) {
  EXPECT_FALSE(unchanged.active());
  EXPECT_THAT(folded("Aé", unchanged), ElementsAre('A', 0xE9));
  EXPECT_THAT(folded("e\u0301", unchanged), ElementsAre('e', 0x301));
}

TEST(TextFolding, FoldsCase) {
  EXPECT_THAT(folded("@AZ[az{", caseless), ElementsAre('@', 'a', 'z', '[', 'a', 'z', '{'));
  EXPECT_THAT(folded("ÉΣς", caseless), ElementsAre(0xE9, 0x3C3, 0x3C3));
  EXPECT_THAT(folded("Straße", caseless), ElementsAreArray(folded("STRASSE", caseless)));
  EXPECT_THAT(folded("E\u0301", caseless), ElementsAre('e', 0x301));
}

TEST(TextFolding, Normalises) {
  EXPECT_THAT(folded("E\u0301", nfc), ElementsAre(0xC9));
  EXPECT_THAT(folded("\u1100\u1161", nfc), ElementsAre(0xAC00));
  EXPECT_THAT(folded("\u212B", nfc), ElementsAre(0xC5));
  EXPECT_THAT(folded("ﬁ", nfc), ElementsAre(0xFB01));
  EXPECT_THAT(folded("ﬁＡ²", nfkc), ElementsAre('f', 'i', 'A', '2'));
  EXPECT_THAT(folded("E\u0301", caseless_nfc), ElementsAre(0xE9));
  EXPECT_THAT(folded("ＡÉ", caseless_nfkc), ElementsAre('a', 0xE9));
  EXPECT_THAT(folded("AZ", nfkc), ElementsAre('A', 'Z'));
}

TEST(TextFolding, HandlesTextsThatGrow) {
  // U+FDFA becomes 18 code points.
  std::string text;
  for (int i = 0; i < 50; ++i) text += "\uFDFA";
  EXPECT_EQ(folded(text, nfkc).size(), 900U);
  EXPECT_THAT(folded("", nfkc), ElementsAre());
}

TEST(TextFolding, RefusesInvalidUtf8) {
  for (const TextFolding& folding : {unchanged, caseless, nfc, nfkc}) {
    std::vector<Symbol> out{1};
    for (const char* text : {"a\xFF", "\xC3", "\xED\xA0\x80"})
      EXPECT_THROW(append_folded(text, folding, out), InvalidArgument);
    EXPECT_THAT(out, ElementsAre(1));
  }
}

TEST(TextFolding, ReplacesInvalidBytes) {
  EXPECT_EQ(valid_utf8("aé🙂"), "aé🙂");
  EXPECT_EQ(valid_utf8("a\xFFz\xC3"), "a\uFFFDz\uFFFD");
}

TEST(TextFolding, MeasuresWidths) {
  EXPECT_EQ(width_of("abc"), 3U);
  EXPECT_EQ(width_of("é"), 1U);
  EXPECT_EQ(width_of("e\u0301"), 1U);
  EXPECT_EQ(width_of("一二"), 4U);
  EXPECT_EQ(width_of("a\xFF"), 2U);
}

}  // namespace TextFoldingTest

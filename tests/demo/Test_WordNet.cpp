// SPDX-License-Identifier: Apache-2.0
#include "demo/GlossWords.hpp"
#include "wordnet/WordNet.hpp"

#include <kindred/core/common/Error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace Kindred::Tools {
namespace WordNetTest {

const Synset* find(const WordNet& net, const std::string& word) {
  const auto found = std::find_if(net.synsets.begin(), net.synsets.end(),
                                  [&](const Synset& s) { return s.words.front() == word; });
  return found == net.synsets.end() ? nullptr : &*found;
}

TEST(WordNet, ReadsSynsetsInTheOrderOfTheFiles) {
  const WordNet net = read_wordnet(KINDRED_TEST_WORDNET);
  ASSERT_EQ(net.synsets.size(), 28U);
  EXPECT_EQ(net.synsets.front().words, (std::vector<std::string>{"animal", "creature"}));
  EXPECT_EQ(net.synsets.back().words.front(), "quickly");
  const Synset* leopard = find(net, "leopard");
  ASSERT_NE(leopard, nullptr);
  EXPECT_EQ(leopard->words.back(), "Panthera pardus") << "underscores are shown as spaces";
  EXPECT_EQ(leopard->gloss, "large feline of warm forests with dark spots");
  EXPECT_EQ(leopard->type, 'n');
  EXPECT_EQ(find(net, "fast")->words.back(), "quick")
      << "an adjective's marker is not part of the word";
  EXPECT_EQ(net.pointers_left_out, 0U);
}

TEST(WordNet, ResolvesPointersAcrossFiles) {
  const WordNet net = read_wordnet(KINDRED_TEST_WORDNET);
  const auto index = [&](const char* word) {
    return static_cast<std::uint32_t>(find(net, word) - net.synsets.data());
  };
  const auto has = [&](const char* from, const char* symbol, const char* to) {
    return std::any_of(net.pointers.begin(), net.pointers.end(), [&](const Pointer& p) {
      return p.from == index(from) && p.to == index(to) && pointer_kinds()[p.kind].symbol == symbol;
    });
  };
  EXPECT_TRUE(has("tiger", "@", "big cat"));
  EXPECT_TRUE(has("boat", "+", "sail"));
  EXPECT_TRUE(has("quickly", "\\", "fast"));
  EXPECT_TRUE(has("fast", "&", "swift")) << "a satellite is addressed as an adjective";
  EXPECT_FALSE(has("tiger", "@", "lion"));
  EXPECT_TRUE(std::is_sorted(net.pointers.begin(), net.pointers.end(),
                             [](const Pointer& a, const Pointer& b) { return a.from < b.from; }));
}

TEST(WordNet, EveryPointerWeightIsAnEngineWeight) {
  for (const PointerKind& kind : pointer_kinds()) {
    EXPECT_GT(kind.weight, 0) << kind.symbol;
    EXPECT_LE(kind.weight, 1) << kind.symbol;
  }
}

TEST(WordNet, TheLimitTruncatesEachFileAndDropsPointersBeyondIt) {
  const WordNet net = read_wordnet(KINDRED_TEST_WORDNET, 3);
  EXPECT_EQ(net.synsets.size(), 3U + 3 + 3 + 2);
  EXPECT_GT(net.pointers_left_out, 0U);
  EXPECT_FALSE(net.pointers.empty());
  for (const Pointer& pointer : net.pointers) EXPECT_LT(pointer.to, net.synsets.size());
}

/// A copy of the small WordNet in which one file is modified.
class WordNetDamage : public testing::Test {
 protected:
  WordNetDamage()
      : m_folder(std::filesystem::path(KINDRED_TEST_FOLDER) /
                 testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::create_directories(m_folder);
    for (const char* name : {"data.noun", "data.verb", "data.adj", "data.adv"}) {
      std::filesystem::copy_file(std::filesystem::path(KINDRED_TEST_WORDNET) / name,
                                 m_folder / name,
                                 std::filesystem::copy_options::overwrite_existing);
    }
  }
  ~WordNetDamage() override { std::filesystem::remove_all(m_folder); }

  std::string noun() const {
    std::stringstream text;
    text << std::ifstream(m_folder / "data.noun").rdbuf();
    return text.str();
  }
  void write_noun(const std::string& text) const { std::ofstream(m_folder / "data.noun") << text; }
  /// Replaces the first occurrence of \p from by \p to.
  void change(const std::string& from, const std::string& to) const {
    std::string text = noun();
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    write_noun(text.replace(at, from.size(), to));
  }
  std::string message() const {
    try {
      read_wordnet(m_folder.string());
    } catch (const CorruptFile& error) {
      EXPECT_THAT(error.path(), testing::EndsWith("data.noun"));
      return error.what();
    }
    return "no error";
  }

  std::filesystem::path m_folder;
};

TEST_F(WordNetDamage, AChangedByteCountIsDetectedByTheOffset) {
  change("animal 0 creature", "animals 0 creature");
  EXPECT_THAT(message(), testing::AllOf(testing::HasSubstr("data.noun:3: "),
                                        testing::HasSubstr("stands at byte")));
}
TEST_F(WordNetDamage, AFileCutInTheMiddleOfALine) {
  const std::string text = noun();
  write_noun(text.substr(0, text.size() / 2));
  EXPECT_THAT(message(), testing::HasSubstr("the file was cut"));
}
TEST_F(WordNetDamage, AFileCutBetweenLinesLeavesAPointerWithoutTarget) {
  const std::string text = noun();
  write_noun(text.substr(0, text.find('\n', text.find("large feline of warm forests")) + 1));
  EXPECT_THAT(message(), testing::HasSubstr("where no synset stands"));
}
TEST_F(WordNetDamage, AnEmptyFile) {
  write_noun("");
  EXPECT_THAT(message(), testing::HasSubstr("holds no synset"));
}
TEST_F(WordNetDamage, APointerToNowhere) {
  change("~ 000", "~ 999");
  EXPECT_THAT(message(), testing::AllOf(testing::HasSubstr("data.noun:2: "),
                                        testing::HasSubstr("where no synset stands")));
}
TEST_F(WordNetDamage, AnUnknownPointer) {
  change(" ~ 0", " ? 0");
  EXPECT_THAT(message(), testing::HasSubstr("symbol is \"?\""));
}
TEST_F(WordNetDamage, ACountThatIsNotANumber) {
  change(" n 02 animal", " n 0z animal");
  EXPECT_THAT(message(), testing::HasSubstr("the number of words is \"0z\""));
}
TEST_F(WordNetDamage, ACountThatIsTooLarge) {
  change(" 0 003 ~", " 0 903 ~");
  EXPECT_THAT(message(), testing::HasSubstr("data.noun:2: "));
}
TEST_F(WordNetDamage, ATypeOfAnotherFile) {
  change(" 00 n 02", " 00 v 02");
  EXPECT_THAT(message(), testing::HasSubstr("wrong for data.noun"));
}
TEST_F(WordNetDamage, AByteThatIsNotAscii) {
  change("living", "liv\xEFng");
  EXPECT_THAT(message(), testing::HasSubstr("byte 239"));
}
TEST_F(WordNetDamage, AMissingGloss) {
  change(" | a living", " . a living");
  EXPECT_THAT(message(), testing::HasSubstr("the gloss"));
}
TEST_F(WordNetDamage, AMissingFileIsNotFound) {
  std::filesystem::remove(m_folder / "data.adv");
  try {
    read_wordnet(m_folder.string());
    FAIL();
  } catch (const NotFound& error) {
    EXPECT_THAT(error.what(),
                testing::AllOf(testing::HasSubstr("data.adv"), testing::HasSubstr("wordnet-base")));
  }
}

TEST(Gloss, TheDefinitionEndsBeforeTheExamples) {
  EXPECT_EQ(definition("change place; \"we go\"; \"go!\""), "change place");
  EXPECT_EQ(definition("a; b"), "a; b");
  EXPECT_EQ(definition(""), "");
}

TEST(Gloss, ContentWordsAreLowerCasedWithoutFunctionWords) {
  EXPECT_EQ(content_words("A Large feline, of the warm-blooded 2 kinds!"),
            (std::vector<std::string>{"large", "feline", "warm", "blooded", "2", "kinds"}));
  EXPECT_TRUE(content_words("of the").empty());
  EXPECT_TRUE(content_words("").empty());
}

}  // namespace WordNetTest
}  // namespace Kindred::Tools

// SPDX-License-Identifier: Apache-2.0
#include "MessageOf.hpp"
#include "TempFolder.hpp"
#include "demo/GlossWords.hpp"
#include "wordnet/WordNet.hpp"

#include <kindred/core/common/Error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace Kindred::Tools {
namespace WordNetTest {

const Synset* find(const WordNet& net, const std::string& word) {
  const auto found =
      std::ranges::find(net.synsets, word, [](const Synset& one) { return one.words.front(); });
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
  EXPECT_TRUE(std::ranges::is_sorted(net.pointers, {}, &Pointer::from));
  for (const PointerKind& kind : pointer_kinds())
    EXPECT_TRUE(kind.weight > 0 && kind.weight <= 1) << kind.symbol;
}

TEST(WordNet, TheLimitTruncatesEachFileAndDropsPointersBeyondIt) {
  const WordNet net = read_wordnet(KINDRED_TEST_WORDNET, 3);
  EXPECT_EQ(net.synsets.size(), 3U + 3 + 3 + 2);
  EXPECT_GT(net.pointers_left_out, 0U);
  EXPECT_FALSE(net.pointers.empty());
  for (const Pointer& pointer : net.pointers) EXPECT_LT(pointer.to, net.synsets.size());
}

/// A copy of the small WordNet, which may be changed.
struct Copied : Testing::TempFolder {
  Copied() {
    for (const char* name : {"data.noun", "data.verb", "data.adj", "data.adv"})
      write(name, Testing::read_all(std::string(KINDRED_TEST_WORDNET "/") + name));
  }
};

TEST(WordNet, ADamagedFileIsRefusedWithTheLine) {
  const std::string noun = Testing::read_all(KINDRED_TEST_WORDNET "/data.noun");
  const auto changed = [&](const std::string& from, const std::string& to) {
    return std::string(noun).replace(noun.find(from), from.size(), to);  // find must not fail
  };
  const std::size_t line_end = noun.find('\n', noun.find("large feline of warm forests")) + 1;
  struct Damage {
    std::string text;
    std::vector<std::string> words;
  };
  const std::vector<Damage> damages{
      {changed("animal 0 creature", "animals 0 creature"), {"data.noun:3: ", "stands at byte"}},
      {noun.substr(0, noun.size() / 2), {"the file was cut"}},
      {noun.substr(0, line_end), {"where no synset stands"}},
      {"", {"holds no synset"}},
      {changed("~ 000", "~ 999"), {"data.noun:2: ", "where no synset stands"}},
      {changed(" ~ 0", " ? 0"), {"symbol is \"?\""}},
      {changed(" n 02 animal", " n 0z animal"), {"the number of words is \"0z\""}},
      {changed(" 0 003 ~", " 0 903 ~"), {"data.noun:2: "}},
      {changed(" 00 n 02", " 00 v 02"), {"wrong for data.noun"}},
      {changed("living", "liv\xEFng"), {"byte 239"}},
      {changed(" | a living", " . a living"), {"the gloss"}}};
  const Copied folder;
  for (const Damage& damage : damages) {
    folder.write("data.noun", damage.text);
    const std::string message =
        Testing::message_of<CorruptFile>([&] { read_wordnet(folder / ""); });
    EXPECT_THAT(message, testing::HasSubstr("data.noun"));
    for (const std::string& words : damage.words) EXPECT_THAT(message, testing::HasSubstr(words));
  }
}

TEST(WordNet, AMissingFileIsNotFound) {
  const Copied folder;
  std::filesystem::remove(folder / "data.adv");
  EXPECT_THAT(Testing::message_of<NotFound>([&] { read_wordnet(folder / ""); }),
              testing::AllOf(testing::HasSubstr("data.adv"), testing::HasSubstr("wordnet-base")));
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

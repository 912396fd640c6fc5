// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Vocabulary.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "MessageOf.hpp"
#include "Support.hpp"
#include "TempFolder.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace VocabularyTest {

using namespace Kindred;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Texts = std::vector<std::string_view>;

Ragged<char> ragged(const Texts& texts) {
  Ragged<char> rows;
  for (const auto text : texts) rows.push_row({text.data(), text.size()});
  return rows;
}

Texts texts_of(const Vocabulary& words) {
  Texts texts;
  for (Symbol s = 0; s < words.size(); ++s) texts.push_back(words.text(s));
  return texts;
}

std::string word(std::size_t number) {
  std::string text = "w";
  return text += std::to_string(number);
}

template <class Failing, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Failing& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Vocabulary, NumbersTextsInOrderOfAppearance) {
  Vocabulary words;
  EXPECT_EQ(words.size(), 0U);
  EXPECT_EQ(words.add("b"), 0U);
  EXPECT_EQ(words.add("a"), 1U);
  EXPECT_EQ(words.add("b"), 0U);
  EXPECT_EQ(words.size(), 2U);
  EXPECT_THAT(texts_of(words), ElementsAre("b", "a"));
}

TEST(Vocabulary, AQueryDoesNotChangeIt) {
  Vocabulary words;
  words.add("a");
  EXPECT_EQ(words.find("new"), unknown_symbol);
  EXPECT_EQ(words.find("new"), unknown_symbol);
  EXPECT_EQ(words.size(), 1U);
  EXPECT_THROW(words.text(1), NotFound);
  EXPECT_THROW(words.text(unknown_symbol), NotFound);
  EXPECT_EQ(words.add("next"), 1U);
}

TEST(Vocabulary, TakesAnyBytesOfAnyLength) {
  const std::vector<std::string> texts{"",
                                       std::string(1, '\0'),
                                       std::string("a\0b", 3),
                                       "a",
                                       "é",
                                       "e\u0301",
                                       "\U0001F642",
                                       "\xFF\xFE",
                                       std::string(254, 'x'),
                                       std::string(255, 'x'),
                                       std::string(256, 'x'),
                                       std::string(5'000'000, 'x'),
                                       std::string(5'000'000, 'x') + "y"};
  Vocabulary words;
  for (const auto& text : texts) words.add(text);
  ASSERT_EQ(words.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(words.find(texts[i]), i);
    EXPECT_EQ(words.text(static_cast<Symbol>(i)), texts[i]);
  }
  EXPECT_EQ(words.find({}), 0U);
}

TEST(Vocabulary, FindsEveryTextAcrossGrowth) {
  Vocabulary words;
  const std::string_view early = words.text(words.add("early"));
  for (Symbol s = 1; s < 20000; ++s) ASSERT_EQ(words.add(word(s)), s);
  const Vocabulary moved(std::move(words));
  EXPECT_EQ(early, "early");
  EXPECT_EQ(early.data(), moved.text(0).data());
  for (Symbol s = 1; s < 20000; ++s) {
    const std::string text = word(s);
    ASSERT_EQ(moved.find(text), s);
    ASSERT_EQ(moved.text(s), text);
    ASSERT_EQ(moved.find(text + "?"), unknown_symbol);
  }
}

TEST(Vocabulary, SortedInsertionDoesNotDependOnTheOrderGiven) {
  Texts given{"b", "", "é", "a", "z", "ab", "a", "\xFF", "B"};
  auto generator = Testing::generator("sorted");
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::shuffle(given.begin(), given.end(), generator);
    Vocabulary words;
    words.add("z");
    words.add_sorted(given);
    EXPECT_THAT(texts_of(words), ElementsAre("z", "", "B", "a", "ab", "b", "é", "\xFF"));
    words.add_sorted(given);
    EXPECT_EQ(words.size(), 8U);
  }
}

TEST(Vocabulary, DecodesSequencesAndReportsUnknownSymbols) {
  Vocabulary words;
  for (const auto* text : {"a", "", "c"}) words.add(text);
  EXPECT_THAT(words.decode(std::vector<Symbol>{2, 1, 1, 0}), ElementsAre("c", "", "", "a"));
  EXPECT_TRUE(words.decode({}).empty());
  EXPECT_THAT(message_of<NotFound>([&] {
                words.decode(std::vector<Symbol>{2, 3});
              }),
              HasSubstr("symbol 3 at 1 of the sequence is not in the vocabulary of 3"));
  EXPECT_THROW(words.decode(std::vector<Symbol>{unknown_symbol}), NotFound);
}

TEST(Vocabulary, IsRestoredFromItsTexts) {
  auto generator = Testing::generator("again");
  Vocabulary words;
  words.add("");
  for (int i = 0; i < 3000; ++i) words.add(std::string(generator() % 400, 'a' + generator() % 3));
  const Vocabulary again(words.texts());
  EXPECT_EQ(texts_of(again), texts_of(words));
  for (Symbol s = 0; s < words.size(); ++s) EXPECT_EQ(again.find(words.text(s)), s);
  const Ragged<char> tail = words.texts(5);
  EXPECT_EQ(tail.rows(), words.size() - 5);
  EXPECT_EQ(std::string_view(tail[0].data(), tail[0].size()), words.text(5));
  EXPECT_EQ(words.texts(100000).rows(), 0U);
  EXPECT_EQ(Vocabulary(RaggedSpan<char>{}).size(), 0U);
  Vocabulary more(words.texts());
  EXPECT_EQ(more.add("more"), words.size());
}

TEST(Vocabulary, IsRestoredFromItsFile) {
  const Testing::TempFolder folder;
  Vocabulary vocabulary;
  for (const char* text : {"b", "", "a", "ä€😀", "with\nline"}) vocabulary.add(text);
  vocabulary.add(std::string(100000, 'x'));
  vocabulary.save(folder / "v");
  const Vocabulary copy = Vocabulary::load(folder / "v");
  ASSERT_EQ(copy.size(), vocabulary.size());
  for (Symbol symbol = 0; symbol < copy.size(); ++symbol)
    EXPECT_EQ(copy.text(symbol), vocabulary.text(symbol));
  Vocabulary().save(folder / "empty");
  EXPECT_EQ(Vocabulary::load(folder / "empty").size(), 0U);
  EXPECT_THROW(Vocabulary::load(folder / "missing"), NotFound);
  std::string bytes = Testing::read_all(folder / "v");
  bytes[200] ^= 1;
  EXPECT_THROW(Vocabulary::load(folder.write("bad", bytes)), CorruptFile);
}

TEST(Vocabulary, RejectsTextsThatAreNotAVocabulary) {
  EXPECT_THAT(message_of<InvalidArgument>([] {
                Vocabulary(ragged({"a", "b", "", "b"}));
              }),
              HasSubstr("text 3 is the same as text 1"));
  EXPECT_THROW(Vocabulary(ragged({"", ""})), InvalidArgument);
  const std::vector<char> values{'a', 'b', 'c'};
  for (const std::vector<std::uint64_t>& offsets :
       {std::vector<std::uint64_t>{1, 2}, {0, 2, 1}, {0, 4}, {0, ~std::uint64_t{0}}}) {
    EXPECT_THROW(Vocabulary(RaggedSpan<char>{offsets, values}), InvalidArgument);
  }
}

TEST(Vocabulary, ReportsItsSize) {
  Vocabulary words;
  const auto empty = words.statistics();
  EXPECT_EQ(empty.symbols, 0U);
  EXPECT_EQ(empty.text_bytes, 0U);
  for (int i = 0; i < 100000; ++i) words.add("symbol" + std::to_string(100000 + i));
  const auto full = words.statistics();
  EXPECT_EQ(full.symbols, 100000U);
  EXPECT_EQ(full.text_bytes, 1'200'000U);
  EXPECT_GT(full.held_bytes, full.text_bytes);
  // Each text also costs its length, its position, its share of a table that is at least half
  // empty here, and its share of the earlier tables, which are kept.
  EXPECT_LT(full.held_bytes, full.text_bytes + 100000 * 70U);
}

}  // namespace VocabularyTest

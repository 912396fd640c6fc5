// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Vocabulary.hpp>

#include <algorithm>
#include <utility>

#include "PatternMemorySupport.hpp"
#include "RefusedCalls.hpp"
#include "Support.hpp"
#include "TempFolder.hpp"
#include "TextRows.hpp"

namespace VocabularyTest {

using namespace Kindred;
using namespace Kindred::Testing;
using ::testing::ElementsAre;
using Texts = std::vector<std::string_view>;

Texts texts_of(const Vocabulary& words) {
  Texts texts;
  for (Symbol s = 0; s < words.size(); ++s) texts.push_back(words.text(s));
  return texts;
}

TEST(Vocabulary, TakesAnyBytesOfAnyLength) {
  std::vector<std::string> texts{"",       std::string(1, '\0'), std::string("a\0b", 3), "a", "é",
                                 "e\u0301"};
  for (const char* text : {"\U0001F642", "\xFF\xFE"}) texts.emplace_back(text);
  for (const std::size_t length : {254, 255, 256, 5'000'000}) texts.emplace_back(length, 'x');
  texts.push_back(texts.back() + "y");
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
  for (Symbol s = 1; s < 20000; ++s) ASSERT_EQ(words.add(numbered('w', s)), s);
  const Vocabulary moved(std::move(words));
  EXPECT_EQ(early, "early");
  EXPECT_EQ(early.data(), moved.text(0).data());
  for (Symbol s = 1; s < 20000; ++s) {
    const std::string text = numbered('w', s);
    ASSERT_EQ(moved.find(text), s);
    ASSERT_EQ(moved.text(s), text);
    ASSERT_EQ(moved.find(text + "?"), unknown_symbol);
  }
}

TEST(Vocabulary, SortedInsertionDoesNotDependOnTheOrderGiven) {
  Texts given{"b", "", "é", "a", "z", "ab", "a", "\xFF", "B"};
  auto random = generator("sorted");
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::shuffle(given.begin(), given.end(), random);
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
  const std::vector<Symbol> unknown{2, 3};
  expect_refused<NotFound>({{[&] { words.decode(unknown); },
                             "symbol 3 at 1 of the sequence is not in the vocabulary of 3"}});
  for (const Symbol symbol : {Symbol{3}, unknown_symbol}) {
    EXPECT_THROW(words.text(symbol), NotFound);
    EXPECT_THROW(words.decode({{symbol}}), NotFound);
  }
}

TEST(Vocabulary, IsRestoredFromItsTextsItsBytesAndItsFile) {
  auto random = generator("again");
  const TempFolder folder;
  Vocabulary words;
  for (const char* text : {"", "a", "ä€😀", "with\nline"}) words.add(text);
  words.add(std::string(100000, 'x'));
  for (int i = 0; i < 3000; ++i) words.add(std::string(random() % 400, 'a' + random() % 3));
  words.save(folder / "v");
  Vocabulary restored[] = {Vocabulary(words.texts()), Vocabulary::load(words.to_bytes()),
                           Vocabulary::load(folder / "v")};
  for (Vocabulary& again : restored) {
    EXPECT_EQ(texts_of(again), texts_of(words));
    for (Symbol s = 0; s < words.size(); ++s) EXPECT_EQ(again.find(words.text(s)), s);
    EXPECT_EQ(again.add("more"), words.size());
  }
  const Ragged<char> tail = words.texts(5);
  EXPECT_EQ(tail.rows(), words.size() - 5);
  EXPECT_EQ(std::string_view(tail[0].data(), tail[0].size()), words.text(5));
  EXPECT_EQ(words.texts(100000).rows(), 0U);
  EXPECT_EQ(Vocabulary(RaggedSpan<char>{}).size(), 0U);
  Vocabulary().save(folder / "empty");
  EXPECT_EQ(Vocabulary::load(folder / "empty").size(), 0U);
  EXPECT_EQ(Vocabulary::load(Vocabulary().to_bytes()).size(), 0U);
  EXPECT_THROW(Vocabulary::load(folder / "missing"), NotFound);
  std::string bytes = read_all(folder / "v");
  bytes[200] ^= 1;
  EXPECT_THROW(Vocabulary::load(folder.write("bad", bytes)), CorruptFile);
  std::vector<std::byte> damaged = words.to_bytes();
  damaged.back() ^= std::byte{1};
  EXPECT_THROW(Vocabulary::load(damaged), CorruptFile);
}

TEST(Vocabulary, RejectsTextsThatAreNotAVocabulary) {
  const auto making = [](const auto& rows) { return [=] { Vocabulary{RaggedSpan<char>(rows)}; }; };
  const std::vector<char> values{'a', 'b', 'c'};
  const std::vector<std::vector<std::uint64_t>> bad_offsets{
      {1, 2}, {0, 2, 1}, {0, 4}, {0, ~std::uint64_t{0}}};
  std::vector<RefusedCall> calls{
      {making(text_rows({"a", "b", "", "b"})), "text 3 is the same as text 1"},
      {making(text_rows({"", ""})), "text 1 is the same as text 0"}};
  for (const auto& offsets : bad_offsets)
    calls.push_back({making(RaggedSpan<char>{offsets, values}), ""});
  expect_refused(calls);
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

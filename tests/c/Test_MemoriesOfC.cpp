// SPDX-License-Identifier: Apache-2.0
// Functions of pattern memories and vocabularies: each does what the object of C++ behind the
// handle does.
#include "Given.hpp"
#include "Members.hpp"
#include "MemorySupport.hpp"

#include <TempFolder.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace MemoriesOfCTest {

using namespace Kindred;
using namespace Kindred::Testing;

TEST(CMemories, ManyPatternsAreLearnedInEveryForm) {
  const Patterns given("CMemories many", 100);
  std::string bytes;
  for (const Form form : {Form::texts, Form::numbers, Form::symbols}) {
    const auto memory = quiet_memory();
    // Symbols of the memory, which have the numbers of the dictionary after this.
    const std::uint64_t offsets[] = {0, given.dictionary.size()};
    ok(kindred_memory_learn(memory, c_texts(given.dictionary).data(), offsets, 1, nullptr, 0, 1,
                            nullptr));
    std::vector<kindred_learned> learned;
    ok(learn_all(memory, given, form, learned));
    const PatternMemory& inside = C::memory_of(memory);
    std::vector<bool> is_known(inside.statistics().learned);
    for (std::size_t p = 0; p < given.names.size(); ++p) {
      const auto& [index, frequency, is_new, reserved] = learned[p];
      ASSERT_LT(index, is_known.size());
      EXPECT_EQ(is_new != 0, index > 0 && !is_known[index]);
      EXPECT_GE(frequency, given.times[p]);
      EXPECT_LE(frequency, inside.frequency(index));
      if (is_new != 0) {
        EXPECT_EQ(inside.pattern(index).name, given.names[p]);
      }
      is_known[index] = true;
      const std::uint64_t begin = given.offsets[given.patterns[p]];
      EXPECT_EQ(
          inside.pattern(index).events.values,
          list_of(given.numbers.data() + begin, given.offsets[given.patterns[p + 1]] - begin));
    }
    if (form != Form::texts) {
      EXPECT_EQ(bytes_of(memory), bytes);
    }
    bytes = bytes_of(memory);
  }
}

TEST(CMemories, AFailedCallLearnsNothing) {
  const Patterns given("CMemories failed", 10);
  const auto memory = quiet_memory();
  const std::string before = bytes_of(memory);
  std::vector<kindred_learned> learned;
  Patterns wrong = given;
  wrong.patterns[1] = 2 * wrong.offsets.size();
  expect_refused(learn_all(memory, wrong, Form::numbers, learned), "patterns[2]");
  wrong = given;
  wrong.numbers[0] = 12;  // beyond the dictionary
  expect_refused(learn_all(memory, wrong, Form::numbers, learned), "12");
  const kindred_text text{nullptr, 3};
  kindred_patterns patterns = Given::patterns{.count = 1};
  patterns.patterns = given.patterns.data();
  patterns.offsets = given.offsets.data();
  patterns.symbols = given.numbers.data();
  patterns.names = &text;
  expect_refused(kindred_memory_learn_all(memory, &patterns, nullptr), "data is NULL");
  patterns.names = nullptr;
  patterns.dictionary_size = 1;
  expect_refused(kindred_memory_learn_all(memory, &patterns, nullptr), "dictionary is NULL");
  patterns.texts = &text;
  expect_refused(kindred_memory_learn_all(memory, &patterns, nullptr), "texts and symbols");
  EXPECT_EQ(bytes_of(memory), before);
}

TEST(CMemories, WhatIsFoundIsThatOfCpp) {
  const Memory of("CMemories changes");
  PatternMemory& inside = of.inside();
  ok(kindred_memory_set_frequency(of.memory, 2, 77));
  EXPECT_EQ(result_of(kindred_memory_forget, of.memory, 0, "p3", 2), 1);
  EXPECT_EQ(result_of(kindred_memory_forget, of.memory, 3, nullptr, 0), 0);

  const std::vector<std::string> sought{"p3", "", "absent", "p18"};
  std::vector<std::int64_t> found(sought.size());
  ok(kindred_memory_find_names(of.memory, c_texts(sought).data(), sought.size(), found.data()));
  for (std::size_t i = 0; i < sought.size(); ++i) {
    const auto expected = inside.find(sought[i]);
    EXPECT_EQ(found[i], expected ? static_cast<std::int64_t>(*expected) : -1) << sought[i];
  }
  EXPECT_EQ(found[0], -1);
  const std::vector<std::uint64_t> indices{0, 1, 2, 3, 18, 70};
  const auto names = result_of(kindred_memory_names, of.memory, indices.data(), indices.size());
  const kindred_text* texts = nullptr;
  std::size_t count = 0;
  ok(kindred_strings_get(names, &texts, &count));
  ASSERT_EQ(count, indices.size());
  const auto expected_names = inside.names(indices);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(texts[i].data != nullptr, expected_names[i].has_value()) << i;
    EXPECT_EQ(text_of(texts[i]), expected_names[i].value_or(""));
  }
  const std::vector<std::string> all = of.given.texts();
  const std::vector<kindred_text> all_texts = c_texts(all);
  const std::uint64_t event = of.given.patterns[2];
  std::vector<std::uint64_t> offsets;  // of pattern 2
  for (std::size_t e = event; e <= of.given.patterns[3]; ++e)
    offsets.push_back(of.given.offsets[e] - of.given.offsets[event]);
  EXPECT_EQ(
      result_of(kindred_memory_find_events, of.memory, all_texts.data() + of.given.offsets[event],
                offsets.data(), offsets.size() - 1),
      of.learned[2].index);

  const auto pattern = result_of(kindred_memory_pattern, of.memory, 2);
  const kindred_pattern_view view = result_of(kindred_pattern_get, pattern);
  const StoredPattern stored = inside.pattern(2);
  EXPECT_EQ(numbers(view.index, view.frequency, view.events), numbers(2, 77, stored.events.rows()));
  EXPECT_EQ(std::string(view.name, view.name_size), stored.name.value_or("none"));
  EXPECT_TRUE(has_values(view.offsets, stored.events.offsets));
  EXPECT_TRUE(has_values(view.symbols, stored.events.values));
  expect_no_result<KINDRED_NOT_FOUND>("", kindred_memory_pattern, of.memory, 3);
  EXPECT_EQ(list_from(kindred_memory_symbol_frequencies, of.memory), inside.symbol_frequencies());

  EXPECT_EQ(size_of(of.memory), inside.size());
  ok(kindred_memory_clear(of.memory));
  EXPECT_EQ(size_of(of.memory), 0U);
  const std::uint64_t one[] = {0, 1};
  const kindred_learned learned =
      result_of(kindred_memory_learn, of.memory, of.texts.data(), one, 1, "p3", 2, 1);
  EXPECT_EQ(learned.index, inside.statistics().learned - 1);
}

TEST(CMemories, SynchronisationsAndStatisticsAreThoseOfCpp) {
  const Memory of("CMemories syncs");
  const auto expect_last = [&](const kindred_sync_record& record, std::int32_t trigger,
                               std::uint64_t moved) {
    expect_members(record, of.inside().sync_statistics().last);
    EXPECT_EQ(numbers(record.trigger, record.moved), numbers(trigger, moved));
  };
  expect_last(result_of(kindred_memory_sync, of.memory), KINDRED_SYNC_MANUAL, of.inside().size());
  ok(kindred_memory_begin_training(of.memory));
  expect_refused(kindred_memory_begin_training(of.memory));
  const auto found = expect_statistics<kindred_memory_statistics>(
      of.memory, of.inside().statistics(), "syncs patterns_synced incomplete background training");
  expect_members(found, of.inside().sync_statistics(),
                 "patterns learned total_frequency bulk segments queries bytes");
  // A pattern with a symbol that no other has.
  ok(kindred_memory_learn(of.memory, of.texts.data(), of.events.data(), 2, nullptr, 0, 1, nullptr));
  expect_last(result_of(kindred_memory_end_training, of.memory), KINDRED_SYNC_TRAINING, 1);
  expect_last(result_of(kindred_memory_last_sync, of.memory), KINDRED_SYNC_TRAINING, 1);
}

TEST(CMemories, FilesBytesAndSettingsAreThoseOfTheMemory) {
  const TempFolder folder;
  const std::string path = folder / "patterns.knd";
  const Memory of("CMemories bytes");
  ok(kindred_save(of.memory, path.c_str()));
  ok(kindred_memory_forget(of.memory, 1, nullptr, 0, nullptr));
  ok(kindred_memory_append(of.memory, path.c_str()));
  const kindred_memory_file_info info = result_of(kindred_memory_inspect, path.c_str(), 0);
  expect_members(info, PatternMemory::inspect(path));
  EXPECT_EQ(numbers(info.patterns, info.commits), numbers(of.inside().size(), 2));
  const kindred_memory_options options = Given::memory_options{.level = KINDRED_LEVEL_CHARACTER,
                                                               .background_sync = 0,
                                                               .max_bulk_patterns = 1000,
                                                               .sync_threshold = 17};
  const std::string bytes = bytes_of(of.memory);
  const auto of_bytes =
      result_of(kindred_memory_from_bytes, c_context(), data_of(bytes), bytes.size(), &options);
  const auto of_file = result_of(kindred_memory_load, c_context(), path.c_str(), &options);
  for (const kindred_memory* const loaded : {of_bytes.handle, of_file.handle}) {
    EXPECT_EQ(C::memory_of(loaded).level(), Level::character);
    const kindred_memory_options settings = result_of(kindred_memory_settings, loaded);
    EXPECT_EQ(std::memcmp(&settings, &options, sizeof(settings)), 0);
  }
  EXPECT_EQ(bytes_of(of_file), bytes_of(of_bytes));
}

TEST(CVocabulary, NumbersTextsAndKeepsThem) {
  const auto vocabulary = result_of(kindred_vocabulary_create, nullptr, 0);
  const kindred_text empty[] = {{nullptr, 0}, {"", 0}};
  std::uint32_t added[] = {7, 7};
  ok(kindred_vocabulary_add(vocabulary, empty, 2, 0, added));
  EXPECT_EQ(numbers(added[0], added[1]), numbers(0, 0));
  const std::vector<std::string> words{"b", "a", "b"};
  ok(kindred_vocabulary_add(vocabulary, c_texts(words).data(), 3, 1, nullptr));
  const std::vector<std::string> different{"", "a", "b"};
  const auto of_texts = result_of(kindred_vocabulary_create, c_texts(different).data(), 3);
  for (const kindred_vocabulary* const one : {vocabulary.handle, of_texts.handle}) {
    const std::uint32_t numbers_of[] = {2, 0, 1, 2};
    kindred_text texts[4] = {};
    ok(kindred_vocabulary_decode(one, numbers_of, 4, texts));
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(text_of(texts[i]), different[numbers_of[i]]);
    expect_statistics<kindred_vocabulary_statistics>(one, C::vocabulary_of(one).statistics());
  }
  expect_no_result("", kindred_vocabulary_create, c_texts(words).data(), 3);  // "b" twice
  expect_no_result<KINDRED_NOT_FOUND>("", kindred_vocabulary_load, "absent/vocabulary.knd");

  const Memory of("CVocabulary memory");
  const auto copy = result_of(kindred_memory_vocabulary, of.memory);
  const Vocabulary& inside = of.inside().vocabulary();
  ASSERT_EQ(C::vocabulary_of(copy).size(), inside.size());
  for (std::uint32_t symbol = 0; symbol < inside.size(); ++symbol) {
    EXPECT_EQ(text_of(result_of(kindred_memory_decode, of.memory, &symbol, 1)),
              inside.text(symbol));
    EXPECT_EQ(C::vocabulary_of(copy).text(symbol), inside.text(symbol));
  }
}

}  // namespace MemoriesOfCTest

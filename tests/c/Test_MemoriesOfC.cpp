// SPDX-License-Identifier: Apache-2.0
// Functions of pattern memories and vocabularies: each does what the object of C++ behind the
// handle does.
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
    Owned<kindred_memory> memory;
    create_quiet(&memory);
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
      std::vector<Symbol> symbols(
          given.numbers.begin() + static_cast<std::ptrdiff_t>(given.offsets[given.patterns[p]]),
          given.numbers.begin() +
              static_cast<std::ptrdiff_t>(given.offsets[given.patterns[p + 1]]));
      EXPECT_EQ(inside.pattern(index).events.values, symbols);
    }
    if (form != Form::texts) {
      EXPECT_EQ(bytes_of(memory), bytes);
    }
    bytes = bytes_of(memory);
  }
}

TEST(CMemories, AFailedCallLearnsNothing) {
  const Patterns given("CMemories failed", 10);
  Owned<kindred_memory> memory;
  create_quiet(&memory);
  const std::string before = bytes_of(memory);
  std::vector<kindred_learned> learned;
  Patterns wrong = given;
  wrong.patterns[1] = 2 * wrong.offsets.size();
  expect_refused(learn_all(memory, wrong, Form::numbers, learned), "patterns[2]");
  wrong = given;
  wrong.numbers[0] = 12;  // beyond the dictionary
  expect_refused(learn_all(memory, wrong, Form::numbers, learned), "12");
  const kindred_text text{nullptr, 3};
  kindred_patterns patterns = KINDRED_PATTERNS_INIT;
  patterns.count = 1;
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

TEST(CMemories, ChangesAndWhatIsFoundAreThoseOfCpp) {
  const Memory of("CMemories changes");
  PatternMemory& inside = of.inside();
  ok(kindred_memory_set_frequency(of.memory, 2, 77));
  std::uint64_t frequency = 0;
  ok(kindred_memory_frequency(of.memory, 2, &frequency));
  EXPECT_EQ(numbers(frequency, inside.frequency(2)), numbers(77, 77));
  expect_refused(kindred_memory_set_frequency(of.memory, 2, 0));
  expect_refused(kindred_memory_set_frequency(of.memory, 1000, 1), "", KINDRED_NOT_FOUND);
  std::int32_t existed = -1;
  ok(kindred_memory_forget(of.memory, 0, "p3", 2, &existed));
  EXPECT_EQ(existed, 1);
  EXPECT_FALSE(inside.find("p3"));
  ok(kindred_memory_forget(of.memory, 3, nullptr, 0, &existed));
  EXPECT_EQ(existed, 0);

  const std::vector<std::string> sought{"p3", "", "absent", "p18"};
  const std::vector<std::string_view> views(sought.begin(), sought.end());
  std::vector<std::int64_t> found(sought.size());
  ok(kindred_memory_find_names(of.memory, c_texts(sought).data(), sought.size(), found.data()));
  const auto expected = inside.find_all(views);
  for (std::size_t i = 0; i < sought.size(); ++i)
    EXPECT_EQ(found[i], expected[i] ? static_cast<std::int64_t>(*expected[i]) : -1) << sought[i];
  EXPECT_EQ(found[0], -1);
  const std::vector<std::uint64_t> indices{0, 1, 2, 3, 18, 70};
  Owned<kindred_strings> names;
  const kindred_text* texts = nullptr;
  std::size_t count = 0;
  ok(kindred_memory_names(of.memory, indices.data(), indices.size(), &names));
  ok(kindred_strings_get(names, &texts, &count));
  ASSERT_EQ(count, indices.size());
  const auto expected_names = inside.names(indices);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(texts[i].data != nullptr, expected_names[i].has_value()) << i;
    if (expected_names[i]) {
      EXPECT_EQ(text_of(texts[i]), *expected_names[i]);
    }
  }
  const std::vector<std::string> all = of.given.texts();
  const std::vector<kindred_text> all_texts = c_texts(all);
  const std::uint64_t event = of.given.patterns[2];
  const std::size_t events = of.given.patterns[3] - event;
  std::vector<std::uint64_t> offsets;  // of pattern 2
  for (std::size_t e = 0; e <= events; ++e)
    offsets.push_back(of.given.offsets[event + e] - of.given.offsets[event]);
  std::int64_t index = -2;
  ok(kindred_memory_find_events(of.memory, all_texts.data() + of.given.offsets[event],
                                offsets.data(), events, &index));
  EXPECT_EQ(index, static_cast<std::int64_t>(of.learned[2].index));

  Owned<kindred_pattern> pattern;
  ok(kindred_memory_pattern(of.memory, 2, &pattern));
  kindred_pattern_view view = KINDRED_PATTERN_VIEW_INIT;
  ok(kindred_pattern_get(pattern, &view));
  const StoredPattern stored = inside.pattern(2);
  EXPECT_EQ(numbers(view.index, view.frequency, view.events), numbers(2, 77, stored.events.rows()));
  EXPECT_EQ(std::string(view.name, view.name_size), stored.name.value_or("none"));
  EXPECT_EQ(list_of(view.offsets, view.events + 1),
            std::vector<std::uint64_t>(stored.events.offsets.begin(), stored.events.offsets.end()));
  EXPECT_EQ(list_of(view.symbols, stored.events.values.size()), stored.events.values);
  EXPECT_EQ(kindred_memory_pattern(of.memory, 3, &pattern), KINDRED_NOT_FOUND);
  std::vector<std::uint64_t> frequencies(20);
  ok(kindred_memory_symbol_frequencies(of.memory, frequencies.data(), 20, &count));
  frequencies.resize(count);
  EXPECT_EQ(frequencies, inside.symbol_frequencies());

  EXPECT_EQ(size_of(of.memory), inside.size());
  ok(kindred_memory_clear(of.memory));
  EXPECT_EQ(size_of(of.memory), 0U);
  kindred_learned learned{};
  const std::uint64_t one[] = {0, 1};
  ok(kindred_memory_learn(of.memory, of.texts.data(), one, 1, "p3", 2, 1, &learned));
  EXPECT_EQ(learned.index, inside.statistics().learned - 1);
}

TEST(CMemories, SynchronisationsAndStatisticsAreThoseOfCpp) {
  const Memory of("CMemories syncs");
  kindred_sync_record record = KINDRED_SYNC_RECORD_INIT;
  const auto expect_last = [&](std::int32_t trigger) {
    expect_members(record, of.inside().sync_statistics().last);
    EXPECT_EQ(record.trigger, trigger);
  };
  ok(kindred_memory_sync(of.memory, &record));
  EXPECT_EQ(record.moved, of.inside().size());
  expect_last(KINDRED_SYNC_MANUAL);
  ok(kindred_memory_begin_training(of.memory));
  expect_refused(kindred_memory_begin_training(of.memory));
  const auto found = expect_statistics<kindred_memory_statistics>(
      of.memory, of.inside().statistics(), "syncs patterns_synced incomplete background training");
  expect_members(found, of.inside().sync_statistics(),
                 "patterns learned total_frequency bulk segments queries bytes");
  // A pattern with a symbol that no other has.
  ok(kindred_memory_learn(of.memory, of.texts.data(), of.events.data(), 2, nullptr, 0, 1, nullptr));
  ok(kindred_memory_end_training(of.memory, &record));
  EXPECT_EQ(record.moved, 1U);
  expect_last(KINDRED_SYNC_TRAINING);
  ok(kindred_memory_last_sync(of.memory, &record));
  expect_last(KINDRED_SYNC_TRAINING);
}

TEST(CMemories, FilesBytesAndSettingsAreThoseOfTheMemory) {
  const TempFolder folder;
  const std::string path = folder / "patterns.knd";
  const Memory of("CMemories bytes");
  ok(kindred_save(of.memory, path.c_str()));
  ok(kindred_memory_forget(of.memory, 1, nullptr, 0, nullptr));
  ok(kindred_memory_append(of.memory, path.c_str()));
  kindred_memory_file_info info = KINDRED_MEMORY_FILE_INFO_INIT;
  ok(kindred_memory_inspect(path.c_str(), 0, &info));
  expect_members(info, PatternMemory::inspect(path));
  EXPECT_EQ(numbers(info.patterns, info.commits), numbers(of.inside().size(), 2));
  kindred_memory_options options = KINDRED_MEMORY_OPTIONS_INIT;
  options.background_sync = 0;
  options.level = KINDRED_LEVEL_CHARACTER;
  options.sync_threshold = 17;
  options.max_bulk_patterns = 1000;
  const std::string bytes = bytes_of(of.memory);
  const auto from_bytes = [&](std::size_t size, kindred_memory** memory) {
    return kindred_memory_from_bytes(
        c_context(), reinterpret_cast<const std::uint8_t*>(bytes.data()), size, &options, memory);
  };
  Owned<kindred_memory> loaded;
  ok(from_bytes(bytes.size(), &loaded));
  EXPECT_EQ(C::memory_of(loaded).level(), Level::character);
  kindred_memory_options settings = KINDRED_MEMORY_OPTIONS_INIT;
  ok(kindred_memory_settings(loaded, &settings));
  EXPECT_EQ(std::memcmp(&settings, &options, sizeof(settings)), 0);
  Owned<kindred_memory> of_file;
  ok(kindred_memory_load(c_context(), path.c_str(), &options, &of_file));
  EXPECT_EQ(bytes_of(of_file), bytes_of(loaded));
  kindred_memory* damaged = nullptr;
  expect_refused(from_bytes(bytes.size() - 1, &damaged), "", KINDRED_CORRUPT);
  EXPECT_EQ(damaged, nullptr);
}

TEST(CVocabulary, NumbersTextsAndKeepsThem) {
  const TempFolder folder;
  Owned<kindred_vocabulary> vocabulary;
  ok(kindred_vocabulary_create(nullptr, 0, &vocabulary));
  const kindred_text empty[] = {{nullptr, 0}, {"", 0}};
  std::uint32_t added[] = {7, 7};
  ok(kindred_vocabulary_add(vocabulary, empty, 2, 0, added));
  EXPECT_EQ(numbers(added[0], added[1]), numbers(0, 0));
  const std::vector<std::string> words{"b", "a", "b"};
  ok(kindred_vocabulary_add(vocabulary, c_texts(words).data(), 3, 1, nullptr));
  const std::vector<std::string> sought{"a", "b", "c"};
  const std::vector<std::string> different{"", "a", "b"};
  const std::string path = folder / "vocabulary.knd";
  ok(kindred_save(vocabulary, path.c_str()));
  const std::string bytes = bytes_of(vocabulary);
  const auto* const data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  Owned<kindred_vocabulary> of_file;
  Owned<kindred_vocabulary> of_bytes;
  Owned<kindred_vocabulary> of_texts;
  ok(kindred_vocabulary_load(path.c_str(), &of_file));
  ok(kindred_vocabulary_from_bytes(data, bytes.size(), &of_bytes));
  ok(kindred_vocabulary_create(c_texts(different).data(), 3, &of_texts));
  for (const kindred_vocabulary* const one :
       {vocabulary.handle, of_file.handle, of_bytes.handle, of_texts.handle}) {
    const Vocabulary& inside = C::vocabulary_of(one);
    std::vector<std::uint32_t> symbols(3);
    ok(kindred_vocabulary_find(one, c_texts(sought).data(), 3, symbols.data()));
    EXPECT_EQ(symbols, (std::vector<std::uint32_t>{1, 2, KINDRED_UNKNOWN_SYMBOL}));
    const std::uint32_t numbers_of[] = {2, 0, 1, 2};
    kindred_text texts[4] = {};
    ok(kindred_vocabulary_decode(one, numbers_of, 4, texts));
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(text_of(texts[i]), inside.text(numbers_of[i]));
    expect_statistics<kindred_vocabulary_statistics>(one, inside.statistics());
  }
  const std::uint32_t absent = 3;
  kindred_text text{};
  expect_refused(kindred_vocabulary_decode(vocabulary, &absent, 1, &text), "", KINDRED_NOT_FOUND);
  kindred_vocabulary* none = nullptr;
  expect_refused(kindred_vocabulary_create(c_texts(words).data(), 3, &none));  // "b" twice
  expect_refused(kindred_vocabulary_from_bytes(data, bytes.size() - 1, &none), "", KINDRED_CORRUPT);
  expect_refused(kindred_vocabulary_load((path + "x").c_str(), &none), "", KINDRED_NOT_FOUND);
  EXPECT_EQ(none, nullptr);

  const Memory of("CVocabulary memory");
  Owned<kindred_vocabulary> copy;
  ok(kindred_memory_vocabulary(of.memory, &copy));
  const Vocabulary& inside = of.inside().vocabulary();
  ASSERT_EQ(C::vocabulary_of(copy).size(), inside.size());
  for (std::uint32_t symbol = 0; symbol < inside.size(); ++symbol) {
    ok(kindred_memory_decode(of.memory, &symbol, 1, &text));
    EXPECT_EQ(text_of(text), inside.text(symbol));
    EXPECT_EQ(C::vocabulary_of(copy).text(symbol), inside.text(symbol));
  }
}

}  // namespace MemoriesOfCTest

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "PatternSupport.hpp"
#include "Threads.hpp"

namespace BulkLearnTest {

using namespace Kindred;
using namespace Kindred::Testing;

/// A pattern to be learned.
struct Given {
  EventTexts events;
  std::optional<std::string> name;
  std::uint64_t times = 1;
};

/// The arrays of patterns, as texts and as symbols of a dictionary of their texts.
struct Lists {
  explicit Lists(const std::vector<Given>& patterns) {
    Vocabulary words;
    for (const Given& pattern : patterns) {
      for (const SymbolTexts& event : pattern.events) {
        for (const std::string& text : event) {
          texts.values.emplace_back(text);
          symbols.values.push_back(words.add(text));
          if (words.size() > dictionary.size()) dictionary.emplace_back(text);
        }
        texts.close_row();
        symbols.close_row();
      }
      offsets.push_back(texts.rows());
      names.emplace_back(pattern.name);
      times.push_back(pattern.times);
    }
  }

  std::vector<std::uint64_t> offsets{0};
  Ragged<std::string_view> texts;
  Ragged<Symbol> symbols;
  std::vector<std::string_view> dictionary;
  std::vector<std::optional<std::string_view>> names;
  std::vector<std::uint64_t> times;
};

/// Patterns of which many are equal and some are empty; equal ones have the same name or none.
std::vector<Given> random_patterns(std::mt19937_64& generator, std::size_t count) {
  std::vector<Given> patterns(count);
  const std::uint64_t vocabulary = 3 + count / 20;
  for (Given& pattern : patterns) {
    pattern.events = random_events(generator, vocabulary, 3, 2);
    std::string all;
    for (const SymbolTexts& event : pattern.events) {
      for (const std::string& text : event) all += text + ' ';
      if (!event.empty()) all += '|';
    }
    if (generator() % 3 == 0) pattern.name = all;
    pattern.times = 1 + generator() % 3;
  }
  return patterns;
}

std::vector<LearnedPattern> learn_each(PatternMemory& memory, const std::vector<Given>& patterns) {
  std::vector<LearnedPattern> learned;
  for (const Given& pattern : patterns)
    learned.push_back(learn(memory, pattern.events, pattern.name, pattern.times));
  return learned;
}

void expect_learned(const std::vector<LearnedPattern>& found,
                    const std::vector<LearnedPattern>& expected) {
  const auto is_same = [](const LearnedPattern& a, const LearnedPattern& b) {
    return std::tie(a.index, a.frequency, a.is_new) == std::tie(b.index, b.frequency, b.is_new);
  };
  const auto [at, other] = std::ranges::mismatch(found, expected, is_same);
  ASSERT_TRUE(at == found.end() && other == expected.end()) << at - found.begin();
}

/// The three forms in which patterns can be learned together.
enum class Form { texts, dictionary, symbols };
constexpr Form forms[] = {Form::texts, Form::dictionary, Form::symbols};

std::vector<LearnedPattern> learn_all(PatternMemory& memory, const std::vector<Given>& patterns,
                                      Form form = Form::texts) {
  Lists lists(patterns);
  LearnOptions options{lists.names, lists.times};
  if (form == Form::texts)
    return memory.learn_all(EventLists<std::string_view>{lists.offsets, lists.texts}, options);
  if (form == Form::dictionary) options.dictionary = lists.dictionary;
  for (Symbol& symbol : lists.symbols.values)
    if (form == Form::symbols) symbol = memory.vocabulary().find(lists.dictionary[symbol]);
  return memory.learn_all(EventLists<Symbol>{lists.offsets, lists.symbols}, options);
}

TEST(BulkLearn, EqualsLearningOneAfterTheOther) {
  auto random = generator("BulkLearn.EqualsLearning");
  const TempFolder folder;
  for (const std::size_t count : {0U, 1U, 2U, 3U, 31U, 32U, 33U, 500U, 9000U}) {
    for (const Form form : forms) {
      SCOPED_TRACE(std::to_string(count) + " patterns, form " +
                   std::to_string(static_cast<int>(form)));
      PatternMemory memory = made();
      PatternMemory loop = made();
      if (form == Form::symbols) {
        // Symbols of the vocabulary require that it has them.
        for (PatternMemory* each : {&memory, &loop}) {
          EventTexts all(1);
          for (std::size_t s = 0; s < 3 + count / 20; ++s) all[0].push_back(numbered('s', s));
          learn(*each, all, "all symbols");
        }
      }
      for (int round = 0; round < 3; ++round) {
        const std::vector<Given> patterns = random_patterns(random, count);
        expect_learned(learn_all(memory, patterns, form), learn_each(loop, patterns));
        expect_same(memory, loop);
        // It is written to files as learning is.
        round == 0 ? memory.save(folder / "memory") : memory.append(folder / "memory");
        expect_same(loaded(folder / "memory"), loop);
        for (PatternMemory* each : {&memory, &loop}) {
          for (std::uint64_t index = 0; index < each->statistics().learned; index += 3)
            each->forget(index);
          if (round == 0) each->sync();
        }
      }
      expect_same(memory, loop);
    }
  }
}

TEST(BulkLearn, FillsBlocksOfIndicesFromAnyBegin) {
  for (const std::size_t before : {0U, 1U, 4095U, 4096U, 4097U}) {
    for (const std::size_t count : {1U, 4095U, 4096U, 4097U, 8193U}) {
      PatternMemory memory = made();
      std::vector<Given> patterns;
      for (std::size_t i = 0; i < before + count; ++i)
        patterns.push_back({{{numbered('a', i / 64), numbered('b', i % 64)}}, {}, 1});
      const auto middle = patterns.begin() + static_cast<std::ptrdiff_t>(before);
      learn_all(memory, {patterns.begin(), middle});
      const auto learned = learn_all(memory, {middle, patterns.end()});
      ASSERT_EQ(learned.back().index, before + count - 1);
      for (const std::size_t i : {std::size_t{0}, before / 2, before, before + count - 1})
        ASSERT_EQ(memory.find(Words(patterns[i].events)), i);
    }
  }
}

TEST(BulkLearn, RefusesWhatLearnRefusesAndLearnsNothing) {
  constexpr std::uint64_t half = std::uint64_t{1} << 62U;
  const std::vector<std::pair<const char*, std::vector<Given>>> refused{
      {"pattern 1: the name 'known' belongs to the known pattern 0",
       {{{{"new"}}, {}, 1}, {{{"c"}}, "known", 1}}},
      {"pattern 2: the name 'x' belongs to pattern 0 of this call",
       {{{{"new"}}, "x", 1}, {{{"new"}}, "y", 1}, {{{"other"}}, "x", 1}}},
      {"pattern 1: the name 'x'", {{{{"new"}}, "x", 1}, {{{"a"}, {"b"}}, "x", 1}}},
      {"pattern 1: the name ''", {{{{"new"}}, "", 1}, {{{"newer"}}, "", 1}}},
      {"pattern 1: times is 0", {{{{"new"}}, {}, 1}, {{{"newer"}}, {}, 0}}},
      {"would exceed 2^63", {{{{"new"}}, {}, half}, {{{"newer"}}, {}, half}}},
      {"would exceed 2^63", {{{{"new", "new", "new"}}, {}, half}}},
  };
  for (const Form form : {Form::texts, Form::dictionary}) {
    PatternMemory memory = made();
    PatternMemory untouched = made();
    for (PatternMemory* each : {&memory, &untouched}) learn(*each, {{"a"}, {"b"}}, "known", 5);
    for (const auto& [words, patterns] : refused) {
      expect_refused({{[&, &given = patterns] { learn_all(memory, given, form); }, words}});
      expect_same(memory, untouched);
    }
    PatternMemory characters = made(Level::character);
    const std::vector<Given> invalid{{{{"good"}}, {}, 1}, {{{"bad \xFF"}}, {}, 1}};
    expect_refused({{[&] { learn_all(characters, invalid, form); }, "not UTF-8"}});
    expect_same(characters, made(Level::character));
    learn_all(characters, {{{{"naïve"}}, {}, 1}, {{{"tea"}}, {}, 1}}, form);
    EXPECT_EQ(answer(characters, {{"naive"}}, 0.5).at(0).matched, 4U);
  }
}

TEST(BulkLearn, RefusesArraysThatDoNotFit) {
  PatternMemory memory = made();
  const std::vector<std::string_view> values{"a", "b"};
  const std::vector<Symbol> symbols{0, 2};
  const Indices events{0, 1, 2};
  const Indices patterns{0, 2};
  const std::vector<std::optional<std::string_view>> names(2);
  const Indices times(3, 1);
  const EventLists<std::string_view> texts{patterns, {events, values}};
  const EventLists<Symbol> numbers{patterns, {events, symbols}};
  const auto learn_lists = [&](const auto& lists, const LearnOptions& options = {}) {
    return [&memory, lists, options] { memory.learn_all(lists, options); };
  };
  std::vector<RefusedCall> calls{
      {learn_lists(EventLists<std::string_view>{patterns, {{}, {}}}), "within 0 events"},
      {learn_lists(texts, {names, {}}), "2 names for 1 patterns"},
      {learn_lists(texts, {{}, times}), "3 times for 1 patterns"},
      {learn_lists(texts, {{}, {}, values}), "of numbers, not of texts"},
      {learn_lists(numbers, {{}, {}, values}),
       "pattern 0 contains symbol 2; the dictionary has 2 texts"},
      {learn_lists(numbers), "pattern 0 contains symbol 0; the vocabulary has 0 texts"}};
  const std::vector<Indices> bad_offsets{{1, 2}, {0, 3}, {0, 2, 1}, {0, ~std::uint64_t{0}}};
  for (const Indices& wrong : bad_offsets) {
    calls.push_back(
        {learn_lists(EventLists<std::string_view>{wrong, {events, values}}), "pattern offset "});
    calls.push_back(
        {learn_lists(EventLists<std::string_view>{patterns, {wrong, values}}), "event offset "});
  }
  expect_refused(calls);
  EXPECT_EQ(memory.vocabulary().size(), 0U);
  EXPECT_TRUE(memory.learn_all(EventLists<Symbol>{}).empty());
  EXPECT_EQ(memory.size(), 0U);
}

TEST(BulkLearn, ADictionaryMayRepeatTextsAndHaveUnusedOnes) {
  PatternMemory memory = made();
  learn(memory, {{"b"}});
  const std::vector<std::string_view> dictionary{"unused", "a", "a", "b"};
  const std::vector<Symbol> symbols{2, 1, 3};
  const Indices offsets{0, 1, 2, 3};
  const auto learned =
      memory.learn_all(EventLists<Symbol>{offsets, {offsets, symbols}}, {.dictionary = dictionary});
  EXPECT_EQ(learned[0].index, 1U);
  EXPECT_EQ(learned[1].index, 1U) << "the same text";
  EXPECT_EQ(learned[1].frequency, 2U);
  EXPECT_EQ(learned[2].index, 0U);
  EXPECT_EQ(memory.vocabulary().size(), 2U);
}

TEST(BulkLearn, IsSeenAsAWholeByOtherThreads) {
  auto random = generator("BulkLearn.Threads");
  PatternMemory memory = made();
  learn_all(memory, random_patterns(random, 2000));
  const std::uint64_t before = memory.size();
  const std::vector<Given> more = random_patterns(random, 20000);
  std::vector<std::uint64_t> sizes;
  const auto read = [&] {
    sizes.push_back(memory.size());
    answer(memory, {{"s0", "s1"}}, 0.5, 3);
  };
  beside({read}, [&] { learn_all(memory, more); });
  const std::uint64_t after = memory.size();
  for (const std::uint64_t size : sizes) EXPECT_TRUE(size == before || size == after) << size;
}

TEST(BulkLearn, SynchronizesOnceAtTheThreshold) {
  PatternMemory memory(context(), quiet_at(10));
  std::vector<Given> patterns;
  for (std::uint64_t i = 0; i < 35; ++i) patterns.push_back({{{numbered('x', i)}}, {}, 1});
  learn_all(memory, patterns);
  EXPECT_EQ(memory.sync_statistics().syncs[static_cast<int>(SyncTrigger::threshold)], 1U);
  EXPECT_EQ(memory.statistics().bulk, 35U);
}

}  // namespace BulkLearnTest

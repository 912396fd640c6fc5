// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstring>
#include <thread>

#include "Faults.hpp"
#include "PatternSupport.hpp"
#include "Threads.hpp"

namespace PatternMemoryTest {

using namespace Kindred;
using namespace Kindred::Testing;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(PatternMemory, BoundariesOfEventsThatAreNotEmptyArePartOfTheIdentity) {
  PatternMemory memory = made();
  EXPECT_EQ(learn(memory, {{"a", "b"}, {"c"}}).index, 0U);
  EXPECT_EQ(learn(memory, {{"a"}, {"b", "c"}}).index, 1U);
  EXPECT_EQ(learn(memory, {{"a", "b", "c"}}).index, 2U);
  EXPECT_EQ(learn(memory, {{}, {"a"}, {}, {"b", "c"}}).index, 1U);
  EXPECT_EQ(texts(memory, memory.pattern(1)), (EventTexts{{"a"}, {"b", "c"}}));
}

TEST(PatternMemory, AnyTextIsAValidSymbolAndName) {
  PatternMemory memory = made();
  const std::string large(100000, 'x');
  const std::string zero("a\0b", 3);
  const EventTexts events{{"", large, zero, "|-. \xF0\x9F\x99\x82"}};
  learn(memory, events, "");
  EXPECT_EQ(memory.find(""), 0U);
  EXPECT_EQ(texts(memory, memory.pattern(0)), events);
  EXPECT_EQ(answer(memory, {{"", zero}}).at(0).matched, 2U);
  learn(memory, {}, "no events");
  EXPECT_EQ(memory.pattern(1).events.rows(), 0U);
}

TEST(PatternMemory, AQueryDoesNotChangeTheVocabulary) {
  PatternMemory memory = made();
  learn(memory, {{"a"}});
  EXPECT_EQ(answer(memory, {{"a", "never seen"}}).at(0).similarity, 2.0 / 3.0)
      << "an unknown symbol counts towards the length";
  EXPECT_EQ(memory.vocabulary().size(), 1U);
  EXPECT_TRUE(answer(memory, {}).empty()) << "an empty query has no results";
  learn(memory, {{"m", "a", "r"}, {"t", "h", "a"}});
  const MatchOptions options{.measure = Measure::jaro_winkler};
  EXPECT_EQ(answer(memory, {{"m", "a", "r", "h", "t", "a"}}, options).at(0),
            (Match{1, 0.9611111111111111, 6}));
}

TEST(PatternMemory, EveryTriggerSynchronizes) {
  PatternMemory memory(context(), quiet_at(5));
  learn_same(memory, 4);
  EXPECT_EQ(memory.sync_statistics().recent, 4U);
  learn(memory, {{"fifth"}});
  EXPECT_EQ(memory.sync_statistics().recent, 0U);
  EXPECT_EQ(memory.sync_statistics().syncs[0], 1U);
  learn(memory, {{"sixth"}});
  EXPECT_EQ(memory.sync().moved, 1U);
  memory.begin_training();
  EXPECT_THROW(memory.begin_training(), InvalidArgument);
  learn_same(memory, 20, 0, 't');
  EXPECT_EQ(memory.sync_statistics().recent, 20U) << "training suspends automatic syncs";
  EXPECT_EQ(answer(memory, {{"same", "t7"}}, 1.0).size(), 1U)
      << "patterns learned meanwhile must be found";
  EXPECT_EQ(memory.end_training().moved, 20U);
  EXPECT_THROW(memory.end_training(), InvalidArgument);
  const SyncStatistics statistics = memory.sync_statistics();
  EXPECT_THAT(statistics.syncs, ElementsAre(1, 0, 1, 1));
  EXPECT_EQ(statistics.patterns_synced, 26U);
  EXPECT_EQ(statistics.incomplete, 0U);
  EXPECT_EQ(statistics.last.trigger, SyncTrigger::training);
}

TEST(PatternMemory, TheBackgroundThreadSynchronizesInIntervalsAndAtTheThreshold) {
  PatternSettings settings = quiet();
  settings.background_sync = true;
  settings.sync_interval_seconds = 0.02;
  {
    PatternMemory memory(context(), settings);
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    EXPECT_EQ(memory.sync_statistics().syncs[1], 0U) << "nothing is pending";
    learn(memory, {{"a"}});
    EXPECT_TRUE(soon([&] { return memory.sync_statistics().recent == 0; }));
    EXPECT_TRUE(soon([&] { return memory.sync_statistics().syncs[1] == 1; }));
  }
  settings = quiet_at(3);
  settings.background_sync = true;
  PatternMemory memory(context(), settings);
  learn_same(memory, 3);
  EXPECT_TRUE(soon([&] { return memory.sync_statistics().syncs[0] >= 1; }));
  EXPECT_TRUE(soon([&] { return memory.sync_statistics().recent == 0; }));
}

TEST(PatternMemory, PatternsBeyondTheBulkTierStayRecentAndSearchable) {
  PatternMemory memory(context(), quiet_at(quiet().sync_threshold, 3));
  learn_same(memory, 10);
  const auto before = all_same(memory);
  const SyncRecord record = memory.sync();
  EXPECT_EQ(record.moved, 3U);
  EXPECT_EQ(record.left, 7U);
  EXPECT_THAT(record.why_left, HasSubstr("max_bulk_patterns = 3"));
  EXPECT_EQ(all_same(memory), before);
  learn(memory, {{"same", "later"}});
  EXPECT_EQ(all_same(memory).size(), 11U);
  EXPECT_EQ(memory.sync().moved, 0U);
  memory.forget(std::uint64_t{1});
  memory.forget(std::uint64_t{2});
  memory.sync();
  EXPECT_EQ(memory.statistics().patterns, 9U);
  EXPECT_EQ(all_same(memory).size(), 9U);
}

TEST(PatternMemory, ForgottenPatternsAreNoLongerRecent) {
  PatternMemory memory(context(), quiet_at(16, 5));
  learn_same(memory, 15);
  EXPECT_EQ(memory.sync().left, 10U);
  for (std::uint64_t i = 5; i < 10; ++i) memory.forget(i);
  memory.sync();
  EXPECT_EQ(memory.statistics().recent, 5U);
  EXPECT_EQ(memory.sync_statistics().recent, 5U);
  const std::uint64_t before = memory.sync_statistics().syncs[0];
  learn_same(memory, 10, 0, 't');
  EXPECT_EQ(memory.sync_statistics().syncs[0], before) << "16 are not recent yet";
  EXPECT_EQ(memory.sync_statistics().recent, 15U);
  memory.forget(0);
  EXPECT_EQ(memory.statistics().bulk, 4U);
  EXPECT_EQ(memory.statistics().recent, memory.sync_statistics().recent);
}

TEST(PatternMemory, ForgettingReclaimsMemory) {
  PatternMemory memory(context(), quiet_at(100000));
  constexpr std::uint64_t count = 12000;
  for (std::uint64_t i = 0; i < count; ++i)
    learn(memory, {{"same", numbered('s', i % 50), numbered('t', i / 50)}}, numbered('p', i));
  memory.sync();
  const std::uint64_t bytes = memory.statistics().bytes[space_index(Space::serial)];
  for (std::uint64_t i = 0; i < count; ++i) EXPECT_TRUE(i % 10 == 0 || memory.forget(i));
  EXPECT_GE(memory.sync_statistics().syncs[0], 2U) << "no other trigger started a sync";
  EXPECT_LE(memory.sync_statistics().syncs[0], 20U);
  EXPECT_LT(memory.statistics().bytes[space_index(Space::serial)], bytes / 3);
  const auto left = all_same(memory);
  ASSERT_EQ(left.size(), count / 10);
  for (std::size_t i = 0; i < left.size(); ++i) EXPECT_EQ(left[i].index, 10 * i);
  for (std::uint64_t i = 0; i < count; i += 10) {
    EXPECT_EQ(memory.find(numbered('p', i)), i);
    EXPECT_EQ(memory.pattern(i).events.values.size(), 3U);
  }
  EXPECT_FALSE(memory.find("p1"));
  EXPECT_EQ(learn(memory, {{"same", "s1", "t0"}}, "p1").index, count) << "a new pattern";
}

TEST(PatternMemory, TheBestAreFoundBehindForgottenPatterns) {
  PatternMemory memory = made();
  // The closer a pattern, the more likely it was forgotten.
  for (std::uint64_t i = 0; i < 900; ++i) {
    SymbolTexts texts{"same"};
    for (std::uint64_t n = 0; n < i / 100; ++n) texts.push_back(numbered('x', n));
    texts.push_back(numbered('y', i));
    learn(memory, {texts});
  }
  memory.sync();
  for (std::uint64_t i = 0; i < 700; ++i)
    if (i % 100 != 99) memory.forget(i);
  for (const std::size_t top : {1U, 3U, 7U, 8U, 100U, 1000U}) {
    const auto found = answer(memory, {{"same"}}, 0.0, top);
    ASSERT_EQ(found.size(), std::min<std::size_t>(top, 207));
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_EQ(found[i].index, i < 7 ? 100 * i + 99 : 693 + i);
  }
}

TEST(PatternMemory, ASyncThatRunsOutOfMemoryLosesNothing) {
  const auto faults = std::make_shared<Faults>();
  const auto own = make_faulty_context(faults, 1);
  PatternMemory memory(*own, quiet());
  learn_same(memory, 50);
  const auto before = all_same(memory);
  bool succeeded = false;
  for (std::size_t i = 1; i <= 40 && !succeeded; ++i) {
    *faults = {0, i, true};
    const SyncRecord record = memory.sync();
    *faults = {};
    succeeded = record.left == 0;
    EXPECT_EQ(record.moved + record.left, 50U);
    EXPECT_EQ(succeeded, record.why_left.empty());
    EXPECT_EQ(all_same(memory), before) << i;
  }
  EXPECT_TRUE(succeeded);
  EXPECT_GE(memory.sync_statistics().incomplete, 1U);
}

TEST(PatternMemory, TheFastPathOfPredictionsHasNoThreshold) {
  PatternMemory memory = made();
  learn(memory, EventTexts(40, SymbolTexts{"b"}), "long");  // similarity 2 / 41 to a single b
  const EventTexts query{{"b"}};
  EXPECT_TRUE(memory.predict(Words(query)).predictions.empty());
  const PredictionOptions options{.single_symbol_fast_path = true};
  const auto predictions = memory.predict(Words(query), {}, options).predictions;
  ASSERT_EQ(predictions.size(), 1U);
  EXPECT_EQ(predictions[0].potential, 2 + 1.0 / 40);
}

TEST(PatternMemory, PredictsWithItsOwnFrequenciesAndStatistics) {
  PatternMemory memory = made();
  learn(memory, {{"a", "b"}, {"c", "d"}, {"e"}}, "segments", 3);
  learn(memory, {{"x"}, {"y"}}, "other");
  const EventTexts query{{"b"}, {"c"}};
  const auto [predictions, record] = memory.predict(Words(query), {.space = Space::serial});
  EXPECT_EQ(record.chosen, Space::serial);
  EXPECT_EQ(record.why, Reason::forced);
  ASSERT_EQ(predictions.size(), 1U);
  const Prediction& first = predictions[0];
  EXPECT_EQ(first.name, "segments");
  EXPECT_EQ(first.frequency, 3U);
  EXPECT_EQ(first.present, (EventTexts{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(first.bayesian_prior, 1.0);
  learn(memory, {{"b"}, {"z"}}, "third");
  EXPECT_EQ(memory.predict(Words(query)).predictions.size(), 2U);
  EXPECT_EQ(memory.predict(Words(query)).predictions[0].bayesian_prior, 0.75);
  memory.forget("segments");
  EXPECT_EQ(memory.predict(Words(query)).predictions.size(), 1U);
  EXPECT_TRUE(memory.predict(Words(EventTexts{})).predictions.empty());
}

TEST(PatternMemory, ComparesCharactersOfTheJoinedTextsIfRequested) {
  PatternMemory memory = made(Level::character);
  learn(memory, {{"alpha", "beta"}}, "two");
  learn(memory, {{"\xC3\xA4"}}, "one code point");
  const auto similar = answer(memory, {{"alphabet"}});
  ASSERT_EQ(similar.size(), 1U);
  EXPECT_EQ(similar[0].similarity, 16.0 / 18.0) << "Indel of 'alpha beta' and 'alphabet'";
  EXPECT_EQ(answer(memory, {{"alpha"}, {"beta"}})[0].similarity, 1.0)
      << "event boundaries are spaces";
  EXPECT_EQ(answer(memory, {{"\xC3\xA4"}}).at(0).matched, 1U);
  memory.sync();
  EXPECT_EQ(answer(memory, {{"alphabet"}}), similar);
  EXPECT_EQ(memory.predict(Words(EventTexts{{"alpha"}})).predictions.at(0).missing,
            (EventTexts{{"beta"}}))
      << "predictions use tokens";
  expect_refused({{[&] { learn(memory, {{"\xFF"}}); }, "not UTF-8"},
                  {[&] { answer(memory, {{"\xFF"}}); }, "not UTF-8"}});
  EXPECT_EQ(memory.vocabulary().find("\xFF"), unknown_symbol);
}

TEST(PatternMemory, SettingsAreCheckedAndADeviceCanBeDemanded) {
  PatternSettings settings = quiet();
  settings.memory_fraction = 0;
  EXPECT_THROW(PatternMemory(context(), settings), InvalidArgument);
  settings = quiet();
  settings.fallback_to_host = false;
  if (!context().is_usable(Space::cuda)) {
    EXPECT_THROW(PatternMemory(context(), settings), SpaceUnavailable);
  }
  settings.enabled = false;
  EXPECT_NO_THROW(PatternMemory(context(), settings));
}

TEST(PatternMemory, RefusedCallsChangeNothing) {
  const std::vector<std::string_view> values{"a", "b", "c"};
  const std::vector<Indices> bad_offsets{{1, 2}, {0, 2, 1}, {0, 4}, {0, ~std::uint64_t{0}, 2}};
  for (const Level level : levels) {
    PatternMemory memory = made(level);
    learn(memory, {{"a", "b"}}, "name", 5);
    learn(memory, {{"a"}}, "gone");
    memory.forget("gone");
    Ragged<Symbol> queries;
    memory.encode(Words{{{"a"}}}, queries);
    const auto match = [&](const MatchOptions& options) {
      return [&memory, &queries, options] { memory.match(queries, options); };
    };
    const auto learning = [&](const EventTexts& events, std::uint64_t times) {
      return [&memory, events, times] { learn(memory, events, {}, times); };
    };
    constexpr std::uint64_t most = std::uint64_t{1} << 62U;  // of a pattern of two symbols
    const Indices unknown{0, 2};
    std::vector<RefusedCall> calls{
        {[&] { learn(memory, {{"new symbol"}}, "name"); }, "'name' belongs to pattern 0"},
        {learning({{"a", "b"}}, 0), "times is 0"},
        {learning({{"a", "b"}}, ~std::uint64_t{0}), "2^63"},
        {[&] { memory.set_frequency(0, 0); }, ""},
        {[&] { memory.set_frequency(0, most + 1); }, ""},
        {[&] { memory.set_frequency(0, ~std::uint64_t{0}); }, ""},
        {match({.top = 0}), "top"},
        {match({.measure = Measure::token_sort}), ""},
        {match({.measure = Measure::token_set}), ""},
        {match({.filter = unknown}),
         "filter contains index 2; the indices of patterns are below 2"},
        {[&] { memory.predict(Words(EventTexts{{"a"}}), {.filter = unknown}); }, "filter"},
        {[&] { memory.predict(Words(EventTexts{{"a"}}), {}, {.threshold = 2}); }, "threshold"}};
    for (const double threshold : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
      calls.push_back({match({.threshold = threshold}), "threshold"});
    for (const Indices& offsets : bad_offsets) {
      const PatternMemory::Events events{offsets, values};
      calls.push_back({[&memory, events] { memory.learn(events); }, "offset"});
      calls.push_back({[&memory, events] { memory.find(events); }, "offset"});
      calls.push_back({[&memory, events] { memory.predict(events); }, "offset"});
    }
    expect_refused(calls);
    expect_refused<NotFound>({{[&] { memory.set_frequency(1, 3); }, "pattern 1 was forgotten"},
                              {[&] { memory.set_frequency(2, 3); }, "pattern 2 was never learned"},
                              {[&] { memory.pattern(1); }, "pattern 1"},
                              {[&] { memory.pattern(2); }, "pattern 2"}});
    EXPECT_EQ(memory.size(), 1U);
    EXPECT_EQ(memory.vocabulary().size(), 2U);
    EXPECT_EQ(memory.frequency(0), 5U);
    memory.set_frequency(0, most);
    EXPECT_EQ(memory.frequency(0), most) << "its old frequency does not count";
  }
}

TEST(PatternMemoryChanges, AppendsFrequenciesThatWereSet) {
  const TempFolder folder;
  PatternMemory memory = made();
  learn(memory, {{"a"}}, "first", 5);
  learn(memory, {{"b"}}, "second", 5);
  memory.save(folder / "memory");
  const auto version = [&] {
    std::uint32_t number = 0;
    std::memcpy(&number, read_all(folder / "memory").data() + 8, sizeof(number));
    return number;
  };
  memory.set_frequency(1, 9);
  learn(memory, {{"c"}}, "third", 4);
  memory.set_frequency(2, 1);
  memory.append(folder / "memory");
  EXPECT_EQ(version(), 1U) << "older programs can read frequencies that rise";
  memory.set_frequency(0, 2);
  memory.set_frequency(2, 6);
  memory.append(folder / "memory");
  EXPECT_EQ(version(), 3U);
  expect_same(loaded(folder / "memory"), memory);
  memory.save(folder / "memory");
  EXPECT_EQ(version(), 1U);
}

TEST(PatternMemoryChanges, AClearedMemoryKeepsItsSettingsAndItsTexts) {
  PatternMemory memory(context(), quiet_at(7));
  memory.clear();
  learn_same(memory, 20);
  learn(memory, {{"same"}}, "name", 3);
  memory.clear();
  EXPECT_EQ(memory.statistics().segments, 0U);
  EXPECT_EQ(memory.settings().sync_threshold, 7U);
  EXPECT_EQ(memory.vocabulary().size(), 21U);
  EXPECT_FALSE(memory.find("name"));
}

TEST(PatternMemoryChanges, NamesOfClearedPatternsAreSavedAndAppended) {
  const TempFolder folder;
  for (const bool cleared_twice : {false, true}) {
    PatternMemory memory = made();
    for (std::uint64_t i = 0; i < 50; ++i) learn(memory, {{numbered('s', i)}}, numbered('p', i));
    memory.save(folder / "memory");
    memory.clear();
    learn(memory, {{"s7"}}, "p8", 6);
    if (cleared_twice) {
      memory.clear();
      learn(memory, {{"s9"}}, "p8", 2);
    }
    memory.append(folder / "memory");
    expect_same(loaded(folder / "memory"), memory, 10);
  }
}

TEST(PatternMemoryChanges, MayBeClearedWhileOthersLearnMatchAndSynchronize) {
  PatternMemory memory(context(), quiet_at(20));
  std::atomic<std::uint64_t> learned{0};
  const auto learn_next = [&] { learn(memory, {{"same", numbered('x', learned++ % 300)}}); };
  const auto read = [&] {
    for (const Match& match : all_same(memory)) EXPECT_LT(match.index, memory.statistics().learned);
  };
  beside({learn_next, read}, [&] {
    for (int i = 0; i < 50; ++i) {
      EXPECT_TRUE(soon([&, target = learned + 20] { return learned >= target; }));
      memory.clear();
      if (i % 3 == 0) memory.sync();
    }
  });
  EXPECT_EQ(all_same(memory).size(), memory.size());
  EXPECT_EQ(memory.statistics().bulk + memory.statistics().recent, memory.size());
}

TEST(PatternMemoryChanges, NamesAndPatternsAreFoundInOneCall) {
  PatternMemory memory = made();
  learn(memory, {{"a"}}, "first");
  learn(memory, {{"b"}});
  learn(memory, {{"c"}}, "");
  learn(memory, {{"d"}}, "gone");
  memory.forget("gone");
  const std::vector<std::string_view> names{"", "first", "gone", "never", "first"};
  EXPECT_THAT(memory.find_all(names), ElementsAre(2, 0, std::nullopt, std::nullopt, 0));
  const Indices indices{2, 0, 1, 3, 4, ~std::uint64_t{0}, 0};
  EXPECT_THAT(memory.names(indices), ElementsAre("", "first", std::nullopt, std::nullopt,
                                                 std::nullopt, std::nullopt, "first"));
  EXPECT_TRUE(memory.names({}).empty());
  EXPECT_TRUE(memory.find_all({}).empty());
}

TEST(PatternSettings, DefaultsAreValidAndOtherValuesAreChecked) {
  EXPECT_NO_THROW(PatternSettings().validate());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<RefusedCall> calls;
  const auto refuse = [&](const char* words, auto PatternSettings::*field,
                          std::initializer_list<double> values) {
    for (const double value : values) {
      const auto call = [field, value] {
        PatternSettings settings;
        settings.*field = static_cast<std::decay_t<decltype(settings.*field)>>(value);
        settings.validate();
      };
      calls.push_back({call, words});
    }
  };
  refuse("memory_fraction is", &PatternSettings::memory_fraction, {0.0, 1.1, -0.5, nan});
  refuse("growth_fraction is", &PatternSettings::growth_fraction, {1.1, -0.5, nan});
  refuse("sync_interval_seconds is", &PatternSettings::sync_interval_seconds,
         {0.0, -1.0, nan, infinity});
  refuse("min_compute_capability is", &PatternSettings::min_compute_capability, {2.9, nan});
  refuse("sync_threshold is 0", &PatternSettings::sync_threshold, {0.0});
  expect_refused(calls);
}

}  // namespace PatternMemoryTest

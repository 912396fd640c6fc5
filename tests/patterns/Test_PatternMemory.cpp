// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/CodePoints.hpp>
#include <kindred/matcher/PatternMemory.hpp>
#include <kindred/reference/Reference.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "PatternMemorySupport.hpp"
#include "Support.hpp"

#include <atomic>
#include <chrono>
#include <limits>
#include <thread>

namespace PatternMemoryTest {

using namespace Kindred;
using namespace Kindred::Testing;

TEST(PatternMemory, FindsWhatWasJustLearned) {
  PatternMemory memory(context(), quiet());
  EXPECT_TRUE(answer(memory, {{"a"}}).empty());
  const LearnedPattern first = learn(memory, {{"a", "b"}, {"c"}}, "first");
  EXPECT_EQ(first.index, 0U);
  EXPECT_TRUE(first.is_new);
  const auto found = answer(memory, {{"a", "b", "c"}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0], (Match{0, 1.0, 3}));
}

TEST(PatternMemory, MatchesByJaroWinklerButNotByWords) {
  PatternMemory memory(context(), quiet());
  learn(memory, {{"m", "a", "r"}, {"t", "h", "a"}}, "first");
  Ragged<Symbol> queries;
  for (const auto* text : {"m", "a", "r", "h", "t", "a"})
    queries.values.push_back(memory.vocabulary().find(text));
  queries.close_row();
  MatchOptions options;
  options.measure = Measure::jaro_winkler;
  const MatchResults results = memory.match(queries, options);
  ASSERT_EQ(results.matches.values.size(), 1U);
  EXPECT_EQ(results.matches.values[0], (Match{0, 0.9611111111111111, 6}));
  for (const Measure measure : {Measure::token_sort, Measure::token_set}) {
    options.measure = measure;
    EXPECT_THROW(memory.match(queries, options), InvalidArgument);
  }
}

TEST(PatternMemory, RelearningRaisesTheFrequencyAndAddsNoRow) {
  PatternMemory memory(context(), quiet());
  learn(memory, {{"a", "b"}}, "first");
  const LearnedPattern again = learn(memory, {{"a", "b"}}, "other", 3);
  EXPECT_EQ(again.index, 0U);
  EXPECT_EQ(again.frequency, 4U);
  EXPECT_FALSE(again.is_new);
  EXPECT_EQ(memory.size(), 1U);
  EXPECT_EQ(memory.pattern(0).name, "first") << "the first name is kept";
  EXPECT_FALSE(memory.find("other"));
  EXPECT_EQ(answer(memory, {{"a"}}).size(), 1U);
}

TEST(PatternMemory, EventBoundariesArePartOfTheIdentity) {
  PatternMemory memory(context(), quiet());
  EXPECT_EQ(learn(memory, {{"a", "b"}, {"c"}}).index, 0U);
  EXPECT_EQ(learn(memory, {{"a"}, {"b", "c"}}).index, 1U);
  EXPECT_EQ(learn(memory, {{"a", "b", "c"}}).index, 2U);
  EXPECT_EQ(learn(memory, {{"a"}, {"b", "c"}}).index, 1U);
  EXPECT_EQ(texts(memory, memory.pattern(1)), (EventTexts{{"a"}, {"b", "c"}}));
}

TEST(PatternMemory, AnEmptyEventIsIgnored) {
  PatternMemory memory(context(), quiet());
  EXPECT_EQ(learn(memory, {{}, {"a"}, {}, {"b"}}).index, 0U);
  EXPECT_FALSE(learn(memory, {{"a"}, {"b"}}).is_new);
  EXPECT_EQ(texts(memory, memory.pattern(0)), (EventTexts{{"a"}, {"b"}}));
}

TEST(PatternMemory, ANameInUseIsRejectedAndNothingIsLearned) {
  PatternMemory memory(context(), quiet());
  learn(memory, {{"a"}}, "name");
  const std::size_t symbols = memory.vocabulary().size();
  try {
    learn(memory, {{"new symbol"}}, "name");
    FAIL() << "a name in use was accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("'name' belongs to pattern 0"));
  }
  EXPECT_EQ(memory.size(), 1U);
  EXPECT_EQ(memory.vocabulary().size(), symbols);
  EXPECT_THROW(learn(memory, {{"a"}}, {}, 0), InvalidArgument);
  EXPECT_EQ(memory.frequency(0), 1U);
}

TEST(PatternMemory, AFrequencyNeverOverflows) {
  PatternMemory memory(context(), quiet());
  learn(memory, {{"a"}}, {}, 5);
  EXPECT_THROW(learn(memory, {{"a"}}, {}, std::numeric_limits<std::uint64_t>::max()),
               InvalidArgument);
  EXPECT_EQ(memory.frequency(0), 5U);
}

TEST(PatternMemory, AnyTextIsAValidSymbolAndName) {
  PatternMemory memory(context(), quiet());
  const std::string large(100000, 'x');
  const std::string zero("a\0b", 3);
  learn(memory, {{"", large, zero, "|-. \xF0\x9F\x99\x82"}}, "");
  EXPECT_EQ(memory.find(""), 0U);
  EXPECT_EQ(texts(memory, memory.pattern(0)),
            (EventTexts{{"", large, zero, "|-. \xF0\x9F\x99\x82"}}));
  EXPECT_EQ(answer(memory, {{"", zero}}).at(0).matched, 2U);
  learn(memory, {}, "no events");
  EXPECT_EQ(memory.pattern(1).events.rows(), 0U);
}

TEST(PatternMemory, AQueryDoesNotChangeTheVocabulary) {
  PatternMemory memory(context(), quiet());
  learn(memory, {{"a"}});
  const auto found = answer(memory, {{"a", "never seen"}});
  EXPECT_EQ(found.at(0).similarity, 2.0 / 3.0) << "an unknown symbol counts towards the length";
  EXPECT_EQ(memory.vocabulary().size(), 1U);
}

TEST(PatternMemory, AForgottenPatternIsInNoAnswerAndItsIndexIsNotReused) {
  for (const bool synced : {false, true}) {
    PatternMemory memory(context(), quiet());
    learn(memory, {{"a"}}, "first");
    learn(memory, {{"a", "b"}}, "second");
    if (synced) memory.sync();
    EXPECT_TRUE(memory.forget("first"));
    EXPECT_FALSE(memory.forget("first"));
    EXPECT_FALSE(memory.forget(std::uint64_t{0}));
    EXPECT_FALSE(memory.forget(std::uint64_t{7}));
    EXPECT_EQ(indices(answer(memory, {{"a"}})), (std::vector<std::uint64_t>{1}));
    EXPECT_EQ(memory.frequency(0), 0U);
    EXPECT_THROW(memory.pattern(0), NotFound);
    EXPECT_THROW(memory.pattern(9), NotFound);
    EXPECT_EQ(learn(memory, {{"a"}}, "first").index, 2U);
    EXPECT_EQ(indices(answer(memory, {{"a"}})), (std::vector<std::uint64_t>{2, 1}));
    memory.sync();
    EXPECT_EQ(indices(answer(memory, {{"a"}})), (std::vector<std::uint64_t>{2, 1}));
    EXPECT_EQ(memory.statistics().bulk, 2U);
  }
}

TEST(PatternMemory, TheLargestTopReturnsAllThatWasNotForgotten) {
  for (const bool synced : {false, true}) {
    PatternMemory memory(context(), quiet());
    for (std::uint64_t i = 0; i < 20; ++i) learn(memory, {{"same", numbered('x', i)}});
    if (synced) memory.sync();
    for (std::uint64_t forgotten = 0; forgotten < 3; ++forgotten) {
      if (forgotten > 0) memory.forget(forgotten);
      for (const Measure measure : {Measure::difflib, Measure::lcs}) {
        for (const std::size_t less : {0U, 1U, 2U, 3U}) {
          MatchOptions options;
          options.measure = measure;
          options.top = std::numeric_limits<std::size_t>::max() - less;
          EXPECT_EQ(answer(memory, {{"same"}}, options).size(), 20 - forgotten)
              << to_string(measure) << ", SIZE_MAX - " << less;
        }
      }
    }
  }
}

TEST(PatternMemory, TiesKeepTheirOrderThroughCompaction) {
  PatternMemory memory(context(), quiet());
  for (std::uint64_t i = 0; i < 200; ++i) learn(memory, {{"same", numbered('x', i)}});
  for (std::uint64_t i = 0; i < 200; i += 3) memory.forget(i);
  const auto before = answer(memory, {{"same"}}, 0.1, 500);
  memory.sync();
  EXPECT_EQ(answer(memory, {{"same"}}, 0.1, 500), before);
  for (std::uint64_t i = 1; i < 200; i += 3) memory.forget(i);
  memory.sync();
  const auto after = answer(memory, {{"same"}}, 0.1, 500);
  ASSERT_EQ(after.size(), 66U);
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_EQ(after[i].index, 3 * i + 2);
}

TEST(PatternMemory, EveryTriggerSynchronizes) {
  PatternSettings settings = quiet();
  settings.sync_threshold = 5;
  PatternMemory memory(context(), settings);
  for (std::uint64_t i = 0; i < 4; ++i) learn(memory, {{numbered('s', i)}});
  EXPECT_EQ(memory.sync_statistics().recent, 4U);
  learn(memory, {{"fifth"}});
  EXPECT_EQ(memory.sync_statistics().recent, 0U);
  EXPECT_EQ(memory.sync_statistics().syncs[0], 1U);
  learn(memory, {{"sixth"}});
  EXPECT_EQ(memory.sync().moved, 1U);
  memory.begin_training();
  EXPECT_THROW(memory.begin_training(), InvalidArgument);
  for (std::uint64_t i = 0; i < 20; ++i) learn(memory, {{numbered('t', i)}});
  EXPECT_EQ(memory.sync_statistics().recent, 20U) << "training suspends automatic syncs";
  EXPECT_EQ(answer(memory, {{"t7"}}).size(), 1U) << "patterns learned meanwhile must be found";
  EXPECT_EQ(memory.end_training().moved, 20U);
  EXPECT_THROW(memory.end_training(), InvalidArgument);
  const SyncStatistics statistics = memory.sync_statistics();
  EXPECT_THAT(statistics.syncs, testing::ElementsAre(1, 0, 1, 1));
  EXPECT_EQ(statistics.patterns_synced, 26U);
  EXPECT_EQ(statistics.incomplete, 0U);
  EXPECT_EQ(statistics.last.trigger, SyncTrigger::training);
}

TEST(PatternMemory, TheBackgroundThreadSynchronizesPendingPatterns) {
  PatternSettings settings = quiet();
  settings.background_sync = true;
  settings.sync_interval_seconds = 0.02;
  PatternMemory memory(context(), settings);
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_EQ(memory.sync_statistics().syncs[1], 0U) << "nothing is pending";
  learn(memory, {{"a"}});
  EXPECT_TRUE(soon([&] { return memory.sync_statistics().recent == 0; }));
  EXPECT_TRUE(soon([&] { return memory.sync_statistics().syncs[1] == 1; }));
}

TEST(PatternMemory, TheBackgroundThreadSynchronizesAtTheThreshold) {
  PatternSettings settings = quiet();
  settings.background_sync = true;
  settings.sync_threshold = 3;
  PatternMemory memory(context(), settings);
  for (std::uint64_t i = 0; i < 3; ++i) learn(memory, {{numbered('s', i)}});
  EXPECT_TRUE(soon([&] { return memory.sync_statistics().syncs[0] >= 1; }));
  EXPECT_TRUE(soon([&] { return memory.sync_statistics().recent == 0; }));
}

TEST(PatternMemory, PatternsBeyondTheBulkTierStayRecentAndSearchable) {
  PatternSettings settings = quiet();
  settings.max_bulk_patterns = 3;
  PatternMemory memory(context(), settings);
  for (std::uint64_t i = 0; i < 10; ++i) learn(memory, {{"same", numbered('s', i)}});
  const auto before = answer(memory, {{"same"}}, 0.1, 20);
  const SyncRecord record = memory.sync();
  EXPECT_EQ(record.moved, 3U);
  EXPECT_EQ(record.left, 7U);
  EXPECT_THAT(record.why_left, testing::HasSubstr("max_bulk_patterns = 3"));
  EXPECT_EQ(answer(memory, {{"same"}}, 0.1, 20), before);
  learn(memory, {{"same", "later"}});
  EXPECT_EQ(answer(memory, {{"same"}}, 0.1, 20).size(), 11U);
  EXPECT_EQ(memory.sync().moved, 0U);
  memory.forget(std::uint64_t{1});
  memory.forget(std::uint64_t{2});
  memory.sync();
  EXPECT_EQ(memory.statistics().patterns, 9U);
  EXPECT_EQ(answer(memory, {{"same"}}, 0.1, 20).size(), 9U);
}

TEST(PatternMemory, ForgottenPatternsAreNoLongerRecent) {
  PatternSettings settings = quiet();
  settings.max_bulk_patterns = 5;
  settings.sync_threshold = 16;
  PatternMemory memory(context(), settings);
  for (std::uint64_t i = 0; i < 15; ++i) learn(memory, {{"same", numbered('s', i)}});
  EXPECT_EQ(memory.sync().left, 10U);
  for (std::uint64_t i = 5; i < 10; ++i) memory.forget(i);
  memory.sync();
  EXPECT_EQ(memory.statistics().recent, 5U);
  EXPECT_EQ(memory.sync_statistics().recent, 5U);
  const std::uint64_t before = memory.sync_statistics().syncs[0];
  for (std::uint64_t i = 0; i < 10; ++i) learn(memory, {{"same", numbered('t', i)}});
  EXPECT_EQ(memory.sync_statistics().syncs[0], before) << "16 are not recent yet";
  EXPECT_EQ(memory.sync_statistics().recent, 15U);
  memory.forget(0);
  EXPECT_EQ(memory.statistics().bulk, 4U);
  EXPECT_EQ(memory.statistics().recent, memory.sync_statistics().recent);
}

TEST(PatternMemory, ForgettingReclaimsMemory) {
  PatternSettings settings = quiet();
  settings.sync_threshold = 100000;
  PatternMemory memory(context(), settings);
  constexpr std::uint64_t count = 12000;
  for (std::uint64_t i = 0; i < count; ++i)
    learn(memory, {{"same", numbered('s', i % 50), numbered('t', i / 50)}}, numbered('p', i));
  memory.sync();
  const std::uint64_t bytes = memory.statistics().bytes[space_index(Space::serial)];
  std::uint64_t forgotten = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i % 10 != 0) forgotten += memory.forget(i) ? 1U : 0U;
  }
  EXPECT_EQ(forgotten, count / 10 * 9);
  EXPECT_GE(memory.sync_statistics().syncs[0], 2U) << "no other trigger started a sync";
  EXPECT_LE(memory.sync_statistics().syncs[0], 20U);
  EXPECT_LT(memory.statistics().bytes[space_index(Space::serial)], bytes / 3);
  const auto left = answer(memory, {{"same"}}, 0.1, count);
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
  PatternSettings settings = quiet();
  PatternMemory memory(context(), settings);
  // The closer a pattern, the more likely it was forgotten.
  for (std::uint64_t i = 0; i < 900; ++i) {
    SymbolTexts texts{"same"};
    for (std::uint64_t n = 0; n < i / 100; ++n) texts.push_back(numbered('x', n));
    texts.push_back(numbered('y', i));
    learn(memory, {texts});
  }
  memory.sync();
  for (std::uint64_t i = 0; i < 700; ++i) {
    if (i % 100 != 99) memory.forget(i);
  }
  for (const std::size_t top : {1U, 3U, 7U, 8U, 100U, 1000U}) {
    const auto found = answer(memory, {{"same"}}, 0.0, top);
    ASSERT_EQ(found.size(), std::min<std::size_t>(top, 207));
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_EQ(found[i].index, i < 7 ? 100 * i + 99 : 693 + i);
  }
}

TEST(PatternMemory, ASyncThatRunsOutOfMemoryLosesNothing) {
  std::atomic<int> allowed{std::numeric_limits<int>::max()};
  ContextOptions options;
  options.load_profile = false;
  options.before_allocation = [&](std::string_view, std::size_t bytes, const std::string& label) {
    if (allowed-- <= 0) throw OutOfMemory("host", bytes, label, "made to fail");
  };
  Context own(options);
  PatternMemory memory(own, quiet());
  for (std::uint64_t i = 0; i < 50; ++i) learn(memory, {{"same", numbered('s', i)}});
  const auto before = answer(memory, {{"same"}}, 0.1, 100);
  bool succeeded = false;
  for (int i = 0; i < 40 && !succeeded; ++i) {
    allowed = i;
    const SyncRecord record = memory.sync();
    allowed = std::numeric_limits<int>::max();
    succeeded = record.left == 0;
    EXPECT_EQ(record.moved + record.left, 50U);
    EXPECT_EQ(succeeded, record.why_left.empty());
    EXPECT_EQ(answer(memory, {{"same"}}, 0.1, 100), before) << i;
  }
  EXPECT_TRUE(succeeded);
  EXPECT_GE(memory.sync_statistics().incomplete, 1U);
}

TEST(PatternMemory, TheFastPathOfPredictionsHasNoThreshold) {
  PatternMemory memory(context(), quiet());
  learn(memory, EventTexts(40, SymbolTexts{"b"}), "long");  // similarity 2 / 41 to a single b
  const EventTexts query{{"b"}};
  EXPECT_TRUE(memory.predict(Words(query)).predictions.empty());
  PredictionOptions options;
  options.single_symbol_fast_path = true;
  const auto predictions = memory.predict(Words(query), {}, options).predictions;
  ASSERT_EQ(predictions.size(), 1U);
  EXPECT_EQ(predictions[0].potential, 2 + 1.0 / 40);
}

TEST(PatternMemory, PredictsWithItsOwnFrequenciesAndStatistics) {
  PatternMemory memory(context(), quiet());
  learn(memory, {{"a", "b"}, {"c", "d"}, {"e"}}, "segments", 3);
  learn(memory, {{"x"}, {"y"}}, "other");
  const EventTexts query{{"b"}, {"c"}};
  MatchOptions serially;
  serially.space = Space::serial;
  const auto [predictions, record] = memory.predict(Words(query), serially);
  EXPECT_EQ(record.chosen, Space::serial);
  EXPECT_EQ(record.why, Reason::forced);
  ASSERT_EQ(predictions.size(), 1U);
  const Prediction& first = predictions[0];
  EXPECT_EQ(first.name, "segments");
  EXPECT_EQ(first.frequency, 3U);
  EXPECT_EQ(first.present, (EventTexts{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(first.missing, (EventTexts{{"a"}, {"d"}}));
  EXPECT_EQ(first.future, (EventTexts{{"e"}}));
  EXPECT_EQ(first.evidence, 0.4);
  EXPECT_EQ(first.confidence, 0.5);
  EXPECT_EQ(first.bayesian_prior, 1.0);
  learn(memory, {{"b"}, {"z"}}, "third");
  EXPECT_EQ(memory.predict(Words(query)).predictions.size(), 2U);
  EXPECT_EQ(memory.predict(Words(query)).predictions[0].bayesian_prior, 0.75);
  memory.forget("segments");
  EXPECT_EQ(memory.predict(Words(query)).predictions.size(), 1U);
  EXPECT_TRUE(memory.predict(Words(EventTexts{})).predictions.empty());
  PredictionOptions options;
  options.threshold = 2;
  EXPECT_THROW(memory.predict(Words(query), {}, options), InvalidArgument);
}

TEST(PatternMemory, CountsHowOftenEverySymbolWasLearned) {
  PatternMemory memory(context(), quiet());
  learn(memory, {{"a", "b", "a"}}, "first", 2);
  learn(memory, {{"b"}});
  EXPECT_THAT(memory.symbol_frequencies(), testing::ElementsAre(4, 3));
  learn(memory, {{"a", "b", "a"}});
  EXPECT_THAT(memory.symbol_frequencies(), testing::ElementsAre(6, 4));
  memory.forget("first");
  EXPECT_THAT(memory.symbol_frequencies(), testing::ElementsAre(0, 1));
}

TEST(PatternMemory, ComparesCharactersOfTheJoinedTextsIfRequested) {
  PatternMemory memory(context(), quiet(), Level::character);
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
  EXPECT_THROW(learn(memory, {{"\xFF"}}), InvalidArgument);
  EXPECT_THROW(answer(memory, {{"\xFF"}}), InvalidArgument);
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

TEST(PatternMemory, EventsWithBadOffsetsAreRejected) {
  const std::vector<std::string_view> texts{"a", "b", "c"};
  for (const Level level : {Level::token, Level::character}) {
    PatternMemory memory(context(), quiet(), level);
    learn(memory, {{"a"}});
    for (const std::vector<std::uint64_t>& offsets :
         {std::vector<std::uint64_t>{1, 2}, {0, 2, 1}, {0, 4}, {0, ~std::uint64_t{0}, 2}}) {
      const PatternMemory::Events events{offsets, texts};
      EXPECT_THROW(memory.learn(events), InvalidArgument);
      EXPECT_THROW(memory.find(events), InvalidArgument);
      EXPECT_THROW(memory.predict(events), InvalidArgument);
    }
    EXPECT_EQ(memory.size(), 1U);
  }
}

TEST(PatternMemory, BadQueriesAreRejected) {
  PatternMemory memory(context(), quiet());
  learn(memory, {{"a"}});
  Ragged<Symbol> queries;
  memory.encode(Words{{{"a"}}}, queries);
  for (const double threshold : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    MatchOptions options;
    options.threshold = threshold;
    EXPECT_THROW(memory.match(queries, options), InvalidArgument);
  }
  MatchOptions options;
  options.top = 0;
  EXPECT_THROW(memory.match(queries, options), InvalidArgument);
  EXPECT_TRUE(answer(memory, {}).empty()) << "an empty query has no results";
}

}  // namespace PatternMemoryTest

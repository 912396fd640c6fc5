// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/PatternMemory.hpp>

#include <algorithm>

#include "OneThread.hpp"
#include "PatternMemorySupport.hpp"
#include "TempFolder.hpp"

namespace PatternMemoryThreadsTest {

using namespace Kindred;
using namespace Kindred::Testing;

EventTexts pattern_of(char who, std::uint64_t i) {
  return {{numbered(who, i), "shared"}, {numbered('m', i % 7)}};
}

/// The index of the single pattern that equals \p events, if it is found.
std::optional<std::uint64_t> found(const PatternMemory& memory, const EventTexts& events) {
  const std::vector<Match> matches = answer(memory, events, 1.0, 3);
  if (matches.size() != 1) return {};
  return matches[0].index;
}

TEST(PatternMemoryThreads, NothingIsLostDuringConcurrentOperations) {
  const PatternSettings settings{.sync_threshold = 64, .sync_interval_seconds = 0.01};
  PatternMemory memory(one_thread(), settings);
  constexpr std::uint64_t count = 300;
  const std::string learners = "ab";
  const auto synchronise = [&] {
    memory.sync();
    std::this_thread::yield();
  };
  const auto query = [&] {
    // All are equally similar: ordered by index, none twice.
    const std::vector<std::uint64_t> matches = indices(answer(memory, {{"shared"}}, 0.0, 100000));
    EXPECT_EQ(std::ranges::adjacent_find(matches, std::greater_equal()), matches.end());
    for (const std::uint64_t index : matches) EXPECT_LE(memory.frequency(index), 2U);
    (void)(memory.statistics().patterns + memory.sync_statistics().recent + memory.size());
    (void)(memory.symbol_frequencies().size() + memory.to_bytes().size());
    const std::optional<std::uint64_t> kept = memory.find(numbered('a', 1));
    EXPECT_TRUE(!kept || memory.names({{*kept}}).size() == 1);
    EXPECT_TRUE(!kept || memory.pattern(*kept).name == numbered('a', 1));
  };
  beside({synchronise, query}, [&] {
    by_threads(learners.size(), [&](std::size_t caller) {
      const char who = learners[caller];
      for (std::uint64_t i = 0; i < count; ++i) {
        const LearnedPattern learned = learn(memory, pattern_of(who, i), numbered(who, i));
        // A learned pattern must be visible to the next query, a forgotten one to none.
        EXPECT_EQ(found(memory, pattern_of(who, i)), learned.index);
        if (i % 3 == 0) {
          EXPECT_TRUE(memory.forget(numbered(who, i)));
          EXPECT_FALSE(found(memory, pattern_of(who, i)));
        }
        EXPECT_TRUE(i % 3 == 0 || i % 5 != 1 || learn(memory, pattern_of(who, i)).frequency == 2);
      }
    });
  });
  memory.sync();
  EXPECT_EQ(memory.statistics().recent, 0U);
  EXPECT_EQ(memory.size(), learners.size() * count * 2 / 3);
  for (const char who : learners)
    for (std::uint64_t i = 0; i < count; ++i)
      EXPECT_EQ(found(memory, pattern_of(who, i)).has_value(), i % 3 != 0) << who << i;
  EXPECT_EQ(answer(memory, {{"shared"}}, 0.1, 100000).size(), memory.size());
}

TEST(PatternMemoryThreads, ForgettingCompactionSavingAndLoadingOverlap) {
  const PatternSettings settings{.sync_threshold = 500, .sync_interval_seconds = 0.005};
  const TempFolder folder;
  PatternMemory memory(one_thread(), settings);
  constexpr std::uint64_t kept = 200;
  for (std::uint64_t i = 0; i < kept; ++i) learn(memory, pattern_of('k', i), numbered('k', i));
  const auto all = [&] { return indices(answer(memory, {{"shared"}}, 0.0, 100000)); };
  ASSERT_EQ(all().size(), kept);
  const auto query = [&] {
    const std::vector<std::uint64_t> found = all();
    EXPECT_TRUE(std::ranges::is_sorted(found));
    EXPECT_EQ(std::ranges::lower_bound(found, kept) - found.begin(), std::ptrdiff_t{kept});
    // A candidate may be forgotten, and its row reclaimed, while its prediction is computed.
    const PredictionResults results = memory.predict(Words(EventTexts{{"shared"}}));
    for (const Prediction& prediction : results.predictions)
      EXPECT_TRUE(!prediction.name.empty() && prediction.frequency == 1);
  };
  const auto save = [&] {
    memory.save(folder / "memory");
    memory.append(folder / "memory");
    const PatternMemory copy = PatternMemory::load(one_thread(), folder / "memory", settings);
    EXPECT_GE(copy.size(), kept);
    for (std::uint64_t i = 0; i < kept; i += 7) {
      EXPECT_EQ(copy.find(numbered('k', i)), i);
      EXPECT_EQ(found(copy, pattern_of('k', i)), i);
    }
  };
  beside({query, save}, [&] {
    by_threads(2, [&](std::size_t caller) {
      const char who = "ab"[caller];
      for (int round = 0; round < 3; ++round) {
        for (std::uint64_t i = 0; i < 1500; ++i)
          learn(memory, pattern_of(who, i), numbered(who, i));
        for (std::uint64_t i = 0; i < 1500; ++i) EXPECT_TRUE(memory.forget(numbered(who, i)));
      }
    });
  });
  EXPECT_EQ(memory.size(), kept);
  EXPECT_EQ(all().size(), kept);
  memory.sync();
  EXPECT_EQ(memory.statistics().bulk, kept);
  EXPECT_EQ(memory.sync_statistics().recent, 0U);
}

TEST(PatternMemoryThreads, PatternsLearnedDuringASaveAreInTheNextFile) {
  const TempFolder folder;
  PatternMemory memory(one_thread(), quiet());
  for (std::uint64_t i = 0; i < 3000; ++i)
    learn(memory, {{numbered('s', i % 300)}, {numbered('t', i)}});
  memory.save(folder / "a");
  const auto loaded = [&] { return PatternMemory::load(one_thread(), folder / "a", quiet()); };
  const auto change = [&](std::uint64_t number) {
    return [&, own = std::mt19937_64(number + seed())]() mutable {
      learn(memory, {{numbered('s', own() % 300)}, {numbered('t', own() % 7000)}});
      if (own() % 50 == 0) memory.forget(own() % 3000);
      if (own() % 3000 == 0) memory.sync();
    };
  };
  beside({change(0), change(1)}, [&] {
    for (int i = 0; i < 8; ++i) {
      if (i % 4 == 0) memory.save(folder / "a");
      memory.append(folder / "a");
      EXPECT_GE(loaded().size(), 1000U);
    }
  });
  memory.append(folder / "a");
  const PatternMemory copy = loaded();
  EXPECT_EQ(copy.size(), memory.size());
  EXPECT_EQ(copy.symbol_frequencies(), memory.symbol_frequencies());
  for (std::uint64_t index = 0; index < memory.statistics().learned; ++index) {
    ASSERT_EQ(copy.frequency(index), memory.frequency(index)) << index;
    if (memory.frequency(index) == 0) continue;
    const StoredPattern pattern = memory.pattern(index);
    EXPECT_EQ(copy.pattern(index).events.values, pattern.events.values);
    EXPECT_EQ(copy.find(Words(texts(memory, pattern))), index);
  }
}

/// Predictions are sums over all candidates, so that none may be missing because others, which
/// match better, were learned during the call.
TEST(PatternMemoryThreads, APredictionLosesNoPatternToThoseLearnedMeanwhile) {
  const PredictionOptions options{.top = 1'000'000, .threshold = 0};
  std::uint64_t predictions = 0;
  for (int attempt = 0; attempt < 12; ++attempt) {
    PatternMemory memory(one_thread(), quiet());
    learn(memory, {{"nothing", "of", "the", "query"}}, "frequent", 1'000'000);
    for (std::uint64_t i = 0; i < 400; ++i) learn(memory, pattern_of('p', i));
    std::atomic<std::uint64_t> learned{0};
    beside({[&] {
             learn(memory, {{"shared", numbered('q', learned++)}});
           }},
           [&] {
             while (learned == 0) std::this_thread::yield();
             for (const Level level : {Level::character, Level::token, Level::character}) {
               const std::uint64_t before = memory.size();
               const PredictionResults results =
                   memory.predict(Words(EventTexts{{"shared"}}), {}, options, level);
               const auto& found = results.predictions;
               EXPECT_GE(found.size(), before);
               const auto is_frequent = [](const Prediction& prediction) {
                 return prediction.index == 0 && prediction.frequency == 1'000'000;
               };
               EXPECT_TRUE(std::ranges::any_of(found, is_frequent)) << "attempt " << attempt;
               ++predictions;
             }
           });
  }
  EXPECT_EQ(predictions, 36U);
}

TEST(PatternMemoryThreads, ANameIsForgottenOnceForEveryTimeItIsLearned) {
  PatternMemory memory(one_thread(), quiet());
  std::atomic<std::uint64_t> forgotten{0};
  std::uint64_t learned = 0;
  const auto forget = [&] { forgotten += memory.forget("name") ? 1 : 0; };
  beside({forget, forget}, [&] {
    for (int i = 0; i < 2000 || learned < 2; ++i)
      learned += learn(memory, {{"one"}, {"two"}}, "name").is_new ? 1 : 0;
    while (memory.find("name")) std::this_thread::yield();
  });
  EXPECT_EQ(forgotten, learned);
  EXPECT_EQ(memory.size(), 0U);
}

}  // namespace PatternMemoryThreadsTest

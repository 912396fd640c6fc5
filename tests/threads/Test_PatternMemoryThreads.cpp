// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/PatternMemory.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "OneThread.hpp"
#include "PatternMemorySupport.hpp"
#include "Support.hpp"
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
  PatternSettings settings;
  settings.sync_threshold = 64;
  settings.sync_interval_seconds = 0.01;
  PatternMemory memory(one_thread(), settings);
  constexpr std::uint64_t count = 300;
  const std::vector<char> learners{'a', 'b'};
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> wrong{0};
  std::vector<std::thread> threads;
  for (const char who : learners) {
    threads.emplace_back([&, who] {
      for (std::uint64_t i = 0; i < count; ++i) {
        const LearnedPattern learned = learn(memory, pattern_of(who, i), numbered(who, i));
        // A learned pattern must be visible to the next query, a forgotten one to none.
        if (found(memory, pattern_of(who, i)) != learned.index) ++wrong;
        if (i % 3 == 0) {
          if (!memory.forget(numbered(who, i))) ++wrong;
          if (found(memory, pattern_of(who, i))) ++wrong;
        }
        if (i % 3 != 0 && i % 5 == 1 && learn(memory, pattern_of(who, i)).frequency != 2) ++wrong;
      }
    });
  }
  threads.emplace_back([&] {
    while (!done) {
      memory.sync();
      std::this_thread::yield();
    }
  });
  threads.emplace_back([&] {
    while (!done) {
      std::uint64_t last = 0;
      bool first = true;
      for (const Match& match : answer(memory, {{"shared"}}, 0.0, 100000)) {
        // All are equally similar: ordered by index, none twice.
        if (!first && match.index <= last) ++wrong;
        last = match.index;
        first = false;
        if (memory.frequency(match.index) > 2) ++wrong;
      }
      (void)memory.statistics();
      (void)memory.sync_statistics();
    }
  });
  for (std::size_t t = 0; t < learners.size(); ++t) threads[t].join();
  done = true;
  for (std::size_t t = learners.size(); t < threads.size(); ++t) threads[t].join();
  EXPECT_EQ(wrong, 0U);
  memory.sync();
  EXPECT_EQ(memory.statistics().recent, 0U);
  EXPECT_EQ(memory.size(), learners.size() * count * 2 / 3);
  for (const char who : learners) {
    for (std::uint64_t i = 0; i < count; ++i) {
      EXPECT_EQ(found(memory, pattern_of(who, i)).has_value(), i % 3 != 0) << who << i;
    }
  }
  EXPECT_EQ(answer(memory, {{"shared"}}, 0.1, 100000).size(), memory.size());
}

TEST(PatternMemoryThreads, ForgettingCompactionSavingAndLoadingOverlap) {
  PatternSettings settings;
  settings.sync_threshold = 500;
  settings.sync_interval_seconds = 0.005;
  const TempFolder folder;
  PatternMemory memory(one_thread(), settings);
  constexpr std::uint64_t kept = 200;
  for (std::uint64_t i = 0; i < kept; ++i) learn(memory, pattern_of('k', i), numbered('k', i));
  const std::size_t all = answer(memory, {{"shared"}}, 0.0, 100000).size();
  ASSERT_EQ(all, kept);
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> wrong{0};
  std::vector<std::thread> threads;
  for (const char who : {'a', 'b'}) {
    threads.emplace_back([&, who] {
      for (int round = 0; round < 3; ++round) {
        for (std::uint64_t i = 0; i < 1500; ++i)
          learn(memory, pattern_of(who, i), numbered(who, i));
        for (std::uint64_t i = 0; i < 1500; ++i) {
          if (!memory.forget(numbered(who, i))) ++wrong;
        }
      }
    });
  }
  threads.emplace_back([&] {
    while (!done) {
      std::uint64_t found = 0;
      std::uint64_t last = 0;
      for (const Match& match : answer(memory, {{"shared"}}, 0.0, 100000)) {
        found += match.index < kept ? 1 : 0;
        if (match.index < last) ++wrong;
        last = match.index;
      }
      if (found != kept) ++wrong;
      // A candidate may be forgotten, and its row reclaimed, while its prediction is computed.
      const PredictionResults results = memory.predict(Words(EventTexts{{"shared"}}));
      for (const Prediction& prediction : results.predictions) {
        if (prediction.name.empty() || prediction.frequency != 1) ++wrong;
      }
    }
  });
  threads.emplace_back([&] {
    while (!done) {
      memory.save(folder / "memory");
      memory.append(folder / "memory");
      const PatternMemory copy = PatternMemory::load(one_thread(), folder / "memory", settings);
      if (copy.size() < kept) ++wrong;
      for (std::uint64_t i = 0; i < kept; i += 7) {
        if (copy.find(numbered('k', i)) != i) ++wrong;
        if (found(copy, pattern_of('k', i)) != i) ++wrong;
      }
    }
  });
  for (std::size_t t = 0; t < 2; ++t) threads[t].join();
  done = true;
  for (std::size_t t = 2; t < threads.size(); ++t) threads[t].join();
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(memory.size(), kept);
  EXPECT_EQ(answer(memory, {{"shared"}}, 0.0, 100000).size(), kept);
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
  std::atomic<bool> stop{false};
  std::vector<std::jthread> threads;
  for (std::uint64_t t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 own(t + seed());
      while (!stop) {
        learn(memory, {{numbered('s', own() % 300)}, {numbered('t', own() % 7000)}});
        if (own() % 50 == 0) memory.forget(own() % 3000);
        if (own() % 3000 == 0) memory.sync();
      }
    });
  }
  for (int i = 0; i < 8; ++i) {
    if (i % 4 == 0) memory.save(folder / "a");
    memory.append(folder / "a");
    EXPECT_GE(loaded().size(), 1000U);
  }
  stop = true;
  threads.clear();
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
  PredictionOptions options;
  options.threshold = 0;
  options.top = 1'000'000;
  std::uint64_t predictions = 0;
  for (int attempt = 0; attempt < 12; ++attempt) {
    PatternMemory memory(one_thread(), quiet());
    learn(memory, {{"nothing", "of", "the", "query"}}, "frequent", 1'000'000);
    for (std::uint64_t i = 0; i < 400; ++i) learn(memory, pattern_of('p', i));
    std::atomic<bool> done{false};
    std::atomic<std::uint64_t> learned{0};
    std::thread learner([&] {
      while (!done) learn(memory, {{"shared", numbered('q', learned++)}});
    });
    while (learned == 0) std::this_thread::yield();
    for (const Level level : {Level::character, Level::token, Level::character}) {
      const std::uint64_t before = memory.size();
      const PredictionResults results =
          memory.predict(Words(EventTexts{{"shared"}}), {}, options, level);
      const auto& found = results.predictions;
      EXPECT_GE(found.size(), before);
      EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                              [](const Prediction& prediction) {
                                return prediction.index == 0 && prediction.frequency == 1'000'000;
                              }))
          << "attempt " << attempt;
      ++predictions;
    }
    done = true;
    learner.join();
  }
  EXPECT_EQ(predictions, 36U);
}

TEST(PatternMemoryThreads, ANameIsForgottenOnceForEveryTimeItIsLearned) {
  PatternMemory memory(one_thread(), quiet());
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> forgotten{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      while (!done) forgotten += memory.forget("name") ? 1 : 0;
    });
  }
  std::uint64_t learned = 0;
  for (int i = 0; i < 2000 || learned < 2; ++i)
    learned += learn(memory, {{"one"}, {"two"}}, "name").is_new ? 1 : 0;
  while (memory.find("name")) std::this_thread::yield();
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(forgotten, learned);
  EXPECT_EQ(memory.size(), 0U);
}

}  // namespace PatternMemoryThreadsTest

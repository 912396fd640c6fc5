// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/PatternMemory.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Allocations.hpp"
#include "Generator.hpp"
#include "PatternMemorySupport.hpp"
#include "Support.hpp"
#include "TempFolder.hpp"

#include <atomic>
#include <random>
#include <thread>
#include <vector>

namespace PatternLevelsTest {

using namespace Kindred;
using namespace Kindred::Testing;

constexpr Level levels[] = {Level::token, Level::character};

EventTexts random_events(std::mt19937_64& random) {
  EventTexts events(1 + random() % 3);
  for (SymbolTexts& event : events) {
    for (std::size_t n = 1 + random() % 3; n > 0; --n)
      event.push_back(numbered(static_cast<char>('a' + random() % 3), random() % 40));
  }
  return events;
}

std::vector<Match> answer_at(const PatternMemory& memory, const EventTexts& query, Level level,
                             const MatchOptions& options = {}) {
  Ragged<Symbol> queries;
  memory.encode(Words(query), queries, level);
  const MatchResults results = memory.match(queries, options, level);
  return {results.matches.values.begin(), results.matches.values.end()};
}

TEST(PatternLevels, OfACallAnswerAsAMemoryOfThatLevel) {
  auto random = generator("PatternLevels.OfACall");
  PatternSettings settings = quiet();
  settings.sync_threshold = 60;
  PatternMemory tokens(context(), settings, Level::token);
  PatternMemory characters(context(), settings, Level::character);
  const auto expect_same = [&] {
    const EventTexts query = random_events(random);
    for (const double threshold : {0.0, 0.4}) {
      MatchOptions options;
      options.threshold = threshold;
      options.top = 20;
      for (const Level level : levels) {
        const std::vector<Match> expected = answer_at(tokens, query, level, options);
        ASSERT_EQ(answer_at(characters, query, level, options), expected);
        PatternMemory& own = level == Level::token ? tokens : characters;
        ASSERT_EQ(answer(own, query, options), expected);
      }
      const auto predictions = [&](const PatternMemory& memory, Level level) {
        std::vector<std::pair<std::uint64_t, double>> found;
        for (const Prediction& prediction :
             memory.predict(Words(query), options, {}, level).predictions)
          found.emplace_back(prediction.index, prediction.potential);
        return found;
      };
      for (const Level level : levels)
        ASSERT_EQ(predictions(tokens, level), predictions(characters, level));
    }
  };
  for (int step = 0; step < 400; ++step) {
    const EventTexts events = random_events(random);
    for (PatternMemory* memory : {&tokens, &characters}) learn(*memory, events);
    const std::uint64_t gone = random() % 400;
    if (step % 3 == 0)
      for (PatternMemory* memory : {&tokens, &characters}) memory->forget(gone);
    if (step == 200)
      for (PatternMemory* memory : {&tokens, &characters}) memory->clear();
    if (step == 300)
      for (PatternMemory* memory : {&tokens, &characters}) memory->sync();
    if (step % 20 == 0) expect_same();
  }
  expect_same();
}

TEST(PatternLevels, OfCharactersRequireValidTexts) {
  PatternMemory memory(context(), quiet());
  learn(memory, {{"tea"}});
  EXPECT_EQ(answer_at(memory, {{"tee"}}, Level::character).at(0).matched, 2U);
  learn(memory, {{"bad \xFF"}});
  for (int round = 0; round < 2; ++round) {
    EXPECT_THROW(answer_at(memory, {{"tee"}}, Level::character), InvalidArgument);
    EXPECT_EQ(answer(memory, {{"tea"}}).size(), 1U);
    memory.sync();
  }
  memory.forget(std::uint64_t{1});
  EXPECT_EQ(answer_at(memory, {{"tee"}}, Level::character).at(0).matched, 2U);
}

TEST(PatternLevels, AreCountedInTheBytesButNotSaved) {
  const TempFolder folder;
  PatternMemory memory(context(), quiet());
  for (std::uint64_t i = 0; i < 100; ++i) learn(memory, {{"same", numbered('x', i)}});
  memory.sync();
  memory.save(folder / "before");
  const std::uint64_t bytes = memory.statistics().bytes[space_index(Space::serial)];
  answer_at(memory, {{"same"}}, Level::character);
  EXPECT_GT(memory.statistics().bytes[space_index(Space::serial)], bytes);
  memory.sync();
  memory.save(folder / "after");
  const PatternMemory before = PatternMemory::load(context(), folder / "before", quiet());
  EXPECT_EQ(before.to_bytes(),
            PatternMemory::load(context(), folder / "after", quiet()).to_bytes());
  EXPECT_EQ(answer_at(before, {{"same x7"}}, Level::character),
            answer_at(memory, {{"same x7"}}, Level::character));
}

TEST(PatternLevels, AForgetThatRunsOutOfMemoryForgetsAtNoLevel) {
  PatternMemory memory(context(), quiet());
  for (std::uint64_t i = 0; i < 20; ++i) learn(memory, {{"same", numbered('x', i)}});
  MatchOptions options;
  options.top = 100;
  for (const Level level : levels) answer_at(memory, {{"same"}}, level, options);
  fail_every_allocation(
      longer_than_labels, [&] { memory.forget(std::uint64_t{3}); },
      [&](std::size_t) {
        for (const Level level : levels)
          EXPECT_EQ(answer_at(memory, {{"same"}}, level, options).size(), 20U);
      });
  for (const Level level : levels)
    EXPECT_EQ(answer_at(memory, {{"same"}}, level, options).size(), 19U);
}

TEST(PatternLevels, MayBeUsedWhileOthersLearnAndForget) {
  PatternSettings settings = quiet();
  settings.sync_threshold = 50;
  PatternMemory memory(context(), settings);
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (std::uint64_t i = 0; !done; ++i) {
      const std::uint64_t index = learn(memory, {{"same", numbered('x', i % 500)}}).index;
      if (i % 3 == 0) memory.forget(index);
    }
  });
  std::vector<std::thread> readers;
  for (const Level level : levels) {
    readers.emplace_back([&memory, level] {
      for (int i = 0; i < 40; ++i) answer_at(memory, {{"same"}}, level);
    });
  }
  for (std::thread& reader : readers) reader.join();
  done = true;
  writer.join();
  MatchOptions options;
  options.threshold = 0;
  options.top = 10000;
  for (const Level level : levels)
    EXPECT_EQ(answer_at(memory, {{"same"}}, level, options).size(), memory.size());
}

}  // namespace PatternLevelsTest

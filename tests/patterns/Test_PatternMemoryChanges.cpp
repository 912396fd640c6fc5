// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/PatternMemory.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Allocations.hpp"
#include "MessageOf.hpp"
#include "PatternMemorySupport.hpp"
#include "Support.hpp"
#include "TempFolder.hpp"

#include <atomic>
#include <cstring>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

namespace PatternMemoryChangesTest {

using namespace Kindred;
using namespace Kindred::Testing;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(PatternMemoryChanges, SetsAFrequencyInEitherDirection) {
  PatternMemory memory(context(), quiet());
  learn(memory, {{"a", "b", "a"}}, "first", 5);
  learn(memory, {{"b"}}, {}, 2);
  memory.set_frequency(0, 2);
  EXPECT_EQ(memory.frequency(0), 2U);
  EXPECT_EQ(memory.statistics().total_frequency, 4U);
  EXPECT_THAT(memory.symbol_frequencies(), ElementsAre(4, 4));
  memory.set_frequency(0, 100);
  EXPECT_THAT(memory.symbol_frequencies(), ElementsAre(200, 102));
  EXPECT_EQ(learn(memory, {{"a", "b", "a"}}).frequency, 101U);
  memory.forget("first");
  EXPECT_THAT(memory.symbol_frequencies(), ElementsAre(0, 2));
}

TEST(PatternMemoryChanges, RefusesFrequenciesThatCannotBe) {
  PatternMemory memory(context(), quiet());
  learn(memory, {{"a", "b"}}, {}, 5);
  learn(memory, {{"c"}});
  memory.forget(std::uint64_t{1});
  EXPECT_THROW(memory.set_frequency(0, 0), InvalidArgument);
  EXPECT_THAT(message_of<NotFound>([&] { memory.set_frequency(1, 3); }),
              HasSubstr("pattern 1 was forgotten"));
  EXPECT_THAT(message_of<NotFound>([&] { memory.set_frequency(2, 3); }),
              HasSubstr("pattern 2 was never learned"));
  constexpr std::uint64_t most = std::uint64_t{1} << 62U;  // of a pattern of two symbols
  EXPECT_THROW(memory.set_frequency(0, most + 1), InvalidArgument);
  EXPECT_THROW(memory.set_frequency(0, ~std::uint64_t{0}), InvalidArgument);
  EXPECT_EQ(memory.frequency(0), 5U);
  memory.set_frequency(0, most);
  EXPECT_EQ(memory.frequency(0), most) << "its old frequency does not count";
}

TEST(PatternMemoryChanges, AppendsFrequenciesThatWereSet) {
  const TempFolder folder;
  PatternMemory memory(context(), quiet());
  learn(memory, {{"a"}}, "first", 5);
  learn(memory, {{"b"}}, "second", 5);
  memory.save(folder / "memory");
  const auto version = [&] {
    std::ifstream file(folder / "memory", std::ios::binary);
    char bytes[12];
    file.read(bytes, sizeof(bytes));
    std::uint32_t number = 0;
    std::memcpy(&number, bytes + 8, sizeof(number));
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
  const PatternMemory loaded = PatternMemory::load(context(), folder / "memory", quiet());
  for (std::uint64_t index = 0; index < 3; ++index)
    EXPECT_EQ(loaded.frequency(index), memory.frequency(index)) << index;
  EXPECT_EQ(loaded.symbol_frequencies(), memory.symbol_frequencies());
  memory.save(folder / "memory");
  EXPECT_EQ(version(), 1U);
}

TEST(PatternMemoryChanges, AClearedMemoryIsEmptyAndUsable) {
  for (const bool synced : {false, true}) {
    PatternSettings settings = quiet();
    settings.sync_threshold = 7;
    PatternMemory memory(context(), settings);
    memory.clear();
    for (std::uint64_t i = 0; i < 20; ++i) learn(memory, {{"same", numbered('x', i)}});
    learn(memory, {{"same"}}, "name", 3);
    memory.forget(std::uint64_t{2});
    if (synced) memory.sync();
    memory.clear();
    EXPECT_EQ(memory.size(), 0U);
    EXPECT_EQ(memory.statistics().learned, 21U);
    EXPECT_EQ(memory.statistics().total_frequency, 0U);
    EXPECT_EQ(memory.statistics().segments, 0U);
    EXPECT_EQ(memory.sync_statistics().recent, 0U);
    EXPECT_EQ(memory.settings().sync_threshold, 7U);
    EXPECT_EQ(memory.vocabulary().size(), 21U);
    EXPECT_TRUE(answer(memory, {{"same"}}, 0.0).empty());
    EXPECT_FALSE(memory.find("name"));
    EXPECT_THROW(memory.pattern(3), NotFound);
    for (const std::uint64_t frequency : memory.symbol_frequencies()) EXPECT_EQ(frequency, 0U);
    const LearnedPattern again = learn(memory, {{"same", "x0"}}, "name");
    EXPECT_EQ(again.index, 21U) << "an index is never reused";
    EXPECT_TRUE(again.is_new);
    EXPECT_EQ(indices(answer(memory, {{"same"}})), (std::vector<std::uint64_t>{21}));
    memory.sync();
    EXPECT_EQ(indices(answer(memory, {{"same"}})), (std::vector<std::uint64_t>{21}));
    EXPECT_EQ(memory.statistics().bulk, 1U);
  }
}

TEST(PatternMemoryChanges, AClearIsSavedAndAppended) {
  const TempFolder folder;
  for (const bool cleared_twice : {false, true}) {
    PatternMemory memory(context(), quiet());
    for (std::uint64_t i = 0; i < 50; ++i) learn(memory, {{numbered('x', i)}}, numbered('p', i));
    memory.forget("p3");
    memory.save(folder / "memory");
    memory.forget("p4");
    learn(memory, {{"x5"}}, {}, 2);
    learn(memory, {{"late"}});
    memory.clear();
    learn(memory, {{"x7"}}, "p8", 6);
    if (cleared_twice) {
      memory.clear();
      learn(memory, {{"x9"}}, "p8", 2);
    }
    memory.append(folder / "memory");
    const auto check = [&](const PatternMemory& loaded) {
      EXPECT_EQ(loaded.size(), 1U);
      EXPECT_EQ(loaded.statistics().learned, memory.statistics().learned);
      EXPECT_EQ(loaded.find("p8"), memory.find("p8"));
      EXPECT_EQ(loaded.statistics().total_frequency, memory.statistics().total_frequency);
      EXPECT_EQ(answer(loaded, {{"x7", "x9"}}, 0.0), answer(memory, {{"x7", "x9"}}, 0.0));
    };
    check(PatternMemory::load(context(), folder / "memory", quiet()));
    memory.save(folder / "memory");
    check(PatternMemory::load(context(), folder / "memory", quiet()));
    PatternMemory loaded = PatternMemory::load(context(), folder / "memory", quiet());
    loaded.clear();
    loaded.append(folder / "memory");
    EXPECT_EQ(PatternMemory::load(context(), folder / "memory", quiet()).size(), 0U);
  }
}

TEST(PatternMemoryChanges, AClearThatRunsOutOfMemoryForgetsNothing) {
  const TempFolder folder;
  PatternMemory memory(context(), quiet());
  for (std::uint64_t i = 0; i < 40; ++i) learn(memory, {{"same", numbered('x', i)}});
  memory.save(folder / "memory");
  const auto before = answer(memory, {{"same"}}, 0.0, 100);
  const std::size_t failures = fail_every_allocation(
      longer_than_labels, [&] { memory.clear(); },
      [&](std::size_t) {
        EXPECT_EQ(memory.size(), 40U);
        EXPECT_EQ(answer(memory, {{"same"}}, 0.0, 100), before);
      });
  EXPECT_GT(failures, 1U);
  EXPECT_EQ(memory.size(), 0U);
}

TEST(PatternMemoryChanges, ALearnThatRunsOutOfMemoryLosesNothing) {
  PatternMemory memory(context(), quiet());
  std::vector<EventTexts> learned;
  for (std::uint64_t i = 0; i < 60; ++i) {
    const EventTexts events{{numbered('a', i)}, {std::string(i, 'x'), numbered('b', i % 5)}};
    fail_every_allocation(
        longer_than_labels, [&] { learn(memory, events, numbered('n', i)); },
        [&](std::size_t) {
          ASSERT_EQ(memory.size(), i);
          for (std::uint64_t index = 0; index < i; ++index)
            ASSERT_EQ(texts(memory, memory.pattern(index)), learned[index]);
        });
    learned.push_back(events);
    ASSERT_EQ(memory.find(Words(events)), i);
  }
}

TEST(PatternMemoryChanges, MayBeClearedWhileOthersLearnMatchAndSynchronize) {
  PatternSettings settings = quiet();
  settings.sync_threshold = 20;
  PatternMemory memory(context(), settings);
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> learned{0};
  std::thread learner([&] {
    for (std::uint64_t i = 0; !done; ++i, ++learned)
      learn(memory, {{"same", numbered('x', i % 300)}});
  });
  std::thread reader([&] {
    while (!done) {
      for (const Match& match : answer(memory, {{"same"}}, 0.0, 1000))
        EXPECT_LT(match.index, memory.statistics().learned);
    }
  });
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(soon([&, target = learned + 20] { return learned >= target; }));
    memory.clear();
    if (i % 3 == 0) memory.sync();
  }
  done = true;
  learner.join();
  reader.join();
  EXPECT_EQ(answer(memory, {{"same"}}, 0.0, 1000).size(), memory.size());
  EXPECT_EQ(memory.statistics().bulk + memory.statistics().recent, memory.size());
}

TEST(PatternMemoryChanges, NamesAndPatternsAreFoundInOneCall) {
  PatternMemory memory(context(), quiet());
  learn(memory, {{"a"}}, "first");
  learn(memory, {{"b"}});
  learn(memory, {{"c"}}, "");
  learn(memory, {{"d"}}, "gone");
  memory.forget("gone");
  const std::vector<std::string_view> names{"", "first", "gone", "never", "first"};
  EXPECT_THAT(memory.find_all(names), ElementsAre(2, 0, std::nullopt, std::nullopt, 0));
  const std::vector<std::uint64_t> indices{2, 0, 1, 3, 4, ~std::uint64_t{0}, 0};
  EXPECT_THAT(memory.names(indices), ElementsAre("", "first", std::nullopt, std::nullopt,
                                                 std::nullopt, std::nullopt, "first"));
  EXPECT_TRUE(memory.names({}).empty());
  EXPECT_TRUE(memory.find_all({}).empty());
}

}  // namespace PatternMemoryChangesTest

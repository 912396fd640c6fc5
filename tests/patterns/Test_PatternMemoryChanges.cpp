// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "OneThread.hpp"
#include "PatternSupport.hpp"

namespace PatternMemoryChangesTest {

using namespace Kindred;
using namespace Kindred::Testing;
using testing::ElementsAre;

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

TEST(PatternMemoryChanges, AClearedMemoryKeepsItsSettingsItsTextsAndItsIndices) {
  PatternMemory memory(context(), quiet_at(7));
  memory.clear();
  learn_same(memory, 20);
  learn(memory, {{"same"}}, "name", 3);
  memory.clear();
  EXPECT_EQ(memory.statistics().segments, 0U);
  EXPECT_EQ(memory.settings().sync_threshold, 7U);
  EXPECT_EQ(memory.vocabulary().size(), 21U);
  EXPECT_FALSE(memory.find("name"));
  const LearnedPattern again = learn(memory, {{"same", "x0"}}, "name");
  EXPECT_EQ(again.index, 21U) << "an index is never reused";
  EXPECT_TRUE(again.is_new);
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

}  // namespace PatternMemoryChangesTest

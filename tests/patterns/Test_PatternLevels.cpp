// SPDX-License-Identifier: Apache-2.0
#include "PatternSupport.hpp"
#include "Threads.hpp"

namespace PatternLevelsTest {

using namespace Kindred;
using namespace Kindred::Testing;

std::vector<Match> answer_at(const PatternMemory& memory, const EventTexts& query, Level level,
                             const MatchOptions& options = {.threshold = 0, .top = all_of_them}) {
  Ragged<Symbol> queries;
  memory.encode(Words(query), queries, level);
  return memory.match(queries, options, level).matches.values;
}

TEST(PatternLevels, OfACallAnswerAsAMemoryOfThatLevel) {
  auto random = generator("PatternLevels.OfACall");
  PatternMemory tokens(context(), quiet_at(60), Level::token);
  PatternMemory characters(context(), quiet_at(60), Level::character);
  PatternMemory* const both[] = {&tokens, &characters};
  const auto events = [&] {
    EventTexts made = random_events(random, 40);
    made.push_back({numbered('a', random() % 40)});
    return made;
  };
  const auto expect_same_answers = [&] {
    const EventTexts query = events();
    for (const Level level : levels) {
      for (const double threshold : {0.0, 0.4}) {
        const MatchOptions options{.threshold = threshold, .top = 20};
        const std::vector<Match> expected = answer_at(tokens, query, level, options);
        ASSERT_EQ(answer_at(characters, query, level, options), expected);
        ASSERT_EQ(answer(level == Level::token ? tokens : characters, query, options), expected);
        std::vector<std::pair<std::uint64_t, double>> found[2];
        for (std::size_t m = 0; m < 2; ++m)
          for (const Prediction& prediction :
               both[m]->predict(Words(query), options, {}, level).predictions)
            found[m].emplace_back(prediction.index, prediction.potential);
        ASSERT_EQ(found[0], found[1]);
      }
    }
  };
  for (int step = 0; step < 400; ++step) {
    const EventTexts learned = events();
    const std::uint64_t gone = random() % 400;
    for (PatternMemory* memory : both) {
      learn(*memory, learned);
      if (step % 3 == 0) memory->forget(gone);
      if (step == 200) memory->clear();
      if (step == 300) memory->sync();
    }
    if (step % 20 == 0 || step == 399) expect_same_answers();
  }
}

TEST(PatternLevels, OfCharactersRequireValidTexts) {
  PatternMemory memory = made();
  learn(memory, {{"tea"}});
  EXPECT_EQ(answer_at(memory, {{"tee"}}, Level::character).at(0).matched, 2U);
  learn(memory, {{"bad \xFF"}});
  for (int round = 0; round < 2; ++round) {
    EXPECT_THROW(answer_at(memory, {{"tee"}}, Level::character), InvalidArgument);
    EXPECT_EQ(answer(memory, {{"tea"}}).size(), 1U);
    const SyncRecord record =
        memory.sync();  // the level of the memory is synchronised all the same
    EXPECT_EQ(record.moved, round == 0 ? 2U : 0U);
    EXPECT_EQ(record.why_left, "");
  }
  memory.forget(std::uint64_t{1});
  EXPECT_EQ(answer_at(memory, {{"tee"}}, Level::character).at(0).matched, 2U);
}

TEST(PatternLevels, TextsBehindTheLastEventAreNoPartOfAQuery) {
  PatternMemory memory = made();
  const std::string_view texts[] = {"a", "b"};
  const std::uint64_t offsets[] = {0, 1};
  for (const Level level : levels) {
    Ragged<Symbol> queries;
    memory.encode({offsets, texts}, queries, level);
    EXPECT_EQ(queries.values.size(), 1U);
  }
}

TEST(PatternLevels, AreCountedInTheBytesButNotSaved) {
  PatternMemory memory = made();
  learn_same(memory, 100);
  memory.sync();
  const PatternMemory before = PatternMemory::load(context(), memory.to_bytes(), quiet());
  const std::uint64_t bytes = memory.statistics().bytes[space_index(Space::serial)];
  answer_at(memory, {{"same"}}, Level::character);
  EXPECT_GT(memory.statistics().bytes[space_index(Space::serial)], bytes);
  memory.sync();
  EXPECT_EQ(before.to_bytes(),
            PatternMemory::load(context(), memory.to_bytes(), quiet()).to_bytes());
  EXPECT_EQ(answer_at(before, {{"same x7"}}, Level::character),
            answer_at(memory, {{"same x7"}}, Level::character));
}

TEST(PatternLevels, AForgetThatRunsOutOfMemoryForgetsAtNoLevel) {
  PatternMemory memory = made();
  learn_same(memory, 20);
  const auto expect_size = [&](std::size_t size) {
    for (const Level level : levels) EXPECT_EQ(answer_at(memory, {{"same"}}, level).size(), size);
  };
  expect_size(20);
  fail_every_allocation(
      longer_than_labels, [&] { memory.forget(std::uint64_t{3}); },
      [&](std::size_t) { expect_size(20); });
  expect_size(19);
}

TEST(PatternLevels, MayBeUsedWhileOthersLearnAndForget) {
  PatternMemory memory(context(), quiet_at(50));
  const auto change = [&memory, i = std::uint64_t{0}]() mutable {
    const std::uint64_t index = learn(memory, {{"same", numbered('x', i % 500)}}).index;
    if (i++ % 3 == 0) memory.forget(index);
  };
  beside({change}, [&] {
    by_threads(std::size(levels), [&](std::size_t caller) {
      for (int i = 0; i < 40; ++i) answer_at(memory, {{"same"}}, levels[caller]);
    });
  });
  for (const Level level : levels)
    EXPECT_EQ(answer_at(memory, {{"same"}}, level).size(), memory.size());
}

}  // namespace PatternLevelsTest

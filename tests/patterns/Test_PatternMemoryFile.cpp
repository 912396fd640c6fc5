// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "DamagedFiles.hpp"
#include "MutatedBytes.hpp"
#include "PatternSupport.hpp"
#include "patterns/StoredPatterns.hpp"

namespace PatternMemoryFileTest {

using namespace Kindred;
using namespace Kindred::Testing;

/// Learns, relearns, forgets and synchronizes at random.
void live(PatternMemory& memory, std::mt19937_64& random, std::uint64_t vocabulary, int steps) {
  for (int i = 0; i < steps; ++i) {
    const std::uint64_t learned = memory.statistics().learned;
    const std::uint64_t index = random() % (learned + 1);
    EventTexts events = random_events(random, vocabulary);
    if (random() % 8 == 0 && memory.frequency(index) > 0)
      events = texts(memory, memory.pattern(index));
    const std::string name = numbered('p', learned);
    const bool is_named = random() % 3 > 0 && !memory.find(Words(events)) && !memory.find(name);
    learn(memory, events, is_named ? std::optional<std::string_view>(name) : std::nullopt,
          1 + random() % 3);
    if (random() % 8 == 0) memory.forget(index);
    if (random() % 160 == 0) memory.sync();
  }
}

TEST(PatternMemoryFile, RestoresEveryHistoryThatIsSavedAndAppended) {
  auto random = generator("PatternMemoryFile.RestoresEverything");
  for (const std::uint64_t vocabulary : {3U, 3U, 30U, 30U, 200U, 3000U}) {
    const TempFolder folder;
    PatternMemory memory = made();
    memory.save(folder / "a");
    EXPECT_EQ(loaded(folder / "a").size(), 0U);
    learn(memory, {{"", "ä€😀", std::string(5000, 'x')}}, "");
    learn(memory, {}, "the empty pattern");
    for (int i = 0; i < 4; ++i) {
      live(memory, random, vocabulary + 10 * i, vocabulary == 30 ? 60 : 200);
      memory.append(folder / "a");
      if (i == 1) memory = loaded(folder / "a");
      expect_same(loaded(folder / "a"), memory, vocabulary);
    }
    memory.append(folder / "a");  // nothing
    EXPECT_EQ(Impl::SectionFile(folder / "a", "patterns", 2).commits(), 6U);
    memory.save(folder / "a");
    PatternMemory copy = loaded(folder / "a");
    expect_same(copy, memory, vocabulary);
    copy.save(folder / "b");
    EXPECT_TRUE(read_all(folder / "a") == read_all(folder / "b")) << "the files differ";
    copy.sync();
    expect_same(copy, memory, vocabulary);
  }
}

TEST(PatternMemoryFile, IsLoadedWholeBeforeTheThreadStarts) {
  const TempFolder folder;
  PatternMemory memory = made();
  for (std::uint64_t i = 0; i < 100; ++i) learn(memory, {{numbered('s', i)}});
  memory.sync();
  memory.save(folder / "a");
  PatternSettings settings;
  settings.sync_interval_seconds = 1e-9;
  // A thread that already ran would wait, holding the lock of the catalog, for the new view of the
  // tiers, which is allocated under a lock: it would see that view together with the empty catalog.
  const PatternMemory copy = [&] {
    const SlowAllocations slow(std::chrono::milliseconds(1));
    return PatternMemory::load(context(), folder / "a", settings);
  }();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const SyncStatistics statistics = copy.sync_statistics();
  EXPECT_EQ(statistics.recent, 0U);
  EXPECT_THAT(statistics.syncs, testing::Each(0U)) << "no pattern was ever recent";
}

TEST(PatternMemoryFile, KeepsNothingOfForgottenPatterns) {
  const TempFolder folder;
  auto random = generator("PatternMemoryFile.KeepsNothingOfWhatWasForgotten");
  PatternMemory memory = made();
  for (std::uint64_t i = 0; i < 10000; ++i) {
    EventTexts events(4);
    for (std::size_t n = 0; n < 20; ++n) events[n % 4].push_back(numbered('s', random() % 100));
    learn(memory, events, "a name of some length, " + std::to_string(i));
  }
  memory.sync();
  memory.save(folder / "all");
  for (std::uint64_t i = 0; i < 10000; ++i)
    if (i % 100 != 50) memory.forget(i);
  memory.save(folder / "few");
  EXPECT_LT(read_all(folder / "few").size(), read_all(folder / "all").size() / 25);
  EXPECT_EQ(read_all(folder / "few").find("a name of some length, 7777"), std::string::npos);
  PatternMemory copy = loaded(folder / "few");
  expect_same(copy, memory, 100);
  copy.save(folder / "again");
  EXPECT_TRUE(read_all(folder / "few") == read_all(folder / "again")) << "the files differ";
  EXPECT_EQ(learn(copy, {{"new"}}).index, 10000U) << "an index is never reused";
  // A block of indices of which all patterns are forgotten, in a file and in what is appended to
  // it.
  for (std::uint64_t i = 0; i < 9000; ++i) copy.forget(learn(copy, {{numbered('n', i)}}).index);
  learn(copy, {{"behind them"}}, "behind them");
  copy.append(folder / "again");
  expect_same(loaded(folder / "again"), copy, 100);
  copy.save(folder / "again");
  expect_same(loaded(folder / "again"), copy, 100);
  EXPECT_EQ(copy.find("behind them"), 19001U);
}

TEST(PatternMemoryFile, StoresWideSymbols) {
  const TempFolder folder;
  PatternMemory memory = made();
  for (std::uint64_t i = 0; i < 700; ++i) {
    EventTexts events(2);
    for (std::uint64_t s = 0; s < 100; ++s) events[s % 2].push_back(numbered('s', 100 * i + s));
    learn(memory, events, numbered('p', i));
  }
  memory.sync();
  memory.save(folder / "a");
  EXPECT_TRUE(Impl::SectionFile(folder / "a", "patterns", 1).has(0, "pattern.symbols.u32"));
  expect_same(loaded(folder / "a"), memory, 70000);
}

TEST(PatternMemoryFile, IsAppendedToOnlyIfItsStateIsKnown) {
  const TempFolder folder;
  PatternMemory memory = made();
  learn(memory, {{"a", "b"}});
  expect_refused({{[&] { memory.append(folder / "a"); }, "save it first"}});
  memory.save(folder / "a");
  PatternMemory other = loaded(folder / "a");
  learn(other, {{"a", "c"}});
  other.append(folder / "a");
  learn(memory, {{"a", "d"}});
  expect_refused({{[&] { memory.append(folder / "a"); }, "has changed since"}});
  EXPECT_THROW(memory.append(folder / "missing"), NotFound);
  memory.save(folder / "b");
  learn(memory, {{"a", "e"}});
  memory.append(folder / "b");
  EXPECT_EQ(loaded(folder / "b").size(), 3U);
  EXPECT_EQ(loaded(folder / "a").size(), 2U);
}

TEST(PatternMemoryFile, ThatCannotBeWrittenIsKeptAndWrittenLater) {
  const TempFolder folder;
  PatternMemory memory = made();
  for (std::uint64_t i = 0; i < 100; ++i) learn(memory, {{numbered('s', i), "x"}});
  memory.save(folder / "a");
  const std::string before = read_all(folder / "a");
  for (std::uint64_t i = 100; i < 20000; ++i) learn(memory, {{numbered('s', i), "x"}});
  memory.forget(5);
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{before.size() + 10000, old.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(memory.append(folder / "a"), Error);
  EXPECT_THROW(memory.save(folder / "a"), Error);
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(read_all(folder / "a").substr(0, before.size()) == before);
  EXPECT_EQ(loaded(folder / "a").size(), 100U);
  memory.append(folder / "a");
  const PatternMemory copy = loaded(folder / "a");
  EXPECT_EQ(copy.size(), 19999U);
  EXPECT_EQ(copy.frequency(5), 0U);
}

/// Uses a memory in every way that a forged file could corrupt.
void use(PatternMemory& memory) {
  for (const double threshold : {0.0, 0.5})
    answer(memory, {{"a", "b"}, {"c", "d"}}, threshold, all_of_them);
  answer(memory, {{"b", "c"}}, {.measure = Measure::difflib, .blocks = true});
  // A forged file may omit any number of indices.
  const std::uint64_t end = std::min<std::uint64_t>(memory.statistics().learned, 100);
  for (std::uint64_t index = 0; index < end; ++index)
    if (memory.frequency(index) > 0) texts(memory, memory.pattern(index));
  learn(memory, {{"b"}});
  learn(memory, {{"x", "c"}}, "new");
  memory.forget(0);
  memory.forget("third");
  memory.sync();
  answer(memory, {{"a"}}, 0.0, all_of_them);
}

TEST(PatternMemoryFile, AForgedFileIsRejectedOrUsedWithinItsBounds) {
  const MutatedFiles files =
      use_mutated("PatternMemoryFile.Forged", small_file(true), [](const std::string& path) {
        PatternMemory memory = loaded(path);
        try {
          use(memory);
        } catch (const InvalidArgument&) {  // a name in use, or a frequency that exceeds its limit
        }
      });
  EXPECT_GT(files.refused, 150);
  EXPECT_GT(files.used, 15);
}

/// Patterns in both tiers, of which some are forgotten.
void fill(PatternMemory& memory) {
  for (std::uint64_t i = 0; i < 60; ++i)
    learn(memory, {{"same", numbered('s', i)}, {numbered('y', i % 7)}}, numbered('n', i));
  memory.sync();
  memory.forget("n5");
  learn(memory, {{"late"}}, {}, 4);
}

TEST(PatternMemoryBytes, AreThoseOfASavedFileAndChecked) {
  const TempFolder folder;
  for (const Level level : levels) {
    const auto load = [&](const std::vector<std::byte>& bytes) {
      return PatternMemory::load(context(), bytes, quiet(), level);
    };
    PatternMemory memory = made(level);
    EXPECT_EQ(load(memory.to_bytes()).size(), 0U);
    fill(memory);
    const std::vector<std::byte> bytes = memory.to_bytes();
    memory.save(folder / "memory");
    expect_bytes_checked(bytes, read_all(folder / "memory"), 97, load);
    expect_same(load(bytes), memory);
    Vocabulary vocabulary;
    vocabulary.add("a");
    expect_refused<CorruptFile>({{[&] { load(vocabulary.to_bytes()); }, "not 'patterns'"}});
  }
}

TEST(PatternMemoryBytes, DoNotAffectTheNextAppend) {
  const TempFolder folder;
  PatternMemory memory = made();
  fill(memory);
  memory.save(folder / "memory");
  learn(memory, {{"a"}});
  memory.forget("n7");
  folder.write("copy", bytes_of(memory));
  PatternMemory copy = PatternMemory::load(context(), memory.to_bytes(), quiet());
  memory.append(folder / "memory");
  expect_same(loaded(folder / "memory"), memory);
  // What is loaded from bytes continues the file that has these bytes.
  learn(copy, {{"b"}}, "b");
  copy.append(folder / "copy");
  EXPECT_TRUE(loaded(folder / "copy").find("b"));
}

}  // namespace PatternMemoryFileTest

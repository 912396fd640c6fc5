// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Allocations.hpp"
#include "ChangedBytes.hpp"
#include "MessageOf.hpp"
#include "PatternMemorySupport.hpp"
#include "SectionBytes.hpp"
#include "Support.hpp"
#include "TempFolder.hpp"
#include "patterns/StoredPatterns.hpp"
#include "storage/SectionFile.hpp"

#include <kindred/core/common/Error.hpp>

#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace PatternMemoryFileTest {

using namespace Kindred;
using ::testing::HasSubstr;
using Testing::learn;
using Testing::message_of;
using Testing::numbered;
using Testing::quiet;
using Testing::read_all;
using Testing::TempFolder;

constexpr std::size_t all_of_them = 1U << 20U;

PatternMemory made() { return PatternMemory(Testing::context(), quiet()); }
PatternMemory loaded(const std::string& path) {
  return PatternMemory::load(Testing::context(), path, quiet());
}

EventTexts random_events(std::mt19937_64& generator, std::uint64_t vocabulary) {
  EventTexts events(generator() % 5);
  for (auto& event : events) {
    const std::size_t count = generator() % 4;  // an empty event is not stored
    for (std::size_t i = 0; i < count; ++i)
      event.push_back(numbered('s', generator() % vocabulary));
  }
  return events;
}

/// All queries must return the same results from two memories.
void expect_same(const PatternMemory& a, const PatternMemory& b, std::mt19937_64& generator,
                 std::uint64_t vocabulary) {
  const PatternStatistics statistics = a.statistics();
  EXPECT_EQ(b.statistics().patterns, statistics.patterns);
  EXPECT_EQ(b.statistics().learned, statistics.learned);
  EXPECT_EQ(b.statistics().total_frequency, statistics.total_frequency);
  EXPECT_EQ(b.symbol_frequencies(), a.symbol_frequencies());
  ASSERT_EQ(b.vocabulary().size(), a.vocabulary().size());
  for (Symbol symbol = 0; symbol < a.vocabulary().size(); ++symbol)
    EXPECT_EQ(b.vocabulary().text(symbol), a.vocabulary().text(symbol));
  for (std::uint64_t index = 0; index < statistics.learned; ++index) {
    ASSERT_EQ(b.frequency(index), a.frequency(index)) << index;
    if (a.frequency(index) == 0) continue;
    const StoredPattern pattern = a.pattern(index);
    const StoredPattern other = b.pattern(index);
    EXPECT_EQ(other.name, pattern.name);
    EXPECT_EQ(other.events.values, pattern.events.values);
    EXPECT_EQ(other.events.offsets, pattern.events.offsets);
    if (pattern.name) {
      EXPECT_EQ(b.find(*pattern.name), index);
    }
    EXPECT_EQ(b.find(Testing::Words(Testing::texts(a, pattern))), index);
  }
  for (int i = 0; i < 10; ++i) {
    const EventTexts query = random_events(generator, vocabulary);
    EXPECT_EQ(Testing::answer(b, query, 0.0, all_of_them),
              Testing::answer(a, query, 0.0, all_of_them));
  }
}

/// Learns, relearns, forgets and synchronizes at random.
void live(PatternMemory& memory, std::mt19937_64& generator, std::uint64_t vocabulary, int steps) {
  for (int i = 0; i < steps; ++i) {
    const std::uint64_t learned = memory.statistics().learned;
    const std::uint64_t dice = generator() % 20;
    if (dice < 2 && learned > 0) {
      memory.forget(generator() % learned);
    } else if (dice < 4 && learned > 0 && memory.frequency(generator() % learned) > 0) {
      const std::uint64_t index = generator() % learned;
      if (memory.frequency(index) > 0)
        learn(memory, Testing::texts(memory, memory.pattern(index)), {}, 1 + generator() % 3);
    } else if (dice == 4 && generator() % 8 == 0) {
      memory.sync();
    } else {
      const EventTexts events = random_events(generator, vocabulary);
      const bool known = memory.find(Testing::Words(events)).has_value();
      const std::string name = numbered('p', learned);
      if (generator() % 3 > 0 && !known && !memory.find(name)) {
        learn(memory, events, name);
      } else {
        learn(memory, events);
      }
    }
  }
}

TEST(PatternMemoryFile, RestoresEverything) {
  auto generator = Testing::generator("PatternMemoryFile.GivesBackEverything");
  const TempFolder folder;
  for (const std::uint64_t vocabulary : {3U, 200U, 3000U}) {
    PatternMemory memory = made();
    learn(memory, {{"", "ä€😀", std::string(5000, 'x')}}, "");
    learn(memory, {}, "the empty pattern");
    live(memory, generator, vocabulary, 600);
    memory.save(folder / "a");
    PatternMemory copy = loaded(folder / "a");
    expect_same(memory, copy, generator, vocabulary);
    copy.save(folder / "b");
    EXPECT_TRUE(read_all(folder / "a") == read_all(folder / "b")) << "the files differ";
    copy.sync();
    expect_same(memory, copy, generator, vocabulary);
  }
}

TEST(PatternMemoryFile, OfAnEmptyMemoryIsLoadedAndGrows) {
  const TempFolder folder;
  auto generator = Testing::generator("PatternMemoryFile.OfNothing");
  PatternMemory memory = made();
  memory.save(folder / "a");
  PatternMemory copy = loaded(folder / "a");
  EXPECT_EQ(copy.size(), 0U);
  live(copy, generator, 20, 50);
  copy.append(folder / "a");
  expect_same(copy, loaded(folder / "a"), generator, 20);
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
    const Testing::SlowAllocations slow(std::chrono::milliseconds(1));
    return PatternMemory::load(Testing::context(), folder / "a", settings);
  }();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const SyncStatistics statistics = copy.sync_statistics();
  EXPECT_EQ(statistics.recent, 0U);
  EXPECT_THAT(statistics.syncs, testing::Each(0U)) << "no pattern was ever recent";
}

TEST(PatternMemoryFile, KeepsNothingOfForgottenPatterns) {
  const TempFolder folder;
  auto generator = Testing::generator("PatternMemoryFile.KeepsNothingOfWhatWasForgotten");
  PatternMemory memory = made();
  for (std::uint64_t i = 0; i < 10000; ++i) {
    EventTexts events(4);
    for (std::size_t n = 0; n < 20; ++n) events[n % 4].push_back(numbered('s', generator() % 100));
    learn(memory, events, "a name of some length, " + std::to_string(i));
  }
  memory.sync();
  memory.save(folder / "all");
  for (std::uint64_t i = 0; i < 10000; ++i) {
    if (i % 100 != 50) memory.forget(i);
  }
  memory.save(folder / "few");
  EXPECT_LT(read_all(folder / "few").size(), read_all(folder / "all").size() / 25);
  EXPECT_EQ(read_all(folder / "few").find("a name of some length, 7777"), std::string::npos);
  PatternMemory copy = loaded(folder / "few");
  expect_same(memory, copy, generator, 100);
  copy.save(folder / "again");
  EXPECT_TRUE(read_all(folder / "few") == read_all(folder / "again")) << "the files differ";
  EXPECT_EQ(learn(copy, {{"new"}}).index, 10000U) << "an index is never reused";
  // A block of indices of which all patterns are forgotten, in a file and in what is appended to
  // it.
  for (std::uint64_t i = 0; i < 9000; ++i) copy.forget(learn(copy, {{numbered('n', i)}}).index);
  learn(copy, {{"behind them"}}, "behind them");
  copy.append(folder / "again");
  expect_same(copy, loaded(folder / "again"), generator, 100);
  copy.save(folder / "again");
  expect_same(copy, loaded(folder / "again"), generator, 100);
  EXPECT_EQ(copy.find("behind them"), 19001U);
}

TEST(PatternMemoryFile, StoresWideSymbols) {
  const TempFolder folder;
  auto generator = Testing::generator("PatternMemoryFile.HoldsWideSymbols");
  PatternMemory memory = made();
  for (std::uint64_t i = 0; i < 700; ++i) {
    EventTexts events(2);
    for (std::uint64_t s = 0; s < 100; ++s) events[s % 2].push_back(numbered('s', 100 * i + s));
    learn(memory, events, numbered('p', i));
  }
  memory.sync();
  memory.save(folder / "a");
  EXPECT_TRUE(Impl::SectionFile(folder / "a", "patterns", 1).has(0, "pattern.symbols.u32"));
  expect_same(memory, loaded(folder / "a"), generator, 70000);
}

TEST(PatternMemoryFile, AppendsTheChangesSinceTheLastSave) {
  auto generator = Testing::generator("PatternMemoryFile.AppendsWhatHappenedSince");
  for (int round = 0; round < 10; ++round) {
    const TempFolder folder;
    PatternMemory memory = made();
    live(memory, generator, 30, 100);
    memory.save(folder / "a");
    for (int i = 0; i < 4; ++i) {
      live(memory, generator, 30 + 10 * i, 60);
      memory.append(folder / "a");
      if (i == 1) memory = loaded(folder / "a");
      expect_same(memory, loaded(folder / "a"), generator, 70);
    }
    memory.append(folder / "a");
    EXPECT_EQ(Impl::SectionFile(folder / "a", "patterns", 2).commits(), 6U);
  }
}

TEST(PatternMemoryFile, IsAppendedToOnlyIfItsStateIsKnown) {
  const TempFolder folder;
  PatternMemory memory = made();
  learn(memory, {{"a", "b"}});
  EXPECT_THAT(message_of<InvalidArgument>([&] { memory.append(folder / "a"); }),
              HasSubstr("save it first"));
  memory.save(folder / "a");
  PatternMemory other = loaded(folder / "a");
  learn(other, {{"a", "c"}});
  other.append(folder / "a");
  learn(memory, {{"a", "d"}});
  EXPECT_THAT(message_of<InvalidArgument>([&] { memory.append(folder / "a"); }),
              HasSubstr("has changed since"));
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

/// A small file of two commits that contains every feature.
std::string small_file(const TempFolder& folder) {
  PatternMemory memory = made();
  learn(memory, {{"a", "b"}, {"c"}}, "first");
  learn(memory, {{"b"}}, "second", 3);
  learn(memory, {{"a"}, {"a"}});
  memory.sync();
  memory.forget(1);
  learn(memory, {{"c"}}, "third");
  memory.save(folder / "small");
  learn(memory, {{"d", "a"}}, "fourth");
  learn(memory, {{"c"}});
  memory.forget("first");
  memory.append(folder / "small");
  return read_all(folder / "small");
}

TEST(PatternMemoryFile, DetectsEveryChangedByte) {
  const TempFolder folder;
  const std::string whole = small_file(folder);
  const Testing::MemoryFile file;
  file.set(whole);
  EXPECT_EQ(Impl::read_patterns(file.path(), 1).catalogue.live(), 3U);
  constexpr std::size_t slot = sizeof(Impl::SectionHeader);
  const std::size_t tried = Testing::for_each_changed_byte(
      whole, [&](const std::string& changed, std::size_t at, int value) {
        file.set(changed);
        // One of the two slots of the header may be damaged.
        if (at < slot || at >= whole.size() - slot) {
          EXPECT_EQ(Impl::read_patterns(file.path(), 1).catalogue.live(), 3U)
              << "byte " << at << " is " << value;
        } else {
          EXPECT_THROW(Impl::read_patterns(file.path(), 1), CorruptFile)
              << "byte " << at << " is " << value;
        }
      });
  EXPECT_GT(tried, 3 * whole.size());
}

/// Uses a memory in every way that a forged file could corrupt.
void use(PatternMemory& memory) {
  for (const double threshold : {0.0, 0.5})
    Testing::answer(memory, {{"a", "b"}, {"c", "d"}}, threshold, all_of_them);
  MatchOptions options;
  options.measure = Measure::difflib;
  options.blocks = true;
  Testing::answer(memory, {{"b", "c"}}, options);
  // A forged file may omit any number of indices.
  const std::uint64_t end = std::min<std::uint64_t>(memory.statistics().learned, 100);
  for (std::uint64_t index = 0; index < end; ++index) {
    if (memory.frequency(index) == 0) continue;
    const StoredPattern pattern = memory.pattern(index);
    Testing::texts(memory, pattern);
  }
  learn(memory, {{"b"}});
  learn(memory, {{"x", "c"}}, "new");
  memory.forget(0);
  memory.forget("third");
  memory.sync();
  Testing::answer(memory, {{"a"}}, 0.0, all_of_them);
}

TEST(PatternMemoryFile, AForgedFileIsRejectedOrUsedWithinItsBounds) {
  const TempFolder folder;
  const std::string whole = small_file(folder);
  const Testing::MemoryFile file;
  auto generator = Testing::generator("PatternMemoryFile.AForgedFile");
  constexpr std::uint64_t one = 1;
  int refused = 0;
  int used = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string forged = whole;
    for (std::uint64_t changes = 1 + generator() % 2; changes > 0; --changes) {
      const std::size_t at = generator() % (whole.size() / 8) * 8 + generator() % 2 * 4;
      std::uint64_t value = 0;
      const std::size_t bytes =
          generator() % 2 == 0 ? 4 : std::min<std::size_t>(8, whole.size() - at);
      std::memcpy(&value, whole.data() + at, bytes);
      const std::uint64_t values[] = {
          0,         1,         value + 1, value - 1,   value + 64,
          value * 2, one << 16, one << 32, ~one << 31U, ~std::uint64_t{0}};
      value = values[generator() % std::size(values)];
      std::memcpy(forged.data() + at, &value, bytes);
    }
    Testing::reseal(forged);
    file.set(forged);
    try {
      PatternMemory memory = loaded(file.path());
      use(memory);
      ++used;
    } catch (const CorruptFile&) {
      ++refused;
    } catch (const InvalidArgument&) {
      ++used;  // by `use`: a name in use, or a frequency that would exceed its limit
    }
  }
  EXPECT_GT(refused, 300);
  EXPECT_GT(used, 300);
}

TEST(PatternMemoryFile, OfAnotherKindIsRejected) {
  const TempFolder folder;
  Vocabulary vocabulary;
  vocabulary.add("a");
  vocabulary.save(folder / "v");
  EXPECT_THAT(message_of<CorruptFile>([&] { loaded(folder / "v"); }),
              HasSubstr("holds 'vocabulary', not 'patterns'"));
}

}  // namespace PatternMemoryFileTest

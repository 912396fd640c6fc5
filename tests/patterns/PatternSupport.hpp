// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_PATTERNS_PATTERN_SUPPORT_HPP
#define KINDRED_TESTS_PATTERNS_PATTERN_SUPPORT_HPP

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/matcher/PatternMemory.hpp>

#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "Allocations.hpp"
#include "PatternMemorySupport.hpp"
#include "RefusedCalls.hpp"
#include "Support.hpp"
#include "TempFolder.hpp"

namespace Kindred::Testing {

using Indices = std::vector<std::uint64_t>;

inline constexpr std::size_t all_of_them = std::numeric_limits<std::size_t>::max();
constexpr Level levels[] = {Level::token, Level::character};

/// A memory without a background thread.
inline PatternMemory made(Level level = Level::token) {
  return PatternMemory(context(), quiet(), level);
}
inline PatternMemory loaded(const std::string& path) {
  return PatternMemory::load(context(), path, quiet());
}
/// The bytes of the file of \p memory.
inline std::string bytes_of(const PatternMemory& memory) {
  const std::vector<std::byte> bytes = memory.to_bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
/// Settings without a background thread that synchronize at \p threshold recent patterns, and keep
/// at most \p bulk in the bulk tier.
inline PatternSettings quiet_at(std::uint64_t threshold, std::optional<std::uint64_t> bulk = {}) {
  PatternSettings settings = quiet();
  settings.sync_threshold = threshold;
  if (bulk) settings.max_bulk_patterns = *bulk;
  return settings;
}

/// Learns patterns of "same" and a text with a number from \p begin to \p end − 1.
inline void learn_same(PatternMemory& memory, std::uint64_t end, std::uint64_t begin = 0,
                       char letter = 'x') {
  for (std::uint64_t i = begin; i < end; ++i) learn(memory, {{"same", numbered(letter, i)}});
}

/// All matches of the text that `learn_same` repeats.
inline std::vector<Match> all_same(const PatternMemory& memory) {
  return answer(memory, {{"same"}}, 0.0, all_of_them);
}

/// Up to \p events events of up to \p texts texts, of which some are empty.
inline EventTexts random_events(std::mt19937_64& random, std::uint64_t vocabulary,
                                std::uint64_t events = 4, std::uint64_t texts = 3) {
  EventTexts list(random() % (events + 1));
  for (SymbolTexts& event : list)
    for (std::size_t n = random() % (texts + 1); n > 0; --n)
      event.push_back(numbered('s', random() % vocabulary));
  return list;
}

/// \brief Patterns 0, 2 and 3 of {a b | c}, {a | a} and {c}; 1, {b}, was forgotten. Those below 3
/// are in a segment. Appended: 2 seen twice more, 4 of {b c}.
///
/// Sections: pattern.index 0 2 3 4, pattern.symbols.u16 0 1 2 0 0 2, pattern.ends 3 5 6,
/// pattern.events 2 4 5, event.ends 2 3 1 2 1, name.ends 11 10 21, tiles.end 3, tiles.0.patterns
/// 0 2. Appended: change.patterns 2, change.frequency 5.
inline std::string small_file(bool appended) {
  const TempFolder folder;
  PatternMemory memory = made();
  learn(memory, {{"a", "b"}, {"c"}}, "first");
  learn(memory, {{"b"}}, "second", 3);
  learn(memory, {{"a"}, {"a"}}, {}, 3);
  memory.sync();
  memory.forget(1);
  learn(memory, {{"c"}}, "third");
  memory.save(folder / "a");
  if (appended) {
    learn(memory, {{"a"}, {"a"}}, {}, 2);
    learn(memory, {{"b", "c"}}, "fourth");
    memory.append(folder / "a");
  }
  return read_all(folder / "a");
}

/// Everything that two memories report must be equal. \param vocabulary of random queries
inline void expect_same(const PatternMemory& memory, const PatternMemory& other,
                        std::uint64_t vocabulary = 3) {
  const PatternStatistics expected = other.statistics();
  ASSERT_EQ(memory.statistics().patterns, expected.patterns);
  ASSERT_EQ(memory.statistics().learned, expected.learned);
  ASSERT_EQ(memory.statistics().total_frequency, expected.total_frequency);
  ASSERT_EQ(memory.vocabulary().texts().values, other.vocabulary().texts().values);
  ASSERT_EQ(memory.vocabulary().texts().offsets, other.vocabulary().texts().offsets);
  ASSERT_EQ(memory.symbol_frequencies(), other.symbol_frequencies());
  for (std::uint64_t index = 0; index < expected.learned; ++index) {
    ASSERT_EQ(memory.frequency(index), other.frequency(index)) << index;
    if (other.frequency(index) == 0) continue;
    const StoredPattern pattern = other.pattern(index);
    ASSERT_EQ(memory.pattern(index).name, pattern.name) << index;
    ASSERT_EQ(texts(memory, memory.pattern(index)), texts(other, pattern)) << index;
    ASSERT_EQ(memory.find(Words(texts(other, pattern))), index);
    if (pattern.name) {
      ASSERT_EQ(memory.find(*pattern.name), index);
    }
  }
  auto random = generator("queries of " + std::to_string(expected.learned));
  for (int i = 0; i < 5; ++i) {
    const EventTexts query = random_events(random, vocabulary);
    ASSERT_EQ(answer(memory, query, 0.0, all_of_them), answer(other, query, 0.0, all_of_them));
  }
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_PATTERNS_PATTERN_SUPPORT_HPP

// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/PatternMemory.hpp>
#include <kindred/reference/Reference.hpp>

#include <gtest/gtest.h>

#include "PatternMemorySupport.hpp"
#include "Properties.hpp"
#include "TempFolder.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

namespace PatternMemoryPropertiesTest {

using namespace Kindred;
using namespace Kindred::Testing;

/// The expected state of a memory, in a simple implementation.
class Model {
 public:
  void learn(const EventTexts& events, std::uint64_t times) {
    for (Row& row : m_rows) {
      if (row.frequency > 0 && row.events == events) {
        row.frequency += times;
        return;
      }
    }
    m_rows.push_back({events, times});
  }
  bool forget(std::uint64_t index) {
    if (index >= m_rows.size() || m_rows[index].frequency == 0) return false;
    m_rows[index].frequency = 0;
    return true;
  }
  std::uint64_t frequency(std::uint64_t index) const {
    return index < m_rows.size() ? m_rows[index].frequency : 0;
  }
  std::uint64_t learned() const { return m_rows.size(); }
  std::uint64_t patterns() const {
    return static_cast<std::uint64_t>(std::count_if(
        m_rows.begin(), m_rows.end(), [](const Row& row) { return row.frequency > 0; }));
  }
  std::uint64_t total_frequency() const {
    std::uint64_t total = 0;
    for (const Row& row : m_rows) total += row.frequency;
    return total;
  }
  /// The frequencies of the symbols a to e.
  std::vector<std::uint64_t> symbol_frequencies() const {
    std::vector<std::uint64_t> frequencies(5, 0);
    for (const Row& row : m_rows) {
      for (const Symbol symbol : symbols(row.events)) frequencies[symbol - 'a'] += row.frequency;
    }
    return frequencies;
  }

  std::vector<Match> answer(const EventTexts& query, const MatchOptions& options) const {
    std::vector<std::vector<Symbol>> patterns;
    std::vector<std::uint64_t> indices;
    for (std::uint64_t i = 0; i < m_rows.size(); ++i) {
      if (m_rows[i].frequency == 0) continue;
      patterns.push_back(symbols(m_rows[i].events));
      indices.push_back(i);
    }
    const auto measure =
        options.measure == Measure::lcs ? Reference::Matched::lcs : Reference::Matched::difflib;
    std::vector<Match> found;
    if (symbols(query).empty()) return found;
    for (const auto& item :
         Reference::match(patterns, symbols(query), measure, options.threshold, options.top)) {
      found.push_back({indices[item.index], item.similarity, item.matched});
    }
    return found;
  }

 private:
  struct Row {
    EventTexts events;
    std::uint64_t frequency;
  };
  static std::vector<Symbol> symbols(const EventTexts& events) {
    std::vector<Symbol> flat;
    for (const auto& event : events) {
      for (const std::string& text : event) flat.push_back(static_cast<Symbol>(text[0]));
    }
    return flat;
  }

  std::vector<Row> m_rows;
};

/// Events of one-letter symbols, none of them empty.
EventTexts events_of(const std::vector<std::vector<unsigned char>>& letters) {
  EventTexts events;
  for (const auto& event : letters) {
    if (event.empty()) continue;
    auto& out = events.emplace_back();
    for (const unsigned char letter : event)
      out.emplace_back(1, static_cast<char>('a' + letter % 5));
  }
  return events;
}

TEST(PatternMemoryProperties, AnswersLikeAPlainListWhateverItsTiersDo) {
  expect_property("learn, forget, sync and match in any order", [] {
    using Letters = std::vector<std::vector<unsigned char>>;
    const auto steps =
        *rc::gen::container<std::vector<std::tuple<unsigned char, unsigned char, Letters>>>(
            rc::gen::tuple(rc::gen::arbitrary<unsigned char>(), rc::gen::arbitrary<unsigned char>(),
                           rc::gen::resize(5, rc::gen::arbitrary<Letters>())));
    PatternSettings settings = quiet();
    settings.sync_threshold = *rc::gen::inRange<std::uint64_t>(1, 40);
    if (*rc::gen::arbitrary<bool>()) {
      settings.max_bulk_patterns = *rc::gen::inRange<std::uint64_t>(0, 20);
    }
    PatternMemory memory(context(), settings);
    Model model;
    for (const auto& [kind, number, letters] : steps) {
      const EventTexts events = events_of(letters);
      switch (kind % 8) {
        case 0:
        case 1:
        case 2:
        case 3:
          learn(memory, events, {}, 1U + number % 3U);
          model.learn(events, 1U + number % 3U);
          break;
        case 4:
          RC_ASSERT(memory.forget(std::uint64_t{number} % 16) == model.forget(number % 16));
          break;
        case 5:
          memory.sync();
          break;
        default: {
          MatchOptions options;
          options.measure = number % 2 == 0 ? Measure::lcs : Measure::difflib;
          options.threshold = static_cast<double>(number % 5) / 4.0;
          options.top = 1U + number % 7U;
          options.space = spaces()[number % spaces().size()];
          RC_ASSERT(answer(memory, events, options) == model.answer(events, options));
        }
      }
    }
    for (std::uint64_t i = 0; i < model.learned() + 2; ++i) {
      RC_ASSERT(memory.frequency(i) == model.frequency(i));
    }
  });
}

/// Everything that \p memory reports must equal the model.
void expect_same(const PatternMemory& memory, const Model& model) {
  const PatternStatistics statistics = memory.statistics();
  RC_ASSERT(statistics.patterns == model.patterns());
  RC_ASSERT(memory.size() == model.patterns());
  RC_ASSERT(statistics.learned == model.learned());
  RC_ASSERT(statistics.total_frequency == model.total_frequency());
  RC_ASSERT(statistics.bulk + statistics.recent == model.patterns());
  RC_ASSERT(memory.sync_statistics().recent == statistics.recent);
  std::vector<std::uint64_t> counts(5, 0);
  const std::vector<std::uint64_t> frequencies = memory.symbol_frequencies();
  for (Symbol symbol = 0; symbol < frequencies.size(); ++symbol)
    counts[static_cast<std::size_t>(memory.vocabulary().text(symbol)[0] - 'a')] =
        frequencies[symbol];
  RC_ASSERT(counts == model.symbol_frequencies());
  for (std::uint64_t i = 0; i < model.learned() + 2; ++i)
    RC_ASSERT(memory.frequency(i) == model.frequency(i));
}

TEST(PatternMemoryProperties, AHistoryWithFilesEqualsAPlainList) {
  const TempFolder folder;
  expect_property("learn, forget, sync, save, append and load in any order", [&folder] {
    using Letters = std::vector<std::vector<unsigned char>>;
    const auto steps =
        *rc::gen::container<std::vector<std::tuple<unsigned char, unsigned char, Letters>>>(
            rc::gen::tuple(rc::gen::arbitrary<unsigned char>(), rc::gen::arbitrary<unsigned char>(),
                           rc::gen::resize(4, rc::gen::arbitrary<Letters>())));
    PatternSettings settings = quiet();
    settings.sync_threshold = *rc::gen::inRange<std::uint64_t>(1, 20);
    if (*rc::gen::arbitrary<bool>())
      settings.max_bulk_patterns = *rc::gen::inRange<std::uint64_t>(0, 10);
    std::optional<PatternMemory> memory(std::in_place, context(), settings);
    Model model;
    Model saved;  // the state in the file
    bool is_saved = false;
    for (const auto& [kind, number, letters] : steps) {
      const EventTexts events = events_of(letters);
      switch (kind % 16) {
        case 0:
        case 1:
        case 2:
          // Many, so that whole runs of them can be forgotten.
          for (std::uint64_t i = 0; i < number % 8U; ++i) {
            EventTexts more = events;
            more.push_back({"a", std::string(1, static_cast<char>('a' + i % 5))});
            if (i > 4) more.push_back({"b"});
            learn(*memory, more, {}, 1U + number % 3U);
            model.learn(more, 1U + number % 3U);
          }
          break;
        case 3:
        case 4:
        case 5:
        case 6:
          learn(*memory, events);
          model.learn(events, 1);
          break;
        case 7:
        case 8:
          RC_ASSERT(memory->forget(std::uint64_t{number} % 32) == model.forget(number % 32));
          break;
        case 9:
          for (std::uint64_t i = number % 32; i < model.learned(); ++i)
            RC_ASSERT(memory->forget(i) == model.forget(i));
          break;
        case 10:
          memory->sync();
          break;
        case 11:
          memory->save(folder / "memory");
          saved = model;
          is_saved = true;
          break;
        case 12:
          if (!is_saved) break;
          memory->append(folder / "memory");
          saved = model;
          break;
        case 13:
          if (!is_saved) break;
          memory.emplace(PatternMemory::load(context(), folder / "memory", settings));
          model = saved;
          break;
        default: {
          MatchOptions options;
          options.measure = number % 2 == 0 ? Measure::lcs : Measure::difflib;
          options.threshold = static_cast<double>(number % 5) / 4.0;
          options.top = number % 3U == 0 ? std::numeric_limits<std::size_t>::max() - number % 7U
                                         : 1U + number % 7U;
          RC_ASSERT(answer(*memory, events, options) == model.answer(events, options));
        }
      }
      expect_same(*memory, model);
    }
  });
}

TEST(PatternMemoryProperties, ManyPatternsInManySegmentsAnswerAsOneMatcher) {
  auto random = generator("memory segments");
  PatternSettings settings = quiet();
  settings.sync_threshold = 700;
  PatternMemory memory(context(), settings);
  Ragged<Symbol> patterns;
  for (std::uint64_t i = 0; i < 6000; ++i) {
    EventTexts events(1);
    for (std::size_t n = 8 + random() % 30; n > 0; --n) {
      events[0].push_back(numbered('s', random() % 60));
    }
    ASSERT_EQ(learn(memory, events).index, i) << "all patterns differ";
    for (const std::string& text : events[0]) {
      patterns.values.push_back(memory.vocabulary().find(text));
    }
    patterns.close_row();
  }
  const SequenceMatcher matcher(context(), patterns, Residency::host);
  EXPECT_GT(memory.statistics().segments, 1U);
  EXPECT_LT(memory.statistics().segments, 12U) << "segments must be merged";
  for (const Measure measure : {Measure::lcs, Measure::difflib}) {
    for (const double threshold : {0.0, 0.3, 0.6}) {
      MatchOptions options;
      options.measure = measure;
      options.threshold = threshold;
      options.top = 50;
      const RaggedSpan<Symbol> all = patterns;
      Ragged<Symbol> queries;
      for (std::size_t q = 0; q < 5; ++q) queries.push_row(all[q * 1111]);
      EXPECT_EQ(memory.match(queries, options).matches.values,
                matcher.match(queries, options).matches.values);
    }
  }
}

}  // namespace PatternMemoryPropertiesTest

// SPDX-License-Identifier: Apache-2.0
#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

#include "PatternSupport.hpp"
#include "Properties.hpp"

namespace PatternMemoryPropertiesTest {

using namespace Kindred;
using namespace Kindred::Testing;

/// The symbols of one letter.
std::vector<Symbol> symbols(const EventTexts& events) {
  std::vector<Symbol> flat;
  for (const auto& event : events)
    for (const std::string& text : event) flat.push_back(static_cast<Symbol>(text[0]));
  return flat;
}

/// The expected state of a memory, in a simple implementation.
struct Model {
  struct Row {
    EventTexts events;
    std::uint64_t frequency;
  };

  void learn(const EventTexts& events, std::uint64_t times) {
    const auto known = std::ranges::find_if(
        rows, [&](const Row& row) { return row.frequency > 0 && row.events == events; });
    if (known != rows.end()) known->frequency += times;
    if (known == rows.end()) rows.push_back({events, times});
  }
  std::uint64_t frequency(std::uint64_t index) const {
    return index < rows.size() ? rows[index].frequency : 0;
  }
  bool forget(std::uint64_t index) {
    return index < rows.size() && std::exchange(rows[index].frequency, 0) > 0;
  }
  std::vector<Match> answer(const EventTexts& query, const MatchOptions& options) const {
    std::vector<std::vector<Symbol>> patterns;
    Indices indices;
    for (std::uint64_t i = 0; i < rows.size(); ++i) {
      if (rows[i].frequency == 0) continue;
      patterns.push_back(symbols(rows[i].events));
      indices.push_back(i);
    }
    const auto measure =
        options.measure == Measure::lcs ? Reference::Matched::lcs : Reference::Matched::difflib;
    std::vector<Match> found;
    for (const auto& item :
         Reference::match(patterns, symbols(query), measure, options.threshold, options.top))
      found.push_back({indices[item.index], item.similarity, item.matched});
    return found;
  }

  std::vector<Row> rows;
};

/// Everything that \p memory reports must equal the model.
void check_same(const PatternMemory& memory, const Model& model) {
  std::uint64_t patterns = 0;
  std::uint64_t total = 0;
  Indices expected(5, 0);  // of the symbols a to e
  for (const Model::Row& row : model.rows) {
    patterns += row.frequency > 0 ? 1 : 0;
    total += row.frequency;
    for (const Symbol symbol : symbols(row.events)) expected[symbol - 'a'] += row.frequency;
  }
  const PatternStatistics statistics = memory.statistics();
  RC_ASSERT(statistics.patterns == patterns);
  RC_ASSERT(memory.size() == patterns);
  RC_ASSERT(statistics.learned == model.rows.size());
  RC_ASSERT(statistics.total_frequency == total);
  RC_ASSERT(statistics.bulk + statistics.recent == patterns);
  RC_ASSERT(memory.sync_statistics().recent == statistics.recent);
  Indices counts(5, 0);
  const Indices frequencies = memory.symbol_frequencies();
  for (Symbol symbol = 0; symbol < frequencies.size(); ++symbol)
    counts[static_cast<std::size_t>(memory.vocabulary().text(symbol)[0] - 'a')] =
        frequencies[symbol];
  RC_ASSERT(counts == expected);
  for (std::uint64_t i = 0; i < model.rows.size() + 2; ++i)
    RC_ASSERT(memory.frequency(i) == model.frequency(i));
}

/// Events of one-letter symbols, none of them empty.
EventTexts any_events() {
  const auto symbol = rc::gen::map(rc::gen::inRange('a', static_cast<char>('f')),
                                   [](char letter) { return std::string(1, letter); });
  const auto event = rc::gen::nonEmpty(rc::gen::container<SymbolTexts>(symbol));
  return *rc::gen::resize(5, rc::gen::container<EventTexts>(event));
}

TEST(PatternMemoryProperties, AHistoryWithFilesEqualsAPlainListWhateverItsTiersDo) {
  const TempFolder folder;
  expect_property(
      "learn, forget, clear, sync, match, save, append and load in any order", [&folder] {
        PatternSettings settings = quiet_at(*rc::gen::inRange<std::uint64_t>(1, 40));
        if (*rc::gen::arbitrary<bool>())
          settings.max_bulk_patterns = *rc::gen::inRange<std::uint64_t>(0, 20);
        std::optional<PatternMemory> memory(std::in_place, context(), settings);
        Model model;
        Model saved;  // the state in the file
        bool is_saved = false;
        const auto learn_one = [&](const EventTexts& events, std::uint64_t times) {
          learn(*memory, events, {}, times);
          model.learn(events, times);
        };
        const auto steps =
            *rc::gen::container<std::vector<std::tuple<unsigned char, unsigned char>>>(
                rc::gen::tuple(rc::gen::arbitrary<unsigned char>(),
                               rc::gen::arbitrary<unsigned char>()));
        for (const auto& [kind, number] : steps) {
          const EventTexts events = any_events();
          switch (kind % 12) {
            case 0:
              RC_ASSERT(memory->forget(std::uint64_t{number} % 32) == model.forget(number % 32));
              break;
            case 1:
              for (std::uint64_t i = number % 32; i < model.rows.size(); ++i)
                RC_ASSERT(memory->forget(i) == model.forget(i));
              break;
            case 2:
              if (number < 40) {
                memory->clear();
                for (Model::Row& row : model.rows) row.frequency = 0;
              }
              memory->sync();
              break;
            case 3:
            case 4:
              if (kind % 12 == 4 && !is_saved) break;
              kind % 12 == 3 ? memory->save(folder / "memory") : memory->append(folder / "memory");
              saved = model;
              is_saved = true;
              break;
            case 5:
              if (const std::uint64_t index = number % 32; model.frequency(index) > 0) {
                memory->set_frequency(index, 1U + number % 7U);
                model.rows[index].frequency = 1U + number % 7U;
              }
              break;
            case 6:
              if (!is_saved) break;
              memory.emplace(PatternMemory::load(context(), folder / "memory", settings));
              model = saved;
              break;
            case 7: {
              MatchOptions options{.measure = number % 2 == 0 ? Measure::lcs : Measure::difflib,
                                   .threshold = static_cast<double>(number % 5) / 4.0};
              options.top = number % 3U == 0 ? all_of_them - number % 7U : 1U + number % 7U;
              options.space = spaces()[number % spaces().size()];
              RC_ASSERT(answer(*memory, events, options) == model.answer(events, options));
              break;
            }
            default:
              learn_one(events, 1U + number % 3U);
              // Many, so that whole runs of them can be forgotten.
              for (std::uint64_t i = 0; i < number % 8U && kind % 12 < 10; ++i) {
                EventTexts more = events;
                more.push_back({"a", std::string(1, static_cast<char>('a' + i % 5))});
                if (i > 4) more.push_back({"b"});
                learn_one(more, 1U + number % 3U);
              }
          }
          check_same(*memory, model);
        }
      });
}

TEST(PatternMemoryProperties, ManyPatternsInManySegmentsAnswerAsOneMatcher) {
  auto random = generator("memory segments");
  PatternMemory memory(context(), quiet_at(700));
  Ragged<Symbol> patterns;
  for (std::uint64_t i = 0; i < 6000; ++i) {
    EventTexts events(1);
    for (std::size_t n = 8 + random() % 30; n > 0; --n)
      events[0].push_back(numbered('s', random() % 60));
    ASSERT_EQ(learn(memory, events).index, i) << "all patterns differ";
    for (const std::string& text : events[0])
      patterns.values.push_back(memory.vocabulary().find(text));
    patterns.close_row();
  }
  const SequenceMatcher matcher(context(), patterns, Residency::host);
  EXPECT_GT(memory.statistics().segments, 1U);
  EXPECT_LT(memory.statistics().segments, 12U) << "segments must be merged";
  Ragged<Symbol> queries;
  for (std::size_t q = 0; q < 5; ++q) queries.push_row(patterns[q * 1111]);
  for (const Measure measure : {Measure::lcs, Measure::difflib}) {
    for (const double threshold : {0.0, 0.3, 0.6}) {
      const MatchOptions options{.measure = measure, .threshold = threshold, .top = 50};
      EXPECT_EQ(memory.match(queries, options).matches.values,
                matcher.match(queries, options).matches.values);
    }
  }
}

}  // namespace PatternMemoryPropertiesTest

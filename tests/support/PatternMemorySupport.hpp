// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_PATTERN_MEMORY_SUPPORT_HPP
#define KINDRED_TESTS_SUPPORT_PATTERN_MEMORY_SUPPORT_HPP

#include <kindred/matcher/PatternMemory.hpp>

#include <thread>

namespace Kindred::Testing {

/// Events in the form that a memory accepts.
class Words {
 public:
  explicit Words(const EventTexts& events) {
    for (const auto& event : events) {
      for (const std::string& text : event) m_texts.values.push_back(text);
      m_texts.close_row();
    }
  }
  operator PatternMemory::Events() const { return m_texts; }

 private:
  Ragged<std::string_view> m_texts;
};

inline std::string numbered(char letter, std::uint64_t number) {
  std::string text(1, letter);
  text += std::to_string(number);
  return text;
}

/// Settings without a background thread.
inline PatternSettings quiet() { return {.background_sync = false}; }

inline LearnedPattern learn(PatternMemory& memory, const EventTexts& events,
                            std::optional<std::string_view> name = {}, std::uint64_t times = 1) {
  return memory.learn(Words(events), name, times);
}

inline EventTexts texts(const PatternMemory& memory, const StoredPattern& pattern) {
  EventTexts events;
  for (std::size_t e = 0; e < pattern.events.rows(); ++e) {
    auto& event = events.emplace_back();
    for (const Symbol symbol : pattern.events[e]) {
      event.emplace_back(memory.vocabulary().text(symbol));
    }
  }
  return events;
}

inline std::vector<Match> answer(const PatternMemory& memory, const EventTexts& query,
                                 const MatchOptions& options) {
  Ragged<Symbol> queries;
  memory.encode(Words(query), queries);
  const MatchResults results = memory.match(queries, options);
  const auto row = results.matches[0];
  return {row.begin(), row.end()};
}

inline std::vector<Match> answer(const PatternMemory& memory, const EventTexts& query,
                                 double threshold = 0.1, std::size_t top = 10) {
  const MatchOptions options{.threshold = threshold, .top = top};
  return answer(memory, query, options);
}

inline std::vector<std::uint64_t> indices(const std::vector<Match>& matches) {
  std::vector<std::uint64_t> found;
  for (const Match& match : matches) found.push_back(match.index);
  return found;
}

/// Whether \p holds returns true within ten seconds.
template <class Condition>
bool soon(const Condition& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_PATTERN_MEMORY_SUPPORT_HPP

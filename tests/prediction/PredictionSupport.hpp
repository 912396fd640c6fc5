// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_PREDICTION_PREDICTION_SUPPORT_HPP
#define KINDRED_TESTS_PREDICTION_PREDICTION_SUPPORT_HPP

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/matcher/Prediction.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "PatternMemorySupport.hpp"
#include "RefusedCalls.hpp"
#include "Support.hpp"

namespace Kindred::Testing {

inline SymbolTexts words(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

/// `events("a b | . | c")` is [["a", "b"], [], ["c"]]; `events("")` has no events.
inline EventTexts events(const std::string& text) {
  EventTexts list;
  bool open = false;
  for (const std::string& word : words(text)) {
    if (word == "|") {
      open = false;
      continue;
    }
    if (!open) list.emplace_back();
    open = true;
    if (word != ".") list.back().push_back(word);
  }
  return list;
}

/// `each("a b c")` is [["a"], ["b"], ["c"]].
inline EventTexts each(const std::string& text) {
  EventTexts list;
  for (const std::string& word : words(text)) list.push_back({word});
  return list;
}

inline SymbolTexts flat(const EventTexts& list) {
  SymbolTexts symbols;
  for (const SymbolTexts& event : list) symbols.insert(symbols.end(), event.begin(), event.end());
  return symbols;
}

/// Candidates in memory.
class ListedCandidates final : public CandidateSource {
 public:
  struct Entry {
    Candidate candidate;
    Ragged<Symbol> events;
    std::string name;
  };
  std::vector<Entry> entries;

  std::size_t size() const override { return entries.size(); }
  Candidate candidate(std::size_t position) const override { return entries[position].candidate; }
  RaggedSpan<Symbol> events(std::size_t position, Ragged<Symbol>& scratch) const override {
    if (position % 2 == 0) return entries[position].events;
    // Stored at an offset within a larger array, as in a store.
    const Ragged<Symbol>& own = entries[position].events;
    scratch.values.assign(3, 7);
    scratch.values.insert(scratch.values.end(), own.values.begin(), own.values.end());
    scratch.offsets.clear();
    for (const std::uint64_t offset : own.offsets) scratch.offsets.push_back(offset + 3);
    return {scratch.offsets, scratch.values};
  }
  std::string name(std::size_t position) const override { return entries[position].name; }
};

/// Patterns with names, and the predictions from them.
class Memory {
 public:
  Vocabulary vocabulary;

  Memory& learn(const std::string& name, const EventTexts& pattern, std::uint64_t frequency = 1) {
    Ragged<Symbol> rows;
    std::set<Symbol> unique;
    for (const SymbolTexts& event : pattern) {
      for (const std::string& text : event) {
        const Symbol symbol = vocabulary.add(text);
        rows.values.push_back(symbol);
        unique.insert(symbol);
        m_occurrences.resize(vocabulary.size());
        m_occurrences[symbol] += frequency;
      }
      rows.close_row();
    }
    m_patterns_with.resize(vocabulary.size());
    for (const Symbol symbol : unique) ++m_patterns_with[symbol];
    m_total += frequency;
    m_flat.push_row(rows.values);
    m_patterns.entries.push_back({{m_patterns.size(), 0, 0, frequency}, rows, name});
    return *this;
  }

  SymbolStatistics statistics() const {
    return {m_patterns.size(), m_total, vocabulary.size(), m_patterns_with};
  }
  /// The number of times each symbol was learned.
  const std::vector<std::uint64_t>& occurrences() const { return m_occurrences; }

  /// The patterns that a matcher finds for \p query at the threshold, best first.
  ListedCandidates candidates(const EventTexts& query, double threshold,
                              Measure measure = Measure::lcs) const {
    Ragged<Symbol> rows;
    for (const std::string& text : flat(query)) rows.values.push_back(vocabulary.find(text));
    rows.close_row();
    const MatchOptions options{.measure = measure,
                               .threshold = threshold,
                               .top = std::max<std::size_t>(m_patterns.size(), 1)};
    const MatchResults results = SequenceMatcher(context(), m_flat).match(rows, options);
    ListedCandidates found;
    for (const Match& match : results.matches[0]) {
      found.entries.push_back(m_patterns.entries[match.index]);
      found.entries.back().candidate.similarity = match.similarity;
      found.entries.back().candidate.matched = match.matched;
    }
    return found;
  }

  std::vector<Prediction> predict(const EventTexts& query, const CandidateSource& candidates,
                                  const PredictionOptions& options) const {
    return Kindred::predict(context(), Words(query), candidates, statistics(), vocabulary, options);
  }
  std::vector<Prediction> predict(const EventTexts& query,
                                  const PredictionOptions& options = {}) const {
    const double threshold = candidate_threshold(options, flat(query).size());
    return predict(query, candidates(query, threshold), options);
  }
  std::vector<Prediction> predict(const EventTexts& query, double threshold) const {
    return predict(query, PredictionOptions{.threshold = threshold});
  }

 private:
  ListedCandidates m_patterns;
  Ragged<Symbol> m_flat;
  std::vector<std::uint64_t> m_patterns_with;
  std::vector<std::uint64_t> m_occurrences;
  std::uint64_t m_total = 0;
};

/// Memory with one pattern, `p`.
inline Memory memory_of(const EventTexts& pattern) {
  Memory memory;
  memory.learn("p", pattern);
  return memory;
}

/// \p count patterns of at most \p events events of at most 3 of \p symbols symbols, which are
/// \p prefix and a letter; of frequency 1 to \p frequency.
inline Memory random_memory(const std::string& name, int count, unsigned events, unsigned symbols,
                            const std::string& prefix, unsigned frequency) {
  Memory memory;
  auto random = generator(name);
  for (int i = 0; i < count; ++i) {
    EventTexts pattern(1 + random() % events);
    for (SymbolTexts& event : pattern) {
      for (std::uint64_t n = 1 + random() % 3; n > 0; --n)
        event.push_back(prefix + static_cast<char>('a' + random() % symbols));
    }
    memory.learn(numbered('p', i), pattern, 1 + random() % frequency);
  }
  return memory;
}

/// The prediction of \p name, if there is one.
inline std::optional<Prediction> of(const std::vector<Prediction>& predictions,
                                    const std::string& name) {
  for (const Prediction& prediction : predictions)
    if (prediction.name == name) return prediction;
  return {};
}

inline std::vector<std::string> names(const std::vector<Prediction>& predictions) {
  std::vector<std::string> list;
  for (const Prediction& prediction : predictions) list.push_back(prediction.name);
  return list;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_PREDICTION_PREDICTION_SUPPORT_HPP

// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/PatternMemory.hpp>

#include "problems/Checking.hpp"
#include "problems/ProblemFactories.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Perf {

class TrainedMemory {
 public:
  static constexpr std::uint32_t vocabulary = 4096;
  static constexpr std::size_t length = 100;

  TrainedMemory(Context& made_in, std::size_t count, std::uint64_t seed)
      : context(made_in),
        patterns(count),
        rows(zipf_rows(count + further, length, vocabulary, seed, made_in.threads())) {
    for (std::uint32_t s = 0; s < vocabulary; ++s) m_texts.push_back("symbol " + std::to_string(s));
    dictionary.assign(m_texts.begin(), m_texts.end());
  }
  ~TrainedMemory() {
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
  }
  TrainedMemory(const TrainedMemory&) = delete;
  TrainedMemory& operator=(const TrainedMemory&) = delete;

  /// The memory that has learned the patterns.
  PatternMemory& memory() {
    if (!m_memory) {
      m_memory = std::make_unique<PatternMemory>(context);
      train(*m_memory);
    }
    return *m_memory;
  }
  /// Learns the patterns one by one.
  void train(PatternMemory& memory) {
    memory.begin_training();
    for (std::size_t row = 0; row < patterns; ++row) memory.learn(events(row));
    (void)memory.end_training();
  }
  /// Learns the patterns by calls of `learn_all` with many patterns each. \p value_of(symbol)
  template <class T, class ValueOf, class Learn>
  void learn_all(PatternMemory& memory, const ValueOf& value_of, const Learn& learn) {
    constexpr std::size_t at_once = std::size_t{1} << 20U;  // to limit the memory of the input
    memory.begin_training();
    for (std::size_t begin = 0; begin < patterns; begin += at_once) {
      Ragged<T> events;
      std::vector<std::uint64_t> offsets{0};
      for (std::size_t row = begin; row < std::min(patterns, begin + at_once); ++row) {
        append(row, events, value_of);
        offsets.push_back(events.rows());
      }
      learn(EventLists<T>{offsets, events});
    }
  }
  /// A pattern that was not learned yet, until there are no further ones.
  PatternMemory::Events next_events() { return events(patterns + m_next++ % further); }
  /// The events of a pattern; valid until the next call.
  PatternMemory::Events events(std::size_t row) {
    m_events.values.clear();
    m_events.offsets.assign(1, 0);
    append(row, m_events, [&](Symbol symbol) { return dictionary[symbol]; });
    return m_events;
  }

  Context& context;
  std::size_t patterns;
  SymbolRows rows;
  std::vector<std::string_view> dictionary;
  std::string file = (std::filesystem::temp_directory_path() /
                      ("kindred-perf-" + std::to_string(::getpid()) + ".knd"))
                         .string();

 private:
  static constexpr std::size_t further = 20000;

  template <class T, class ValueOf>
  void append(std::size_t row, Ragged<T>& events, const ValueOf& value_of) const {
    constexpr std::size_t event_symbols = 5;
    std::size_t count = 0;
    for (const Symbol symbol : rows[row]) {
      events.values.push_back(value_of(symbol));
      if (++count % event_symbols == 0) events.close_row();
    }
  }

  std::vector<std::string> m_texts;
  Ragged<std::string_view> m_events;
  std::unique_ptr<PatternMemory> m_memory;
  std::size_t m_next = 0;
};

namespace {

class MemoryProblem final : public Problem {
 public:
  MemoryProblem(std::shared_ptr<TrainedMemory> memory, MemoryCall call)
      : m_set(std::move(memory)), m_call(call) {
    name = "BM_Memory";
    unit = "patterns";
    items = static_cast<double>(m_set->patterns);
    arguments = {{"patterns", static_cast<std::int64_t>(m_set->patterns)},
                 {"length", TrainedMemory::length}};
    m_options.top = 100;
    if (call == MemoryCall::query) add_bytes();
    if (call == MemoryCall::load) m_set->memory().save(m_set->file);
  }
  bool reaches(Space) const override { return true; }
  void turn(std::size_t call) override { m_row = call * m_set->patterns / 20 % m_set->patterns; }
  DispatchRecord run(std::optional<Space>) override {
    DispatchRecord record;
    switch (m_call) {
      case MemoryCall::learn_texts:
      case MemoryCall::learn_symbols:
      case MemoryCall::train:
        learn();
        break;
      case MemoryCall::query_candidates:
        m_candidates.clear();
        for (std::uint64_t index = 0; index < m_set->memory().size(); index += 1000)
          m_candidates.push_back(index);
        m_options.filter = m_candidates;
        record = ask();
        break;
      case MemoryCall::query_after_learn:
        m_set->memory().learn(m_set->next_events());
        [[fallthrough]];
      case MemoryCall::query:
        record = ask();
        break;
      case MemoryCall::learn_one:
        m_set->memory().learn(m_set->next_events());
        break;
      case MemoryCall::save:
        m_set->memory().save(m_set->file);
        break;
      case MemoryCall::load:
        m_learned = PatternMemory::load(m_set->context, m_set->file).size();
        break;
    }
    return record;
  }
  std::uint64_t digest() const override {
    Digest digest;
    digest.add(m_learned);
    for (const Match& match : m_answer.matches.values) digest.add(match.similarity);
    return digest.value();
  }
  std::string check() const override {
    if (m_call == MemoryCall::learn_texts || m_call == MemoryCall::learn_symbols ||
        m_call == MemoryCall::train || m_call == MemoryCall::load) {
      // A pattern that is drawn twice is learned once; a file has what was learned later, too.
      return m_learned * 10 >= m_set->patterns * 9 ? "" : "patterns are missing";
    }
    if (m_call != MemoryCall::query && m_call != MemoryCall::query_after_learn) return {};
    const double least = 2.0 * query_length / (query_length + TrainedMemory::length);
    const bool is_found =
        m_answer.matches.rows() == 1 && m_answer.matches[0][0].similarity >= least;
    return is_found ? "" : "the pattern that the query is part of was not found";
  }

 private:
  static constexpr std::size_t query_length = 64;

  void learn() {
    PatternMemory memory(m_set->context);
    if (m_call == MemoryCall::train) {
      m_set->train(memory);
    } else if (m_call == MemoryCall::learn_texts) {
      m_set->learn_all<std::string_view>(
          memory, [&](Symbol symbol) { return m_set->dictionary[symbol]; },
          [&](const EventLists<std::string_view>& lists) { memory.learn_all(lists); });
    } else {
      m_set->learn_all<Symbol>(
          memory, [](Symbol symbol) { return symbol; },
          [&](const EventLists<Symbol>& lists) {
            memory.learn_all(lists, {.dictionary = m_set->dictionary});
          });
    }
    m_learned = memory.size();
  }
  DispatchRecord ask() {
    Ragged<Symbol> query;
    m_set->memory().encode(m_set->events(m_row), query);
    query.values.resize(query_length);
    query.offsets.back() = query_length;
    m_answer = m_set->memory().match(query, m_options);
    return m_answer.record;
  }
  void add_bytes() {
    const PatternStatistics statistics = m_set->memory().statistics();
    for (const Space space : {Space::serial, Space::cuda}) {
      if (m_set->context.is_usable(space))
        arguments.emplace_back("bytes_" + std::string(to_string(space)),
                               static_cast<std::int64_t>(statistics.bytes[space_index(space)]));
    }
  }

  std::shared_ptr<TrainedMemory> m_set;
  MemoryCall m_call;
  MatchOptions m_options;
  std::size_t m_row = 0;
  std::vector<std::uint64_t> m_candidates;
  std::uint64_t m_learned = 0;
  MatchResults m_answer;
};

}  // namespace

std::shared_ptr<TrainedMemory> trained_memory(Context& context, std::size_t patterns,
                                              std::uint64_t seed) {
  return std::make_shared<TrainedMemory>(context, patterns, seed);
}
std::unique_ptr<Problem> memory_problem(std::shared_ptr<TrainedMemory> memory, MemoryCall call) {
  return std::make_unique<MemoryProblem>(std::move(memory), call);
}

}  // namespace Kindred::Perf

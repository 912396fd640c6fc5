// SPDX-License-Identifier: Apache-2.0
#include "threads/ThreadCalls.hpp"

#include <kindred/matcher/HnswIndex.hpp>
#include <kindred/matcher/PatternMemory.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include "problems/Checking.hpp"
#include "problems/RandomData.hpp"

#include <array>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Perf {

namespace {

constexpr std::size_t thread_calls_dimension = 768;
constexpr std::size_t thread_calls_length = 20;
constexpr std::size_t thread_calls_patterns = 1000;
constexpr std::size_t thread_calls_candidates = 1024;
constexpr std::uint32_t thread_calls_vocabulary = 200;
constexpr std::size_t thread_calls_top = 10;

/// The queries of a call, all of the same size. One query is not copied.
template <class T>
class QueryList {
 public:
  /// \param values `inputs × size`
  QueryList(std::span<const T> values, std::size_t size)
      : m_values(values.begin(), values.end()), m_size(size) {}

  /// Calls `body(values)` with \p count queries from \p first on.
  template <class Body>
  std::uint64_t with(std::size_t first, std::size_t count, const Body& body) const {
    if (count == 1) return body(one(first));
    std::vector<T> values;
    values.reserve(count * m_size);
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<const T> query = one(first + i);
      values.insert(values.end(), query.begin(), query.end());
    }
    return body(std::span<const T>(values));
  }
  /// The same with the queries as rows.
  template <class Body>
  std::uint64_t with_rows(std::size_t first, std::size_t count, const Body& body) const {
    return with(first, count, [&](std::span<const T> values) {
      const std::array<std::uint64_t, 2> one_row{0, m_size};
      if (count == 1) return body(RaggedSpan<T>{one_row, values});
      std::vector<std::uint64_t> offsets(count + 1);
      for (std::size_t i = 0; i <= count; ++i) offsets[i] = i * m_size;
      return body(RaggedSpan<T>{offsets, values});
    });
  }

 private:
  std::span<const T> one(std::size_t input) const {
    return std::span(m_values).subspan(input % ThreadCalls::inputs * m_size, m_size);
  }

  std::vector<T> m_values;
  std::size_t m_size;
};

/// The sum of the hashes of \p rows, each made by `add(digest, element)`.
template <class T, class Add>
std::uint64_t digest_of_rows(RaggedSpan<T> rows, const Add& add) {
  std::uint64_t sum = 0;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    Digest digest;
    for (const T& element : rows[row]) add(digest, element);
    sum += digest.value();
  }
  return sum;
}

std::uint64_t digest_of_matches(const MatchResults& results) {
  return digest_of_rows<Match>(results.matches, [](Digest& digest, const Match& match) {
    digest.add(match.index);
    digest.add(match.similarity);
  });
}

/// For results of `queries × top`.
template <class Results>
std::uint64_t digest_of_lists(const Results& results) {
  std::uint64_t sum = 0;
  for (std::size_t begin = 0; begin < results.ids.size(); begin += results.top) {
    Digest digest;
    for (std::size_t i = begin; i < begin + results.top; ++i) {
      digest.add(static_cast<std::uint64_t>(results.ids[i]));
      digest.add(results.scores[i]);
    }
    sum += digest.value();
  }
  return sum;
}

QueryList<float> vector_queries(std::uint64_t seed) {
  return {normal_rows(ThreadCalls::inputs, thread_calls_dimension, seed + 1, 1),
          thread_calls_dimension};
}

class SearchCalls final : public ThreadCalls {
 public:
  SearchCalls(Context& context, std::uint64_t seed)
      : m_index(context, normal_rows(64, thread_calls_dimension, seed, 1), thread_calls_dimension,
                Residency::host),
        m_queries(vector_queries(seed)) {}
  std::uint64_t call(std::size_t first, std::size_t count,
                     std::optional<Space> space) const override {
    SearchOptions options;
    options.top = thread_calls_top;
    options.space = space;
    return m_queries.with(first, count, [&](std::span<const float> queries) {
      return digest_of_lists(m_index.search(queries, options));
    });
  }

 private:
  VectorIndex m_index;
  QueryList<float> m_queries;
};

class ScoreCalls final : public ThreadCalls {
 public:
  ScoreCalls(Context& context, std::uint64_t seed)
      : m_index(context, normal_rows(rows, thread_calls_dimension, seed, 1), thread_calls_dimension,
                Residency::host),
        m_queries(vector_queries(seed)),
        m_candidates(random_ids(seed), thread_calls_candidates) {}
  std::uint64_t call(std::size_t first, std::size_t count,
                     std::optional<Space> space) const override {
    SearchOptions options;
    options.top = thread_calls_top;
    options.space = space;
    return m_queries.with(first, count, [&](std::span<const float> queries) {
      return m_candidates.with_rows(first, count, [&](RaggedSpan<std::uint64_t> candidates) {
        const ScoreResults results = m_index.score(queries, candidates, options);
        return digest_of_rows<ScoredId>(results.results, [](Digest& digest, const ScoredId& entry) {
          digest.add(static_cast<std::uint64_t>(entry.id));
          digest.add(entry.score);
        });
      });
    });
  }

 private:
  static constexpr std::size_t rows = 2048;

  static std::vector<std::uint64_t> random_ids(std::uint64_t seed) {
    std::vector<std::uint64_t> ids(inputs * thread_calls_candidates);
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = random_word(seed + 2, i) % rows;
    return ids;
  }

  VectorIndex m_index;
  QueryList<float> m_queries;
  QueryList<std::uint64_t> m_candidates;
};

class MatchCalls final : public ThreadCalls {
 public:
  MatchCalls(Context& context, std::uint64_t seed)
      : m_matcher(
            context,
            zipf_rows(thread_calls_patterns, thread_calls_length, thread_calls_vocabulary, seed, 1)
                .span(),
            Residency::host),
        m_queries(
            zipf_rows(inputs, thread_calls_length, thread_calls_vocabulary, seed + 1, 1).values,
            thread_calls_length) {}
  std::uint64_t call(std::size_t first, std::size_t count,
                     std::optional<Space> space) const override {
    MatchOptions options;
    options.top = thread_calls_top;
    options.space = space;
    return m_queries.with_rows(first, count, [&](RaggedSpan<Symbol> queries) {
      return digest_of_matches(m_matcher.match(queries, options));
    });
  }

 private:
  SequenceMatcher m_matcher;
  QueryList<Symbol> m_queries;
};

class MemoryCalls final : public ThreadCalls {
 public:
  MemoryCalls(Context& context, std::uint64_t seed)
      : m_memory(context), m_queries(learn(m_memory, seed), thread_calls_length) {}
  std::uint64_t call(std::size_t first, std::size_t count,
                     std::optional<Space> space) const override {
    MatchOptions options;
    options.top = thread_calls_top;
    options.space = space;
    return m_queries.with_rows(first, count, [&](RaggedSpan<Symbol> queries) {
      return digest_of_matches(m_memory.match(queries, options));
    });
  }

 private:
  /// Learns patterns of one event each, synchronises, and returns encoded queries.
  static std::vector<Symbol> learn(PatternMemory& memory, std::uint64_t seed) {
    std::vector<std::string> texts;
    for (std::uint32_t s = 0; s < thread_calls_vocabulary; ++s)
      texts.push_back("symbol " + std::to_string(s));
    const std::array<std::uint64_t, 2> one_event{0, thread_calls_length};
    const auto with_events = [&](std::span<const Symbol> row, const auto& body) {
      std::vector<std::string_view> values;
      for (const Symbol symbol : row) values.emplace_back(texts[symbol]);
      body(PatternMemory::Events{one_event, values});
    };
    const SymbolRows patterns =
        zipf_rows(thread_calls_patterns, thread_calls_length, thread_calls_vocabulary, seed, 1);
    for (std::size_t row = 0; row < patterns.rows(); ++row)
      with_events(patterns[row], [&](PatternMemory::Events events) { memory.learn(events); });
    memory.sync();
    const SymbolRows queries =
        zipf_rows(inputs, thread_calls_length, thread_calls_vocabulary, seed + 1, 1);
    Ragged<Symbol> encoded;
    for (std::size_t row = 0; row < inputs; ++row)
      with_events(queries[row],
                  [&](PatternMemory::Events events) { memory.encode(events, encoded); });
    return encoded.values;
  }

  PatternMemory m_memory;
  QueryList<Symbol> m_queries;
};

class SpreadCallsOfThreads final : public ThreadCalls {
 public:
  SpreadCallsOfThreads(Context& context, std::uint64_t seed)
      : m_engine(context, {nodes, random_edges(GraphShape::uniform, nodes, 10 * nodes, seed, 1)},
                 {.residency = Residency::host}),
        m_sources(random_sources(seed), sources) {}
  std::uint64_t call(std::size_t first, std::size_t count,
                     std::optional<Space> space) const override {
    SpreadOptions options;
    options.hops = 1;
    options.top = thread_calls_top;
    options.space = space;
    return m_sources.with_rows(first, count, [&](RaggedSpan<Activation> queries) {
      const SpreadResults results = m_engine.spread(queries, options);
      return digest_of_rows<Activation>(results.activations,
                                        [](Digest& digest, const Activation& entry) {
                                          digest.add(std::uint64_t{entry.node});
                                          digest.add(entry.value);
                                        });
    });
  }

 private:
  static constexpr std::size_t nodes = 10000;
  static constexpr std::size_t sources = 10;  // with 10 edges each

  static std::vector<Activation> random_sources(std::uint64_t seed) {
    std::vector<Activation> out(inputs * sources);
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = {static_cast<std::uint32_t>(random_word(seed + 3, i) % nodes), 0.9F};
    return out;
  }

  SpreadingEngine m_engine;
  QueryList<Activation> m_sources;
};

class HnswCalls final : public ThreadCalls {
 public:
  HnswCalls(Context& context, std::uint64_t seed)
      : m_index(HnswIndex::build(context, normal_rows(2000, thread_calls_dimension, seed, 1),
                                 thread_calls_dimension)),
        m_queries(vector_queries(seed)) {}
  std::uint64_t call(std::size_t first, std::size_t count,
                     std::optional<Space> space) const override {
    HnswSearchOptions options;
    options.top = thread_calls_top;
    options.space = space;
    return m_queries.with(first, count, [&](std::span<const float> queries) {
      return digest_of_lists(m_index.search(queries, options));
    });
  }

 private:
  HnswIndex m_index;
  QueryList<float> m_queries;
};

template <class Calls>
std::unique_ptr<ThreadCalls> make_thread_calls(Context& context, std::uint64_t seed) {
  return std::make_unique<Calls>(context, seed);
}

}  // namespace

std::span<const ThreadCallsKind> thread_calls_kinds() {
  static constexpr ThreadCallsKind kinds[] = {
      {"search", "64 rows of 768", &make_thread_calls<SearchCalls>},
      {"match", "1,000 patterns of 20", &make_thread_calls<MatchCalls>},
      {"score", "1,024 candidates of 768", &make_thread_calls<ScoreCalls>},
      {"spread", "frontier of 100 edges", &make_thread_calls<SpreadCallsOfThreads>},
      {"memory", "1,000 patterns of 20", &make_thread_calls<MemoryCalls>},
      {"hnsw", "2,000 rows of 768", &make_thread_calls<HnswCalls>}};
  return kinds;
}

}  // namespace Kindred::Perf

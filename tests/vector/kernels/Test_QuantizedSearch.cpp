// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "PrefilterCases.hpp"
#include "PrefilterData.hpp"
#include "vector/QuantizedSearch.hpp"

#include <kindred/memory/Copies.hpp>

namespace QuantizedSearchTest {

using namespace Kindred;
using Testing::StoredRows;

/// Bits of the rows that pass: one bitmap per query, or one for all.
struct Filter {
  std::vector<std::uint64_t> words;
  std::uint64_t words_per_query = 0;

  bool passes(std::size_t query, std::size_t row) const {
    if (words.empty()) return true;
    return (words[query * words_per_query + row / 64] >> (row % 64) & 1U) != 0;
  }
  /// Lets about one row in \p every pass.
  static Filter random(std::mt19937_64& generator, std::size_t rows, std::size_t queries,
                       bool shared, unsigned every) {
    Filter out;
    out.words_per_query = shared ? 0 : filter_words(rows);
    out.words.resize(filter_words(rows) * (shared ? 1 : queries), 0);
    for (std::uint64_t& word : out.words) {
      for (int bit = 0; bit < 64; ++bit)
        word |= std::uint64_t{generator() % every == 0} << static_cast<unsigned>(bit);
    }
    return out;
  }
};

struct Question {
  StoredRows rows;
  std::vector<float> queries;
  Metric metric = Metric::cosine;
  std::size_t top = 10;
  Filter filter = {};
  std::vector<std::uint32_t> ids = {};

  std::size_t requested() const { return queries.size() / rows.dimension; }
};

/// All ranks of a query in order, by the reference.
std::vector<Rank> ranks_of(const Question& question, std::size_t query) {
  std::vector<Rank> ranks;
  const std::size_t dimension = question.rows.dimension;
  for (std::size_t r = 0; r < question.rows.count(); ++r) {
    if (!question.filter.passes(query, r)) continue;
    const std::uint32_t id = question.ids.empty() ? static_cast<std::uint32_t>(r) : question.ids[r];
    ranks.push_back(Testing::reference_rank(
        question.metric, std::span(question.queries).subspan(query * dimension, dimension),
        question.rows.row(r), id));
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

/// The expected results of all queries, ranked once by the reference.
class Expected {
 public:
  explicit Expected(const Question& question) {
    for (std::size_t q = 0; q < question.requested(); ++q) m_ranks.push_back(ranks_of(question, q));
  }
  std::vector<Rank> top(std::size_t top) const {
    std::vector<Rank> out;
    for (std::vector<Rank> ranks : m_ranks) {
      ranks.resize(top, rank_none);
      out.insert(out.end(), ranks.begin(), ranks.end());
    }
    return out;
  }

 private:
  std::vector<std::vector<Rank>> m_ranks;
};

template <class Function>
void with_search(Space space, const Question& question, const Impl::QuantizedSearchLimits& limits,
                 const Function& function) {
  Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
    using execution_space = std::decay_t<decltype(exec_space)>;
    using memory_space = typename execution_space::memory_space;
    const Testing::PrefilterData<execution_space> data(exec_space, question.rows, question.queries,
                                                       question.ids);
    Kokkos::View<std::uint64_t*, memory_space> words("words", question.filter.words.size());
    Impl::upload(exec_space, words, question.filter.words.data(), words.size());
    Impl::QuantizedSearch<execution_space> search(limits);
    search.bind(Testing::context().memory(space), Testing::context().pinned_memory());
    function(exec_space, search, data,
             RowFilter<execution_space>{words, question.filter.words_per_query});
  });
}

std::vector<Rank> searched(Space space, const Question& question, SearchReport& report,
                           const Impl::QuantizedSearchLimits& limits = {}) {
  std::vector<Rank> out(question.requested() * question.top);
  with_search(
      space, question, limits,
      [&](const auto& exec_space, auto& search, const auto& data, const auto& filter) {
        using execution_space = std::decay_t<decltype(exec_space)>;
        Kokkos::View<Rank*, typename execution_space::memory_space> best("best", out.size());
        search.search(exec_space, data.view, data.quantized, filter, data.prepared, question.metric,
                      question.top, ArrayView<Rank, execution_space>(best), report);
        Impl::download(exec_space, out.data(), best, out.size());
      });
  return out;
}

TEST(QuantizedSearch, MatchesBruteForceInEveryCase) {
  auto generator = Testing::generator("QuantizedSearch cases");
  for (const auto& made : Testing::prefilter_cases(generator)) {
    for (const DataType element : Testing::all_elements) {
      Question question{StoredRows::near(element, made.rows, made.dimension), made.queries};
      for (const Metric metric : Testing::all_metrics) {
        question.metric = metric;
        const Expected expected(question);
        for (const std::size_t top : {std::size_t{1}, std::size_t{10}, question.rows.count()}) {
          question.top = top;
          const auto answer = expected.top(top);
          for (const Space space : Testing::spaces()) {
            SearchReport report;
            ASSERT_EQ(searched(space, question, report), answer)
                << made.name << ", " << to_string(element) << ", " << to_string(metric) << ", top "
                << top << " on " << to_string(space);
          }
        }
      }
    }
  }
}

TEST(QuantizedSearch, PassesFewRows) {
  auto generator = Testing::generator("QuantizedSearch survivors");
  const std::size_t dimension = 128;
  Question question{
      StoredRows::near(DataType::float32, Testing::normal_values(generator, 20000 * dimension),
                       dimension),
      Testing::normal_values(generator, 2 * dimension)};
  for (const Metric metric : Testing::all_metrics) {
    question.metric = metric;
    const auto answer = Expected(question).top(question.top);
    for (const Space space : Testing::spaces()) {
      SearchReport report;
      ASSERT_EQ(searched(space, question, report), answer);
      EXPECT_EQ(report.path, "quantized");
      EXPECT_EQ(report.prefiltered, 40000U);
      EXPECT_GE(report.survivors, 20U);
      EXPECT_LT(report.survivors, 400U) << to_string(metric);
    }
  }
}

TEST(QuantizedSearch, DoesNotDependOnChunkListAndBlockSizes) {
  auto generator = Testing::generator("QuantizedSearch chunks");
  const std::size_t dimension = 48;
  std::vector<float> values = Testing::normal_values(generator, 3000 * dimension);
  // Half of the rows are equal: more ties than a short list can hold.
  for (std::size_t row = 0; row < 3000; row += 2)
    std::copy_n(values.begin(), dimension,
                values.begin() + static_cast<std::ptrdiff_t>(row * dimension));
  for (const DataType element : {DataType::float32, DataType::int8}) {
    Question question{StoredRows::near(element, values, dimension),
                      Testing::normal_values(generator, 6 * dimension)};
    std::copy_n(values.begin(), dimension, question.queries.begin());
    for (const Metric metric : {Metric::cosine, Metric::l2}) {
      question.metric = metric;
      const auto answer = Expected(question).top(question.top);
      for (const Space space : Testing::spaces()) {
        for (const Impl::QuantizedSearchLimits& limits :
             {Impl::QuantizedSearchLimits{.capacity = 256},
              Impl::QuantizedSearchLimits{.uppers = 2000, .capacity = 256},
              Impl::QuantizedSearchLimits{.uppers = 2000, .list = 700, .capacity = 256},
              Impl::QuantizedSearchLimits{.list = 64, .capacity = 256},
              Impl::QuantizedSearchLimits{.slots = 1}, Impl::QuantizedSearchLimits{.planes = 1}}) {
          SearchReport report;
          ASSERT_EQ(searched(space, question, report, limits), answer)
              << to_string(element) << ", " << to_string(metric) << " on " << to_string(space)
              << ", uppers " << limits.uppers << ", list " << limits.list << ", room "
              << limits.capacity;
        }
      }
    }
  }
}

TEST(QuantizedSearch, GivesTheSameResultsForManyQueriesAsForEachAlone) {
  auto generator = Testing::generator("QuantizedSearch queries");
  const std::size_t dimension = 36;
  Question question{StoredRows::near(DataType::bfloat16,
                                     Testing::normal_values(generator, 700 * dimension), dimension),
                    {}};
  for (const std::size_t requested : {2UL, 3UL, 4UL, 5UL, 7UL, 64UL, 67UL}) {
    question.queries = Testing::normal_values(generator, requested * dimension);
    question.metric = Testing::all_metrics[requested % 3];
    const auto answer = Expected(question).top(question.top);
    for (const Space space : Testing::spaces()) {
      SearchReport report;
      ASSERT_EQ(searched(space, question, report), answer) << requested;
    }
  }
}

TEST(QuantizedSearch, SupportsFiltersAndRowIds) {
  auto generator = Testing::generator("QuantizedSearch filter");
  const std::size_t dimension = 20;
  for (const DataType element : {DataType::float32, DataType::int8}) {
    Question question{
        StoredRows::near(element, Testing::normal_values(generator, 1500 * dimension), dimension),
        Testing::normal_values(generator, 6 * dimension)};
    for (std::size_t row = 0; row < 1500; ++row)
      question.ids.push_back(static_cast<std::uint32_t>(7 * row + 3));
    for (const bool shared : {true, false}) {
      for (const unsigned every : {1U, 3U, 200U, 100000U}) {
        question.filter = Filter::random(generator, 1500, 6, shared, every);
        question.metric = Testing::all_metrics[every % 3];
        const auto answer = Expected(question).top(question.top);
        for (const Space space : Testing::spaces()) {
          for (const std::uint64_t uppers : {std::uint64_t{6} << 20U, std::uint64_t{3000}}) {
            SearchReport report;
            ASSERT_EQ(searched(space, question, report, {.uppers = uppers}), answer)
                << to_string(space) << (shared ? ", one bitmap" : ", a bitmap a query")
                << ", one in " << every;
          }
        }
      }
    }
  }
}

TEST(QuantizedSearch, ReturnsLargeTops) {
  auto generator = Testing::generator("QuantizedSearch top");
  const std::size_t dimension = 8;
  Question question{
      StoredRows::near(DataType::float32, Testing::normal_values(generator, 30000 * dimension),
                       dimension),
      Testing::normal_values(generator, 2 * dimension)};
  const Expected expected(question);
  for (const std::size_t top : {100UL, 1000UL, 10000UL, 30000UL}) {
    question.top = top;
    const auto answer = expected.top(top);
    for (const Space space : Testing::spaces()) {
      SearchReport report;
      ASSERT_EQ(searched(space, question, report), answer) << top;
    }
  }
}

TEST(QuantizedSearch, FindsRowsWithinABound) {
  auto generator = Testing::generator("QuantizedSearch within");
  for (const auto& made : Testing::prefilter_cases(generator)) {
    for (const DataType element : {DataType::float32, DataType::int8}) {
      Question question{StoredRows::near(element, made.rows, made.dimension), made.queries};
      for (const Metric metric : Testing::all_metrics) {
        question.metric = metric;
        for (const std::size_t place : {0UL, 20UL, ~0UL}) {
          std::vector<Rank> bounds;
          std::vector<std::vector<Rank>> answer;
          for (std::size_t q = 0; q < question.requested(); ++q) {
            std::vector<Rank> ranks = ranks_of(question, q);
            bounds.push_back(place < ranks.size() ? ranks[place] : rank_none);
            std::erase_if(ranks, [&](Rank rank) { return rank > bounds.back(); });
            answer.push_back(ranks);
          }
          for (const Space space : Testing::spaces()) {
            std::vector<std::vector<Rank>> found(question.requested());
            with_search(
                space, question, {.list = 500},
                [&](const auto& exec_space, auto& search, const auto& data, const auto& filter) {
                  using execution_space = std::decay_t<decltype(exec_space)>;
                  Kokkos::View<Rank*, typename execution_space::memory_space> limits("limits",
                                                                                     bounds.size());
                  Impl::upload(exec_space, limits, bounds.data(), bounds.size());
                  SearchReport report;
                  search.search_within(exec_space, data.view, data.quantized, filter, data.prepared,
                                       metric, ArrayView<const Rank, execution_space>(limits),
                                       found, report);
                });
            for (auto& ranks : found) std::sort(ranks.begin(), ranks.end());
            ASSERT_EQ(found, answer) << made.name << ", " << to_string(metric);
          }
        }
      }
    }
  }
}

}  // namespace QuantizedSearchTest

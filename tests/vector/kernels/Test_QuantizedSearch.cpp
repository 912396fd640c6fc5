// SPDX-License-Identifier: Apache-2.0
#include "OnSpaces.hpp"
#include "PrefilterCases.hpp"
#include "vector/QuantizedSearch.hpp"

namespace QuantizedSearchTest {

using namespace Kindred;
using namespace Testing;
using Impl::QuantizedSearchLimits;

/// Expects the best of \p ranked, all ranks by the reference, on every space; returns the reports.
std::vector<SearchReport> expect_best(const Question& asked,
                                      const std::vector<std::vector<Rank>>& ranked,
                                      const QuantizedSearchLimits& limits = {}) {
  std::vector<SearchReport> reports;
  on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space, Space space) {
    const PrefilterData<ExecutionSpace> data(exec_space, asked);
    const Testing::Array<ExecutionSpace, Rank> best("best", asked.count() * asked.top);
    Impl::QuantizedSearch<ExecutionSpace> search(limits);
    search.bind(context().memory(space), context().pinned_memory());
    SearchReport& report = reports.emplace_back();
    search.search(exec_space, data.view, data.quantized, data.filter, data.prepared, asked.metric,
                  asked.top, best, report);
    EXPECT_EQ(to_host(exec_space, best), best_of(ranked, asked.top)) << asked.text();
    EXPECT_EQ(report.path, "quantized");
  });
  return reports;
}

TEST(QuantizedSearch, MatchesReferenceInEveryCase) {
  for (const auto& made : prefilter_cases()) {
    SCOPED_TRACE(made.name);
    for (const DataType element : all_elements) {
      const Question asked = made.question(element);
      for_each_metric(asked, {1, 10, asked.rows.count()},
                      [](const Question& one, const auto& ranked) { expect_best(one, ranked); });
      if (HasFailure()) return;
    }
  }
}

TEST(QuantizedSearch, PassesFewRows) {
  Question asked = random_question(20000, 128, 2);
  for (const Metric metric : all_metrics) {
    asked.metric = metric;
    for (const SearchReport& report : expect_best(asked, asked.ranked())) {
      EXPECT_EQ(report.prefiltered, 40000U);
      EXPECT_GE(report.survivors, 20U);
      EXPECT_LT(report.survivors, 400U) << to_string(metric);
    }
  }
}

TEST(QuantizedSearch, DoesNotDependOnChunkListAndBlockSizes) {
  const std::size_t dimension = 48;
  std::vector<float> values = normal_values(3000 * dimension);
  // Half of the rows are equal: more ties than a short list can hold.
  for (std::size_t row = 0; row < 3000; row += 2)
    std::copy_n(values.begin(), dimension,
                values.begin() + static_cast<std::ptrdiff_t>(row * dimension));
  for (const DataType element : {DataType::float32, DataType::int8}) {
    Question asked{StoredRows::near(element, values, dimension), normal_values(6 * dimension)};
    std::copy_n(values.begin(), dimension, asked.queries.begin());
    for_each_metric(asked, {10}, [](const Question& one, const auto& ranked) {
      for (const auto& limits :
           std::vector<QuantizedSearchLimits>{{.capacity = 256},
                                              {.uppers = 2000, .capacity = 256},
                                              {.uppers = 2000, .list = 700, .capacity = 256},
                                              {.list = 64, .capacity = 256},
                                              {.slots = 1},
                                              {.planes = 1}}) {
        SCOPED_TRACE(described("uppers", limits.uppers, "list", limits.list));
        expect_best(one, ranked, limits);
      }
    });
  }
}

TEST(QuantizedSearch, SupportsFiltersAndRowIds) {
  for (const DataType element : {DataType::float32, DataType::int8}) {
    Question asked = random_question(1500, 20, 6, element);
    for (std::uint32_t row = 0; row < 1500; ++row) asked.ids.push_back(7 * row + 3);
    for (const bool per_query : {false, true}) {
      for (const std::uint64_t every : {1U, 3U, 200U, 100000U}) {
        asked.filter(per_query, every);
        asked.metric = all_metrics[every % 3];
        const auto ranked = asked.ranked();
        for (const std::uint64_t uppers : {std::uint64_t{6} << 20U, std::uint64_t{3000}})
          expect_best(asked, ranked, {.uppers = uppers});
      }
    }
  }
}

}  // namespace QuantizedSearchTest

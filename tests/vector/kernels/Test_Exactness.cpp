// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/vector/ScoreOfRank.hpp>

#include <string>
#include <vector>

#include "ExactnessCases.hpp"
#include "Support.hpp"
#include "VectorData.hpp"

namespace ExactnessTest {

using namespace Kindred;
using Testing::all_elements;
using Testing::all_metrics;
using Testing::ExactnessCase;
using Testing::normal_values;
using Testing::StoredRows;

/// The ranks of one case, searched alone, in a batch and as candidates, must have the same bits
/// everywhere and be close to the oracle.
void expect_exact(const ExactnessCase& kind, DataType element, std::size_t count,
                  std::size_t dimension, std::mt19937_64& generator) {
  constexpr std::size_t queries_of_batch = 7;
  std::vector<float> values = normal_values(generator, count * dimension);
  std::vector<float> queries = normal_values(generator, queries_of_batch * dimension);
  kind.shape(generator, values, queries, dimension);
  const StoredRows rows = StoredRows::near(element, values, dimension);
  const std::vector<float> first(queries.begin(),
                                 queries.begin() + static_cast<std::ptrdiff_t>(dimension));
  std::vector<std::uint32_t> every_row(count);
  for (std::size_t row = 0; row < count; ++row) every_row[row] = static_cast<std::uint32_t>(row);
  for (const Metric metric : all_metrics) {
    std::vector<Rank> batch;
    for (const Space space : Testing::spaces()) {
      SCOPED_TRACE(kind.name + ", " + std::string(to_string(element)) + ' ' +
                   std::string(to_string(metric)) + " on " + std::string(to_string(space)) + ", " +
                   std::to_string(count) + " x " + std::to_string(dimension));
      Context& context = Testing::context();
      const auto ranks = Testing::ranks_of_rows(context, space, metric, rows, queries, 0, count);
      if (batch.empty()) batch = ranks;
      ASSERT_EQ(ranks, batch);
      const std::vector<Rank> of_first(batch.begin(),
                                       batch.begin() + static_cast<std::ptrdiff_t>(count));
      ASSERT_EQ(Testing::ranks_of_rows(context, space, metric, rows, first, 0, count), of_first);
      ASSERT_EQ(Testing::ranks_of_candidates(context, space, metric, rows, first, every_row),
                of_first);
    }
    for (std::size_t query = 0; query < queries_of_batch; ++query) {
      for (std::size_t row = 0; row < count; ++row) {
        ASSERT_TRUE(Testing::is_near(
            score_of(metric, batch[query * count + row]),
            Testing::oracle(metric, std::span(queries).subspan(query * dimension, dimension),
                            rows.row(row))))
            << kind.name << ", " << to_string(element) << ' ' << to_string(metric) << ", row "
            << row << " of dimension " << dimension;
      }
    }
  }
}

TEST(Exactness, HoldsForEveryKindOfDataAndElement) {
  auto generator = Testing::generator("Exactness kinds");
  for (const ExactnessCase& kind : Testing::exactness_cases()) {
    for (const DataType element : all_elements) {
      for (const std::size_t dimension : {1UL, 32UL, 100UL, 768UL})
        expect_exact(kind, element, 9, dimension, generator);
    }
  }
}

TEST(Exactness, HoldsForEverySize) {
  auto generator = Testing::generator("Exactness sizes");
  for (const std::size_t size :
       {1UL, 7UL, 15UL, 32UL, 33UL, 63UL, 64UL, 65UL, 127UL, 128UL, 129UL, 255UL, 256UL, 257UL}) {
    for (const DataType element : all_elements) {
      expect_exact(Testing::exactness_cases().front(), element, size, 24, generator);
      expect_exact(Testing::exactness_cases().front(), element, 3, size, generator);
    }
  }
  for (const std::size_t count : {1024UL, 10000UL})
    expect_exact(Testing::exactness_cases().front(), DataType::float32, count, 24, generator);
}

TEST(Exactness, GivesTheSameBitsInTwoHundredRepeats) {
  auto generator = Testing::generator("Exactness repeats");
  const StoredRows rows =
      StoredRows::near(DataType::float32, normal_values(generator, 257 * 100), 100);
  const std::vector<float> queries = normal_values(generator, 5 * 100);
  std::vector<Rank> first;
  for (int repeat = 0; repeat < 200; ++repeat) {
    for (const Space space : Testing::spaces()) {
      const auto ranks = Testing::ranks_of_rows(Testing::context(), space, Metric::cosine, rows,
                                                queries, 0, rows.count());
      if (first.empty()) first = ranks;
      ASSERT_EQ(ranks, first) << "repeat " << repeat << " on " << to_string(space);
    }
  }
}

TEST(Exactness, DoesNotDependOnTheThreads) {
  auto generator = Testing::generator("Exactness threads");
  const StoredRows rows =
      StoredRows::near(DataType::bfloat16, normal_values(generator, 500 * 64), 64);
  const std::vector<float> queries = normal_values(generator, 9 * 64);
  std::vector<Rank> first;
  for (const int threads : {1, 2, 3}) {
    ContextOptions options;
    options.load_profile = false;
    options.threads = threads;
    Context context(options);
    const Space space = context.is_usable(Space::openmp) ? Space::openmp : Space::serial;
    const auto ranks =
        Testing::ranks_of_rows(context, space, Metric::l2, rows, queries, 0, rows.count());
    if (first.empty()) first = ranks;
    EXPECT_EQ(ranks, first) << threads << " threads";
  }
}

}  // namespace ExactnessTest

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "Support.hpp"
#include "VectorData.hpp"

namespace {

using namespace Kindred;
using Testing::all_elements;
using Testing::all_metrics;
using Testing::normal_values;
using Testing::StoredRows;

/// Rows and queries of one kind of data; the first query is the first row where that says more.
struct Case {
  std::string name;
  std::function<void(std::mt19937_64&, std::vector<float>& rows, std::vector<float>& queries,
                     std::size_t dimension)>
      shape;
};

void scale(std::vector<float>& values, float factor) {
  for (float& value : values) value *= factor;
}

/// Engram's cases, and those its reviewers asked for.
const std::vector<Case>& cases() {
  using Values = std::vector<float>;
  using Generator = std::mt19937_64;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  static const std::vector<Case> all{
      {"random", [](Generator&, Values&, Values&, std::size_t) {}},
      {"identical",
       [](Generator&, Values& rows, Values& queries, std::size_t dimension) {
         for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = rows[i % dimension];
         for (std::size_t i = 0; i < queries.size(); ++i) queries[i] = rows[i % dimension];
       }},
      {"opposite",
       [](Generator&, Values& rows, Values& queries, std::size_t dimension) {
         for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = -queries[i % dimension];
       }},
      {"near duplicates",
       [](Generator&, Values& rows, Values& queries, std::size_t dimension) {
         for (std::size_t i = 0; i < rows.size(); ++i)
           rows[i] = 0.9F * queries[i % dimension] + 0.01F * rows[i];
       }},
      {"orthogonal",
       [](Generator&, Values& rows, Values& queries, std::size_t) {
         for (std::size_t i = 0; i < rows.size(); i += 2) rows[i] = 0.0F;
         for (std::size_t i = 1; i < queries.size(); i += 2) queries[i] = 0.0F;
       }},
      {"zero queries",
       [](Generator&, Values&, Values& queries, std::size_t) { scale(queries, 0.0F); }},
      {"zero rows", [](Generator&, Values& rows, Values&, std::size_t) { scale(rows, 0.0F); }},
      {"all zero",
       [](Generator&, Values& rows, Values& queries, std::size_t) {
         scale(rows, 0.0F);
         scale(queries, -0.0F);
       }},
      {"every other row zero",
       [](Generator&, Values& rows, Values&, std::size_t dimension) {
         for (std::size_t i = 0; i < rows.size(); ++i) rows[i] *= i / dimension % 2 == 0 ? 0 : 1;
       }},
      {"negative zeros",
       [](Generator&, Values& rows, Values& queries, std::size_t) {
         for (std::size_t i = 0; i < rows.size(); i += 3) rows[i] = -0.0F;
         for (std::size_t i = 0; i < queries.size(); i += 2) queries[i] = -0.0F;
       }},
      {"magnitudes of 1e-10",
       [](Generator&, Values& rows, Values& queries, std::size_t) {
         scale(rows, 1e-10F);
         scale(queries, 1e-10F);
       }},
      {"magnitudes of 1e10",
       [](Generator&, Values& rows, Values& queries, std::size_t) {
         scale(rows, 1e10F);
         scale(queries, 1e10F);
       }},
      {"1e-5 beside 1e5",
       [](Generator& generator, Values& rows, Values& queries, std::size_t) {
         for (float& value : rows) value *= generator() % 2 == 0 ? 1e-5F : 1e5F;
         for (float& value : queries) value *= generator() % 2 == 0 ? 1e-5F : 1e5F;
       }},
      {"1e-20 beside 1e20",
       [](Generator& generator, Values& rows, Values& queries, std::size_t) {
         for (float& value : rows) value *= generator() % 2 == 0 ? 1e-20F : 1e20F;
         for (float& value : queries) value *= generator() % 2 == 0 ? 1e-20F : 1e20F;
       }},
      {"denormals",
       [](Generator&, Values& rows, Values& queries, std::size_t) {
         scale(rows, 1e-41F);
         scale(queries, 1e-44F);
       }},
      {"one in ten not zero",
       [](Generator& generator, Values& rows, Values&, std::size_t) {
         for (float& value : rows) value *= generator() % 10 == 0 ? 1.0F : 0.0F;
       }},
      {"cancellation",
       [](Generator&, Values& rows, Values& queries, std::size_t) {
         for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i % 2 == 0 ? 1e7F : -1e7F;
         for (float& value : queries) value = 1.0F + 1e-6F * value;
       }},
      {"rows of NaN",
       [](Generator&, Values& rows, Values&, std::size_t dimension) {
         for (std::size_t i = 0; i < rows.size(); i += 3 * dimension)
           rows[i] = std::numeric_limits<float>::quiet_NaN();
       }},
      {"a query of NaN", [](Generator&, Values&, Values& queries,
                            std::size_t) { queries[0] = std::numeric_limits<float>::quiet_NaN(); }},
      {"infinities", [=](Generator&, Values& rows, Values&, std::size_t dimension) {
         for (std::size_t i = 0; i < rows.size(); i += 2 * dimension)
           rows[i] = i / dimension % 4 == 0 ? infinity : -infinity;
       }}};
  return all;
}

/// The score and its scale in extended precision.
struct Oracle {
  long double score;
  long double scale;
};

Oracle oracle(Metric metric, std::span<const float> query, std::span<const float> row) {
  long double dot = 0;
  long double queries = 0;
  long double rows = 0;
  long double squares = 0;
  for (std::size_t d = 0; d < query.size(); ++d) {
    const auto q = static_cast<long double>(query[d]);
    const auto x = static_cast<long double>(row[d]);
    dot += q * x;
    queries += q * q;
    rows += x * x;
    squares += (q - x) * (q - x);
  }
  const long double norms = std::sqrt(queries) * std::sqrt(rows);
  if (metric == Metric::ip) return {dot, norms};
  if (metric == Metric::l2) return {std::sqrt(squares), std::sqrt(squares)};
  if (queries == 0 || rows == 0) return {0, 1};
  const long double cosine = dot / norms;
  if (std::isnan(cosine)) return {cosine, 1};
  return {std::clamp(cosine, -1.0L, 1.0L), 1};
}

float score_of(Metric metric, Rank rank) {
  return metric == Metric::l2 ? score_ascending(rank) : score_descending(rank);
}

::testing::AssertionResult is_near(float score, const Oracle& expected) {
  const auto rounded = static_cast<float>(expected.score);
  if (std::isnan(expected.score) || std::isinf(rounded)) {
    const bool same = std::isnan(rounded) ? std::isnan(score) : score == rounded;
    if (same) return ::testing::AssertionSuccess();
  } else if (std::abs(static_cast<long double>(score) - expected.score) <=
             1e-6L * expected.scale + std::numeric_limits<float>::denorm_min()) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure()
         << score << " in place of " << static_cast<double>(expected.score);
}

/// All ranks of one case: scanned alone, in a batch, and as candidates, must be the same bits
/// everywhere and near the oracle.
void expect_exact(const Case& kind, VectorElement element, std::size_t count, std::size_t dimension,
                  std::mt19937_64& generator) {
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
        ASSERT_TRUE(is_near(score_of(metric, batch[query * count + row]),
                            oracle(metric, std::span(queries).subspan(query * dimension, dimension),
                                   rows.row(row))))
            << kind.name << ", " << to_string(element) << ' ' << to_string(metric) << ", row "
            << row << " of dimension " << dimension;
      }
    }
  }
}

TEST(Exactness, HoldsForEveryKindOfDataAndElement) {
  auto generator = Testing::generator("Exactness kinds");
  for (const Case& kind : cases()) {
    for (const VectorElement element : all_elements) {
      for (const std::size_t dimension : {1UL, 32UL, 100UL, 768UL})
        expect_exact(kind, element, 9, dimension, generator);
    }
  }
}

TEST(Exactness, HoldsForEverySize) {
  auto generator = Testing::generator("Exactness sizes");
  for (const std::size_t size :
       {1UL, 7UL, 15UL, 32UL, 33UL, 63UL, 64UL, 65UL, 127UL, 128UL, 129UL, 255UL, 256UL, 257UL}) {
    for (const VectorElement element : all_elements) {
      expect_exact(cases().front(), element, size, 24, generator);
      expect_exact(cases().front(), element, 3, size, generator);
    }
  }
}

TEST(Exactness, GivesOneBitPatternInTwoHundredRepeats) {
  auto generator = Testing::generator("Exactness repeats");
  const StoredRows rows =
      StoredRows::near(VectorElement::float32, normal_values(generator, 257 * 100), 100);
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
      StoredRows::near(VectorElement::bfloat16, normal_values(generator, 500 * 64), 64);
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

}  // namespace

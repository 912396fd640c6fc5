// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/vector/ScoreOfRank.hpp>

#include "VectorData.hpp"

namespace ExactnessTest {

using namespace Kindred;
using namespace Testing;

/// The score and its scale in extended precision.
struct Oracle {
  long double score;
  long double scale;
};

Oracle oracle(Metric metric, std::span<const float> query, std::span<const float> row) {
  long double dot = 0, queries = 0, rows = 0, squares = 0;
  for (std::size_t d = 0; d < query.size(); ++d) {
    const long double q{query[d]}, x{row[d]};
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

/// Within 10⁻⁶ of the scale; NaN and values beyond the range of float32 must be equal.
bool is_near(float score, const Oracle& expected) {
  const auto rounded = static_cast<float>(expected.score);
  if (std::isnan(rounded)) return std::isnan(score);
  if (std::isinf(rounded)) return score == rounded;
  return std::abs(static_cast<long double>(score) - expected.score) <=
         1e-6L * expected.scale + std::numeric_limits<float>::denorm_min();
}

/// The ranks of all rows but the first two, and of some as candidates, are those of the reference
/// to the bit on every space, for a batch of queries and for the first one alone, and are close to
/// the oracle.
void expect_exact(Question asked, const std::string& what) {
  const std::size_t first = asked.rows.count() > 3 ? 2 : 0;
  const std::size_t count = asked.rows.count() - first;
  for (std::size_t row = 0; row < asked.rows.count(); ++row)
    asked.ids.push_back(static_cast<std::uint32_t>(generator()()));
  const auto candidates = random_lists<std::uint32_t>(asked.rows.count(), {40}).values;
  for (const Metric metric : all_metrics) {
    asked.metric = metric;
    SCOPED_TRACE(what + ", " + asked.text());
    std::vector<Rank> expected;
    for (std::size_t query = 0; query < asked.count(); ++query) {
      for (std::size_t row = first; row < asked.rows.count(); ++row) {
        expected.push_back(asked.rank(query, row));
        const float score = score_of(metric, expected.back());
        const Oracle exact = oracle(metric, asked.query(query), asked.rows.row(row));
        ASSERT_TRUE(is_near(score, exact))
            << described("row", row, "has", score, "instead of", exact.score);
      }
    }
    Question alone = asked;
    alone.queries.resize(asked.rows.dimension);
    const std::vector<Rank> of_one(expected.begin(),
                                   expected.begin() + static_cast<std::ptrdiff_t>(count));
    for (const Space space : spaces()) {
      SCOPED_TRACE(to_string(space));
      ASSERT_EQ(ranks_of_rows(context(), space, asked, first, count), expected);
      ASSERT_EQ(ranks_of_rows(context(), space, alone, first, count), of_one);
      expect_candidate_ranks(context(), space, asked, candidates);
    }
  }
}

void expect_exact(const KindOfData& kind, DataType element, std::size_t count,
                  std::size_t dimension, std::size_t queries) {
  const DataOfKind data(kind, count, queries, dimension);
  expect_exact({StoredRows::near(element, data.rows, dimension), data.queries}, kind.name);
}

TEST(Exactness, HoldsForEveryKindOfDataAndElement) {
  for (const auto& kind : kinds_of_data()) {
    for (const DataType element : all_elements)
      for (const std::size_t dimension : {1UL, 32UL, 100UL, 768UL})
        expect_exact(kind, element, kind.name == "each row another challenge" ? 24 : 9, dimension,
                     7);
  }
}

TEST(Exactness, HoldsForEverySize) {
  const auto& random = kinds_of_data().front();
  for (const DataType element : all_elements) {
    for (const std::size_t size :
         {1UL, 7UL, 15UL, 32UL, 33UL, 63UL, 64UL, 65UL, 127UL, 128UL, 129UL, 255UL, 256UL, 257UL}) {
      expect_exact(random, element, size, 24, 7);
      expect_exact(random, element, 3, size, 7);
    }
    for (const std::size_t dimension :
         {2UL, 3UL, 4UL, 31UL, 36UL, 4095UL, 4096UL, 4097UL, 4100UL, 10000UL})
      expect_exact(random, element, 37, dimension, 8);
  }
  for (const std::size_t queries : {1UL, 2UL, 5UL, 6UL, 95UL, 96UL, 97UL, 200UL})
    expect_exact(random, DataType::float32, 70, 100, queries);
  for (const std::size_t count : {1024UL, 10000UL})
    expect_exact(random, DataType::float32, count, 24, 7);
}

TEST(Exactness, HoldsForPartsOfTheRowsAndFilteredOnes) {
  const std::size_t count = 200;
  Question asked = random_question(count, 33, 3);
  asked.metric = Metric::l2;
  for (std::size_t i = 0; i < count; ++i)
    asked.passes.push_back(random_below(3) == 0 || i / 32 == 2 ? 0 : 255);
  for (const Space space : spaces()) {
    for (const std::size_t begin : {0UL, 1UL, 17UL, 199UL}) {
      for (const std::size_t length : {1UL, 15UL, 16UL, 17UL, count - begin}) {
        if (begin + length > count) continue;
        std::vector<Rank> expected;
        for (std::size_t q = 0; q < 3; ++q)
          for (std::size_t row = begin; row < begin + length; ++row)
            expected.push_back(asked.lets(q, row) ? asked.rank(q, row) : rank_none);
        ASSERT_EQ(ranks_of_rows(context(), space, asked, begin, length), expected);
      }
    }
  }
}

TEST(Exactness, HoldsInTwoHundredRepeatsAndForAnyNumberOfThreads) {
  const Question asked = random_question(500, 100, 9, DataType::bfloat16);
  const auto first = ranks_of_rows(context(), Space::serial, asked, 0, 500);
  for (const Space space : spaces())
    for (int repeat = 0; repeat < 200; ++repeat)
      ASSERT_EQ(ranks_of_rows(context(), space, asked, 0, 500), first)
          << described("repeat", repeat, "on", space);
  for (const int threads : {1, 2, 3}) {
    Context context({.threads = threads, .load_profile = false});
    const Space space = context.is_usable(Space::openmp) ? Space::openmp : Space::serial;
    EXPECT_EQ(ranks_of_rows(context, space, asked, 0, 500), first) << threads << " threads";
  }
}

}  // namespace ExactnessTest

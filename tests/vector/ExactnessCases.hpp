// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_VECTOR_EXACTNESS_CASES_HPP
#define KINDRED_TESTS_VECTOR_EXACTNESS_CASES_HPP

#include <gtest/gtest.h>
#include <kindred/core/vector/Metric.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace Kindred::Testing {

/// Rows and queries of one kind of data; the first query is the first row where that is a stronger
/// test.
struct ExactnessCase {
  std::string name;
  std::function<void(std::mt19937_64&, std::vector<float>& rows, std::vector<float>& queries,
                     std::size_t dimension)>
      shape;
};

inline void scale(std::vector<float>& values, float factor) {
  for (float& value : values) value *= factor;
}

/// Engram's cases and further ones.
inline const std::vector<ExactnessCase>& exactness_cases() {
  using Values = std::vector<float>;
  using Generator = std::mt19937_64;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  static const std::vector<ExactnessCase> all{
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
      {"the largest floats",
       [](Generator&, Values& rows, Values& queries, std::size_t) {
         constexpr float largest = std::numeric_limits<float>::max();
         for (float& value : rows) value = std::copysign(largest, value);
         for (float& value : queries) value = std::copysign(largest, value);
       }},
      {"normalised",
       [](Generator&, Values& rows, Values& queries, std::size_t dimension) {
         for (Values* values : {&rows, &queries}) {
           for (std::size_t begin = 0; begin < values->size(); begin += dimension) {
             double squares = 0;
             for (std::size_t d = 0; d < dimension; ++d)
               squares += static_cast<double>((*values)[begin + d]) *
                          static_cast<double>((*values)[begin + d]);
             const auto factor = static_cast<float>(1 / std::sqrt(squares));
             for (std::size_t d = 0; d < dimension; ++d) (*values)[begin + d] *= factor;
           }
         }
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
      {"sums that cancel to nothing",
       [](Generator&, Values& rows, Values& queries, std::size_t) {
         for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i % 2 == 0 ? 1e8F : -1e8F;
         for (float& value : queries) value = 3.0F;
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

inline Oracle oracle(Metric metric, std::span<const float> query, std::span<const float> row) {
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

/// Within 10⁻⁶ of the scale; NaN and values beyond the range of float32 must be equal.
inline ::testing::AssertionResult is_near(float score, const Oracle& expected) {
  const auto rounded = static_cast<float>(expected.score);
  if (std::isnan(expected.score) || std::isinf(rounded)) {
    const bool same = std::isnan(rounded) ? std::isnan(score) : score == rounded;
    if (same) return ::testing::AssertionSuccess();
  } else if (std::abs(static_cast<long double>(score) - expected.score) <=
             1e-6L * expected.scale + std::numeric_limits<float>::denorm_min()) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure()
         << score << " instead of " << static_cast<double>(expected.score);
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_VECTOR_EXACTNESS_CASES_HPP

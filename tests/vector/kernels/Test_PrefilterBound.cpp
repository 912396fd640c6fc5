// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the bounds, given what queries and rows are: wide enough for every rounding
// that they stand for, and hardly wider.
#include <kindred/core/vector/PrefilterBound.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

namespace PrefilterBoundTest {

using namespace Kindred;

constexpr double infinity = std::numeric_limits<double>::infinity();
/// What a reproducible sum may be off by, of the product of the norms, and what its allowance is.
constexpr double sum_error = 0x1p-44;
constexpr double slack = 0x1p-40;

/// A query and a row that are their quantized copies: norms alone.
std::pair<PrefilterQuery, PrefilterRow> exact_pair(double query_norm, double row_norm) {
  PrefilterQuery query;
  query.scale = 1;
  query.norm = query_norm;
  query.square = query_norm * query_norm;
  PrefilterRow row;
  row.scale = 1;
  row.quantized_norm = row.quantized_norm_max = row.norm = row_norm;
  return {query, row};
}

void expect_between(double value, double least, double most) {
  EXPECT_GE(value, least);
  EXPECT_LE(value, most);
}
void expect_near(const ScoreInterval& found, double lower, double upper, double off) {
  EXPECT_NEAR(found.lower, lower, off);
  EXPECT_NEAR(found.upper, upper, off);
}

TEST(PrefilterBound, AllowsForTheRoundingOfASumAndForLittleMore) {
  for (const auto& [query_norm, row_norm] :
       {std::pair(1.0, 1.0), {1024.0, 1024.0}, {4096.0, 0.5}, {0.125, 64.0}}) {
    const auto [query, row] = exact_pair(query_norm, row_norm);
    for (const Metric metric : {Metric::ip, Metric::cosine}) {
      const double norms = metric == Metric::ip ? query_norm * row_norm : 1;
      const ScoreInterval found = score_interval(metric, query, row, 0);
      expect_between(found.lower, -2 * slack * norms, -sum_error * norms);
      expect_between(found.upper, sum_error * norms, 2 * slack * norms);
    }
  }
}

TEST(PrefilterBound, HoldsWhatResidualsMayAdd) {
  auto [query, row] = exact_pair(8, 2);
  query.residual = 0.5;
  row.error = 0.25;
  const double error = 0.5 * 2 + 8 * 0.25;
  for (const double dot : {-7.0, 0.0, 5.0}) {
    expect_near(score_interval(Metric::ip, query, row, dot), dot - error, dot + error, 1e-5);
    expect_near(score_interval(Metric::cosine, query, row, dot), (dot - error) / 16,
                (dot + error) / 16, 1e-6);
  }
  query.scale = 0.25;
  row.scale = -2;
  EXPECT_NEAR(score_interval(Metric::ip, query, row, 6).upper, -3 + error, 1e-5);
}

TEST(PrefilterBound, HoldsForCopiesThatAreFarFromTheirVectors) {
  // Vectors of one element whose copies have the wrong sign. The product of the elements lies
  // halfway between two floats, so that an upper end that is too low by any amount rounds to the
  // lower one.
  constexpr float one = 1 + 0x1p-23F;
  constexpr float other = 1.5F;
  for (const bool of_query : {false, true}) {
    auto [query, row] = of_query ? exact_pair(1, double{other}) : exact_pair(double{other}, 1);
    (of_query ? query.norm : row.norm) = double{one};
    (of_query ? query.residual : row.error) = double{one} + 1;
    EXPECT_GE(score_interval(Metric::ip, query, row, -double{other}).upper, one * other);
    EXPECT_LE(score_interval(Metric::ip, query, row, double{other}).lower, -one * other);
  }
}

TEST(PrefilterBound, CosinesStayWithinOne) {
  auto pair = exact_pair(1, 1);
  auto& query = pair.first;
  auto& row = pair.second;
  const auto bounds = [&](double dot) {
    const ScoreInterval found = score_interval(Metric::cosine, query, row, dot);
    return std::pair(found.lower, found.upper);
  };
  EXPECT_EQ(bounds(1.5), std::pair(1.0F, 1.0F));
  EXPECT_EQ(bounds(-1.5), std::pair(-1.0F, -1.0F));
  query.residual = 3;
  EXPECT_EQ(bounds(0), std::pair(-1.0F, 1.0F));
  query.norm = 0;
  EXPECT_EQ(bounds(0.5), std::pair(0.0F, 0.0F)) << "of a query of zeros";
  query.norm = 1;
  row.norm = 0;
  EXPECT_EQ(bounds(0.5), std::pair(0.0F, 0.0F)) << "of a row of zeros";
}

TEST(PrefilterBound, IsEverythingForWhatIsNotFinite) {
  for (const Metric metric : {Metric::cosine, Metric::ip, Metric::l2}) {
    for (const double bad : {infinity, std::nan("")}) {
      auto [query, row] = exact_pair(1, 1);
      query.residual = bad;
      const ScoreInterval found = score_interval(metric, query, row, 0.5);
      EXPECT_EQ(found.lower, -infinity);
      EXPECT_EQ(found.upper, infinity);
    }
  }
  // 0 of infinity is NaN: an infinite error of a row under a query of zeros.
  auto [query, row] = exact_pair(0, 1);
  row.error = infinity;
  EXPECT_EQ(score_interval(Metric::ip, query, row, 0).upper, infinity);
}

/// The ends of the distance of a query of norm 3 from a row of norm 4 and \p dot, with \p error of
/// the dot.
std::pair<double, double> distances(PrefilterQuery query, PrefilterRow row, double dot,
                                    double error) {
  double low = -1;
  double high = -1;
  Impl::distance_interval(query, row, dot, error, low, high);
  return {low, high};
}

TEST(PrefilterBound, DistancesFromTheNormsAreThoseOfTheError) {
  auto [query, row] = exact_pair(3, 4);
  row.quantized_norm = -1;  // not read
  const auto [low, high] = distances(query, row, 2, 1.5);
  EXPECT_NEAR(low, std::sqrt(25 - 4 - 3.0), 1e-9);
  EXPECT_NEAR(high, std::sqrt(25 - 4 + 3.0), 1e-9);
  EXPECT_LT(low, std::sqrt(25 - 4 - 3.0));
  EXPECT_GT(high, std::sqrt(25 - 4 + 3.0));
  EXPECT_EQ(distances(query, row, 12, 1).first, 0) << "the lower end is not below 0";
  EXPECT_EQ(distances(query, row, 20, 1).second, 0) << "nor is the upper";
  // Where the terms cancel, all that is left is the allowance: of both squares.
  const auto [nearest, farthest] = distances(query, row, 12.5, 0);
  EXPECT_EQ(nearest, 0);
  expect_between(farthest, std::sqrt(25 * sum_error), std::sqrt(2 * 25 * slack));
}

TEST(PrefilterBound, DistancesFromTheQuantizedCopiesAreThoseOfTheResiduals) {
  auto [query, row] = exact_pair(3, 4);
  query.residual = 0.25;
  row.error = 0.125;
  const double between = std::sqrt(25 - 2 * 6.0);
  const auto [low, high] = distances(query, row, 6, 100);
  EXPECT_NEAR(low, between - 0.375, 1e-5);
  EXPECT_LT(low, between - 0.375);
  expect_between(high, (between + 0.375) * (1 + sum_error), (between + 0.375) * (1 + 16 * slack));
  // The narrower of both is taken.
  const auto [narrow_low, narrow_high] = distances(query, row, 6, 0);
  EXPECT_NEAR(narrow_low, between, 1e-9);
  EXPECT_NEAR(narrow_high, between, 1e-9);
  // Quantized copies that are one: what is left is the residuals and the allowance.
  query.residual = row.error = 0;
  const auto [nearest, farthest] = distances(query, row, 12.5, 100);
  EXPECT_EQ(nearest, 0);
  expect_between(farthest, std::sqrt(25 * sum_error), std::sqrt(2 * 25 * slack));
}

TEST(PrefilterBound, DistancesFromTheQuantizedCopiesAllowForRounding) {
  // A copy of a row so small that what its norm may be off by plays no part.
  auto [query, row] = exact_pair(1.125, 0x1p-60);
  const auto [low, high] = distances(query, row, 0, 100);
  expect_between(low, 1.125 * (1 - 2 * slack), 1.125 * (1 - sum_error));
  expect_between(high, 1.125 * (1 + sum_error), 1.125 * (1 + 2 * slack));
  // A residual that leaves little of the distance: what is left has the rounding of both.
  query.residual = 1;
  expect_between(distances(query, row, 0, 100).first, 0.125 - 4 * slack, 0.125 - sum_error);
}

TEST(PrefilterBound, AQuantizedNormMayBeLargerThanThatOfTheCopy) {
  // A norm stored with a relative error of 2^−22 gives a square that is 2^−21 too large.
  auto [query, row] = exact_pair(3, 4);
  row.quantized_norm = 4 * (1 + 0x1p-22);
  const double between = std::sqrt(25 - 2 * 6.0);
  expect_between(distances(query, row, 6, 100).first, between - 1e-5, between);
  // Close vectors: the roundings of the squares are a large part of their distance.
  EXPECT_LE(distances(query, row, 12.5 - 0x1p-7, 100).first, 0x1p-3);
  // The smallest are not used: their relative error is larger.
  row.quantized_norm = 0x1p-101;
  EXPECT_EQ(distances(query, row, 6, 100).first, 0);
}

TEST(PrefilterBound, RowsOfTheirOwnDifferByTheRoundingOfTheirElements) {
  const PrefilterRow row = Impl::own_row(0.5F, 100, 4);
  EXPECT_EQ(row.scale, 0.5);
  EXPECT_EQ(row.norm, 100);
  EXPECT_LT(row.quantized_norm, 0);
  expect_between(row.quantized_norm_max, 100 * (1 + 0x1p-23), 100 * (1 + 0x1p-21));
  expect_between(row.error, 100 * 0x1p-24, 100 * 0x1p-22);
  EXPECT_NEAR(Impl::own_row(0.5F, 0.5, 4).quantized_norm_max, 0.5, 1e-6);
}

TEST(PrefilterBound, RowsOfTheirOwnAreExactWhereTheyAreDenormal) {
  for (const float scale : {0x1p-149F, 0x1.8p-148F, -0x1.fffcp-134F}) {
    for (int v = -128; v <= 127; ++v)
      ASSERT_EQ(scale * static_cast<float>(v), double{scale} * v) << scale << " of " << v;
    const double norm = 5 * std::abs(double{scale});
    expect_between(Impl::own_row(scale, norm, 4).quantized_norm_max, norm, norm * (1 + 0x1p-21));
  }
  EXPECT_EQ(Impl::own_row(0x1p-149F, 0, 4).error, 0) << "a row of zeros";
}

TEST(PrefilterBound, RowsOfTheirOwnWithoutANormAreOfTheLargestElements) {
  EXPECT_EQ(Impl::own_row(2.0F, -1, 3).quantized_norm_max, 2.0 * 128 * 3);
  EXPECT_EQ(Impl::own_row(-2.0F, -1, 3).quantized_norm_max, 2.0 * 128 * 3);
  constexpr float largest = std::numeric_limits<float>::max() / 128;
  EXPECT_EQ(Impl::own_row(largest, -1, 2).quantized_norm_max, 2.0 * 128 * double{largest});
  EXPECT_EQ(Impl::own_row(1.5F * largest, -1, 2).quantized_norm_max, infinity);
  EXPECT_EQ(Impl::own_row(std::nanf(""), -1, 2).quantized_norm_max, infinity);
}

}  // namespace PrefilterBoundTest

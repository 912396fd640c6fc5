// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/vendor/Gemm.hpp>
#include <kindred/core/arch/RoundElement.hpp>
#include <kindred/core/vector/TileBound.hpp>
#include <kindred/reference/Reference.hpp>

#include <cmath>

#include "TestGenerator.hpp"

namespace TileBoundTest {

using namespace Kindred;
using namespace Testing;
using Arch::BFloat16;
using Arch::Float16;

long double norm_of(const std::vector<long double>& values) {
  long double squares = 0;
  for (const long double value : values) squares += value * value;
  return std::sqrt(squares);
}

/// Numbers as in a tile: scaled and rounded, with the rounding residual.
template <class Element>
struct Rounded {
  Rounded(const std::vector<float>& values, long double factor) {
    std::vector<long double> rest;
    for (const float value : values) {
      const auto scaled = static_cast<float>(static_cast<long double>(value) * factor);
      rounded.push_back(Arch::to_float(Arch::round_to<Element>(scaled)));
      rest.push_back(static_cast<long double>(value) * factor - rounded.back());
    }
    residual = norm_of(rest);
  }
  std::vector<long double> rounded;
  long double residual = 0;
};

/// The bounds of a pair, for products with \p share of the largest error that a library may make.
struct Bounds {
  float upper = 0;
  float lower = 0;
  long double score = 0;  ///< the bounded value, from the reproducible score
};

template <class Element>
Bounds bounds_of(Metric metric, const std::vector<float>& query, const std::vector<float>& row,
                 double gamma, long double share) {
  const std::vector<long double> q(query.begin(), query.end());
  const std::vector<long double> x(row.begin(), row.end());
  const long double query_norm = norm_of(q);
  const long double row_norm = norm_of(x);
  const double norm = static_cast<double>(row_norm);
  const Rounded<Element> rounded_query(query, tile_norm / query_norm);
  const Rounded<Element> rounded_row(row,
                                     1 / static_cast<long double>(tile_power(tile_exponent(norm))));
  long double dot = 0;
  for (std::size_t i = 0; i < q.size(); ++i)
    dot += rounded_query.rounded[i] * rounded_row.rounded[i];
  TileModel model;
  model.sum = gamma;
  const auto product = static_cast<float>(dot + share * gamma * norm_of(rounded_query.rounded) *
                                                    norm_of(rounded_row.rounded));
  const TileRow bound =
      tile_row(metric, model, norm, static_cast<double>(rounded_row.residual) * (1 + 1e-12),
               static_cast<double>(rounded_query.residual) * (1 + 1e-12));
  const float relative = tile_relative(model, bound);
  const float weight =
      metric == Metric::l2 ? static_cast<float>(tile_norm / static_cast<double>(query_norm)) : 0.0F;
  Bounds out;
  out.upper = tile_upper(product, bound, relative, weight);
  out.lower = out.upper - tile_width(product, bound, relative, weight);
  const auto score = static_cast<long double>(Reference::score(metric, query, row));
  if (metric == Metric::cosine) out.score = tile_norm * score;
  if (metric == Metric::ip) out.score = tile_norm * score / query_norm;
  if (metric == Metric::l2) {
    out.score = tile_norm * (query_norm * query_norm - score * score) / 2 / query_norm;
  }
  return out;
}

template <class Element>
void expect_bounds(const std::vector<float>& query, const std::vector<float>& row, double gamma,
                   const std::string& what) {
  for (const Metric metric : all_metrics) {
    // Of an l2 threshold: the rounding of the reproducible distance.
    const long double free =
        metric == Metric::l2 ? 0x1p-22L * tile_norm * norm_of({query.begin(), query.end()}) : 0;
    for (const long double share : {-1.0L, 0.0L, 1.0L}) {
      const Bounds bounds = bounds_of<Element>(metric, query, row, gamma, share);
      EXPECT_GE(bounds.upper + free, bounds.score) << what << ", " << to_string(metric);
      EXPECT_LE(bounds.lower - free, bounds.score) << what << ", " << to_string(metric);
    }
  }
}

/// 1 plus just less than half a step of \p Element: the excess is rounded away.
template <class Element>
float just_below_half_a_step() {
  constexpr int bits = std::is_same_v<Element, Float16> ? 10 : 7;
  return 1.0F + 0.999F * std::ldexp(1.0F, -bits - 1);
}

template <class Element>
class TileBound : public testing::Test {};
using Elements = testing::Types<Float16, BFloat16, float>;
TYPED_TEST_SUITE(TileBound, Elements);

TYPED_TEST(TileBound, HoldsWhereAllRoundingGoesOneWay) {
  // Norms of powers of four times ones are powers of two: the other factor is exact.
  const std::vector<float> ones(256, 1.0F);
  const std::vector<float> above(256, just_below_half_a_step<TypeParam>());
  expect_bounds<TypeParam>(ones, above, 0.0, "a row that loses what the query asks for");
  std::vector<float> mixed = above;
  std::vector<float> signs = ones;
  for (std::size_t i = 0; i < mixed.size(); i += 2) {
    mixed[i] = -mixed[i];
    signs[i] = -1.0F;
  }
  expect_bounds<TypeParam>(signs, mixed, 0.0, "the same with signs");
  // 255 ones scaled to 256 are no number of Element.
  expect_bounds<TypeParam>(std::vector<float>(255, 1.0F), std::vector<float>(255, 1.0F), 0.0,
                           "a query that loses what the row has");
}

TYPED_TEST(TileBound, HoldsForProductsWithTheLargestAllowedError) {
  const double gamma = Impl::gemm_error(256);
  const std::vector<float> ones(256, 1.0F);
  expect_bounds<TypeParam>(ones, ones, gamma, "exact factors");
  std::vector<float> signs = ones;
  for (std::size_t i = 0; i < signs.size(); i += 2) signs[i] = -1.0F;
  expect_bounds<TypeParam>(ones, signs, gamma, "a product of zero");
}

TYPED_TEST(TileBound, HoldsForAnyPair) {
  std::normal_distribution<float> normal;
  for (int round = 0; round < 300; ++round) {
    const std::size_t dimension = 1 + random_below(70);
    const float size = std::ldexp(1.0F, static_cast<int>(random_below(40)) - 20);
    const float other = std::ldexp(1.0F, static_cast<int>(random_below(40)) - 20);
    const float noise = std::ldexp(1.0F, -static_cast<int>(random_below(30)));
    std::vector<float> query;
    std::vector<float> row;
    for (std::size_t i = 0; i < dimension; ++i) {
      const float value = normal(generator());
      query.push_back(size * value);
      row.push_back(other *
                    (round % 3 == 0 ? normal(generator()) : value + noise * normal(generator())));
    }
    expect_bounds<TypeParam>(query, row, 0.0, "pair " + std::to_string(round));
    expect_bounds<TypeParam>(query, row, Impl::gemm_error(dimension),
                             "pair " + std::to_string(round) + " of a library");
  }
}

TEST(TileRow, CoversNormsThatLeaveTheRangeOfFloatsAlone) {
  for (const double norm : {0x1p-63, 1.0, 0x1p63}) EXPECT_TRUE(tile_covers(norm)) << norm;
  for (const double norm : {0.0, 0x1.fffffffffffffp-64, 0x1.0000000000001p63, std::nan("")})
    EXPECT_FALSE(tile_covers(norm)) << norm;
}

TEST(TileRow, IsScaledByAPowerOfTwoToANormBetween128And256) {
  for (const double norm : {0x1p-63, 0.3, 1.0, 128.0, 255.99, 256.0, 3e5, 0x1p63}) {
    const double power = tile_power(tile_exponent(norm));
    int exponent = 0;
    EXPECT_EQ(std::frexp(power, &exponent), 0.5) << norm;
    EXPECT_GE(norm / power, 128) << norm;
    EXPECT_LT(norm / power, 256) << norm;
    EXPECT_EQ(tile_power(-3), 0.125);
  }
}

TEST(TileRow, SurvivesAlwaysOrNeverWhereNothingIsBounded) {
  const TileModel model;
  for (const Metric metric : all_metrics) {
    const auto error_of = [&](double norm) { return tile_row(metric, model, norm, 0, 0).error; };
    EXPECT_EQ(error_of(0), 0);
    EXPECT_EQ(error_of(std::nan("")), -HUGE_VALF);
    for (const double norm : {0x1p-64, 0x1p64, HUGE_VAL}) EXPECT_EQ(error_of(norm), HUGE_VALF);
  }
}

/// Each part alone, of a row whose norm of 200 is left as it is, under ip.
TEST(TileRow, ErrorIsTheSumOfItsPartsAndHardlyMore) {
  const auto error_of = [](const TileModel& model, double residual, double query_residual) {
    return double{tile_row(Metric::ip, model, 200, residual, query_residual).error};
  };
  const double canonical = 256 * 200 * 0x1p-20;
  const auto expect_error = [&](double error, double part, const char* what) {
    EXPECT_GE(error, part + 0.999 * canonical) << what;
    EXPECT_LE(error, (part + canonical) * (1 + 0x1p-20)) << what;
  };
  TileModel model;
  expect_error(error_of(model, 0, 0), 0, "the canonical score's rounding");
  expect_error(error_of(model, 3, 0), 256 * 3, "what rounding left of the row");
  expect_error(error_of(model, 0, 5), 5 * 200, "what it left of the query");
  expect_error(error_of(model, 3, 5), 256 * 3 + 5 * 203, "both");
  model.sum = 0x1p-7;
  expect_error(error_of(model, 0, 0), 256 * 200 * 0x1p-7, "the sum");
  expect_error(error_of(model, 3, 5), 256 * 3 + 5 * 203 + 261 * 203 * 0x1p-7, "the sum of both");
  model = {};
  model.output_absolute = 9;
  expect_error(error_of(model, 0, 0), 9, "the output");
}

TEST(TileRow, ScalesProductsByTheMetric) {
  TileModel model;
  model.alpha = 4;
  const auto row = [&](Metric metric, double norm) { return tile_row(metric, model, norm, 1, 1); };
  EXPECT_EQ(row(Metric::ip, 200).scale, 0.25F);
  EXPECT_EQ(row(Metric::ip, 800).scale, 1.0F);
  EXPECT_EQ(row(Metric::l2, 800).scale, 1.0F);
  EXPECT_EQ(row(Metric::cosine, 800).scale, static_cast<float>(1 / 200.0 / 4));
  EXPECT_EQ(row(Metric::ip, 800).shift, 0.0F);
  EXPECT_EQ(row(Metric::cosine, 800).shift, 0.0F);
  EXPECT_LT(row(Metric::l2, 800).shift, 320000.0F);
  EXPECT_GE(row(Metric::l2, 800).shift, 320000.0F * (1 - 0x1p-19F));
  // The error is in the unit of the metric, whatever products are written times.
  EXPECT_FLOAT_EQ(row(Metric::ip, 800).error, 4 * row(Metric::ip, 200).error);
  EXPECT_FLOAT_EQ(row(Metric::cosine, 200).error, row(Metric::ip, 200).error / 200);
}

TEST(TileRow, IsAsWideAsTheErrorOnEitherSideAndHardlyWider) {
  const auto expect_width = [](const TileRow& row, float relative, float weight, double least) {
    for (const float product : {-1000.0F, 0.0F, 3.0F}) {
      const double width = tile_width(product, row, relative, weight);
      const double whole = least + 2 * std::abs(double{product}) * double{relative};
      EXPECT_GE(width, whole);
      EXPECT_LE(width, whole * (1 + 0x1p-18));
    }
  };
  expect_width({1, 7, 0}, 0, 0, 14);
  expect_width({1, 7, 0}, 0.125F, 0, 14);
  expect_width({1, 0, 0x1p20F}, 0, 3, 3 * 0x1p20 * 0x1p-18);
  expect_width({1, 7, 0x1p20F}, 0.125F, 3, 14 + 3 * 0x1p20 * 0x1p-18);
  TileModel model;
  model.output_relative = 0x1p-11F;
  EXPECT_EQ(tile_relative(model, {8, 0, 0}), 0x1p-8F);
}

}  // namespace TileBoundTest

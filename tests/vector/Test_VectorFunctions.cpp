// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/matcher/RowFunctions.hpp>
#include <kindred/matcher/VectorFunctions.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "VectorSupport.hpp"

namespace VectorFunctionsTest {

using namespace Kindred;
using Testing::bits;
using Testing::normal_values;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// The number of representable floats between \p a and \p b.
std::int64_t steps_between(float a, float b) {
  const auto place = [](float x) {
    std::int32_t bits = 0;
    std::memcpy(&bits, &x, 4);
    return std::int64_t{bits < 0 ? std::numeric_limits<std::int32_t>::min() - bits : bits};
  };
  return std::abs(place(a) - place(b));
}

TEST(CosineSigmoid, IsWithinOneFloatOfTheReferenceAndReproducible) {
  auto generator = Testing::generator("CosineSigmoid");
  for (const std::size_t dimension : {1UL, 7UL, 33UL, 768UL}) {
    std::vector<float> rows = normal_values(generator, 200 * dimension);
    const std::vector<float> query = normal_values(generator, dimension);
    std::copy(query.begin(), query.end(), rows.begin());  // cosine 1
    std::fill_n(rows.begin() + static_cast<std::ptrdiff_t>(dimension), dimension, 0.0F);
    rows[2 * dimension] = nan;
    for (const double threshold : {0.01, 0.0, -1.0, 0.5, 40.0, -40.0, 1e30}) {
      for (const double temperature : {1.0, 0.5, 0.05, 0.01, 0.0, -3.0, 1e-30, 1e30}) {
        std::vector<std::uint32_t> first;
        for (const Space space : Testing::spaces()) {
          const std::vector<float> values =
              cosine_sigmoids(Testing::context(), query, VectorSpan(rows, dimension), threshold,
                              temperature, {space});
          if (first.empty()) first = bits(values);
          ASSERT_EQ(bits(values), first) << to_string(space);
          for (std::size_t row = 0; row < 200; ++row) {
            const float expected = Reference::cosine_sigmoid(
                query, std::span(rows).subspan(row * dimension, dimension), threshold, temperature);
            ASSERT_EQ(std::isnan(values[row]), std::isnan(expected));
            if (std::isnan(expected)) continue;
            ASSERT_LE(steps_between(values[row], expected), 1)
                << values[row] << ' ' << expected << ", threshold " << threshold;
          }
        }
      }
    }
  }
}

TEST(CosineSigmoid, MatchesItsDefinition) {
  const std::vector<float> rows{2.0F, 0.0F, 0.0F, 3.0F, -1.0F, 0.0F, 0.0F, 0.0F};
  const std::vector<float> values = cosine_sigmoids(
      Testing::context(), std::vector<float>{1.0F, 0.0F}, VectorSpan(rows, 2), 0.0, 1.0);
  EXPECT_FLOAT_EQ(values[0], 0.73105858F);
  EXPECT_EQ(values[1], 0.5F);
  EXPECT_FLOAT_EQ(values[2], 0.26894142F);
  EXPECT_EQ(values[3], 0.5F);
}

TEST(WeightedAverage, MatchesReferenceOnEverySpace) {
  auto generator = Testing::generator("WeightedAverage");
  for (const std::size_t count : {1UL, 2UL, 4UL, 8UL, 16UL, 32UL, 33UL, 100UL, 4096UL, 9000UL}) {
    for (const std::size_t dimension : {1UL, 31UL, 32UL, 65UL, 100UL}) {
      const std::vector<float> rows = normal_values(generator, count * dimension);
      std::vector<float> weights = normal_values(generator, count);
      weights[0] += 5.0F;
      const auto expected = bits(Reference::weighted_average(rows, weights));
      for (const Space space : Testing::spaces()) {
        ASSERT_EQ(bits(weighted_average(Testing::context(), VectorSpan(rows, dimension), weights,
                                        {space})),
                  expected)
            << count << " x " << dimension << " on " << to_string(space);
      }
    }
  }
}

TEST(WeightedAverage, OfRowsThatAreAnywhereIsThatOfTheSameRowsTogether) {
  auto generator = Testing::generator("WeightedAverage pointers");
  std::vector<std::size_t> counts = Testing::edge_sizes;
  counts.push_back(5000);
  for (const std::size_t count : counts) {
    for (const std::size_t dimension : {1UL, 33UL, 768UL}) {
      if (count * dimension > 1000000) continue;
      const std::vector<float> rows = normal_values(generator, count * dimension);
      const std::vector<float> weights = normal_values(generator, count);
      // In reverse order, so that the pointers do not ascend.
      std::vector<float> reversed(rows.size());
      std::vector<const float*> pointers;
      for (std::size_t row = 0; row < count; ++row) {
        float* to = reversed.data() + (count - 1 - row) * dimension;
        std::copy_n(rows.data() + row * dimension, dimension, to);
        pointers.push_back(to);
      }
      const auto expected =
          bits(weighted_average(Testing::context(), VectorSpan(rows, dimension), weights));
      if (count > 0) {
        ASSERT_EQ(bits(Reference::weighted_average(rows, weights)), expected);
      }
      ASSERT_EQ(bits(weighted_average(Testing::context(), pointers, dimension, weights)), expected);
      for (const Space space : Testing::spaces()) {
        ASSERT_EQ(bits(weighted_average(Testing::context(), pointers, dimension, weights, {space})),
                  expected)
            << count << " x " << dimension << " on " << to_string(space);
      }
    }
  }
}

TEST(WeightedAverage, OfRowsThatAreAnywhereRefusesNullAndOtherSizes) {
  Context& context = Testing::context();
  const std::vector<float> row(3, 1.0F);
  const std::vector<float> weights(2, 1.0F);
  const std::vector<const float*> pointers{row.data(), nullptr};
  EXPECT_THROW(weighted_average(context, pointers, 3, weights), InvalidArgument);
  EXPECT_THROW(weighted_average(context, std::span(pointers).first(1), 3, weights),
               InvalidArgument);
  EXPECT_THROW(
      weighted_average(context, std::span(pointers).first(1), 0, std::span(weights).first(1)),
      InvalidArgument);
  EXPECT_EQ(weighted_average(context, std::span(pointers).first(1), 3, std::span(weights).first(1)),
            row);
}

TEST(WeightedAverage, IsZeroWithoutWeightsAndPropagatesNaN) {
  const std::vector<float> rows{1.0F, infinity, 3.0F, nan, 1.0F, -infinity};
  for (const Space space : Testing::spaces()) {
    const VectorSpan span(rows, 3);
    EXPECT_EQ(weighted_average(Testing::context(), span, std::vector<float>{2.0F, -2.0F}, {space}),
              (std::vector<float>{0.0F, 0.0F, 0.0F}));
    const auto values =
        weighted_average(Testing::context(), span, std::vector<float>{1.0F, 1.0F}, {space});
    EXPECT_EQ(bits({values[0]})[0], 0x7FC00000U);
    EXPECT_EQ(values[1], infinity);
    EXPECT_EQ(values[2], -infinity);
    EXPECT_EQ(
        weighted_average(Testing::context(), VectorSpan(std::span<const float>{}, 3), {}, {space}),
        (std::vector<float>{0.0F, 0.0F, 0.0F}));
  }
}

TEST(PairwiseDots, AreTheInnerProductsOfAllPairs) {
  auto generator = Testing::generator("PairwiseDots");
  for (const std::size_t dimension : {1UL, 33UL, 256UL, 768UL, 5000UL}) {
    for (const auto& [a_count, b_count] :
         {std::pair(1UL, 5UL), std::pair(3UL, 1UL), std::pair(13UL, 17UL), std::pair(0UL, 4UL)}) {
      const std::vector<float> a = normal_values(generator, a_count * dimension);
      const std::vector<float> b = normal_values(generator, b_count * dimension);
      std::vector<float> expected;
      for (std::size_t i = 0; i < a_count; ++i) {
        for (std::size_t j = 0; j < b_count; ++j) {
          expected.push_back(Reference::score(Metric::ip,
                                              std::span(a).subspan(i * dimension, dimension),
                                              std::span(b).subspan(j * dimension, dimension)));
        }
      }
      for (const Space space : Testing::spaces()) {
        std::vector<float> dots(expected.size());
        row_scores(Testing::context(), a, VectorSpan(b, dimension), dots, {Metric::ip, space});
        ASSERT_EQ(bits(dots), bits(expected)) << to_string(space);
      }
    }
  }
}

TEST(VectorFunctions, DecodeStoredElements) {
  const std::vector<std::uint16_t> halves{0x3C00, 0xC000, 0x3800, 0x0000};  // 1, −2, 0.5, 0
  const std::vector<std::int8_t> bytes{10, -20, 5, 0};
  const std::vector<float> scales{0.1F, 0.1F};
  const VectorSpan half_rows(DataType::float16, std::as_bytes(std::span(halves)), 2);
  const VectorSpan byte_rows(DataType::int8, std::as_bytes(std::span(bytes)), 2, scales);
  for (const Space space : Testing::spaces()) {
    for (const VectorSpan& rows : {half_rows, byte_rows}) {
      const std::vector<float> query{1.0F, 1.0F};
      std::vector<float> dots(2);
      row_scores(Testing::context(), query, rows, dots, {Metric::ip, space});
      EXPECT_EQ(dots, (std::vector<float>{-1.0F, 0.5F}));
      EXPECT_EQ(weighted_average(Testing::context(), rows, std::vector<float>{1.0F, 1.0F}, {space}),
                (std::vector<float>{0.75F, -1.0F}));
    }
  }
}

TEST(VectorFunctions, RejectSizesThatDoNotFit) {
  Context& context = Testing::context();
  const std::vector<float> rows(6, 1.0F);
  EXPECT_THROW(weighted_average(context, VectorSpan(rows, 4), std::vector<float>{1.0F}),
               InvalidArgument);
  EXPECT_THROW(weighted_average(context, VectorSpan(rows, 0), {}), InvalidArgument);
  EXPECT_THROW(weighted_average(context, VectorSpan(rows, 3), std::vector<float>{1.0F}),
               InvalidArgument);
  EXPECT_THROW(cosine_sigmoids(context, rows, VectorSpan(rows, 3), 0, 1), InvalidArgument);
  EXPECT_THROW(cosine_sigmoids(context, std::span(rows).first(3), VectorSpan(rows, 3), nan, 1),
               InvalidArgument);
}

}  // namespace VectorFunctionsTest

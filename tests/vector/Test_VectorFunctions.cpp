// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/VectorFunctions.hpp>

#include "VectorAnswers.hpp"

namespace VectorFunctionsTest {

using namespace Kindred;
using namespace Testing;

/// The number of representable floats between \p a and \p b.
std::int64_t steps_between(float a, float b) {
  const auto place = [](float x) {
    const auto bits = std::bit_cast<std::int32_t>(x);
    return std::int64_t{bits < 0 ? std::numeric_limits<std::int32_t>::min() - bits : bits};
  };
  return std::abs(place(a) - place(b));
}

TEST(CosineSigmoid, IsWithinOneFloatOfTheReferenceAndReproducible) {
  for (const std::size_t dimension : {1UL, 7UL, 33UL, 768UL}) {
    std::vector<float> rows = normal_values(200 * dimension);
    const std::vector<float> query = normal_values(dimension);
    std::copy(query.begin(), query.end(), rows.begin());  // cosine 1
    std::fill_n(rows.begin() + static_cast<std::ptrdiff_t>(dimension), dimension, 0.0F);
    rows[2 * dimension] = quiet_nan;
    for (const double threshold : {0.01, 0.0, -1.0, 0.5, 40.0, -40.0, 1e30}) {
      for (const double temperature : {1.0, 0.5, 0.05, 0.01, 0.0, -3.0, 1e-30, 1e30}) {
        std::vector<std::uint32_t> first;
        for (const Space space : spaces()) {
          const std::vector<float> values = cosine_sigmoids(
              context(), query, VectorSpan(rows, dimension), threshold, temperature, {space});
          if (first.empty()) first = bits(values);
          ASSERT_EQ(bits(values), first) << to_string(space);
          for (std::size_t row = 0; row < 200; ++row) {
            const float expected = Reference::cosine_sigmoid(query, row_of(rows, dimension, row),
                                                             threshold, temperature);
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
  const std::vector<float> values =
      cosine_sigmoids(context(), std::vector<float>{1.0F, 0.0F}, VectorSpan(rows, 2), 0.0, 1.0);
  EXPECT_FLOAT_EQ(values[0], 0.73105858F);
  EXPECT_EQ(values[1], 0.5F);
  EXPECT_FLOAT_EQ(values[2], 0.26894142F);
  EXPECT_EQ(values[3], 0.5F);
}

/// Of rows that follow one another, and of the same rows in reverse order in memory, by pointers.
TEST(WeightedAverage, MatchesReferenceOnEverySpaceWhereverTheRowsAre) {
  std::vector<std::size_t> counts = edge_sizes;
  for (const std::size_t count : {4UL, 8UL, 16UL, 100UL, 4096UL, 9000UL}) counts.push_back(count);
  std::vector<std::optional<Space>> choices{std::nullopt};
  for (const Space space : spaces()) choices.emplace_back(space);
  for (const std::size_t count : counts) {
    for (const std::size_t dimension : {1UL, 31UL, 32UL, 33UL, 65UL, 100UL, 768UL}) {
      if (count * dimension > 1000000) continue;
      const std::vector<float> weights = normal_values(count);
      for (const DataType element : all_elements) {
        if (element != DataType::float32 && (count > 129 || dimension > 100)) continue;
        const auto rows = StoredRows::near(element, normal_values(count * dimension), dimension);
        std::vector<float> reversed(count * dimension);
        std::vector<const float*> pointers;
        for (std::size_t row = 0; row < count; ++row) {
          float* to = reversed.data() + (count - 1 - row) * dimension;
          std::ranges::copy(rows.row(row), to);
          pointers.push_back(to);
        }
        const auto expected = bits(count == 0 ? std::vector<float>(dimension)
                                              : Reference::weighted_average(rows.floats, weights));
        for (const auto& space : choices) {
          SCOPED_TRACE(described(element, count, "x", dimension));
          ASSERT_EQ(bits(weighted_average(context(), rows.span(), weights, {space})), expected);
          ASSERT_EQ(bits(weighted_average(context(), pointers, dimension, weights, {space})),
                    expected)
              << "by pointers";
        }
      }
    }
  }
}

TEST(WeightedAverage, IsZeroWithoutWeightsAndPropagatesNaN) {
  const std::vector<float> rows{1.0F, infinity, 3.0F, quiet_nan, 1.0F, -infinity};
  for (const Space space : spaces()) {
    const auto average = [&](const std::vector<float>& weights) {
      return weighted_average(context(), VectorSpan(rows, 3), weights, {space});
    };
    EXPECT_EQ(average({2.0F, -2.0F}), (std::vector<float>{0.0F, 0.0F, 0.0F}));
    EXPECT_EQ(bits(average({1.0F, 1.0F})),
              bits(std::vector<float>{quiet_nan, infinity, -infinity}));
  }
}

}  // namespace VectorFunctionsTest

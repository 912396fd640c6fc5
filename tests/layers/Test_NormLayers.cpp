// SPDX-License-Identifier: Apache-2.0
#include "LayerCases.hpp"

namespace Kindred::Testing::Layers::NormLayersTest {

TEST(NormLayers, MatchReferenceBitForBitAtEveryShape) {
  auto generator = Testing::generator("NormLayers shapes");
  std::vector<std::pair<std::size_t, std::size_t>> shapes{{0, 5}};
  for (std::size_t n = 1; n <= 130; ++n) shapes.emplace_back(1 + n % 5, n);
  for (const std::size_t n : {255, 256, 768, 1000, 1024, 4088, 4095, 4096, 4097, 8192, 12296})
    shapes.emplace_back(3, n);
  for (const std::size_t n : {1, 8, 40, 64, 1024}) shapes.emplace_back(1000, n);
  std::vector<NormCase> cases;
  for (const auto& [rows, n] : shapes) {
    for (const DataType in : float_elements) {
      const DataType out = any_element(generator);
      const LayerActivation activation = all_activations[generator() % 3];
      cases.push_back(norm_case(generator, in, out, rows, n, activation));
      if (generator() % 4 == 0)
        cases.back().x = random_matrix(generator, in, rows, n, 100, generator() % 2 * 8, 2);
    }
  }
  expect_reference(cases);
  cases.clear();
  expect_reference(cases);
}

/// Rows of every magnitude, and with infinities and NaN.
Matrix hard_rows(DataType element, std::size_t n, std::mt19937_64& generator) {
  const float most = element == float16 ? 65504.0F : 3.3e38F;
  const float least = element == float16 ? 6e-8F : 1e-40F;
  const std::vector<float> normal = normal_values(generator, 20 * n);
  return Matrix::of(element, 20, n, [&](std::size_t row, std::size_t column) {
    const float value = normal[row * n + column];
    const bool is_first = column == 0, is_last = column + 1 == n;
    const float values[] = {0.0F,
                            -0.0F,
                            column % 2 == 0 ? most : -most,
                            most,
                            column % 3 == 0 ? least : -least,
                            is_last ? not_a_number : value,
                            is_first ? infinity : value,
                            is_last ? -infinity : value,
                            is_first  ? infinity
                            : is_last ? -infinity
                                      : value,
                            10000.0F + value,  // cancels
                            is_first ? most : value,
                            is_last ? most / 2 : 1.0F,
                            65000.0F + static_cast<float>(column % 2),
                            is_first ? 1.0F : 1.0F + 0x1p-10F,
                            std::ldexp(value, static_cast<int>(column % 20) - 10),
                            is_first ? not_a_number : value,
                            5.0F};
    return row < std::size(values) ? values[row] : 1000 * value;
  });
}

TEST(NormLayers, MatchReferenceForDifficultNumbers) {
  auto generator = Testing::generator("NormLayers hard");
  std::vector<NormCase> cases;
  for (const std::size_t n : {1UL, 2UL, 33UL, 64UL, 128UL, 4104UL}) {
    for (const DataType element : float_elements) {
      for (const LayerActivation activation : all_activations) {
        NormCase& one =
            cases.emplace_back(norm_case(generator, element, element, 20, n, activation));
        one.x = hard_rows(element, n, generator);
        one.epsilon = activation == relu ? 1.2e-38F : 1e-5F;
        if (activation == none) continue;
        one.gamma = normal_values(generator, n);
        one.beta = normal_values(generator, n);
        one.gamma[n / 2] = not_a_number;
        one.beta[n / 3] = infinity;
        one.gamma[n / 3] = -infinity;
        one.gamma[0] = 1e38F;
      }
    }
  }
  expect_reference(cases);
}

TEST(NormLayers, AreAsAccurateAsDocumented) {
  auto generator = Testing::generator("NormLayers accuracy");
  for (const float mean : {0.0F, 3.0F, 1e4F, 1e7F}) {
    for (const float size : {1.0F, 1e-3F, 1e6F}) {
      const std::size_t n = 1000;
      std::vector<NormCase> cases{norm_case(generator, float32, float32, 1, n, gelu)};
      NormCase& one = cases[0];
      one.x = random_matrix(generator, float32, 1, n, mean * size, 0, size);
      one.gamma = normal_values(generator, n);
      one.beta = normal_values(generator, n);
      const std::vector<float> values = one.x.row(0);
      expect_reference(cases);
      long double sum = 0;
      for (const float value : values) sum += value;
      const long double exact_mean = sum / n;
      long double squares = 0;
      for (const float value : values) squares += (value - exact_mean) * (value - exact_mean);
      const long double variance = squares / n;
      const long double deviation = std::sqrt(variance + 1e-5L);
      EXPECT_LE(std::abs(one.variance[0] - variance), 0x1p-23L * variance);
      EXPECT_LE(std::abs(one.mean[0] - exact_mean), 0x1p-23L * std::abs(exact_mean) + 1e-12L);
      for (std::size_t i = 0; i < n; ++i) {
        const long double normal = (values[i] - exact_mean) / deviation;
        const long double g = normal * one.gamma[i] + one.beta[i];
        const long double exact = 0.5L * g * std::erfc(-g / std::sqrt(2.0L));
        // docs/internals/layers.md
        const long double allowed =
            1.13L * (std::abs(one.gamma[i]) * (0x1p-21L * std::abs(normal) +
                                               0x1p-46L * std::abs(exact_mean) / deviation) +
                     0x1p-24L * std::abs(g)) +
            0x1p-23L * std::abs(g);
        ASSERT_LE(std::abs(one.y.at(0, i) - exact), allowed) << mean << ", " << size << ", " << i;
      }
    }
  }
}

TEST(NormLayers, WorkInPlace) {
  auto generator = Testing::generator("NormLayers in place");
  for (const Space space : spaces()) {
    for (const DataType element : float_elements) {
      for (const std::size_t n : {7UL, 64UL, 4200UL}) {
        NormCase one = norm_case(generator, element, element, 5, n, gelu);
        one.y = one.x;
        NormCase in_place = one;
        NormLayer layer = in_place.forward();
        layer.y = in_place.x.view();
        run(layer, {space});
        in_place.y = std::exchange(in_place.x, one.x);
        EXPECT_EQ(in_place.results(), reference_of(one).results()) << to_string(space);
      }
    }
  }
}

TEST(NormLayers, WriteLargeResultsAtAnyAlignment) {
  auto generator = Testing::generator("NormLayers.Large");
  const std::size_t rows = 1500, columns = 3001;  // 18 MB, with no row aligned to a cache line
  std::vector<float> x(rows * columns);
  std::normal_distribution<float> normal;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i < 100000 ? normal(generator) : x[i % 99991];
  on_hosts([&](const auto&, Space space) {
    std::vector<float> expected = x;  // in place, which does not bypass the caches
    std::vector<float> y(x.size() + 2, -7);
    NormLayer layer;
    layer.x = matrix_array(std::span<const float>(expected), rows, columns);
    layer.y = matrix_array(std::span(expected), rows, columns);
    run(layer, {space});
    layer.x = matrix_array(std::span<const float>(x), rows, columns);
    layer.y = matrix_array(std::span(y).subspan(1, x.size()), rows, columns);
    run(layer, {space});
    EXPECT_EQ(y.front(), -7);
    EXPECT_EQ(y.back(), -7);
    EXPECT_TRUE(std::memcmp(y.data() + 1, expected.data(), 4 * x.size()) == 0);
  });
}

}  // namespace Kindred::Testing::Layers::NormLayersTest

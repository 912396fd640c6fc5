// SPDX-License-Identifier: Apache-2.0
#include "LayerCases.hpp"

namespace Kindred::Testing::Layers::NormGradientsTest {

/// Compares with double; ReLU is discontinuous where h is 0, which no random h is.
void expect_accurate(const NormCase& one, const std::string& where) {
  const std::size_t n = one.x.columns;
  const auto columns = static_cast<double>(n);
  const Doubles gamma = one.gamma.empty() ? Doubles(n, 1.0) : wide(one.gamma);
  const Doubles beta = one.beta.empty() ? Doubles(n, 0.0) : wide(one.beta);
  Doubles dgamma(n), dbeta(n), size(n), normal(n), b(n);
  for (std::size_t row = 0; row < one.x.rows; ++row) {
    const std::vector<float> x = one.x.row(row);
    double mean = 0, variance = 0, s = 0, t = 0, most = 0;
    for (const float value : x) mean += value / columns;
    for (const float value : x) variance += (value - mean) * (value - mean) / columns;
    const double factor = 1 / std::sqrt(variance + static_cast<double>(one.epsilon));
    for (std::size_t c = 0; c < n; ++c) {
      normal[c] = (x[c] - mean) * factor;
      // The gradient with respect to the argument of the activation.
      const double a =
          one.gradient.at(row, c) * derivative(one.activation, normal[c] * gamma[c] + beta[c]);
      const double weight = 1 + std::abs(normal[c]);
      b[c] = a * gamma[c];
      s += b[c] / columns;
      t += b[c] * normal[c] / columns;
      most = std::max(most, std::abs(b[c]) * weight);
      dgamma[c] += a * normal[c];
      dbeta[c] += a;
      size[c] += std::abs(a) * weight;
    }
    for (std::size_t c = 0; c < n; ++c) {
      const double expected = (b[c] - s - normal[c] * t) * factor;
      const double allowed = 2e-6 * most * factor * (1 + std::abs(normal[c])) +
                             2 * roundoff(one.x.element) * std::abs(expected) + 1e-7;
      ASSERT_NEAR(one.dx.at(row, c), expected, allowed) << where << ", row " << row << ", " << c;
    }
  }
  for (std::size_t c = 0; c < n; ++c) {
    ASSERT_NEAR(one.dgamma[c], dgamma[c], 2e-6 * size[c] + 1e-7) << where << ", column " << c;
    ASSERT_NEAR(one.dbeta[c], dbeta[c], 2e-6 * size[c] + 1e-7) << where << ", column " << c;
  }
}

TEST(NormGradients, AreAccurateAndTheSameBitsOnEverySpace) {
  auto generator = Testing::generator("NormGradients.shapes");
  const std::vector<std::pair<std::size_t, std::size_t>> shapes{
      {1, 1},  {2, 2},   {3, 3},    {1, 31},   {33, 32},  {5, 33},   {2, 63},  {31, 64},
      {4, 65}, {7, 127}, {300, 20}, {9000, 3}, {2, 4096}, {2, 4097}, {3, 9000}};
  for (const auto& [rows, columns] : shapes) {
    for (const DataType in : float_elements) {
      for (const LayerActivation activation : all_activations) {
        const DataType out = generator() % 2 == 0 ? in : any_element(generator);
        NormCase one = norm_case(generator, in, out, rows, columns, activation);
        run(one.backward(), {spaces()[0]});
        expect_accurate(one, one.name());
        if (HasFatalFailure()) return;
        ASSERT_TRUE(one.dx.has_gaps_untouched()) << one.name();
        const auto first = one.results();
        for (const Space space : spaces()) {
          run(one.backward(), {space});
          ASSERT_TRUE(one.results() == first) << one.name() << " on " << to_string(space);
        }
      }
    }
  }
}

TEST(NormGradients, WorkInPlaceOfTheGradient) {
  auto generator = Testing::generator("NormGradients.place");
  for (const DataType element : float_elements) {
    NormCase one = norm_case(generator, element, element, 40, 70, gelu);
    one.dx = one.gradient;  // of the same layout
    for (const Space space : spaces()) {
      NormCase apart = one, same = one;
      run(apart.backward(), {space});
      NormGradient layer = same.backward();
      layer.dx = same.gradient.view();
      run(layer, {space});
      same.dx = same.gradient;
      EXPECT_EQ(same.results(), apart.results());
    }
  }
}

TEST(NormGradients, OfARowWithNaNOrInfinityAreNaN) {
  auto generator = Testing::generator("NormGradients.nan");
  NormCase one = norm_case(generator, float32, float32, 4, 40, relu);
  one.x.set(1, 3, not_a_number);
  one.x.set(2, 39, infinity);
  for (const Space space : spaces()) {
    run(one.backward(), {space});
    for (std::size_t c = 0; c < 40; ++c) {
      EXPECT_EQ(one.dx.bits(1, c), 0x7FC00000U);
      EXPECT_EQ(one.dx.bits(2, c), 0x7FC00000U);
      EXPECT_FALSE(std::isnan(one.dx.at(0, c)) || std::isnan(one.dx.at(3, c)));
      EXPECT_EQ(bits(one.dgamma)[c], 0x7FC00000U);
    }
  }
}

TEST(NormGradients, OfLargeMeansAndConstantRowsAreFinite) {
  auto generator = Testing::generator("NormGradients.difficult");
  NormCase one = norm_case(generator, float32, float32, 3, 50, gelu);
  for (std::size_t c = 0; c < 50; ++c) {
    one.x.set(0, c, 7.0F);
    one.x.set(1, c, 1e6F + static_cast<float>(c));
    one.x.set(2, c, c % 2 == 0 ? 3e38F : -3e38F);
  }
  for (const Space space : spaces()) {
    run(one.backward(), {space});
    expect_accurate(one, std::string(to_string(space)));
  }
}

}  // namespace Kindred::Testing::Layers::NormGradientsTest

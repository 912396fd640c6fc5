// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_LAYERS_LAYER_CASES_HPP
#define KINDRED_TESTS_LAYERS_LAYER_CASES_HPP

#include <gtest/gtest.h>
#include <kindred/matcher/FusedLayers.hpp>

#include <cmath>
#include <numbers>
#include <span>
#include <tuple>
#include <utility>

#include "LayerData.hpp"
#include "Support.hpp"

namespace Kindred::Testing::Layers {

using Testing::context;

using Doubles = std::vector<double>;

inline double applied(LayerActivation activation, double z) {
  if (activation == relu) return z > 0 ? z : 0;
  return activation == gelu ? z * std::erfc(-z / std::numbers::sqrt2) / 2 : z;
}
inline double derivative(LayerActivation activation, double z) {
  if (activation == none) return 1;
  if (activation == relu) return z > 0 ? 1 : 0;
  return std::erfc(-z / std::numbers::sqrt2) / 2 +
         z * std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
}
/// The unit roundoff of an element type.
inline double roundoff(DataType element) {
  if (element == float16) return 0x1p-11;
  return element == bfloat16 ? 0x1p-8 : 0x1p-24;
}

/// The derivatives of \p loss with respect to every number of \p arrays, by central differences.
template <class Loss>
std::vector<Doubles> differences(std::vector<Doubles> arrays, const Loss& loss) {
  constexpr double h = 1e-5;
  std::vector<Doubles> slopes;
  for (Doubles& array : arrays) {
    slopes.emplace_back();
    for (double& number : array) {
      const double given = std::exchange(number, number + h);
      const double above = loss(arrays);
      number = given - h;
      slopes.back().push_back((above - loss(arrays)) / (2 * h));
      number = given;
    }
  }
  return slopes;
}
inline void expect_near(const Doubles& got, const Doubles& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-5) << i;
}
inline Doubles wide(const std::vector<float>& values) { return {values.begin(), values.end()}; }

template <class Layer>
void run(const Layer& layer, const LayerOptions& options) {
  run_layers(context(), std::span(&layer, 1), options);
}

/// A layer, and all arrays that its passes point to.
struct NormCase {
  Matrix x, y, gradient, dx;
  std::vector<float> gamma, beta, mean, variance, dgamma, dbeta;
  float epsilon = 1e-5F;
  LayerActivation activation = gelu;

  NormLayer forward() {
    return {std::as_const(x).view(), y.view(), gamma, beta, mean, variance, epsilon, activation};
  }
  NormGradient backward() {
    return {std::as_const(x).view(),
            std::as_const(gradient).view(),
            dx.view(),
            gamma,
            beta,
            dgamma,
            dbeta,
            epsilon,
            activation};
  }
  auto results() const {
    return std::tuple(y.bytes(), bits(mean), bits(variance), dx.bytes(), bits(dgamma), bits(dbeta));
  }
  std::string name() const {
    return std::to_string(x.rows()) + " × " + std::to_string(x.columns()) + " of " +
           std::string(to_string(x.element())) + " to " + std::string(to_string(y.element())) +
           ", " + name_of(activation);
  }
};

/// \param gaps the gaps between rows are smaller: 1: none
inline NormCase norm_case(std::mt19937_64& generator, DataType in, DataType out, std::size_t rows,
                          std::size_t columns, LayerActivation activation, std::size_t gaps = 3) {
  NormCase one;
  one.x = random_matrix(generator, in, rows, columns, 0.5F, generator() % gaps);
  one.y = Matrix(out, rows, columns, columns + generator() % gaps);
  one.gradient = random_matrix(generator, out, rows, columns, 0.1F, generator() % gaps);
  one.dx = Matrix(in, rows, columns, columns + generator() % gaps);
  if (generator() % 4 != 0) one.gamma = normal_values(generator, columns, 0.5F, 1);
  if (generator() % 4 != 0) one.beta = normal_values(generator, columns, 0.5F);
  one.mean.assign(rows, -7.0F);
  one.variance.assign(rows, -7.0F);
  one.dgamma.resize(columns);
  one.dbeta.resize(columns);
  one.activation = activation;
  return one;
}

/// A layer, and all arrays that its passes point to.
struct LinearCase {
  Matrix x, w, y, gradient, dx, dw;
  std::vector<float> bias, dbias;
  LayerActivation activation = none;

  LinearLayer forward() {
    return {std::as_const(x).view(), std::as_const(w).view(), bias, y.view(), activation};
  }
  LinearGradient backward() {
    return {std::as_const(x).view(),
            std::as_const(w).view(),
            bias,
            std::as_const(gradient).view(),
            dx.view(),
            dw.view(),
            dbias,
            activation};
  }
  auto results() const { return std::tuple(y.bytes(), dx.bytes(), dw.bytes(), bits(dbias)); }
  std::string name() const {
    return std::to_string(x.rows()) + " × " + std::to_string(x.columns()) + " × " +
           std::to_string(w.rows()) + " of " + std::string(to_string(x.element())) + " to " +
           std::string(to_string(y.element())) + ", " + name_of(activation) +
           (bias.empty() ? "" : ", bias");
  }
};

/// \see norm_case
inline LinearCase linear_case(std::mt19937_64& generator, DataType in, DataType out,
                              std::size_t rows, std::size_t inputs, std::size_t outputs,
                              LayerActivation activation, std::size_t gaps = 3) {
  const auto element = [&] { return float_elements[generator() % 3]; };
  LinearCase one;
  one.x = random_matrix(generator, in, rows, inputs, 0, generator() % gaps);
  one.w = random_matrix(generator, in, outputs, inputs, 0, generator() % gaps);
  one.y = Matrix(out, rows, outputs, outputs + generator() % gaps);
  one.gradient = random_matrix(generator, out, rows, outputs, 0, generator() % gaps);
  one.dx = Matrix(element(), rows, inputs, inputs + generator() % gaps);
  one.dw = Matrix(element(), outputs, inputs, inputs + generator() % gaps);
  if (generator() % 4 != 0) one.bias = normal_values(generator, outputs);
  one.dbias.resize(outputs);
  one.activation = activation;
  return one;
}

}  // namespace Kindred::Testing::Layers

#endif  // KINDRED_TESTS_LAYERS_LAYER_CASES_HPP

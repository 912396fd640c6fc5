// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_LAYERS_LAYER_CASES_HPP
#define KINDRED_TESTS_LAYERS_LAYER_CASES_HPP

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>
#include <tuple>

#include "LayerData.hpp"

namespace Kindred::Testing::Layers {

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

inline Doubles wide(const std::vector<float>& values) { return {values.begin(), values.end()}; }

template <class Layer>
void run(const Layer& layer, const LayerOptions& options) {
  run_layers(context(), std::span(&layer, 1), options);
}
/// The forward passes of all \p cases in one call.
template <class Case>
void run_all(std::vector<Case>& cases, const LayerOptions& options) {
  std::vector<decltype(cases[0].forward())> layers;
  for (Case& one : cases) layers.push_back(one.forward());
  run_layers(context(), layers, options);
}

/// A layer, and all arrays that its passes point to.
struct NormCase {
  Matrix x, y, gradient, dx;
  std::vector<float> gamma, beta, mean, variance, dgamma, dbeta;
  float epsilon = 1e-5F;
  LayerActivation activation = gelu;

  NormLayer forward() {
    return {x.view(), y.view(), gamma, beta, mean, variance, epsilon, activation};
  }
  NormGradient backward() {
    return {x.view(), gradient.view(), dx.view(), gamma, beta, dgamma, dbeta, epsilon, activation};
  }
  auto results() const {
    return std::tuple(y.bytes, bits(mean), bits(variance), dx.bytes, bits(dgamma), bits(dbeta));
  }
  std::string name() const {
    return described(x.rows, "×", x.columns, "of", x.element, "to", y.element, name_of(activation));
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

inline DataType any_element(std::mt19937_64& generator) { return float_elements[generator() % 3]; }

/// A layer, and all arrays that its passes point to.
struct LinearCase {
  Matrix x, w, y, gradient, dx, dw;
  std::vector<float> bias, dbias;
  LayerActivation activation = none;

  LinearLayer forward() { return {x.view(), w.view(), bias, y.view(), activation}; }
  LinearGradient backward() {
    return {x.view(), w.view(), bias, gradient.view(), dx.view(), dw.view(), dbias, activation};
  }
  auto results() const { return std::tuple(y.bytes, dx.bytes, dw.bytes, bits(dbias)); }
  std::string name() const {
    return described(x.rows, "×", x.columns, "×", w.rows, "of", x.element, "to", y.element,
                     name_of(activation), bias.empty() ? "" : "bias");
  }
};

struct LinearShape {
  std::size_t rows, inputs, outputs;
};
/// \see norm_case
inline LinearCase linear_case(std::mt19937_64& generator, DataType in, DataType out,
                              const LinearShape& shape, LayerActivation activation,
                              std::size_t gaps = 3) {
  const auto& [rows, inputs, outputs] = shape;
  LinearCase one;
  one.x = random_matrix(generator, in, rows, inputs, 0, generator() % gaps);
  one.w = random_matrix(generator, in, outputs, inputs, 0, generator() % gaps);
  one.y = Matrix(out, rows, outputs, outputs + generator() % gaps);
  one.gradient = random_matrix(generator, out, rows, outputs, 0, generator() % gaps);
  one.dx = Matrix(any_element(generator), rows, inputs, inputs + generator() % gaps);
  one.dw = Matrix(any_element(generator), outputs, inputs, inputs + generator() % gaps);
  if (generator() % 4 != 0) one.bias = normal_values(generator, outputs);
  one.dbias.resize(outputs);
  one.activation = activation;
  return one;
}

inline LinearCase any_linear(std::mt19937_64& generator, const LinearShape& shape) {
  const DataType in = any_element(generator), out = any_element(generator);
  return linear_case(generator, in, out, shape, all_activations[generator() % 3]);
}

/// The case with what `Reference` computes in a forward pass.
inline NormCase reference_of(NormCase one) {
  one.y = one.y.unwritten();
  for (std::size_t r = 0; r < one.x.rows; ++r) {
    const auto row =
        Reference::norm_row(one.x.row(r), one.gamma, one.beta, one.epsilon, one.activation);
    one.mean[r] = row.mean;
    one.variance[r] = row.variance;
    for (std::size_t c = 0; c < row.y.size(); ++c) one.y.set(r, c, row.y[c]);
  }
  return one;
}
inline LinearCase reference_of(LinearCase one) {
  one.y = one.y.unwritten();
  for (std::size_t o = 0; o < one.w.rows; ++o) {
    const auto w = one.w.row(o);
    const float bias = one.bias.empty() ? 0 : one.bias[o];
    for (std::size_t r = 0; r < one.x.rows; ++r)
      one.y.set(r, o, Reference::linear(one.x.row(r), w, bias, one.activation));
  }
  return one;
}
/// Makes all forward passes in one call on every space.
template <class Case>
void expect_reference(std::vector<Case>& cases, bool reproducible = true) {
  std::vector<decltype(cases[0].results())> expected;
  for (const Case& one : cases) expected.push_back(reference_of(one).results());
  for (const Space space : spaces()) {
    run_all(cases, {space, reproducible});
    for (std::size_t i = 0; i < cases.size(); ++i)
      ASSERT_TRUE(cases[i].results() == expected[i]) << cases[i].name() << ", " << to_string(space);
  }
}

}  // namespace Kindred::Testing::Layers

#endif  // KINDRED_TESTS_LAYERS_LAYER_CASES_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_LAYERS_GRADIENT_CASES_HPP
#define KINDRED_TESTS_LAYERS_GRADIENT_CASES_HPP

#include <kindred/matcher/FusedLayers.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "LayerData.hpp"
#include "Support.hpp"

namespace Kindred::Testing::Gradients {

using Doubles = std::vector<double>;

inline double applied(LayerActivation activation, double z) {
  if (activation == LayerActivation::relu) return z > 0 ? z : 0;
  return activation == LayerActivation::gelu ? z * std::erfc(-z / std::numbers::sqrt2) / 2 : z;
}
inline double derivative(LayerActivation activation, double z) {
  if (activation == LayerActivation::none) return 1;
  if (activation == LayerActivation::relu) return z > 0 ? 1 : 0;
  return std::erfc(-z / std::numbers::sqrt2) / 2 +
         z * std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
}
/// The unit roundoff of an element type.
inline double roundoff(DataType element) {
  if (element == DataType::float16) return 0x1p-11;
  return element == DataType::bfloat16 ? 0x1p-8 : 0x1p-24;
}

inline Matrix random_matrix(std::mt19937_64& generator, DataType element, std::size_t rows,
                            std::size_t columns, float mean = 0, std::size_t gap = 0) {
  const auto values = Testing::normal_values(generator, rows * columns, 1, mean);
  return Matrix::of(
      element, rows, columns, [&](std::size_t r, std::size_t c) { return values[r * columns + c]; },
      columns + gap);
}

/// A backward pass and all arrays that it points to.
struct NormCase {
  Matrix x, gradient, dx;
  std::vector<float> gamma, beta, dgamma, dbeta;
  float epsilon = 1e-5F;
  LayerActivation activation = LayerActivation::gelu;

  NormGradient layer() {
    NormGradient layer;
    layer.x = std::as_const(x).view();
    layer.gradient = std::as_const(gradient).view();
    layer.dx = dx.view();
    layer.gamma = gamma;
    layer.beta = beta;
    layer.dgamma = dgamma;
    layer.dbeta = dbeta;
    layer.epsilon = epsilon;
    layer.activation = activation;
    return layer;
  }
};

inline NormCase norm_case(std::mt19937_64& generator, DataType in, DataType out, std::size_t rows,
                          std::size_t columns, LayerActivation activation) {
  NormCase one;
  one.x = random_matrix(generator, in, rows, columns, 0.5F, generator() % 3);
  one.gradient = random_matrix(generator, out, rows, columns, 0.1F, generator() % 3);
  one.dx = Matrix(in, rows, columns, columns + generator() % 3);
  if (generator() % 4 != 0) one.gamma = Testing::normal_values(generator, columns, 0.5F, 1);
  if (generator() % 4 != 0) one.beta = Testing::normal_values(generator, columns, 0.5F);
  one.dgamma.resize(columns);
  one.dbeta.resize(columns);
  one.activation = activation;
  return one;
}

struct NormResult {
  std::vector<std::byte> dx;
  std::vector<std::uint32_t> dgamma, dbeta;
  friend bool operator==(const NormResult&, const NormResult&) = default;
};
inline std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> out;
  for (const float value : values) out.push_back(std::bit_cast<std::uint32_t>(value));
  return out;
}
inline NormResult run(NormCase& one, Space space) {
  const NormGradient layer = one.layer();
  run_layers(context(), std::span(&layer, 1), {space});
  return {one.dx.bytes(), bits(one.dgamma), bits(one.dbeta)};
}

struct LinearCase {
  Matrix x, w, gradient, dx, dw;
  std::vector<float> bias, dbias;
  LayerActivation activation = LayerActivation::none;

  LinearGradient layer() {
    LinearGradient layer;
    layer.x = std::as_const(x).view();
    layer.w = std::as_const(w).view();
    layer.bias = bias;
    layer.gradient = std::as_const(gradient).view();
    layer.dx = dx.view();
    layer.dw = dw.view();
    layer.dbias = dbias;
    layer.activation = activation;
    return layer;
  }
};

inline LinearCase linear_case(std::mt19937_64& generator, DataType in, DataType out,
                              std::size_t rows, std::size_t inputs, std::size_t outputs,
                              LayerActivation activation) {
  LinearCase one;
  one.x = random_matrix(generator, in, rows, inputs, 0, generator() % 3);
  one.w = random_matrix(generator, in, outputs, inputs, 0, generator() % 3);
  one.gradient = random_matrix(generator, out, rows, outputs, 0, generator() % 3);
  one.dx = Matrix(Testing::float_elements[generator() % 3], rows, inputs, inputs + generator() % 3);
  one.dw =
      Matrix(Testing::float_elements[generator() % 3], outputs, inputs, inputs + generator() % 3);
  if (generator() % 4 != 0) one.bias = Testing::normal_values(generator, outputs);
  one.dbias.resize(outputs);
  one.activation = activation;
  return one;
}

struct LinearResult {
  std::vector<std::byte> dx, dw;
  std::vector<std::uint32_t> dbias;
  friend bool operator==(const LinearResult&, const LinearResult&) = default;
};
inline LinearResult run(LinearCase& one, Space space, bool reproducible) {
  const LinearGradient layer = one.layer();
  run_layers(context(), std::span(&layer, 1), {space, reproducible});
  return {one.dx.bytes(), one.dw.bytes(), bits(one.dbias)};
}

}  // namespace Kindred::Testing::Gradients

#endif  // KINDRED_TESTS_LAYERS_GRADIENT_CASES_HPP

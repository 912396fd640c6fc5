// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/math/Gelu.hpp>
#include <kindred/reference/Reference.hpp>

#include <cmath>
#include <limits>

#include "Canonical.hpp"

namespace Kindred::Reference {

namespace {

float apply_activation(LayerActivation activation, float x) {
  // The bits of GELU are defined by its implementation; its error and its bits have their own test.
  if (activation == LayerActivation::gelu) return canonical(portable_gelu(x));
  if (activation == LayerActivation::relu && x < 0.0F) return 0.0F;
  return canonical(x);
}

}  // namespace

NormRow norm_row(Floats x, Floats gamma, Floats beta, float epsilon, LayerActivation activation) {
  std::vector<double> differences;
  std::vector<double> squares;
  for (const float value : x) {
    differences.push_back(static_cast<double>(value) - static_cast<double>(x[0]));
    squares.push_back(differences.back() * differences.back());
  }
  const auto count = static_cast<double>(x.size());
  const double offset = reproducible_sum(differences) / count;
  const double mean = static_cast<double>(x[0]) + offset;
  double variance = reproducible_sum(squares) / count - offset * offset;
  if (variance < 0.0) variance = 0.0;
  NormRow row;
  if (!std::isfinite(variance)) {
    row.mean = row.variance = std::numeric_limits<float>::quiet_NaN();
    row.y.assign(x.size(), row.mean);
    return row;
  }
  row.mean = static_cast<float>(mean);
  row.variance = static_cast<float>(variance);
  const double deviation = std::sqrt(variance + static_cast<double>(epsilon));
  int exponent = std::ilogb(deviation);
  if (mean != 0.0 && std::ilogb(mean) - 100 > exponent) exponent = std::ilogb(mean) - 100;
  const auto scale = static_cast<float>(std::ldexp(1.0, -exponent));
  const auto high = static_cast<float>(std::ldexp(mean, -exponent));
  const double wide_factor = std::ldexp(1.0, exponent) / deviation;
  const auto low =
      static_cast<float>((std::ldexp(mean, -exponent) - static_cast<double>(high)) * wide_factor);
  const auto factor = static_cast<float>(wide_factor);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float normal = std::fma(std::fma(x[i], scale, -high), factor, -low);
    const float value =
        std::fma(normal, gamma.empty() ? 1.0F : gamma[i], beta.empty() ? 0.0F : beta[i]);
    row.y.push_back(apply_activation(activation, value));
  }
  return row;
}

float linear(Floats x, Floats w, float bias, LayerActivation activation) {
  return apply_activation(activation, static_cast<float>(dot(x, w) + static_cast<double>(bias)));
}

}  // namespace Kindred::Reference

// SPDX-License-Identifier: Apache-2.0
#include "common/MedianInterval.hpp"

#include <algorithm>
#include <cmath>

namespace Kindred::Perf {

namespace {

/// How many of \p count values lie outside of the interval at either end.
std::size_t values_outside(std::size_t count, double error) {
  double probability = std::ldexp(1.0, -static_cast<int>(count));  // that i of them lie below it
  double sum = probability;
  std::size_t outside = 0;
  for (std::size_t i = 1; 2 * sum <= error && i < count; ++i) {
    outside = i - 1;
    probability *= static_cast<double>(count - i + 1) / static_cast<double>(i);
    sum += probability;
  }
  return outside;
}

}  // namespace

MedianInterval median_interval(std::vector<double> values, double error) {
  std::sort(values.begin(), values.end());
  const std::size_t count = values.size();
  const double median = (values[(count - 1) / 2] + values[count / 2]) / 2;
  const std::size_t outside = values_outside(count, error);
  return {median, values[outside], values[count - 1 - outside]};
}

std::size_t values_needed(double error) {
  return static_cast<std::size_t>(std::ceil(1 - std::log2(error)));
}

}  // namespace Kindred::Perf

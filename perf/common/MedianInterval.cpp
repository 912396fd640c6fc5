// SPDX-License-Identifier: Apache-2.0
#include "common/MedianInterval.hpp"

#include <algorithm>
#include <cmath>

namespace Kindred::Perf {

namespace {

/// The probability that at most \p few of \p count values lie on one side of the median.
double probability_of(std::size_t few, std::size_t count) {
  double probability = std::ldexp(1.0, -static_cast<int>(count));  // of i values there
  double sum = probability;
  for (std::size_t i = 1; i <= few; ++i) {
    probability *= static_cast<double>(count - i + 1) / static_cast<double>(i);
    sum += probability;
  }
  return sum;
}

/// How many of \p count values lie outside of the interval at either end.
std::size_t values_outside(std::size_t count, double error) {
  std::size_t outside = 0;
  while (2 * (outside + 1) < count && 2 * probability_of(outside + 1, count) <= error) ++outside;
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

std::size_t values_needed(double error, std::size_t outside) {
  std::size_t count = 2 * outside + 1;
  while (2 * probability_of(outside, count) > error) ++count;
  return count;
}

}  // namespace Kindred::Perf

// SPDX-License-Identifier: Apache-2.0
#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <bit>

namespace Kindred::Reference {

double pairwise_tree_sum(std::vector<double> values) {
  if (values.empty()) return 0.0;
  values.resize(std::bit_ceil(values.size()), 0.0);
  for (std::size_t half = values.size() / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) values[i] += values[i + half];
  }
  return values[0];
}

namespace {

constexpr std::size_t block_size = 4096;
constexpr std::size_t lane_count = 32;

double block_sum(Doubles terms) {
  std::vector<double> lanes(lane_count, 0.0);
  for (std::size_t i = 0; i < terms.size(); ++i) lanes[i % lane_count] += terms[i];
  return pairwise_tree_sum(lanes);
}

}  // namespace

double reproducible_sum(Doubles terms) {
  std::vector<double> sums;
  for (std::size_t begin = 0; begin < terms.size(); begin += block_size)
    sums.push_back(block_sum(terms.subspan(begin, std::min(block_size, terms.size() - begin))));
  return pairwise_tree_sum(sums);
}

double dot(Floats a, Floats b) {
  std::vector<double> terms(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    terms[i] = static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return reproducible_sum(terms);
}

double squared_difference(Floats a, Floats b) {
  std::vector<double> terms(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    terms[i] = difference * difference;
  }
  return reproducible_sum(terms);
}

}  // namespace Kindred::Reference

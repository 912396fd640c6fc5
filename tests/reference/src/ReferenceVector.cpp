// SPDX-License-Identifier: Apache-2.0
#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "Canonical.hpp"

namespace Kindred::Reference {

namespace {

double unrounded_score(Metric metric, Floats query, Floats row) {
  if (metric == Metric::ip) return dot(query, row);
  if (metric == Metric::l2) return std::sqrt(squared_difference(query, row));
  const double query_squared = dot(query, query);
  const double row_squared = dot(row, row);
  if (query_squared == 0.0 || row_squared == 0.0) return 0.0;
  const double cosine = dot(query, row) / (std::sqrt(query_squared) * std::sqrt(row_squared));
  if (cosine > 1.0) return 1.0;
  if (cosine < -1.0) return -1.0;
  return cosine;
}

Better better_of(Metric metric) { return metric == Metric::l2 ? Better::smaller : Better::larger; }

/// As float32; a zero is +0.
float rounded_once(double value) {
  const auto rounded = static_cast<float>(value);
  return rounded == 0.0F ? 0.0F : canonical(rounded);
}

}  // namespace

float score(Metric metric, Floats query, Floats row) {
  return rounded_once(unrounded_score(metric, query, row));
}

float cosine_sigmoid(Floats query, Floats row, double threshold, double temperature) {
  const double z = (static_cast<double>(score(Metric::cosine, query, row)) - threshold) /
                   std::max(temperature, 0.05);
  const double value = z < 0.0 ? std::exp(z) / (1.0 + std::exp(z)) : 1.0 / (1.0 + std::exp(-z));
  return canonical(static_cast<float>(value));
}

std::vector<float> weighted_average(Floats rows, Floats weights) {
  const std::size_t dimension = weights.empty() ? 0 : rows.size() / weights.size();
  const std::vector<double> wide(weights.begin(), weights.end());
  const double total = reproducible_sum(wide);
  std::vector<float> out(dimension, 0.0F);
  if (total == 0.0) return out;
  for (std::size_t d = 0; d < dimension; ++d) {
    std::vector<double> terms;
    for (std::size_t i = 0; i < weights.size(); ++i)
      terms.push_back(wide[i] * static_cast<double>(rows[i * dimension + d]));
    out[d] = rounded_once(reproducible_sum(terms) / total);
  }
  return out;
}

SearchAnswer search(Metric metric, Floats rows, Floats query, std::size_t top,
                    std::span<const std::uint8_t> filter) {
  std::vector<Item> items;
  for (std::size_t i = 0; i < rows.size() / query.size(); ++i) {
    if (!filter.empty() && filter[i] == 0) continue;
    items.push_back({i, score(metric, query, rows.subspan(i * query.size(), query.size()))});
  }
  constexpr float infinity = std::numeric_limits<float>::infinity();
  SearchAnswer answer;
  answer.ids.assign(top, -1);
  answer.scores.assign(top, metric == Metric::l2 ? infinity : -infinity);
  const std::vector<Item> best = top_k(items, top, better_of(metric));
  for (std::size_t place = 0; place < best.size(); ++place) {
    answer.ids[place] = static_cast<std::int64_t>(best[place].index);
    answer.scores[place] = best[place].score;
  }
  return answer;
}

std::vector<Item> score_candidates(Metric metric, Floats rows, Floats query, Numbers candidates,
                                   std::size_t top) {
  std::vector<Item> items;
  for (const std::uint64_t id : std::set<std::uint64_t>(candidates.begin(), candidates.end()))
    items.push_back({id, score(metric, query, rows.subspan(id * query.size(), query.size()))});
  return top_k(items, top, better_of(metric));
}

}  // namespace Kindred::Reference

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_VECTOR_PREFILTER_CASES_HPP
#define KINDRED_TESTS_VECTOR_PREFILTER_CASES_HPP

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "Support.hpp"
#include "VectorData.hpp"

namespace Kindred::Testing {

/// Rows and queries that are likely to violate a bound.
struct PrefilterCase {
  std::string name;
  std::size_t dimension;
  std::vector<float> rows;
  std::vector<float> queries;
};

/// Values on a grid of 1 / 127 of the largest, each moved by \p part of half a step towards the
/// sign of \p towards, so that the residual is aligned with it.
inline std::vector<float> moved_off_the_grid(std::mt19937_64& generator,
                                             const std::vector<float>& towards, float part) {
  const float step = 1.0F / 64;
  std::vector<float> out;
  for (const float t : towards) {
    const int level = static_cast<int>(generator() % 201) - 100;
    out.push_back(step * (static_cast<float>(level) + std::copysign(0.5F * part, t)));
  }
  out[0] = 127 * step;
  return out;
}

inline void append(std::vector<float>& to, const std::vector<float>& values) {
  to.insert(to.end(), values.begin(), values.end());
}

inline std::vector<float> signs(std::mt19937_64& generator, std::size_t dimension) {
  std::vector<float> out(dimension);
  for (float& value : out) value = generator() % 2 == 0 ? 1.0F : -1.0F;
  return out;
}

inline std::vector<PrefilterCase> prefilter_cases(std::mt19937_64& generator) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<PrefilterCase> cases;
  const auto normal = [&](std::string name, std::size_t rows, std::size_t dimension, float scale) {
    PrefilterCase made{std::move(name), dimension, normal_values(generator, rows * dimension),
                       normal_values(generator, 3 * dimension)};
    for (float& value : made.rows) value *= scale;
    return made;
  };
  for (const std::size_t dimension : {1UL, 3UL, 16UL, 33UL, 64UL, 100UL, 127UL, 768UL})
    cases.push_back(normal("normal " + std::to_string(dimension), 200, dimension, 1));
  {
    PrefilterCase ties = normal("near-ties", 1, 96, 1);
    const std::vector<float> base = ties.rows;
    ties.rows.clear();
    for (int row = 0; row < 300; ++row) {
      std::vector<float> near = base;
      near[generator() % near.size()] *= 1 + static_cast<float>(generator() % 5) * 0x1p-22F;
      append(ties.rows, near);
    }
    append(ties.queries, base);
    cases.push_back(ties);
  }
  {
    PrefilterCase mixed = normal("huge and tiny norms", 240, 40, 1);
    for (std::size_t i = 0; i < mixed.rows.size(); ++i)
      mixed.rows[i] *= std::pow(10.0F, static_cast<float>(i / 40 % 9) * 9 - 36);
    for (std::size_t i = 0; i < 40; ++i) mixed.queries[i] *= 1e30F;
    for (std::size_t i = 40; i < 80; ++i) mixed.queries[i] *= 1e-30F;
    cases.push_back(mixed);
  }
  {
    PrefilterCase huge = normal("scores that overflow", 100, 24, 1e37F);
    for (float& value : huge.queries) value *= 1e37F;
    cases.push_back(huge);
  }
  {
    PrefilterCase cancelled = normal("cancellation", 200, 64, 1e4F);
    for (std::size_t i = 0; i + 1 < cancelled.rows.size(); i += 2)
      cancelled.rows[i + 1] = -cancelled.rows[i] * (1 + 0x1p-20F);
    for (float& value : cancelled.queries) value = 1;
    cases.push_back(cancelled);
  }
  {
    PrefilterCase denormal = normal("denormals", 150, 20, 1e-43F);
    for (std::size_t i = 0; i < 20; ++i) denormal.queries[i] *= 1e-43F;
    denormal.rows[0] = -0.0F;
    cases.push_back(denormal);
  }
  {
    // Residuals aligned with the query, for ip, cosine and the expanded l2.
    PrefilterCase aligned{"aligned with the query", 256, {}, signs(generator, 256)};
    for (int row = 0; row < 200; ++row) {
      std::vector<float> towards = aligned.queries;
      if (row % 2 == 0) {
        for (float& value : towards) value = -value;
      }
      append(aligned.rows, moved_off_the_grid(generator, towards, 0.9999F));
    }
    cases.push_back(aligned);
  }
  {
    // Residuals aligned with the difference, for l2 by the distance of the quantized copies.
    PrefilterCase aligned{"aligned with the difference", 256, {}, {}};
    const float step = 1.0F / 64;
    std::vector<float> query;
    for (std::size_t d = 0; d < 256; ++d)
      query.push_back(step * static_cast<float>(static_cast<int>(generator() % 201) - 100));
    query[0] = 127 * step;
    for (int row = 0; row < 100; ++row) {
      const std::vector<float> way = signs(generator, 256);
      std::vector<float> x = query;
      const float away = static_cast<float>(row % 20) + (row % 2 == 0 ? 0.4999F : -0.4999F);
      for (std::size_t d = 1; d < 256; ++d) x[d] += step * way[d] * away;
      append(aligned.rows, x);
    }
    aligned.queries = query;
    cases.push_back(aligned);
  }
  {
    // Rows that equal their quantized copies; a query between quantization levels.
    PrefilterCase between{"aligned with the query's residual", 512, {}, {}};
    const float step = 1.0F / 16384;
    for (std::size_t d = 0; d < 512; ++d) {
      const int level = static_cast<int>(generator() % 60001) - 30000;
      const float sign = d % 2 == 0 ? 1.0F : -1.0F;
      between.queries.push_back(step * (static_cast<float>(level) + 0.48F * sign));
    }
    between.queries[0] = 32385 * step;
    for (int row = 0; row < 64; ++row) {
      for (std::size_t d = 0; d < 512; ++d) {
        const float sign = d % 2 == 0 ? 1.0F : -1.0F;
        between.rows.push_back(sign * (row % 2 == 0 ? 1.0F : -1.0F) * static_cast<float>(row + 1));
      }
    }
    cases.push_back(between);
  }
  {
    // No residual on either side: the distance is 0, and only the rounding of the norms remains.
    PrefilterCase exact{"queries that are rows, both on their grids", 50, {}, {}};
    for (int row = 0; row < 60; ++row) {
      for (int d = 0; d < 50; ++d)
        exact.rows.push_back(255 * static_cast<float>(static_cast<int>(generator() % 255) - 127));
      exact.rows[static_cast<std::size_t>(row) * 50] = 255 * 127;
    }
    exact.queries = {exact.rows.begin(), exact.rows.begin() + 20 * 50};
    cases.push_back(exact);
  }
  {
    PrefilterCase same = normal("duplicates", 4, 32, 1);
    const std::vector<float> four = same.rows;
    for (int copy = 0; copy < 99; ++copy) append(same.rows, four);
    append(same.queries, {four.begin(), four.begin() + 32});
    cases.push_back(same);
  }
  {
    PrefilterCase spikes{"one large value a row", 64, std::vector<float>(150 * 64, 1e-3F), {}};
    for (std::size_t row = 0; row < 150; ++row)
      spikes.rows[row * 64 + generator() % 64] = static_cast<float>(row);
    spikes.queries = normal_values(generator, 3 * 64);
    cases.push_back(spikes);
  }
  {
    PrefilterCase wild = normal("NaN, infinities and zeros", 200, 33, 1);
    for (std::size_t row = 0; row < 200; row += 3) {
      float* x = wild.rows.data() + row * 33;
      const float values[] = {nan, infinity, -infinity, 0.0F, -0.0F};
      const float value = values[row % 5];
      if (value == 0.0F) std::fill(x, x + 33, value);
      x[row % 33] = value;
    }
    cases.push_back(wild);
    wild.name = "queries that are not finite, or zero";
    wild.queries = normal_values(generator, 5 * 33);
    wild.queries[3] = nan;
    wild.queries[33 + 4] = infinity;
    wild.queries[66 + 5] = -infinity;
    std::fill(wild.queries.begin() + 99, wild.queries.begin() + 132, 0.0F);
    cases.push_back(wild);
  }
  return cases;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_VECTOR_PREFILTER_CASES_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_HNSW_REPRODUCIBLE_SCORE_HPP
#define KINDRED_MATCHER_HNSW_REPRODUCIBLE_SCORE_HPP

#include <kindred/core/math/ReproducibleSum.hpp>
#include <kindred/core/vector/ScoreOfRank.hpp>
#include <kindred/core/vector/impl/VectorTile.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// √Σx², with the reproducible sum. (Flattened, like the next one: short rows are most of a walk.)
[[gnu::flatten]] inline double reproducible_norm(const float* row, std::size_t dimension) {
  const Arch::Lanes<HostSpace> lanes(0);
  return std::sqrt(
      reproducible_sum(lanes, dimension, [&](std::uint64_t i, int count, const auto& sum) {
        const auto x = lanes.widen(lanes.load(row + i, count));
        return lanes.multiply_add(x, x, sum);
      }));
}

/// \brief The exact score of a row as ascending bits: smaller is better. \param query in double
/// \param query_norm used under cosine
[[gnu::flatten]] inline std::uint32_t reproducible_order(Metric metric, const double* query,
                                                         double query_norm, const float* row,
                                                         std::size_t dimension) {
  const Arch::Lanes<HostSpace> lanes(0);
  if (metric == Metric::l2) {
    const double sum =
        reproducible_sum(lanes, dimension, [&](std::uint64_t i, int count, const auto& partial) {
          return lanes.add_squared_difference(lanes.load(query + i, count),
                                              lanes.widen(lanes.load(row + i, count)), partial);
        });
    return static_cast<std::uint32_t>(score_rank(metric, sum, 1.0, 1.0, 0) >> 32U);
  }
  const double sum =
      reproducible_sum(lanes, dimension, [&](std::uint64_t i, int count, const auto& partial) {
        return lanes.multiply_add(lanes.load(query + i, count),
                                  lanes.widen(lanes.load(row + i, count)), partial);
      });
  const double row_norm = metric == Metric::cosine ? reproducible_norm(row, dimension) : 1.0;
  return static_cast<std::uint32_t>(score_rank(metric, sum, query_norm, row_norm, 0) >> 32U);
}

/// The score that corresponds to \p order.
inline float score_of_order(Metric metric, std::uint32_t order) {
  return score_of(metric, Rank{order} << 32U);
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_HNSW_REPRODUCIBLE_SCORE_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_IMPL_SCORE_MATRIX_KERNELS_HPP
#define KINDRED_CORE_VECTOR_IMPL_SCORE_MATRIX_KERNELS_HPP

#include <kindred/core/math/Exp.hpp>
#include <kindred/core/vector/ScoreMatrix.hpp>
#include <kindred/core/vector/ScoreOfRank.hpp>
#include <kindred/core/vector/impl/VectorScoresKernels.hpp>

namespace Kindred::Impl {

/// \p score transformed by \p curve.
KOKKOS_INLINE_FUNCTION float on_curve(const ScoreCurve& curve, float score) {
  if (!curve.is_sigmoid) return score;
  const double width = curve.temperature > 0.05 ? curve.temperature : 0.05;
  const double value = portable_sigmoid((static_cast<double>(score) - curve.threshold) / width);
  if (value != value) return Kokkos::bit_cast<float>(std::uint32_t{canonical_nan_bits});
  return static_cast<float>(value);
}

/// A work item: a tile of some queries and some rows.
template <class ExecutionSpace, class Element, class Term, int Queries, int Rows>
struct MatrixKernel {
  Metric metric;
  ScoreCurve curve;
  ElementRows<Element> rows;
  std::uint64_t count;
  const double* queries;
  const double* query_norms;
  std::uint64_t query_count;
  float* out;

  std::uint64_t row_work_items() const { return (count + Rows - 1) / Rows; }
  std::uint64_t work_items() const {
    return (query_count + Queries - 1) / Queries * row_work_items();
  }

  /// Places of a tile beyond the last query or row repeat the last one; their scores are not
  /// written.
  KOKKOS_INLINE_FUNCTION void operator()(const WorkItemMember<ExecutionSpace>& member) const {
    const std::uint64_t tiles = (count + Rows - 1) / Rows;
    const std::uint64_t query = work_item_of(member) / tiles * Queries;
    const std::uint64_t row = work_item_of(member) % tiles * Rows;
    if (query >= query_count) return;
    const Arch::Lanes<ExecutionSpace> lanes(member);
    ElementRow<Element> x[Rows];
    const double* y[Queries];
    for (int r = 0; r < Rows; ++r) x[r] = rows[row + r < count ? row + r : count - 1];
    for (int q = 0; q < Queries; ++q)
      y[q] = queries + (query + q < query_count ? query + q : query_count - 1) * rows.dimension;
    double sums[Queries][Rows];
    tile_sums<Term>(lanes, y, x, rows.dimension, sums);
    if (!lanes.is_leader()) return;
    for (int q = 0; q < Queries; ++q) {
      for (int r = 0; r < Rows; ++r) {
        if (query + q >= query_count || row + r >= count) break;
        const Rank rank = score_rank(metric, sums[q][r], query_norms[query + q],
                                     metric == Metric::cosine ? rows.norms[row + r] : 1.0, 0);
        out[(query + q) * count + row + r] = on_curve(curve, score_of(metric, rank));
      }
    }
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_IMPL_SCORE_MATRIX_KERNELS_HPP

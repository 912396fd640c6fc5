// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_PREFILTER_BOUND_HPP
#define KINDRED_CORE_VECTOR_PREFILTER_BOUND_HPP

#include <kindred/core/vector/Metric.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace Kindred {

/// Largest absolute int8 value; a query's 16-bit value is w = 254 · high + low.
inline constexpr int quantized_levels = 127;
inline constexpr int query_plane_ratio = 2 * quantized_levels;
inline constexpr int query_levels = query_plane_ratio * quantized_levels + quantized_levels;

/// \brief What a bound needs to know of a query q ≈ scale · w.
struct PrefilterQuery {
  double scale = 0;     ///< a float, so that scale · w is exact
  double norm = 0;      ///< the reproducible √Σq²
  double residual = 0;  ///< ≥ ‖q − scale · w‖; infinite for a query that is not finite
  double square = 0;    ///< ‖scale · w‖²
  double offset = 0;    ///< 128 · Σw: what rows stored as unsigned add to a dot product
};

/// \brief What a bound needs to know of a row x ≈ scale · v.
struct PrefilterRow {
  double scale = 0;
  double error = 0;  ///< ≥ ‖x − scale · v‖; infinite for a row that is not finite
  double quantized_norm =
      0;  ///< ≥ ‖scale · v‖, at most 1 + 2^−22 times it unless tiny; negative: unknown
  double quantized_norm_max = 0;  ///< ≥ ‖scale · v‖
  double norm = 0;                ///< the reproducible √Σx²; for cosine and l2
};

/// \brief An interval that contains the reproducible float32 score, as a goodness: larger is better
/// under every metric (for l2, the negated distance). −∞ … ∞ if nothing is known.
struct ScoreInterval {
  float lower;
  float upper;
};

namespace Impl {

/// Covers every rounding of a reproducible sum (at most 2^−44 of the product of the norms) and of
/// the bound's own arithmetic.
inline constexpr double prefilter_slack = 0x1p-40;
/// By how much the square of a stored norm of a quantized row may exceed the exact square,
/// relatively.
inline constexpr double quantized_square_slack = 0x1p-21;
/// A float below this may be a denormal, whose relative error is larger.
inline constexpr double quantized_norm_least = 0x1p-100;

KOKKOS_INLINE_FUNCTION constexpr double prefilter_infinity() { return 0x1p1023 * 2.0; }

/// For int8 rows that serve as their own quantized copy: the float32 row differs from scale · v by
/// half an ulp per element. Elements below the normal numbers are exact: the scale is a multiple of
/// the smallest denormal, and v is an integer.
/// \param norm of the row, or negative if it is not read
/// \param root_dimension ≥ √dimension
KOKKOS_INLINE_FUNCTION PrefilterRow own_row(float scale, double norm, double root_dimension) {
  PrefilterRow row;
  row.scale = static_cast<double>(scale);
  row.norm = norm;
  row.quantized_norm = -1;
  if (norm < 0) {
    const double largest = Kokkos::abs(row.scale) * 128.0;
    // Also catches NaN.
    row.quantized_norm_max =
        largest <= 0x1.fffffep127 ? largest * root_dimension : prefilter_infinity();
  } else {
    row.quantized_norm_max = norm * (1 + 0x1p-22);
  }
  row.error = row.quantized_norm_max * 0x1p-23;
  return row;
}

/// Lower and upper bound of the reproducible l2 distance.
KOKKOS_INLINE_FUNCTION void distance_interval(const PrefilterQuery& q, const PrefilterRow& x,
                                              double dot, double error, double& low, double& high) {
  // ‖q‖² + ‖x‖² − 2 q·x
  const double squares = q.norm * q.norm + x.norm * x.norm;
  const double expanded = squares - 2 * dot;
  const double width = 2 * error + prefilter_slack * squares;
  low = Kokkos::sqrt(Kokkos::max(0.0, expanded - width));
  high = Kokkos::sqrt(Kokkos::max(0.0, expanded + width));
  if (x.quantized_norm < quantized_norm_least) return;
  // ‖q − x‖ differs from the distance of the quantized vectors by at most the sum of both
  // residuals.
  const double quantized_square = x.quantized_norm * x.quantized_norm;
  const double between = q.square + quantized_square - 2 * dot;
  const double slack = prefilter_slack * (q.square + quantized_square);
  const double least = between - quantized_square_slack * quantized_square - slack;
  const double most = between + slack;
  const double residuals = (q.residual + x.error) * (1 + prefilter_slack);
  const double near = (Kokkos::sqrt(Kokkos::max(0.0, least)) - residuals) * (1 - prefilter_slack);
  const double far = (Kokkos::sqrt(Kokkos::max(0.0, most)) + residuals) * (1 + prefilter_slack);
  low = Kokkos::max(low, near);
  high = Kokkos::min(high, far);
}

}  // namespace Impl

/// \brief Bounds of a score from quantized values: `lower ≤ reproducible float32 score ≤ upper`,
/// always.
///
/// Derived in docs/internals/vectors.md. The bounds are rounded to float32 just as the
/// score is; rounding is monotonic, so this adds no width.
/// \param dot w · v, exact
KOKKOS_INLINE_FUNCTION ScoreInterval score_interval(Metric metric, const PrefilterQuery& q,
                                                    const PrefilterRow& x, double dot) {
  constexpr float infinity = __builtin_inff();
  if (metric == Metric::cosine && (q.norm == 0.0 || x.norm == 0.0)) return {0.0F, 0.0F};
  const double estimate = q.scale * x.scale * dot;
  const double error =
      q.residual * x.quantized_norm_max + q.norm * x.error +
      Impl::prefilter_slack * (q.norm + q.residual) * (x.quantized_norm_max + x.error);
  // NaN or infinity: the row or the query is not finite.
  if (!(error < Impl::prefilter_infinity())) return {-infinity, infinity};
  double lower = estimate - error;
  double upper = estimate + error;
  if (metric == Metric::cosine) {
    // This rounds twice more than a division; the slack covers it.
    const double inverse = 1 / (q.norm * x.norm);
    lower = Kokkos::clamp(lower * inverse, -1.0, 1.0);
    upper = Kokkos::clamp(upper * inverse, -1.0, 1.0);
  } else if (metric == Metric::l2) {
    double low = 0;
    double high = 0;
    Impl::distance_interval(q, x, estimate, error, low, high);
    lower = -high;
    upper = -low;
  }
  return {static_cast<float>(lower), static_cast<float>(upper)};
}

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_PREFILTER_BOUND_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_TILE_BOUND_HPP
#define KINDRED_CORE_VECTOR_TILE_BOUND_HPP

#include <kindred/core/vector/Metric.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace Kindred {

/// The norm to which a query is scaled; a row is scaled by a power of two to a norm in [128, 256).
inline constexpr double tile_norm = 256;

/// \brief The error of a product of a tile, apart from the rounding of its factors:
/// docs/internals/vectors.md.
struct TileModel {
  double sum = 0;  ///< maximum error of the sum, relative to the product of the factors' norms
  float output_relative = 0;   ///< relative rounding error of the output
  double output_absolute = 0;  ///< its minimum, in units of the product
  float alpha = 1;             ///< the power of two by which products are multiplied
};

/// \brief Turns a product of a row into a bound, \see tile_upper.
struct TileRow {
  float scale = 0;
  float error = 0;  ///< +∞: the row always survives, −∞: never
  float shift = 0;  ///< for l2
};

/// \brief Rows and queries whose norm is outside this range are not prefiltered: within it, nothing
/// here overflows or underflows float32 in a way that matters.
KOKKOS_INLINE_FUNCTION bool tile_covers(double norm) { return norm >= 0x1p-63 && norm <= 0x1p63; }

/// The power of two that scales a row whose \p norm is covered to [128, 256).
KOKKOS_INLINE_FUNCTION int tile_exponent(double norm) {
  return static_cast<int>(Kokkos::bit_cast<std::uint64_t>(norm) >> 52U & 0x7FFU) - 1022 - 8;
}

/// 2^exponent, for exponents from `tile_exponent`.
KOKKOS_INLINE_FUNCTION double tile_power(int exponent) {
  return Kokkos::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52U);
}

/// \brief The bound of a row x ≈ 2^exponent · x̂.
/// \param norm of the row, reproducible \param residual ≥ ‖2^−exponent · x − x̂‖
/// \param query_residual ≥ the residual of every query scaled to `tile_norm`
KOKKOS_INLINE_FUNCTION TileRow tile_row(Metric metric, const TileModel& model, double norm,
                                        double residual, double query_residual) {
  constexpr float infinity = __builtin_inff();
  if (norm == 0.0) return {0.0F, 0.0F, 0.0F};
  if (norm != norm) return {0.0F, -infinity, 0.0F};
  if (!tile_covers(norm)) return {0.0F, infinity, 0.0F};
  const double power = tile_power(tile_exponent(norm));
  const double scaled = norm / power;
  const double rounded = scaled + residual;  // ≥ ‖x̂‖
  // 2⁻²⁰: the rounding of the reproducible score and of the bound's float32 arithmetic.
  const double error = tile_norm * residual + query_residual * rounded +
                       model.sum * (tile_norm + query_residual) * rounded + model.output_absolute +
                       tile_norm * scaled * 0x1p-20;
  const double unit = metric == Metric::cosine ? 1 / scaled : power;
  const double alpha = static_cast<double>(model.alpha);
  // Slightly too small, so that a difference of distances is compared against less than the row's
  // own part.
  const double shift = metric == Metric::l2 ? norm * norm * 0.5 * (1 - 0x1p-20) : 0.0;
  return {static_cast<float>(unit / alpha), static_cast<float>(error * unit * (1 + 0x1p-22)),
          static_cast<float>(shift)};
}

/// \brief An upper bound on 256 times the cosine; q·x / ‖q‖ for ip; (q·x − ‖x‖² / 2) / ‖q‖ for l2,
/// which grows as the distance falls.
/// \tparam Weighted under l2 \param product as the tile computed it
/// \param weight 256 / ‖q‖ under l2, else 0
template <bool Weighted = true>
KOKKOS_INLINE_FUNCTION float tile_upper(float product, const TileRow& row, float relative,
                                        float weight) {
  const float middle = Kokkos::fma(product, row.scale, row.error);
  const float upper = Kokkos::fma(Kokkos::abs(product), relative, middle);
  if constexpr (!Weighted) return upper;
  return Kokkos::fma(-weight, row.shift, upper);
}

/// \brief `tile_upper` for a product that was not rounded after summation.
template <bool Weighted>
KOKKOS_INLINE_FUNCTION float tile_upper_of_sum(float sum, const TileRow& row, float weight) {
  const float upper = Kokkos::fma(sum, row.scale, row.error);
  if constexpr (!Weighted) return upper;
  return Kokkos::fma(-weight, row.shift, upper);
}

/// \brief An upper bound on the distance of the lower bound from `tile_upper`. \param relative as
/// there
KOKKOS_INLINE_FUNCTION float tile_width(float product, const TileRow& row, float relative,
                                        float weight) {
  const float sum =
      2 * row.error + 2 * Kokkos::abs(product) * relative + weight * row.shift * 0x1p-18F;
  return sum * (1 + 0x1p-20F);
}

/// The value of \p relative that `tile_upper` takes for a row.
KOKKOS_INLINE_FUNCTION float tile_relative(const TileModel& model, const TileRow& row) {
  return row.scale * model.output_relative;
}

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_TILE_BOUND_HPP

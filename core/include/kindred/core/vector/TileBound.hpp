// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_TILE_BOUND_HPP
#define KINDRED_CORE_VECTOR_TILE_BOUND_HPP

#include <kindred/core/vector/Metric.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace Kindred {

/// The norm that a query is scaled to; a row is scaled by a power of two to a norm in [128, 256).
inline constexpr double tile_norm = 256;

/// \brief What a product of a tile is off by, beside the rounding of its factors:
/// docs/internals/vector-gemm.md.
struct TileModel {
  double sum = 0;              ///< the sum is off by at most this, times the norms of the factors
  float output_relative = 0;   ///< the output's rounding, relative to the output
  double output_absolute = 0;  ///< and at least, in units of the product
  float alpha = 1;             ///< the power of two that products are written times
};

/// \brief What turns a product of a row into a bound: \see tile_upper
struct TileRow {
  float scale = 0;
  float error = 0;  ///< +∞: the row always survives, −∞: never
  float shift = 0;  ///< of l2
};

/// \brief Rows and queries whose norm is outside are not screened: nothing in here then leaves
/// float32's range in a way that matters.
KOKKOS_INLINE_FUNCTION bool tile_covers(double norm) { return norm >= 0x1p-63 && norm <= 0x1p63; }

/// The power of two that scales a row of \p norm, covered, to [128, 256).
KOKKOS_INLINE_FUNCTION int tile_exponent(double norm) {
  return static_cast<int>(Kokkos::bit_cast<std::uint64_t>(norm) >> 52U & 0x7FFU) - 1022 - 8;
}

/// 2^exponent, for exponents of `tile_exponent`.
KOKKOS_INLINE_FUNCTION double tile_power(int exponent) {
  return Kokkos::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52U);
}

/// \brief The bound of a row x ≈ 2^exponent · x̂.
/// \param norm of the row, canonical \param residual ≥ ‖2^−exponent · x − x̂‖
/// \param query_residual ≥ that of every query scaled to `tile_norm`
KOKKOS_INLINE_FUNCTION TileRow tile_row(Metric metric, const TileModel& model, double norm,
                                        double residual, double query_residual) {
  constexpr float infinity = __builtin_inff();
  if (norm == 0.0) return {0.0F, 0.0F, 0.0F};
  if (norm != norm) return {0.0F, -infinity, 0.0F};
  if (!tile_covers(norm)) return {0.0F, infinity, 0.0F};
  const double power = tile_power(tile_exponent(norm));
  const double scaled = norm / power;
  const double rounded = scaled + residual;  // ≥ ‖x̂‖
  // 2⁻²⁰: the canonical score's own rounding, and that of the bound's float32 arithmetic.
  const double error = tile_norm * residual + query_residual * rounded +
                       model.sum * (tile_norm + query_residual) * rounded + model.output_absolute +
                       tile_norm * scaled * 0x1p-20;
  const double unit = metric == Metric::cosine ? 1 / scaled : power;
  const double alpha = static_cast<double>(model.alpha);
  // Just below: a difference of distances is then judged by less than the row's own part.
  const double shift = metric == Metric::l2 ? norm * norm * 0.5 * (1 - 0x1p-20) : 0.0;
  return {static_cast<float>(unit / alpha), static_cast<float>(error * unit * (1 + 0x1p-22)),
          static_cast<float>(shift)};
}

/// \brief At least 256 times: the cosine; q·x / ‖q‖; (q·x − ‖x‖² / 2) / ‖q‖, which grows as the
/// distance falls.
/// \tparam Weighted under l2 \param product as the tile has it \param weight 256 / ‖q‖ under l2,
/// else
/// 0
template <bool Weighted = true>
KOKKOS_INLINE_FUNCTION float tile_upper(float product, const TileRow& row, float relative,
                                        float weight) {
  const float middle = Kokkos::fma(product, row.scale, row.error);
  const float upper = Kokkos::fma(Kokkos::abs(product), relative, middle);
  if constexpr (!Weighted) return upper;
  return Kokkos::fma(-weight, row.shift, upper);
}

/// \brief `tile_upper` of a product that was not rounded after it was summed.
template <bool Weighted>
KOKKOS_INLINE_FUNCTION float tile_upper_of_sum(float sum, const TileRow& row, float weight) {
  const float upper = Kokkos::fma(sum, row.scale, row.error);
  if constexpr (!Weighted) return upper;
  return Kokkos::fma(-weight, row.shift, upper);
}

/// \brief At least how much the lower bound is below `tile_upper`. \param relative as there
KOKKOS_INLINE_FUNCTION float tile_width(float product, const TileRow& row, float relative,
                                        float weight) {
  const float sum =
      2 * row.error + 2 * Kokkos::abs(product) * relative + weight * row.shift * 0x1p-18F;
  return sum * (1 + 0x1p-20F);
}

/// The float that `tile_upper` takes as \p relative for a row.
KOKKOS_INLINE_FUNCTION float tile_relative(const TileModel& model, const TileRow& row) {
  return row.scale * model.output_relative;
}

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_TILE_BOUND_HPP

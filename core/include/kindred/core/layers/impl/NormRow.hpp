// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LAYERS_IMPL_NORM_ROW_HPP
#define KINDRED_CORE_LAYERS_IMPL_NORM_ROW_HPP

#include <kindred/core/arch/RoundedProduct.hpp>
#include <kindred/core/layers/FusedNorm.hpp>
#include <kindred/core/layers/impl/Activation.hpp>
#include <kindred/core/layers/impl/StoreElement.hpp>
#include <kindred/core/math/ReproducibleSum.hpp>
#include <kindred/core/numeric/CanonicalNan.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// Σd and Σd² of a row or of a block of it.
struct NormSums {
  double sum;
  double square;

  KOKKOS_INLINE_FUNCTION friend NormSums operator+(const NormSums& a, const NormSums& b) {
    return {a.sum + b.sum, a.square + b.square};
  }
};

/// The factors that normalise the elements of a row, \see fused_norms.
struct alignas(16) NormScale {
  float scale;
  float high;
  float low;
  float factor;
};

struct NormMoments {
  NormScale scale;
  float mean;
  float variance;
};

/// The sums of one reproducible block \p values, \p count ≤ 4096; every thread of the work item
/// gets them.
template <class Lanes, class Element>
KOKKOS_INLINE_FUNCTION NormSums norm_sums(const Lanes& lanes, const Element* values, int count,
                                          Element first) {
  const auto shift = lanes.broadcast(Arch::to_float(first));
  auto sum = lanes.zero();
  auto square = lanes.zero();
  const int whole = count / 32 * 32;
  KINDRED_UNROLL_4
  for (int i = 0; i < whole; i += 32) {
    const auto x = lanes.load(values + i);
    sum = lanes.add_difference(x, shift, sum);
    square = lanes.add_squared_difference(x, shift, square);
  }
  if (whole < count) {
    const auto x = lanes.load(values + whole, count - whole, first);
    sum = lanes.add_difference(x, shift, sum);
    square = lanes.add_squared_difference(x, shift, square);
  }
  return {lanes.tree_sum(sum), lanes.tree_sum(square)};
}

KOKKOS_INLINE_FUNCTION int exponent_of(double value) {
  return static_cast<int>(Kokkos::bit_cast<std::uint64_t>(value) >> 52U & 0x7FFU) - 1023;
}
KOKKOS_INLINE_FUNCTION double power_of_two(int exponent) {
  return Kokkos::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52U);
}

KOKKOS_INLINE_FUNCTION NormMoments norm_moments(const NormSums& sums, float first,
                                                std::uint64_t columns, float epsilon) {
  const auto count = static_cast<double>(columns);
  const double offset = sums.sum / count;
  const double mean = static_cast<double>(first) + offset;
  double variance = sums.square / count - Arch::rounded_product(offset, offset);
  variance = variance < 0.0 ? 0.0 : variance;
  const double deviation = Kokkos::sqrt(variance + static_cast<double>(epsilon));
  const int size = exponent_of(deviation);
  if (size == 1024) {
    const auto nan = canonical_nan<float>();
    return {{0.0F, nan, 0.0F, 0.0F}, nan, nan};
  }
  const int mean_size = exponent_of(mean) - 100;
  const int exponent = size > mean_size ? size : mean_size;
  const double scale = power_of_two(-exponent);
  const double scaled = Arch::rounded_product(mean, scale);
  const auto high = static_cast<float>(scaled);
  const double factor = power_of_two(exponent) / deviation;
  return {{static_cast<float>(scale), high,
           static_cast<float>((scaled - static_cast<double>(high)) * factor),
           static_cast<float>(factor)},
          static_cast<float>(mean),
          static_cast<float>(variance)};
}

KOKKOS_INLINE_FUNCTION float normalised(const NormScale& by, float x, float gamma, float beta) {
  const float n = Kokkos::fma(Kokkos::fma(x, by.scale, -by.high), by.factor, -by.low);
  return Kokkos::fma(n, gamma, beta);
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_LAYERS_IMPL_NORM_ROW_HPP

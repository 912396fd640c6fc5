// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_SEED_TELEMETRY_HPP
#define KINDRED_CORE_SEED_SEED_TELEMETRY_HPP

#include <kindred/core/common/Public.hpp>

#include <cstdint>

namespace KINDRED_PUBLIC Kindred {

/// \brief Statistics of the elements that a seed has processed, as kernels store and merge them.
///
/// Non-finite elements: `mean` and `m2` are NaN (0x7FF8000000000000) if there is one; `min` and
/// `max` ignore NaN, and are NaN (0x7FC00000) if all elements are. A zero is +0.
struct SeedMoments {
  std::uint64_t count = 0;
  std::uint64_t dead = 0;  ///< elements with |x| < 1e-8
  double mean = 0;
  double m2 = 0;  ///< Σ (x − mean)²
  float min = 0;
  float max = 0;

  friend bool operator==(const SeedMoments&, const SeedMoments&) = default;
};

/// \brief The same for the user; all 0 if no element was processed.
struct SeedTelemetry {
  std::uint64_t count = 0;
  double mean = 0;
  double variance = 0;  ///< population variance
  float min = 0;
  float max = 0;
  double dead_ratio = 0;

  friend bool operator==(const SeedTelemetry&, const SeedTelemetry&) = default;
};

constexpr SeedTelemetry telemetry_of(const SeedMoments& moments) noexcept {
  if (moments.count == 0) return {};
  const auto count = static_cast<double>(moments.count);
  return {moments.count, moments.mean, moments.m2 / count,
          moments.min,   moments.max,  static_cast<double>(moments.dead) / count};
}

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_SEED_TELEMETRY_HPP

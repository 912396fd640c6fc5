// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_SIMILARITY_HPP
#define KINDRED_CORE_SEQUENCE_SIMILARITY_HPP

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace Kindred {

/// `2·matched / total` in double, rounded as Python rounds it; \p total > 0 is the length of both.
KOKKOS_INLINE_FUNCTION double similarity(std::uint64_t matched, std::uint64_t total) {
  return 2.0 * static_cast<double>(matched) / static_cast<double>(total);
}

/// The least count whose similarity reaches \p threshold; \p total > 0, \p threshold in [0, 1].
KOKKOS_INLINE_FUNCTION std::uint64_t least_matched(double threshold, std::uint64_t total) {
  auto least = static_cast<std::uint64_t>(threshold * static_cast<double>(total) / 2.0);
  while (least > 0 && similarity(least - 1, total) >= threshold) --least;
  while (similarity(least, total) < threshold) ++least;
  return least;
}

/// A count that every similarity of \p least or more reaches, without a division; \p least may be
/// rounded to float32.
KOKKOS_INLINE_FUNCTION std::uint32_t fewest_matched(double least, std::uint64_t total) {
  const double count = least * static_cast<double>(total) * (0.5 - 0x1p-21);
  const auto whole = static_cast<std::uint32_t>(count);
  return whole + (count > static_cast<double>(whole) ? 1 : 0);
}

/// \brief Lengths of both sequences together up to which a similarity rounded to float32 still
/// tells every count from every other, in the same order.
///
/// Two different ratios p/q with q ≤ 4095 differ by 2⁻²⁴ at least, more than the rounding to
/// float32 of values up to 1 can close.
inline constexpr std::uint64_t float_similarity_total_max = 4095;

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_SIMILARITY_HPP

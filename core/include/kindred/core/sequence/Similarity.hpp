// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_SIMILARITY_HPP
#define KINDRED_CORE_SEQUENCE_SIMILARITY_HPP

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace Kindred {

/// `2·matched / total` in double, rounded as in Python; \p total > 0 is the sum of both lengths.
KOKKOS_INLINE_FUNCTION double similarity(std::uint64_t matched, std::uint64_t total) {
  return 2.0 * static_cast<double>(matched) / static_cast<double>(total);
}

/// How a number of matched symbols becomes a similarity.
enum class SimilarityScale : std::uint8_t {
  total,    ///< 2·matched / (sum of both lengths)
  longest,  ///< 1 − (longest − matched) / longest, as RapidFuzz's `normalized_similarity`
  percent   ///< `total` as RapidFuzz rounds it: the ratio in percent, divided by 100
};

/// The similarity of sequences of lengths \p a and \p b, in double; at least one is not empty.
KOKKOS_INLINE_FUNCTION double similarity(SimilarityScale scale, std::uint64_t matched,
                                         std::uint64_t a, std::uint64_t b) {
  if (scale == SimilarityScale::total) return similarity(matched, a + b);
  if (scale == SimilarityScale::percent) {
    const auto total = static_cast<double>(a + b);
    return (1.0 - static_cast<double>(a + b - 2 * matched) / total) * 100.0 / 100.0;
  }
  const std::uint64_t longest = a < b ? b : a;
  return 1.0 - static_cast<double>(longest - matched) / static_cast<double>(longest);
}

/// The smallest count whose similarity reaches \p threshold; \p total > 0, \p threshold in [0, 1].
KOKKOS_INLINE_FUNCTION std::uint64_t least_matched(double threshold, std::uint64_t total) {
  auto least = static_cast<std::uint64_t>(threshold * static_cast<double>(total) / 2.0);
  while (least > 0 && similarity(least - 1, total) >= threshold) --least;
  while (similarity(least, total) < threshold) ++least;
  return least;
}

/// A lower bound on the count of every similarity ≥ \p least, computed without a division; \p least
/// may have been rounded to float32.
KOKKOS_INLINE_FUNCTION std::uint32_t fewest_matched(double least, std::uint64_t total) {
  const double count = least * static_cast<double>(total) * (0.5 - 0x1p-21);
  const auto whole = static_cast<std::uint32_t>(count);
  return whole + (count > static_cast<double>(whole) ? 1 : 0);
}

/// \brief Maximum sum of both lengths for which similarities rounded to float32 distinguish all
/// counts and keep their order.
///
/// Two different ratios p/q with q ≤ 4095 differ by at least 2⁻²⁴, more than rounding values up to
/// 1 to float32 can close.
inline constexpr std::uint64_t float_similarity_total_max = 4095;

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_SIMILARITY_HPP

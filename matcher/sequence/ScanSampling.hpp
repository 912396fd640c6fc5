// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_SCAN_SAMPLING_HPP
#define KINDRED_MATCHER_SEQUENCE_SCAN_SAMPLING_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace Kindred::Impl {

/// \brief How the best k of many patterns are selected while they are scanned.
///
/// The k-th best of a sample, which consists of every `stride`-th tile, is a lower bound for the
/// k-th best of all. About stride · k patterns reach it; the size of sample and candidates together
/// is smallest for a stride of √(patterns / k).
struct SelectionSampling {
  SelectionSampling(std::uint64_t patterns, std::uint64_t k) {
    while (4ULL * stride * stride * k <= patterns) stride *= 2;
    // Five standard deviations, and a margin for samples of few tiles.
    const auto deviations = static_cast<std::uint64_t>(5 * std::sqrt(static_cast<double>(k)) + 4);
    capacity = stride * (k + deviations) + 512;
    pays = stride >= 4 && 4 * capacity <= patterns;
  }

  std::uint32_t stride = 1;
  /// Maximum number of candidates per query. If a query has more, the scan is repeated and keeps
  /// the counts of all patterns.
  std::uint64_t capacity = 0;
  bool pays = false;
};

/// \brief How Ratcliff-Obershelp matching is bounded. The LCS is never smaller than the
/// Ratcliff-Obershelp count. The `probed` patterns with the best LCS are matched; the k-th best of
/// them bounds the k-th best of all, and only patterns whose LCS reaches this bound are matched as
/// well.
struct ProbeSampling {
  /// \param least probing fewer patterns than this saves no time
  ProbeSampling(std::uint64_t patterns, std::uint64_t k, std::uint64_t least)
      : probed(std::max(8 * k, least)), stride(static_cast<std::uint32_t>(probed / rank)) {
    pays = 8 * probed <= patterns;
  }
  /// The LCS of this rank in the sample estimates the LCS of rank `probed` among all patterns.
  static constexpr std::uint64_t rank = 16;

  std::uint64_t probed;
  std::uint32_t stride;  ///< of the sample of tiles
  bool pays;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_SCAN_SAMPLING_HPP

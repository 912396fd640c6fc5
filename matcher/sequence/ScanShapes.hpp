// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_SCAN_SHAPES_HPP
#define KINDRED_MATCHER_SEQUENCE_SCAN_SHAPES_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace Kindred::Impl {

/// \brief How the best k of many patterns are selected while they are scanned.
///
/// The k-th best of a sample, every `stride`-th tile, is no better than the k-th best of all. About
/// stride · k patterns are as good; sample and candidates are fewest together where the stride is
/// √(patterns / k).
struct SelectionShape {
  SelectionShape(std::uint64_t patterns, std::uint64_t k) {
    while (4ULL * stride * stride * k <= patterns) stride *= 2;
    // Five standard deviations, and what a sample of few tiles may miss.
    const auto deviations = static_cast<std::uint64_t>(5 * std::sqrt(static_cast<double>(k)) + 4);
    capacity = stride * (k + deviations) + 512;
    pays = stride >= 4 && 4 * capacity <= patterns;
  }

  std::uint32_t stride = 1;
  std::uint64_t capacity =
      0;  ///< for candidates; with more the scan is made again, all counts kept
  bool pays = false;
};

/// \brief How Ratcliff-Obershelp is bounded: the k-th best of about `probed` patterns, those best
/// by their LCS, which is never smaller, bounds the k-th best of all; only patterns whose LCS is as
/// good need more than that.
struct ProbeShape {
  /// \param least patterns that take no longer than fewer
  ProbeShape(std::uint64_t patterns, std::uint64_t k, std::uint64_t least)
      : probed(std::max(8 * k, least)), stride(static_cast<std::uint32_t>(probed / rank)) {
    pays = 8 * probed <= patterns;
  }
  /// The best of the sample that tell which LCS is among the `probed` best.
  static constexpr std::uint64_t rank = 16;

  std::uint64_t probed;
  std::uint32_t stride;  ///< of the sample of tiles
  bool pays;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_SCAN_SHAPES_HPP

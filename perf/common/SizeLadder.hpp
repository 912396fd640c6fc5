// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_COMMON_SIZE_LADDER_HPP
#define KINDRED_PERF_COMMON_SIZE_LADDER_HPP

#include <cmath>
#include <vector>

namespace Kindred::Perf {

/// \brief \p smallest, its products with powers of \p step, and \p largest, ascending.
///
/// A product within 1 % of \p largest is replaced by it, and one with the same whole part as the
/// product before is omitted.
/// \param smallest greater than 0
/// \param largest at least \p smallest
/// \param step greater than 1
inline std::vector<double> size_ladder(double smallest, double largest, double step) {
  std::vector<double> sizes;
  for (double size = smallest; size < largest * 0.99; size *= step) {
    if (sizes.empty() || std::floor(size) > std::floor(sizes.back())) sizes.push_back(size);
  }
  sizes.push_back(largest);
  return sizes;
}

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_COMMON_SIZE_LADDER_HPP

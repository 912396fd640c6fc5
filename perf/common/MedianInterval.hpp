// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_COMMON_MEDIAN_INTERVAL_HPP
#define KINDRED_PERF_COMMON_MEDIAN_INTERVAL_HPP

#include <cstddef>
#include <vector>

namespace Kindred::Perf {

/// A median, and an interval that contains that of the distribution.
struct MedianInterval {
  double median = 0;
  double low = 0;
  double high = 0;
};

/// \brief The median of \p values and an interval between two of them that misses the median of
/// their distribution with a probability of at most \p error, whatever the distribution is (order
/// statistics: David and Nagaraja, *Order Statistics*, 7.1). All of \p values, and a larger
/// probability, if they are fewer than `values_needed(error)`. \param values not empty
MedianInterval median_interval(std::vector<double> values, double error);

/// The least number of values whose interval leaves out \p outside of them at either end.
std::size_t values_needed(double error, std::size_t outside = 0);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_COMMON_MEDIAN_INTERVAL_HPP

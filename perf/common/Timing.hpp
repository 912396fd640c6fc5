// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_COMMON_TIMING_HPP
#define KINDRED_PERF_COMMON_TIMING_HPP

#include <algorithm>
#include <chrono>
#include <vector>

namespace Kindred::Perf {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Median of \p times, the upper one of two; \p times is not empty and contains no NaN.
inline double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// Seconds of `body()`, which must fence what it launches.
template <class Body>
double timed(const Body& body) {
  const auto start = Clock::now();
  body();
  return seconds_since(start);
}

/// Seconds of at most \p repeats runs of \p body within about \p budget seconds, after one warm-up
/// run.
template <class Body>
std::vector<double> times_of(int repeats, double budget, const Body& body) {
  body();
  std::vector<double> times;
  const auto start = Clock::now();
  do times.push_back(timed(body));
  while (static_cast<int>(times.size()) < repeats && seconds_since(start) < budget);
  return times;
}

/// The median of `times_of`.
template <class Body>
double median_of(int repeats, double budget, const Body& body) {
  return median(times_of(repeats, budget, body));
}

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_COMMON_TIMING_HPP

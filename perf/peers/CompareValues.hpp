// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_PEERS_COMPARE_VALUES_HPP
#define KINDRED_PERF_PEERS_COMPARE_VALUES_HPP

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace Kindred::Perf {

/// Answers with many values are compared on a sample of this many.
inline constexpr std::size_t sampled_values = 4096;

inline std::string differs(std::size_t place, double ours, double theirs) {
  return "place " + std::to_string(place) + ": ours " + std::to_string(ours) + ", theirs " +
         std::to_string(theirs);
}

/// Empty if both lists have the same values within \p tolerance, relative to values above 1.
template <class T>
std::string compare_values(const std::vector<T>& ours, const std::vector<double>& theirs,
                           double tolerance) {
  if (ours.size() != theirs.size())
    return "ours has " + std::to_string(ours.size()) + " results, theirs " +
           std::to_string(theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const auto value = static_cast<double>(ours[i]);
    if (!(std::fabs(value - theirs[i]) <= tolerance * std::fmax(1.0, std::fabs(value))))
      return differs(i, value, theirs[i]);
  }
  return {};
}

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_PEERS_COMPARE_VALUES_HPP

// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Error.hpp>
#include <kindred/core/graph/CombinedConfidence.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

double path_confidence(std::span<const double> confidences, std::size_t max_paths, double least) {
  std::vector<double> counted;
  for (const double p : confidences) {
    KINDRED_THROW_IF(!(p >= 0.0 && p <= 1.0),
                     "the confidence of a path is " + std::to_string(p) + ", outside [0, 1]");
    if (p >= least) counted.push_back(p);
  }
  std::ranges::sort(counted, std::greater<>());
  if (counted.size() > max_paths) counted.resize(max_paths);
  double none = 1.0;
  for (const double p : counted) none *= 1.0 - p;
  return 1.0 - none;
}

}  // namespace Kindred

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_SWEEP_DISPATCH_QUALITY_HPP
#define KINDRED_PERF_SWEEP_DISPATCH_QUALITY_HPP

#include <kindred/backends/Context.hpp>

#include "common/JsonOutput.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace Kindred::Perf {

/// \brief Quality of the dispatcher's choices.
struct DispatchQuality {
  std::size_t sizes = 0;
  std::size_t within = 0;  ///< sizes whose choice took ≤ 1.05 × the time of the best space
  double worst = 1;        ///< largest ratio of the choice's time to the best
  std::vector<std::string> misses;  ///< the other sizes, such as `score 64: serial, 1.50 x`

  /// \param taken seconds on each space; NaN if it was not measured there
  void add(Operation operation, double size, const std::array<double, space_count>& taken,
           Space chosen);
  /// \param what text for a miss
  /// \param ratio time of the choice / time of the best space
  void add(const std::string& what, double ratio);
  double share() const;
};

Json to_json(const DispatchQuality& quality);

/// Seconds per decision of \p dispatcher, over sizes of every class.
double seconds_per_decision(Dispatcher& dispatcher);
/// Overhead in seconds of a dispatched call compared with the same call on a given space: decision,
/// clock, observation. The empty calls distort what the dispatcher has learnt.
double seconds_per_routed_call(Context& context);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_SWEEP_DISPATCH_QUALITY_HPP

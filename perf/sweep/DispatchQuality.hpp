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

/// Makes \p times decisions, over sizes of every class.
void decide_often(Dispatcher& dispatcher, int times);
/// Makes empty calls that are dispatched: decision, clock, observation. They distort what the
/// dispatcher has learnt.
void route_often(Context& context, int times);
/// Seconds per decision.
double seconds_per_decision(Dispatcher& dispatcher);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_SWEEP_DISPATCH_QUALITY_HPP

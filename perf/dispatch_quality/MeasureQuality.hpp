// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_DISPATCH_QUALITY_MEASURE_QUALITY_HPP
#define KINDRED_PERF_DISPATCH_QUALITY_MEASURE_QUALITY_HPP

#include <kindred/backends/Context.hpp>

#include "common/JsonOutput.hpp"
#include "sweep/DispatchQuality.hpp"

#include <cstdint>
#include <vector>

namespace Kindred::Perf {

struct QualityOptions {
  std::vector<Operation> operations;
  double call_seconds = 0.1;  ///< sizes increase until the best space takes this long
  double seconds = 0;         ///< for all operations, divided equally; 0: no limit
  int repeats = 9;
  bool teams = false;  ///< measure every team of `openmp`, not only the chosen ones
  std::uint64_t seed = 7;
};

/// \brief Times every operation on every space at every power of two, as medians of interleaved
/// calls.
///
/// Returns a list of `{"op", "size", "seconds": {"serial", "cuda", "openmp": {threads: median}},
/// "calibrated": {"space", "threads"}, "priors": {"space", "threads"}}`. The last two are the
/// choices of the two dispatchers, which observe none of the calls. `threads` is the team of a call
/// on `openmp`, even if another space is chosen. Combinations that take many times as long as the
/// best are measured less often.
Json measure_quality(Context& context, Dispatcher& calibrated, Dispatcher& priors,
                     const QualityOptions& options);

/// The quality of the choices of a calibrated and of an uncalibrated dispatcher.
struct QualityPair {
  DispatchQuality calibrated;
  DispatchQuality priors;
  DispatchQuality teams;  ///< calibrated choices of `openmp` compared with other teams
  /// \param point element of the list from \ref measure_quality
  void add(const Json& point);
};
Json to_json(const QualityPair& pair);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_DISPATCH_QUALITY_MEASURE_QUALITY_HPP

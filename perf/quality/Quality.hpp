// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_QUALITY_QUALITY_HPP
#define KINDRED_PERF_QUALITY_QUALITY_HPP

#include <kindred/backends/Context.hpp>

#include "common/Environment.hpp"
#include "sweep/Sweep.hpp"

#include <cstdint>
#include <vector>

namespace Kindred::Perf {

struct QualityOptions {
  std::vector<Operation> operations;
  double call_seconds = 0.1;  ///< sizes end where the best space takes as long
  double seconds = 0;         ///< of all operations, in equal parts; 0: no limit
  int repeats = 9;
  bool teams = false;  ///< measure every team of `openmp`, not only those that are chosen
  std::uint64_t seed = 7;
};

/// \brief Times every operation on every space at every power of two: medians of calls that take
/// turns.
///
/// A list of `{"op", "size", "seconds": {"serial", "cuda", "openmp": {threads: median}},
/// "calibrated": {"space", "threads"}, "priors": {"space", "threads"}}`, the last two being what
/// the dispatchers choose, which see none of the calls. `threads` is the team of a call on
/// `openmp`, also where another space is chosen. A place that takes many times as long as the best
/// is measured less often.
Json measure_quality(Context& context, Dispatcher& calibrated, Dispatcher& priors,
                     const QualityOptions& options);

/// The choices of a dispatcher after a calibration and of one before any.
struct QualityPair {
  DispatchQuality calibrated;
  DispatchQuality priors;
  DispatchQuality teams;  ///< of the calibrated one where it chose `openmp`, beside other teams
  /// \param point of \ref measure_quality
  void add(const Json& point);
};
Json to_json(const QualityPair& pair);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_QUALITY_QUALITY_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_SWEEP_SWEEP_HPP
#define KINDRED_PERF_SWEEP_SWEEP_HPP

#include <kindred/backends/Context.hpp>

#include "common/JsonOutput.hpp"
#include "sweep/DispatchQuality.hpp"

#include <Report.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace Kindred::Perf {

struct SweepOptions {
  std::vector<Operation> operations;
  std::vector<Space> spaces;  ///< empty: every usable space
  double smallest = 1;
  double largest = 1e7;
  double step = 4;
  double min_time = 0.05;    ///< seconds for which a benchmark repeats its call
  double max_seconds = 300;  ///< total time limit; what does not fit is not run, and listed
  std::uint64_t seed = 7;
  bool small_spreads = false;  ///< the sizes of `spread` count the edges that one query reads
};

struct OperationSweep {
  Operation operation;
  Tools::ReportSweep points;  ///< median seconds per size and space, and the dispatcher's
                              ///< predictions before these were measured
  std::vector<Tools::ReportKernel> kernels;  ///< of one call at the largest size, on every space
  std::array<double, space_count>
      bytes_per_second{};  ///< highest rate over all sizes; 0 if not run
};

struct SweepResults {
  Json benchmarks;  ///< Google Benchmark's own JSON: `context` and `benchmarks`
  std::vector<OperationSweep> sweeps;
  std::vector<std::string> not_run;  ///< omitted because of `max_seconds` or memory
  DispatchQuality calibrated;        ///< dispatcher that knows only the calibration
  DispatchQuality
      observed;  ///< dispatcher that has also observed the calls of the size, as in a program
  double seconds_per_decision = 0;
  double seconds_per_routed_call = 0;
  bool failed = false;  ///< an answer was wrong
};

/// \brief Times every operation at every size on every space through the engines.
///
/// A time counts only if the answer agrees with `Kindred::Reference` on a sample and has the same
/// bits as on the first space.
SweepResults sweep(Context& context, const SweepOptions& options);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_SWEEP_SWEEP_HPP

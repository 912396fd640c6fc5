// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_SWEEP_SWEEP_HPP
#define KINDRED_PERF_SWEEP_SWEEP_HPP

#include <kindred/backends/Context.hpp>

#include "common/JsonOutput.hpp"
#include "machine/Limits.hpp"
#include "sweep/DispatchQuality.hpp"
#include "sweep/Problems.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace Kindred::Perf {

struct SweepOptions {
  std::vector<Operation> operations;
  std::vector<Space> spaces;  ///< empty: every usable space
  std::vector<int> threads;   ///< of `openmp`, ascending; empty: those of the context
  ProblemShape shape;
  double smallest = 1;
  double largest = 1e7;
  double step = 4;
  double min_time = 0.05;    ///< seconds for which a benchmark repeats its call
  double max_seconds = 300;  ///< total time limit; what does not fit is not run, and listed
  std::uint64_t seed = 7;
};

/// The calls of one size on one space.
struct SweepRow {
  Operation operation;
  std::string unit;
  double size = 0;
  Space space = Space::serial;
  int threads = 1;
  std::vector<double> samples;  ///< seconds of calls, one after another
  double seconds = 0;           ///< their median
  /// Median seconds of calls before each of which the caches were filled with other data; NaN if
  /// there was no time for it.
  double cold_seconds = std::numeric_limits<double>::quiet_NaN();
  double predicted_seconds = std::numeric_limits<double>::quiet_NaN();  ///< by the dispatcher
  double items_per_second = 0;
  double bytes_per_second = 0;
  double percent_of_limit = 0;
  std::string limit;             ///< `memory` or `arithmetic`
  bool is_chosen = false;        ///< by a dispatcher that knows only the calibration
  bool is_chosen_after = false;  ///< by one that has observed the calls of this size
};

/// A kernel of one call at the largest size.
struct SweepKernel {
  Operation operation;
  Space space;
  std::string label;
  std::uint64_t calls = 0;
  double seconds = 0;
};

struct SweepResults {
  Json benchmarks;  ///< Google Benchmark's own JSON: `context` and `benchmarks`
  std::vector<SweepRow> rows;
  std::vector<SweepKernel> kernels;
  std::vector<std::string> not_run;  ///< omitted because of `max_seconds`, memory or an interrupt
  DispatchQuality calibrated;        ///< dispatcher that knows only the calibration
  DispatchQuality
      observed;  ///< dispatcher that has also observed the calls of the size, as in a program
  double seconds_per_decision = 0;
  bool failed = false;  ///< an answer was wrong
};

/// \brief Times every operation at every size on every space through the engines.
///
/// A time counts only if the answer agrees with `Kindred::Reference` on a sample and has the same
/// bits as on the first space. Ends early if \see is_interrupted.
/// \param limits of the spaces
/// \param show is given each row when it was measured
SweepResults sweep(Context& context, const SweepOptions& options, const std::vector<Limits>& limits,
                   const std::function<void(const SweepRow&)>& show);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_SWEEP_SWEEP_HPP

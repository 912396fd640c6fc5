// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_SWEEP_SWEEP_HPP
#define KINDRED_PERF_SWEEP_SWEEP_HPP

#include <kindred/backends/Context.hpp>

#include "common/Environment.hpp"

#include <Report.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace Kindred::Perf {

/// Where an array that is indexed by space holds that of \p space.
constexpr std::size_t slot(Space space) { return static_cast<std::size_t>(space); }

struct SweepOptions {
  std::vector<Operation> operations;
  std::vector<Space> spaces;  ///< empty: every usable one
  double smallest = 1;
  double largest = 1e7;
  double step = 4;
  double min_time = 0.05;    ///< seconds a benchmark repeats its call for
  double max_seconds = 300;  ///< of all; what does not fit is not run, and named
  std::uint64_t seed = 7;
  bool small_spreads = false;  ///< a size of `spread` is the edges that one query touches
};

struct OperationSweep {
  Operation operation;
  Tools::ReportSweep points;  ///< median seconds per size and space, and what the dispatcher said
                              ///< before they were measured
  std::vector<Tools::ReportKernel> kernels;  ///< of one call at the largest size, on every space
  std::array<double, space_count>
      bytes_per_second{};  ///< the highest of all sizes; 0 where not run
};

/// \brief How good the dispatcher's choices were.
struct DispatchQuality {
  std::size_t sizes = 0;
  std::size_t within = 0;           ///< sizes where its choice took ≤ 1.05 × the best space
  double worst = 1;                 ///< largest ratio of its choice's time to the best
  std::vector<std::string> misses;  ///< the other sizes: `score 64: serial, 1.50 x`

  void add(Operation operation, const Tools::ReportSweepPoint& point, Space chosen);
  /// \param what is named where it is a miss \param ratio of the choice's time to the best
  void add(const std::string& what, double ratio);
  double share() const;
};

struct SweepResults {
  Json benchmarks;  ///< Google Benchmark's own JSON: `context` and `benchmarks`
  std::vector<OperationSweep> sweeps;
  std::vector<std::string> not_run;  ///< what `max_seconds` or memory left out
  DispatchQuality calibrated;        ///< of a dispatcher that knew the calibration alone
  DispatchQuality observed;  ///< of one that had seen the calls of the size, as in a program
  double seconds_per_decision = 0;
  double seconds_per_routed_call = 0;
  bool failed = false;  ///< a benchmark's answer was wrong
};

/// \brief Times every operation at every size on every space through the engines.
///
/// An answer is compared with `Kindred::Reference` on a sample and with the bits of the first space
/// before its time counts.
SweepResults sweep(Context& context, const SweepOptions& options);

/// Seconds that \p dispatcher takes to decide, over sizes of every class.
double seconds_per_decision(Dispatcher& dispatcher);
/// What a call by way of \p context takes beyond the same call on a space that is known: decision,
/// clock, observation. Empty calls spoil what the dispatcher has learnt.
double seconds_per_routed_call(Context& context);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_SWEEP_SWEEP_HPP

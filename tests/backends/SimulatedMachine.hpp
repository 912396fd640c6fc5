// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_BACKENDS_SIMULATED_MACHINE_HPP
#define KINDRED_TESTS_BACKENDS_SIMULATED_MACHINE_HPP

#include <kindred/backends/Dispatcher.hpp>
#include <kindred/matcher/SequenceOperationInfo.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace Kindred::Testing {

using Time = std::chrono::steady_clock::time_point;

/// A dispatcher on a simulated machine: its clock, and the true cost of calls there.
struct Machine {
  explicit Machine(SpaceSet usable = SpaceSet::all(), Dispatcher::Options options = {},
                   int threads = 8)
      : dispatcher(usable, threads, with_clock(std::move(options))) {}

  Dispatcher::Options with_clock(Dispatcher::Options options) {
    options.clock = [this] { return now; };
    return options;
  }
  /// Overhead and rate of a space.
  struct Line {
    double overhead;
    double rate;
  };
  double truth(Space space, double work) const {
    return lines[space_index(space)].overhead + work / lines[space_index(space)].rate;
  }
  Workload workload(double work) const {
    return {.operation = Operations::lcs,
            .items = static_cast<std::uint64_t>(work),
            .work = work,
            .resident = resident};
  }
  DispatchRecord decide(double work, std::optional<Space> forced = {}) {
    return dispatcher.decide(workload(work), forced);
  }
  double predicted(Space space, double work) const {
    return dispatcher.predict(workload(work))[space_index(space)];
  }
  /// A call of the given duration.
  DispatchRecord take(double seconds, double work, std::optional<Space> forced = {},
                      bool first = false) {
    DispatchRecord record = decide(work, forced);
    record.taken = seconds;
    record.first = first;
    dispatcher.observe(record);
    return record;
  }
  void fail(Space space, int times = 1) {
    for (int i = 0; i < times; ++i) dispatcher.observe_failure(Operations::lcs, space);
  }
  bool is_open(Space space) const { return dispatcher.breaker_open(Operations::lcs, space); }
  /// One call, in the way `Context::run` makes it.
  DispatchRecord call(double work, std::optional<Space> forced = {}) {
    DispatchRecord record = dispatcher.decide(workload(work), forced);
    record.taken = truth(record.chosen, work);
    now += std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(record.taken));
    dispatcher.observe(record);
    return record;
  }
  /// Calibrates every team of `openmp` too: a team's rate is that of one thread times its number of
  /// threads, up to the rate of all threads.
  void calibrate() {
    for (const Space space : all_spaces) {
      if (!dispatcher.usable().contains(space)) continue;
      if (space != Space::openmp) {
        calibrate(space, lines[space_index(space)], 0);
        continue;
      }
      for (const int threads : dispatcher.team_sizes()) {
        Line line = lines[space_index(space)];
        line.rate = std::min(line.rate, threads * lines[space_index(Space::serial)].rate);
        calibrate(space, line, threads);
      }
    }
  }
  void calibrate(Space space, const Line& line, int threads) {
    dispatcher.calibrate_start(space, 0, threads);  // included in the overhead
    for (int k = 4; k <= 34; k += 2) {
      const double work = std::ldexp(1.0, k);
      dispatcher.calibrate(Operations::lcs, space, work, line.overhead + work / line.rate, threads);
    }
  }
  Space best(double work) const {
    return *std::min_element(all_spaces.begin(), all_spaces.end(),
                             [&](Space a, Space b) { return truth(a, work) < truth(b, work); });
  }

  Time now{};
  std::array<Line, space_count> lines{Line{1e-6, 1e9}, Line{8e-6, 6e9}, Line{1e-4, 1e12}};
  SpaceSet resident = SpaceSet::all();
  Dispatcher dispatcher;
};

struct CalibratedMachine : Machine {
  explicit CalibratedMachine(SpaceSet usable = SpaceSet::all(), Dispatcher::Options options = {})
      : Machine(usable, std::move(options)) {
    calibrate();
  }
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_BACKENDS_SIMULATED_MACHINE_HPP

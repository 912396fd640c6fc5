// SPDX-License-Identifier: Apache-2.0
#include "sweep/Sweep.hpp"

#include <kindred/backends/KernelProfile.hpp>

#include "common/BenchmarkRunner.hpp"
#include "common/Problem.hpp"
#include "common/SizeLadder.hpp"
#include "common/Timing.hpp"
#include "sweep/Problems.hpp"

#include <chrono>
#include <cmath>

namespace Kindred::Perf {

namespace {

class Sweeper {
 public:
  Sweeper(Context& context, const SweepOptions& options)
      : m_context(context),
        m_options(options),
        m_problems(context, options.seed, options.small_spreads),
        m_judge_context(judge_options(context.threads())),
        m_judge(m_judge_context.dispatcher()),
        m_benchmarks(options.min_time) {
    if (m_options.spaces.empty()) {
      for (const Space space : all_spaces) {
        if (context.is_usable(space)) m_options.spaces.push_back(space);
      }
    }
    if (context.dispatcher().calibrated())
      m_judge.load_profile_json(context.dispatcher().profile_json());
  }

  SweepResults run() {
    for (const Operation operation : m_options.operations) sweep(operation);
    m_results.benchmarks = m_benchmarks.finish();
    m_results.seconds_per_decision = seconds_per_decision(m_judge);
    m_results.seconds_per_routed_call = seconds_per_routed_call(m_judge_context);
    return std::move(m_results);
  }

 private:
  /// Options of the context that judges what the dispatcher knew before the sweep: it makes no
  /// probes and observes no measured call.
  static ContextOptions judge_options(int threads) {
    ContextOptions options;
    options.threads = threads;
    options.load_profile = false;
    options.dispatcher.probe_interval = std::chrono::hours(24);
    return options;
  }

  void sweep(Operation operation) {
    OperationSweep out;
    out.operation = operation;
    out.points.operation = to_string(operation);
    out.points.unit = Problems::unit(operation);
    double last = 0;
    for (const double size : size_ladder(m_options.smallest, m_options.largest, m_options.step)) {
      const std::string name = std::string(to_string(operation)) + " " +
                               std::to_string(static_cast<std::uint64_t>(size));
      const double left = m_options.max_seconds - seconds_since(m_start);
      const double needed = Problems::bytes(operation, size);
      const auto start = Clock::now();
      if (left < last * m_options.step) {
        m_results.not_run.push_back(name + ": --max-seconds");
      } else if (needed > 0.5 * static_cast<double>(m_context.info(Space::serial).memory_free)) {
        m_results.not_run.push_back(name + ": memory");
      } else {
        measure(static_cast<std::size_t>(size), out);
        last = seconds_since(start);
      }
    }
    m_results.sweeps.push_back(std::move(out));
  }

  void measure(std::size_t size, OperationSweep& out) {
    const std::unique_ptr<Problem> problem = m_problems.make(out.operation, size);
    Tools::ReportSweepPoint point;
    point.items = static_cast<double>(size);
    SpaceSet resident;
    for (const Space space : all_spaces) {
      if (problem->reaches(space)) resident = resident.with(space);
    }
    std::optional<std::uint64_t> digest;
    Workload workload;
    out.kernels.clear();
    for (const Space space : m_options.spaces) {
      if (!resident.contains(space)) continue;
      problem->turn(0);
      const DispatchRecord record = problem->run(space);
      std::string wrong = problem->check();
      if (!digest) digest = problem->digest();
      if (wrong.empty() && problem->same_bits && *digest != problem->digest())
        wrong = "other bits than " + std::string(to_string(m_options.spaces.front()));
      if (!point.chosen) {
        workload = workload_of(record, resident);
        const DispatchRecord decision = m_judge.decide(workload);
        point.predicted = decision.predicted;
        point.chosen = decision.chosen;
      }
      const double taken = m_benchmarks.time(*problem, space, wrong);
      m_results.failed = m_results.failed || !wrong.empty();
      point.taken[space_index(space)] = taken;
      append_kernels(*problem, space, out.kernels);
      double& rate = out.bytes_per_second[space_index(space)];
      rate = std::fmax(rate, problem->bytes / taken);
    }
    if (point.chosen) {
      m_results.calibrated.add(out.operation, point, *point.chosen);
      m_results.observed.add(out.operation, point, m_context.dispatcher().decide(workload).chosen);
    }
    out.points.points.push_back(point);
  }

  /// Appends the kernels of one call on \p space. A profile fences them, so this call is not one of
  /// those that are timed.
  static void append_kernels(Problem& problem, Space space, std::vector<Tools::ReportKernel>& out) {
    const KernelProfile profile;
    problem.run(space);
    for (const KernelTime& kernel : profile.kernels()) {
      if (kernel.device == (space == Space::cuda))
        out.push_back({kernel.label, std::string(to_string(space)), kernel.count, kernel.seconds});
    }
  }

  Context& m_context;
  SweepOptions m_options;
  Problems m_problems;
  Context m_judge_context;
  Dispatcher& m_judge;
  BenchmarkRunner m_benchmarks;
  SweepResults m_results;
  Clock::time_point m_start = Clock::now();
};

}  // namespace

SweepResults sweep(Context& context, const SweepOptions& options) {
  return Sweeper(context, options).run();
}

}  // namespace Kindred::Perf

// SPDX-License-Identifier: Apache-2.0
#include "sweep/Sweep.hpp"

#include "common/BenchmarkRunner.hpp"
#include "common/Interrupt.hpp"
#include "common/KernelsOf.hpp"
#include "common/Roofline.hpp"
#include "common/SizeLadder.hpp"
#include "common/Timing.hpp"
#include "machine/CopyProblem.hpp"
#include "problems/Problem.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace Kindred::Perf {

namespace {

/// Fills the caches of a space with other data.
class OtherData {
 public:
  explicit OtherData(Context& context) : m_context(context) {}
  void load(Space space) {
    // More than the caches of processors and devices have.
    constexpr CopyWork work{.bytes = 256ULL << 20U};
    std::unique_ptr<Problem>& copy = m_copies[space];
    if (!copy) copy = copy_problem(m_context, work);
    copy->run(space == Space::serial && m_context.is_usable(Space::openmp) ? Space::openmp : space);
  }

 private:
  Context& m_context;
  std::map<Space, std::unique_ptr<Problem>> m_copies;
};

class Sweeper {
 public:
  Sweeper(Context& context, const SweepOptions& options, const std::vector<Limits>& limits,
          const std::function<void(const SweepRow&)>& show)
      : m_context(context),
        m_options(options),
        m_limits(limits),
        m_show(show),
        m_problems(context, options.seed, options.shape),
        m_other_data(context),
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
    double last = 0;
    std::vector<SweepKernel> kernels;
    for (const double size : size_ladder(m_options.smallest, m_options.largest, m_options.step)) {
      const std::string name = std::string(to_string(operation)) + " " +
                               std::to_string(static_cast<std::uint64_t>(size));
      const double left = m_options.max_seconds - seconds_since(m_start);
      const auto start = Clock::now();
      if (is_interrupted()) {
        m_results.not_run.push_back(name + ": interrupted");
      } else if (left < last * m_options.step) {
        m_results.not_run.push_back(name + ": --max-seconds");
      } else if (m_problems.bytes(operation, size) > m_problems.memory_allowed()) {
        m_results.not_run.push_back(name + ": memory");
      } else {
        kernels = measure(operation, size);
        last = seconds_since(start);
      }
    }
    m_results.kernels.insert(m_results.kernels.end(), kernels.begin(), kernels.end());
  }

  /// Returns the kernels of one call on every space.
  std::vector<SweepKernel> measure(Operation operation, double size) {
    const std::unique_ptr<Problem> problem =
        m_problems.make(operation, static_cast<std::size_t>(size));
    SpaceSet resident;
    for (const Space space : all_spaces) {
      if (problem->reaches(space)) resident = resident.with(space);
    }
    std::vector<SweepKernel> kernels;
    std::vector<SweepRow> rows;
    std::optional<std::uint64_t> digest;
    std::optional<DispatchRecord> decision;
    Workload workload;
    for (const Space space : m_options.spaces) {
      if (!resident.contains(space)) continue;
      problem->turn(0);
      const DispatchRecord record = problem->run(space);
      std::string wrong = problem->check();
      if (!digest) digest = problem->digest();
      if (wrong.empty() && problem->same_bits && *digest != problem->digest())
        wrong = "other bits than " + std::string(to_string(m_options.spaces.front()));
      m_results.failed = m_results.failed || !wrong.empty();
      if (!decision) {
        workload = workload_of(record, resident);
        decision = m_judge.decide(workload);
      }
      for (const int threads : threads_of(space)) {
        SweepRow row;
        row.operation = operation;
        row.unit = m_problems.unit(operation);
        row.size = size;
        row.space = space;
        row.threads = threads;
        row.predicted_seconds = decision->predicted[space_index(space)];
        row.is_chosen = decision->chosen == space;
        measure(*problem, wrong, row);
        if (!row.samples.empty()) rows.push_back(std::move(row));
      }
      for (const KernelTime& kernel : kernels_of(*problem, space))
        kernels.push_back({operation, space, kernel.label, kernel.count, kernel.seconds});
    }
    if (decision) judge(rows, workload, *decision);
    for (SweepRow& row : rows) {
      m_show(row);
      m_results.rows.push_back(std::move(row));
    }
    return kernels;
  }

  /// The numbers of threads that are measured on \p space.
  std::vector<int> threads_of(Space space) const {
    if (space != Space::openmp) return {1};
    return m_options.threads.empty() ? std::vector<int>{m_context.threads()} : m_options.threads;
  }

  void measure(Problem& problem, const std::string& wrong, SweepRow& row) {
    const bool is_forced = row.space == Space::openmp && !m_options.threads.empty();
    if (is_forced) m_context.dispatcher().force_threads(row.threads);
    std::string where(to_string(row.space));
    if (is_forced) where += "/" + std::to_string(row.threads);
    row.samples = m_benchmarks.times(problem, row.space, where, wrong);
    if (!row.samples.empty()) {
      row.seconds = median(row.samples);
      row.cold_seconds = cold_seconds(problem, row);
      row.items_per_second = problem.items / row.seconds;
      row.bytes_per_second = problem.bytes / row.seconds;
      if (const Limits* const limits = find_limits(m_limits, row.space)) {
        const Roofline least(problem, *limits);
        row.percent_of_limit = 100 * least.seconds() / row.seconds;
        row.limit = least.limit();
      }
    }
    if (is_forced) m_context.dispatcher().force_threads(0);
  }

  double cold_seconds(Problem& problem, const SweepRow& row) {
    constexpr int calls = 5;
    std::vector<double> times;
    const auto start = Clock::now();
    for (int call = 0; call < calls; ++call) {
      if (call > 0 && seconds_since(start) > 5 * m_options.min_time) break;
      m_other_data.load(row.space);
      problem.turn(row.samples.size() + static_cast<std::size_t>(call));
      times.push_back(timed([&] { problem.run(row.space); }));
    }
    return median(times);
  }

  void judge(std::vector<SweepRow>& rows, const Workload& workload,
             const DispatchRecord& decision) {
    const Space after = m_context.dispatcher().decide(workload).chosen;
    std::array<double, space_count> taken;
    taken.fill(std::numeric_limits<double>::quiet_NaN());
    for (SweepRow& row : rows) {
      row.is_chosen_after = row.space == after;
      double& best = taken[space_index(row.space)];
      best = std::fmin(best, row.seconds);
    }
    if (rows.empty()) return;
    m_results.calibrated.add(rows[0].operation, rows[0].size, taken, decision.chosen);
    m_results.observed.add(rows[0].operation, rows[0].size, taken, after);
  }

  Context& m_context;
  SweepOptions m_options;
  const std::vector<Limits>& m_limits;
  const std::function<void(const SweepRow&)>& m_show;
  Problems m_problems;
  OtherData m_other_data;
  Context m_judge_context;
  Dispatcher& m_judge;
  BenchmarkRunner m_benchmarks;
  SweepResults m_results;
  Clock::time_point m_start = Clock::now();
};

}  // namespace

SweepResults sweep(Context& context, const SweepOptions& options, const std::vector<Limits>& limits,
                   const std::function<void(const SweepRow&)>& show) {
  return Sweeper(context, options, limits, show).run();
}

}  // namespace Kindred::Perf

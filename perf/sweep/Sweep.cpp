// SPDX-License-Identifier: Apache-2.0
#include "sweep/Sweep.hpp"

#include <kindred/backends/KernelProfile.hpp>

#include "common/Benchmarks.hpp"
#include "common/Problem.hpp"
#include "common/Timing.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>

namespace Kindred::Perf {

namespace {

std::size_t slot(Space space) { return static_cast<std::size_t>(space); }

/// Makes the problem of an operation at a size, as the sweep defines it.
class Problems {
 public:
  Problems(Context& context, const SweepOptions& options)
      : m_context(context), m_seed(options.seed), m_small_spreads(options.small_spreads) {}

  std::unique_ptr<Problem> make(Operation operation, std::size_t size) {
    switch (operation) {
      case Operation::lcs: {
        MatchOptions options;
        options.top = 100;
        return match_problem(patterns(size, 4096), zipf_queries(1, 64, 4096, m_seed + 1), options);
      }
      case Operation::difflib: {
        MatchOptions options;
        options.measure = Measure::difflib;
        options.threshold = 0.6;
        options.top = 100;
        auto set = patterns(size, difflib_vocabulary);
        auto query = noisy_query(*set, size / 2, 80, m_seed + 1);
        return match_problem(std::move(set), std::move(query), options);
      }
      case Operation::search:
        return search_problem(rows(size), 1, std::min<std::size_t>(size, 10), m_seed,
                              SearchPath::plain);
      case Operation::search_screen:
        return search_problem(rows(size), 1, std::min<std::size_t>(size, 10), m_seed,
                              SearchPath::screen);
      case Operation::search_matrix:
        // Grows with the queries, as the two above grow with the rows.
        return search_problem(candidate_rows(), size, 10, m_seed, SearchPath::matrix);
      case Operation::score:
        return score_problem(candidate_rows(), (size + 1023) / 1024,
                             std::min<std::size_t>(size, 1024), 10, m_seed);
      case Operation::spread: {
        SpreadOptions options;
        options.hops = 3;
        if (m_small_spreads) return small_spread(size, options);
        const std::size_t nodes = std::max<std::size_t>(size / 32, 2);
        return spread_problem(std::make_shared<GraphSet>(m_context, nodes, size, m_seed), 1, 8,
                              options, m_seed);
      }
      case Operation::seeds:
        return seed_problem(m_context, size, m_seed);
      case Operation::lattice_build:
      case Operation::lattice_search: {
        std::uint32_t side = 2;
        while (side < 1000 && LatticeShape(3, side + 1).nodes() <= size) ++side;
        auto lattice = std::make_shared<Lattice>(m_context, 3, side);
        return operation == Operation::lattice_build ? lattice_rows_problem(std::move(lattice))
                                                     : lattice_search_problem(std::move(lattice));
      }
      case Operation::transform:
      case Operation::element_wise:
      case Operation::reduction:
      case Operation::random_generation:
      case Operation::matrix_add:
        return bulk_problem(m_context, {operation, size, 1, 1, false}, m_seed);
      case Operation::matrix_multiply: {
        const auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(size)));
        return bulk_problem(m_context, {operation, side * side, 1, 1, false}, m_seed);
      }
    }
    return {};
  }

  /// Bytes of host memory that the problem needs: input, engine, and a device's staging.
  static double bytes(Operation operation, double size) {
    switch (operation) {
      case Operation::lcs:
      case Operation::difflib:
        return size * 100 * 10;
      case Operation::search:
      case Operation::search_screen:
        return size * dimension * 14;
      case Operation::search_matrix:
        return (size + candidate_corpus) * dimension * 14;
      case Operation::score:
        return size * 32 + candidate_corpus * dimension * 12.0;
      case Operation::spread:
        return size * 64;
      case Operation::seeds:
        return size * 4096 * 16;
      case Operation::lattice_build:
      case Operation::lattice_search:
        return size * 40;
      case Operation::transform:
      case Operation::element_wise:
      case Operation::reduction:
      case Operation::random_generation:
      case Operation::matrix_add:
      case Operation::matrix_multiply:
        return size * 24;
    }
    return 0;
  }

  static const char* unit(Operation operation) {
    switch (operation) {
      case Operation::lcs:
      case Operation::difflib:
        return "patterns";
      case Operation::search:
      case Operation::search_screen:
        return "rows";
      case Operation::search_matrix:
        return "queries of 65,536 rows";
      case Operation::score:
        return "candidates";
      case Operation::spread:
        return "edges";
      case Operation::seeds:
        return "rows of 4,096";
      case Operation::lattice_build:
      case Operation::lattice_search:
        return "nodes";
      case Operation::transform:
      case Operation::element_wise:
      case Operation::reduction:
      case Operation::random_generation:
      case Operation::matrix_add:
        return "elements";
      case Operation::matrix_multiply:
        return "elements of a matrix";
    }
    return "";
  }

 private:
  static constexpr std::size_t dimension = 768;
  static constexpr std::size_t candidate_corpus = 65536;

  /// Three hops from a node touch d, d² and d³ rows of d edges each, and so some d⁴ edges of a
  /// graph that is large beside them.
  std::unique_ptr<Problem> small_spread(std::size_t touched, SpreadOptions& options) {
    options.threshold = 0;
    const auto degree =
        static_cast<std::size_t>(std::lround(std::pow(static_cast<double>(touched), 0.25)));
    const std::size_t edges = 200'000 * std::max<std::size_t>(degree, 1);
    return spread_problem(
        std::make_shared<GraphSet>(m_context, 200'000, edges, m_seed, GraphShape::uniform), 1, 1,
        options, m_seed);
  }

  std::shared_ptr<PatternSet> patterns(std::size_t count, std::uint32_t vocabulary) {
    return std::make_shared<PatternSet>(m_context, count, 100, vocabulary, m_seed);
  }
  std::shared_ptr<RowSet> rows(std::size_t count) {
    return std::make_shared<RowSet>(m_context, count, dimension, m_seed);
  }
  std::shared_ptr<const RowSet> candidate_rows() {
    if (!m_candidates) m_candidates = rows(candidate_corpus);
    return m_candidates;
  }

  Context& m_context;
  std::uint64_t m_seed;
  bool m_small_spreads;
  std::shared_ptr<const RowSet> m_candidates;
};

class Sweeper {
 public:
  Sweeper(Context& context, const SweepOptions& options)
      : m_context(context),
        m_options(options),
        m_problems(context, options),
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
  /// Judged by what it knew before the sweep: no probes, and nothing that is measured here reaches
  /// it.
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
    for (double size = m_options.smallest; size <= m_options.largest * 1.0001;
         size *= m_options.step) {
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
        workload = {out.operation, record.items, record.work, record.transfer_bytes, resident};
        const DispatchRecord decision = m_judge.decide(workload);
        point.predicted = decision.predicted;
        point.chosen = decision.chosen;
      }
      const double taken = m_benchmarks.time(*problem, space, wrong);
      m_results.failed = m_results.failed || !wrong.empty();
      point.taken[slot(space)] = taken;
      append_kernels(*problem, space, out.kernels);
      double& rate = out.bytes_per_second[slot(space)];
      rate = std::fmax(rate, problem->bytes / taken);
    }
    if (point.chosen) {
      m_results.calibrated.add(out.operation, point, *point.chosen);
      m_results.observed.add(out.operation, point, m_context.dispatcher().decide(workload).chosen);
    }
    out.points.points.push_back(point);
  }

  /// The kernels of one call on \p space. A profile fences them, so the call is not one of the
  /// timed.
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
  Benchmarks m_benchmarks;
  SweepResults m_results;
  Clock::time_point m_start = Clock::now();
};

}  // namespace

void DispatchQuality::add(Operation operation, const Tools::ReportSweepPoint& point, Space chosen) {
  double best = std::numeric_limits<double>::infinity();
  for (const double taken : point.taken) best = std::fmin(best, taken);
  const double ratio = point.taken[slot(chosen)] / best;
  if (std::isnan(ratio)) return;
  ++sizes;
  worst = std::max(worst, ratio);
  if (ratio <= 1.05) {
    ++within;
    return;
  }
  char text[80];
  std::snprintf(text, sizeof(text), "%s %.0f: %s, %.2f x", to_string(operation).data(), point.items,
                to_string(chosen).data(), ratio);
  misses.emplace_back(text);
}

double DispatchQuality::share() const {
  return sizes == 0 ? 0 : static_cast<double>(within) / static_cast<double>(sizes);
}

double seconds_per_decision(Dispatcher& dispatcher) {
  constexpr int decisions = 200'000;
  Workload workload;
  workload.resident = dispatcher.usable();
  const double seconds = timed([&] {
    for (int i = 0; i < decisions; ++i) {
      workload.items = 1U << (i % 24);
      workload.work = static_cast<double>(workload.items) * 100;
      benchmark::DoNotOptimize(dispatcher.decide(workload));
    }
  });
  return seconds / decisions;
}

double seconds_per_routed_call(Context& context) {
  constexpr int calls = 200'000;
  Workload workload;
  const auto body = [](Space space) { benchmark::DoNotOptimize(space); };
  const auto seconds = [&](const auto& call) {
    return timed([&] {
      for (int i = 0; i < calls; ++i) {
        workload.items = 1U << (i % 24);
        workload.work = static_cast<double>(workload.items) * 100;
        call();
      }
    });
  };
  const double routed = seconds([&] { context.run(workload, {}, body); });
  return (routed - seconds([&] { body(Space::serial); })) / calls;
}

SweepResults sweep(Context& context, const SweepOptions& options) {
  return Sweeper(context, options).run();
}

}  // namespace Kindred::Perf

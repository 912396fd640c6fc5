// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "common/Environment.hpp"
#include "common/JsonOutput.hpp"
#include "common/KernelsOf.hpp"
#include "common/Roofline.hpp"
#include "common/Timing.hpp"
#include "common/UsableSpace.hpp"
#include "h200/RowServer.hpp"
#include "h200/TargetRows.hpp"
#include "machine/Limits.hpp"
#include "sweep/Sweep.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>

namespace Kindred::Perf {

namespace {

struct TargetArguments {
  std::vector<std::string> only;
  std::string space;
  double scale = 1;
  int repeats = 15;
  int threads = 0;
  double max_seconds = 600;
  std::uint64_t seed = 7;
  bool serve = false;
  std::string out;
};

Space choose_space(const std::string& name, const Context& context) {
  if (name.empty()) {
    for (const Space space : {Space::cuda, Space::openmp}) {
      if (context.is_usable(space)) return space;
    }
    return Space::serial;
  }
  return usable_space(context, "--space", name);
}

/// The kernels of one call on \p space, and their total seconds.
Json kernel_times(Problem& problem, Space space, double& seconds) {
  Json kernels = Json::array();
  seconds = 0;
  for (const KernelTime& kernel : kernels_of(problem, space)) {
    seconds += kernel.seconds;
    kernels.push_back(
        {{"label", kernel.label}, {"count", kernel.count}, {"seconds", kernel.seconds}});
  }
  return kernels;
}

bool has_kernel(const Json& kernels, const std::string& part) {
  return std::ranges::any_of(kernels, [&](const Json& kernel) {
    return kernel["label"].get_ref<const std::string&>().find(part) != std::string::npos;
  });
}

class TargetRunner {
 public:
  TargetRunner(Context& context, const TargetArguments& arguments, Space space,
               const Limits& limits)
      : m_context(context), m_arguments(arguments), m_space(space), m_limits(limits) {
    std::printf("%-13s %11s %11s %11s %11s %8s %8s %8s %11s  %s\n", "row", "time ms", "kernels ms",
                "queued ms", "target ms", "% copy", "% read", "% arith", "rate/s", "work");
  }

  Json run(const TargetRow& row) {
    const auto start = Clock::now();
    const std::unique_ptr<Problem> problem = row.make();
    const double preparation = seconds_since(start);
    problem->run(m_space);
    std::string wrong = problem->check();
    const std::uint64_t digest = problem->digest();
    std::size_t call = 0;
    const auto next = [&] {
      problem->turn(call++);
      problem->run(m_space);
    };
    for (int i = 1; i < row.warm; ++i) next();
    std::vector<double> samples = times_of(m_arguments.repeats, 5.0, next);
    for (double& sample : samples) sample /= row.calls;
    const double taken = median(samples);
    const double copy = seconds_of_copy(row);
    const double target = row.of_copy > 0 ? copy / row.of_copy : row.target;
    double in_kernels = 0;
    Json kernels = kernel_times(*problem, m_space, in_kernels);
    in_kernels /= row.calls;
    const Problem::Queued queued =
        row.queued ? problem->queued(m_space, m_arguments.repeats) : Problem::Queued{};
    if (wrong.empty()) wrong = queued.wrong;
    const bool is_whole = m_arguments.scale == 1;
    if (is_whole && wrong.empty() && !row.kernel.empty() && !has_kernel(kernels, row.kernel))
      wrong = "no kernel " + row.kernel + " has run: the row measured other work than it names";
    const Space other = m_space == Space::openmp ? Space::serial : Space::openmp;
    if (row.compare_bits && m_context.is_usable(other)) {
      problem->turn(0);
      problem->run(other);
      if (wrong.empty() && digest != problem->digest())
        wrong = "other bits than " + std::string(to_string(other));
    }
    const double rate = problem->items / row.calls / taken;
    // The limits apply to kernels; the difference of the two times shows the rest.
    const double kernel_time = in_kernels > 0 ? in_kernels : taken;
    const Roofline least(*problem, m_limits);
    const double of_read = 100 * least.memory / row.calls / kernel_time;
    const double of_arithmetic = 100 * least.arithmetic / row.calls / kernel_time;
    const bool at_target_size = is_whole && m_space == Space::cuda;
    std::printf("%-13s %11.4f %11.4f %11.4f %11.4f %8.1f %8.1f %8.1f %11.4g  %s%s%s\n",
                row.name.c_str(), 1e3 * taken, 1e3 * in_kernels, 1e3 * queued.seconds, 1e3 * target,
                100 * copy / taken, of_read, of_arithmetic, rate, row.work.c_str(),
                wrong.empty() ? "" : "  WRONG: ", wrong.c_str());
    std::fflush(stdout);
    Json out{{"row", row.name},
             {"work", row.work},
             {"space", to_string(m_space)},
             {"seconds", taken},
             {"samples", samples},
             {"kernel_seconds", in_kernels},
             {"kernels", std::move(kernels)},
             {"items_per_second", rate},
             {"cell_updates_per_second", problem->cell_updates / row.calls / taken},
             {"percent_of_read_limit", of_read},
             {"percent_of_arithmetic_limit", of_arithmetic},
             {"preparation_seconds", preparation},
             {"correct", wrong.empty()}};
    if (queued.seconds > 0) out["queued_seconds"] = queued.seconds;
    if (!wrong.empty()) out["wrong"] = wrong;
    if (copy > 0) {
      out["copy_seconds"] = copy;
      out["percent_of_copy"] = 100 * copy / taken;
    }
    if (target > 0) {
      out["h200_target_seconds"] = target;
      const double counted = queued.seconds > 0 ? queued.seconds : taken;
      if (at_target_size) out["times_target"] = counted / target;
    }
    for (const auto& [name, value] : problem->arguments) out["arguments"][name] = value;
    return out;
  }

 private:
  /// Time of the copy of \p row; 0 if it has none.
  double seconds_of_copy(const TargetRow& row) const {
    if (!row.make_copy) return 0;
    const std::unique_ptr<Problem> copy = row.make_copy();
    return median_of(m_arguments.repeats, 5.0, [&] { copy->run(m_space); }) / row.calls;
  }

  Context& m_context;
  const TargetArguments& m_arguments;
  Space m_space;
  Limits m_limits;
};

int run_target_rows(const TargetArguments& arguments) {
  ContextOptions context_options;
  context_options.threads = arguments.threads;
  Context context(context_options);
  const Space space = choose_space(arguments.space, context);
  std::vector<TargetRow> rows = target_rows(context, arguments.scale, arguments.seed);
  const auto named = [&](const std::string& name) {
    return std::find(arguments.only.begin(), arguments.only.end(), name) != arguments.only.end();
  };
  for (const std::string& name : arguments.only) {
    const bool known = std::any_of(rows.begin(), rows.end(),
                                   [&](const TargetRow& row) { return row.name == name; });
    KINDRED_THROW_IF(!known, "--only " + name + ": there is no such row");
  }
  const auto is_selected = [&](const TargetRow& row) {
    return arguments.only.empty() ? !row.on_request : named(row.name);
  };
  if (arguments.serve) {
    std::erase_if(rows, std::not_fn(is_selected));
    serve_rows(rows, space, environment(context, arguments.seed, {}));
    return 0;
  }
  LimitsOptions limits_options;
  if (arguments.scale < 0.01) limits_options.host_bytes = 64ULL << 20U;
  const std::vector<Limits> limits = measure_limits(context, limits_options);
  if (arguments.scale != 1)
    std::printf("corpora scaled by %g: the targets are for 1\n", arguments.scale);
  TargetRunner runner(context, arguments, space, *find_limits(limits, space));
  const auto start = Clock::now();
  Json measured = Json::array();
  Json not_run = Json::array();
  bool correct = true;
  for (TargetRow& row : rows) {
    const bool selected = is_selected(row);
    if (selected && seconds_since(start) < arguments.max_seconds) {
      measured.push_back(runner.run(row));
      correct = correct && measured.back()["correct"].get<bool>();
    } else if (selected) {
      not_run.push_back(row.name);
      std::printf("%-13s not run: --max-seconds\n", row.name.c_str());
    }
    row.make = {};
  }
  const double decision = seconds_per_decision(context.dispatcher());
  std::printf("dispatcher    %.0f ns a decision (target: less than 1000)\n", 1e9 * decision);
  if (!arguments.out.empty()) {
    write_json(Json{{"context", environment(context, arguments.seed, limits)},
                    {"scale", arguments.scale},
                    {"rows", std::move(measured)},
                    {"not_run", std::move(not_run)},
                    {"seconds_per_decision", decision},
                    {"seconds", seconds_since(start)}},
               arguments.out);
  }
  if (!correct) throw Error("an answer was wrong: see the rows above");
  return 0;
}

}  // namespace

void add_h200(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<TargetArguments>();
  CLI::App* command =
      app.add_subcommand("h200", "The rows of the H200 targets, on this machine's best space");
  command->add_option("--only", arguments->only, "Comma-separated rows to run")->delimiter(',');
  command->add_option("--space", arguments->space, "serial, openmp or cuda (default: the best)");
  command->add_option("--scale", arguments->scale, "Scale of the data sets; the targets apply at 1")
      ->check(CLI::Range(1e-6, 10.0));
  command->add_option("--repeats", arguments->repeats, "Number of calls whose median is reported")
      ->check(CLI::Range(1, 1000));
  command->add_option("--threads", arguments->threads, "Threads of the space openmp")
      ->check(CLI::Range(1, 512));
  command->add_option("--max-seconds", arguments->max_seconds, "No row starts after this time")
      ->check(CLI::PositiveNumber);
  command->add_option("--seed", arguments->seed, "Seed of the data");
  command->add_flag("--serve", arguments->serve)->group("");  // for `kindred-perf compare`
  command->add_option("--out", arguments->out, "JSON file");
  command->callback(
      [arguments, &action] { action = [arguments] { return run_target_rows(*arguments); }; });
}

}  // namespace Kindred::Perf

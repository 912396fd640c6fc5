// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Calibration.hpp>

#include "Commands.hpp"
#include "common/Environment.hpp"
#include "common/JsonOutput.hpp"
#include "dispatch_quality/ChildProcess.hpp"
#include "dispatch_quality/MeasureQuality.hpp"
#include "sweep/Problems.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace Kindred::Perf {

namespace {

// Requirements for the choices.
constexpr double share_calibrated = 0.97;
constexpr double worst_calibrated = 1.5;
constexpr double share_priors = 0.9;
constexpr double worst_priors = 3;
constexpr double calibration_seconds_max = 6;

struct QualityArguments {
  QualityOptions quality;
  std::string operations = "all";
  int processes = 10;
  int threads = 0;
  std::string profile;  ///< used instead of a new calibration
  std::string part;     ///< task of a child process: calibrate or measure
  std::string out;
  bool check = false;
};

/// A folder for files of the child processes, removed on destruction.
struct TemporaryFolder {
  std::filesystem::path path = std::filesystem::temp_directory_path() /
                               ("kindred-dispatch-quality-" + std::to_string(::getpid()));
  TemporaryFolder() { std::filesystem::create_directories(path); }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
};

ContextOptions context_options(const QualityArguments& arguments) {
  ContextOptions options;
  options.threads = arguments.threads;
  options.profile = arguments.profile;
  options.load_profile = false;
  // A probe would be counted as a choice.
  options.dispatcher.probe_interval = std::chrono::hours(24);
  return options;
}

int calibrate_here(const QualityArguments& arguments) {
  Context context(context_options(arguments));
  calibrate(context);
  context.save_profile();
  return 0;
}

int measure_here(const QualityArguments& arguments) {
  ContextOptions options = context_options(arguments);
  Context priors(options);
  Context context(options);
  options.load_profile = true;
  Context calibrated(options);
  KINDRED_THROW_IF(!calibrated.dispatcher().calibrated(),
                   arguments.profile + " holds no calibration of this machine");
  write_json(
      measure_quality(context, calibrated.dispatcher(), priors.dispatcher(), arguments.quality),
      arguments.out);
  return 0;
}

std::vector<std::string> child_arguments(const QualityArguments& arguments, const char* part,
                                         const std::string& out) {
  std::vector<std::string> all{"dispatch-quality",
                               "--part",
                               part,
                               "--profile",
                               arguments.profile,
                               "--op",
                               arguments.operations,
                               "--max-call",
                               std::to_string(arguments.quality.call_seconds),
                               "--seconds",
                               std::to_string(arguments.quality.seconds),
                               "--repeats",
                               std::to_string(arguments.quality.repeats),
                               "--seed",
                               std::to_string(arguments.quality.seed)};
  if (arguments.threads > 0) {
    all.emplace_back("--threads");
    all.push_back(std::to_string(arguments.threads));
  }
  if (arguments.quality.teams) all.emplace_back("--teams");
  if (!out.empty()) {
    all.emplace_back("--out");
    all.push_back(out);
  }
  return all;
}

/// Sums over the sizes of all processes, per operation and in total.
struct Total {
  std::map<std::string, QualityPair> of;
  QualityPair all;

  void add(const Json& points) {
    for (const Json& point : points) {
      QualityPair& own = of[point["op"].get<std::string>()];
      own.add(point);
      all.add(point);
    }
  }
};

void print_row(const std::string& name, const QualityPair& pair) {
  std::printf("%-17s %6zu %12.1f %% %8.2f x %12.1f %% %8.2f x", name.c_str(), pair.calibrated.sizes,
              100 * pair.calibrated.share(), pair.calibrated.worst, 100 * pair.priors.share(),
              pair.priors.worst);
  if (pair.teams.sizes > 0)
    std::printf(" %8zu %6.1f %% %6.2f x", pair.teams.sizes, 100 * pair.teams.share(),
                pair.teams.worst);
  std::printf("\n");
}

int compare(QualityArguments arguments) {
  const TemporaryFolder folder;
  double calibration_seconds = 0;
  if (arguments.profile.empty()) {
    arguments.profile = (folder.path / "profile.json").string();
    std::cerr << "calibrating in a fresh process\n";
    calibration_seconds = run_child(child_arguments(arguments, "calibrate", {}));
  }
  Total total;
  Json processes = Json::array();
  for (int process = 1; process <= arguments.processes; ++process) {
    const std::string out = (folder.path / ("process-" + std::to_string(process))).string();
    const double seconds = run_child(child_arguments(arguments, "measure", out));
    std::ifstream file(out);
    Json points = Json::parse(file);
    QualityPair own;
    for (const Json& point : points) own.add(point);
    std::fprintf(stderr, "process %d of %d: %.0f s, %.1f %% calibrated, %.1f %% before\n", process,
                 arguments.processes, seconds, 100 * own.calibrated.share(),
                 100 * own.priors.share());
    total.add(points);
    processes.push_back({{"seconds", seconds}, {"points", std::move(points)}});
  }

  std::printf("%-17s %6s %14s %10s %14s %10s %8s %8s %8s\n", "operation", "sizes", "calibrated",
              "worst", "priors", "worst", "openmp", "team", "worst");
  for (const auto& [name, pair] : total.of) print_row(name, pair);
  print_row("all", total.all);
  for (const auto& [name, misses] : {std::pair("calibrated", &total.all.calibrated.misses),
                                     std::pair("priors", &total.all.priors.misses),
                                     std::pair("team", &total.all.teams.misses)}) {
    for (const std::string& miss : *misses) std::printf("%s: %s\n", name, miss.c_str());
  }
  if (calibration_seconds > 0)
    std::printf("the calibration took %.1f s (at most %.0f)\n", calibration_seconds,
                calibration_seconds_max);
  const bool teams_hold =
      !arguments.quality.teams ||
      (total.all.teams.share() >= share_calibrated && total.all.teams.worst <= worst_calibrated);
  const bool holds =
      teams_hold && total.all.calibrated.share() >= share_calibrated &&
      total.all.calibrated.worst <= worst_calibrated && total.all.priors.share() >= share_priors &&
      total.all.priors.worst <= worst_priors && calibration_seconds <= calibration_seconds_max;
  std::printf(
      "required: within 5 %% of the best space at %.0f %% of the sizes and never above "
      "%.1f x, before a calibration %.0f %% and %.0f x: %s\n",
      100 * share_calibrated, worst_calibrated, 100 * share_priors, worst_priors,
      holds ? "holds" : "does not hold");
  if (!arguments.out.empty()) {
    Json operations = Json::object();
    for (const auto& [name, pair] : total.of) operations[name] = to_json(pair);
    ContextOptions options = context_options(arguments);
    const Context context(options);
    write_json(Json{{"context", environment(context, arguments.quality.seed, {})},
                    {"calibration_seconds", calibration_seconds},
                    {"holds", holds},
                    {"all", to_json(total.all)},
                    {"operations", std::move(operations)},
                    {"processes", std::move(processes)}},
               arguments.out);
  }
  return arguments.check && !holds ? 1 : 0;
}

int run_quality(const QualityArguments& given) {
  QualityArguments arguments = given;
  arguments.quality.operations = operations_from(arguments.operations);
  if (arguments.part == "calibrate") return calibrate_here(arguments);
  if (arguments.part == "measure") return measure_here(arguments);
  return compare(std::move(arguments));
}

}  // namespace

void add_dispatch_quality(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<QualityArguments>();
  QualityOptions& quality = arguments->quality;
  CLI::App* command = app.add_subcommand(
      "dispatch-quality",
      "How often the dispatcher's choice is the best space: forced runs of every space, at every "
      "power of two, in fresh processes after a fresh calibration");
  command->add_option("--op", arguments->operations,
                      "Comma-separated operations, as for sweep, or all");
  command
      ->add_option("--processes", arguments->processes,
                   "Number of fresh processes, each of which measures all sizes")
      ->check(CLI::Range(1, 100));
  command
      ->add_option("--max-call", quality.call_seconds,
                   "Sizes increase until the best space takes this many seconds")
      ->check(CLI::Range(1e-6, 10.0));
  command
      ->add_option("--seconds", quality.seconds,
                   "Time limit per process, divided equally among the operations; what does not "
                   "fit is omitted; 0: no limit")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--repeats", quality.repeats, "Number of calls whose median is reported")
      ->check(CLI::Range(1, 1000));
  command->add_flag("--teams", quality.teams,
                    "Measure every number of threads of openmp, not only those that are chosen");
  command->add_option("--threads", arguments->threads, "Threads of the space openmp")
      ->check(CLI::Range(1, 512));
  command->add_option("--profile", arguments->profile,
                      "Use this calibration instead of a fresh one");
  command->add_option("--seed", quality.seed, "Seed of the data");
  command->add_option("--out", arguments->out, "JSON file");
  command->add_flag("--check", arguments->check, "Exit with status 1 if a requirement is missed");
  command->add_option("--part", arguments->part)->group("");
  command->callback(
      [arguments, &action] { action = [arguments] { return run_quality(*arguments); }; });
}

}  // namespace Kindred::Perf

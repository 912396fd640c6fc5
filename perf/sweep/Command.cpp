// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Calibration.hpp>

#include "Commands.hpp"
#include "common/Environment.hpp"
#include "common/JsonOutput.hpp"
#include "machine/Limits.hpp"
#include "sweep/Problems.hpp"
#include "sweep/Sweep.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>

namespace Kindred::Perf {

namespace {

struct SweepArguments {
  SweepOptions sweep;
  std::string operations = "all";
  std::string sizes = "1:1e7";
  std::string spaces;
  int threads = 0;
  bool calibrate = false;
  std::string out;
  std::string report;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) out.push_back(part);
  return out;
}

std::vector<Space> spaces_from(const std::string& text, const Context& context) {
  std::vector<Space> out;
  for (const std::string& name : split(text, ',')) {
    const std::optional<Space> space = from_string<Space>(name);
    KINDRED_THROW_IF(!space, "--spaces " + name + ": it must be serial, openmp or cuda");
    if (!context.is_usable(*space))
      throw SpaceUnavailable("--spaces " + name + ": " + context.info(*space).why_not);
    out.push_back(*space);
  }
  return out;
}

void read_sizes(const std::string& text, SweepOptions& options) {
  char rest = 0;
  const int read =
      std::sscanf(text.c_str(), "%lf:%lf%c", &options.smallest, &options.largest, &rest);
  KINDRED_THROW_IF(read != 2 || !(options.smallest >= 1) ||
                       !(options.largest >= options.smallest) || !(options.largest <= 4e9),
                   "--sizes " + text + ": it must be FROM:TO with 1 <= FROM <= TO <= 4e9");
}

std::string number(double value) {
  if (std::isnan(value)) return "never";
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", value);
  return text;
}

/// Crossovers, shares of the read limit and the dispatcher's choices, as JSON and as text.
Json summarize(const SweepResults& results, const std::vector<Limits>& limits) {
  Json crossovers = Json::array();
  Json rates = Json::array();
  Json kernels = Json::array();
  for (const OperationSweep& sweep : results.sweeps) {
    for (const Tools::ReportKernel& kernel : sweep.kernels) {
      kernels.push_back({{"operation", to_string(sweep.operation)},
                         {"space", kernel.space},
                         {"kernel", kernel.name},
                         {"calls", kernel.calls},
                         {"seconds", kernel.seconds}});
    }
    for (const Space space : all_spaces) {
      const double rate = sweep.bytes_per_second[space_index(space)];
      const Limits* limit = find_limits(limits, space);
      if (rate > 0 && limit != nullptr) {
        rates.push_back({{"operation", to_string(sweep.operation)},
                         {"space", to_string(space)},
                         {"bytes_per_second", rate},
                         {"percent_of_read_limit", 100 * rate / limit->read}});
      }
      using Point = Tools::ReportSweepPoint;
      const auto& points = sweep.points.points;
      const bool measured_here = std::any_of(points.begin(), points.end(), [&](const Point& point) {
        return !std::isnan(point.taken[space_index(space)]);
      });
      if (space == Space::serial || !measured_here) continue;
      const double measured = Tools::crossover(sweep.points, space, &Point::taken);
      const double predicted = Tools::crossover(sweep.points, space, &Point::predicted);
      crossovers.push_back({{"operation", to_string(sweep.operation)},
                            {"unit", sweep.points.unit},
                            {"space", to_string(space)},
                            {"measured", measured},
                            {"predicted", predicted}});
      std::printf("%-17s %-7s pays from %8s %s (the dispatcher says %s)\n",
                  std::string(to_string(sweep.operation)).c_str(),
                  std::string(to_string(space)).c_str(), number(measured).c_str(),
                  sweep.points.unit.c_str(), number(predicted).c_str());
    }
  }
  Json dispatcher{{"seconds_per_decision", results.seconds_per_decision},
                  {"seconds_per_routed_call", results.seconds_per_routed_call}};
  for (const auto& [name, quality] : {std::pair("calibrated", &results.calibrated),
                                      std::pair("after observing", &results.observed)}) {
    std::printf(
        "dispatcher, %s: within 5 %% of the best space at %zu of %zu sizes (%.1f %%), worst %.2f "
        "x\n",
        name, quality->within, quality->sizes, 100 * quality->share(), quality->worst);
    dispatcher[name] = {{"sizes", quality->sizes},
                        {"within_5_percent", quality->within},
                        {"share", quality->share()},
                        {"worst_ratio", quality->worst},
                        {"misses", quality->misses}};
  }
  std::printf("dispatcher: %.0f ns a decision, %.0f ns a call beyond the call itself\n",
              1e9 * results.seconds_per_decision, 1e9 * results.seconds_per_routed_call);
  for (const std::string& name : results.not_run) std::printf("not run: %s\n", name.c_str());
  return {{"crossovers", std::move(crossovers)},
          {"rates", std::move(rates)},
          {"kernels", std::move(kernels)},
          {"dispatcher", std::move(dispatcher)},
          {"not_run", results.not_run}};
}

void write_sweep_report(const std::string& path, const SweepResults& results,
                        const Json& environment, const Json& summary) {
  Tools::ReportData report;
  report.title = "kindred-perf sweep";
  report.date = environment["date"];
  report.version = environment["kindred"]["version"].get<std::string>() + ", commit " +
                   environment["kindred"]["commit"].get<std::string>();
  for (const OperationSweep& sweep : results.sweeps) {
    report.sweeps.push_back(sweep.points);
    report.kernels.insert(report.kernels.end(), sweep.kernels.begin(), sweep.kernels.end());
  }
  using State = Tools::ClaimState;
  const auto state = [](bool holds) { return holds ? State::holds : State::fails; };
  report.claims.push_back(
      {"Every answer agrees with the reference and has the same bits on every space",
       state(!results.failed), ""});
  for (const auto& [when, quality] : {std::pair("once calibrated", &results.calibrated),
                                      std::pair("after observing calls", &results.observed)}) {
    report.claims.push_back({std::string("The dispatcher's choice, ") + when +
                                 ", is within 5 % of the best space at 95 % of the sizes",
                             state(quality->share() >= 0.95),
                             std::to_string(quality->within) + " of " +
                                 std::to_string(quality->sizes) + " sizes, worst " +
                                 number(quality->worst) + " x"});
  }
  report.claims.push_back({"A decision takes less than 1 microsecond",
                           state(results.seconds_per_decision < 1e-6),
                           number(1e9 * results.seconds_per_decision) + " ns"});
  for (const Json& rate : summary["rates"]) {
    report.environment.emplace_back(
        rate["operation"].get<std::string>() + " on " + rate["space"].get<std::string>(),
        number(rate["bytes_per_second"].get<double>() / 1e9) + " GB/s, " +
            number(rate["percent_of_read_limit"].get<double>()) + " % of the read limit");
  }
  for (const Json& space : environment["spaces"]) {
    if (space["usable"].get<bool>())
      report.environment.emplace_back(space["space"].get<std::string>(),
                                      space["device"].get<std::string>() + ", " +
                                          std::to_string(space["concurrency"].get<int>()));
  }
  for (const auto& [key, value] : environment["kindred"].items())
    report.environment.emplace_back(key,
                                    value.is_string() ? value.get<std::string>() : value.dump());
  report.environment.emplace_back("Kokkos", environment["kokkos"]["version"].get<std::string>());
  report.environment.emplace_back("seed", environment["seed"].dump());
  Tools::write_report(path, report);
}

int run_sweep(SweepArguments arguments) {
  read_sizes(arguments.sizes, arguments.sweep);
  arguments.sweep.operations = operations_from(arguments.operations);
  ContextOptions context_options;
  context_options.threads = arguments.threads;
  // A probe would be counted as a choice.
  context_options.dispatcher.probe_interval = std::chrono::hours(24);
  Context context(context_options);
  arguments.sweep.spaces = spaces_from(arguments.spaces, context);
  LimitsOptions limits_options;
  if (arguments.sweep.largest < 1e5 || arguments.sweep.max_seconds <= 60) {
    limits_options.host_bytes = 64ULL << 20U;
    limits_options.device_bytes = 256ULL << 20U;
  }
  const std::vector<Limits> limits = measure_limits(context, limits_options);
  if (arguments.calibrate) {
    std::cerr << "calibrating\n";
    calibrate(context);
  }
  SweepResults results = sweep(context, arguments.sweep);
  const Json described = environment(context, arguments.sweep.seed, limits);
  results.benchmarks["context"].update(described);
  const Json summary = summarize(results, limits);
  results.benchmarks["summary"] = summary;
  if (!arguments.out.empty()) write_json(results.benchmarks, arguments.out);
  if (!arguments.report.empty()) write_sweep_report(arguments.report, results, described, summary);
  if (results.failed) throw Error("an answer was wrong: see error_message in the JSON");
  return 0;
}

}  // namespace

void add_sweep(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<SweepArguments>();
  SweepOptions& sweep = arguments->sweep;
  CLI::App* command = app.add_subcommand("sweep",
                                         "Times of every operation by size on every space, with "
                                         "crossovers and the dispatcher's choices");
  command->add_option("--op", arguments->operations,
                      "lcs, difflib, search, search-quantized, search-gemm, score, spread, seeds, "
                      "lattice-build, lattice-search, transform, element-wise, reduction, "
                      "random-generation, matrix-multiply, matrix-add, by commas; routed: those "
                      "that KA Lattice routes; or all");
  command->add_option("--sizes", arguments->sizes, "FROM:TO, as 1:1e7");
  command->add_option("--step", sweep.step, "Ratio of consecutive sizes")
      ->check(CLI::Range(1.1, 1e6));
  command->add_option("--spaces", arguments->spaces,
                      "Comma-separated: serial, openmp, cuda (default: all)");
  command->add_option("--threads", arguments->threads, "Threads of the space openmp")
      ->check(CLI::Range(1, 512));
  command->add_flag("--calibrate", arguments->calibrate,
                    "Calibrate first instead of using this machine's saved profile");
  command
      ->add_option("--min-time", sweep.min_time, "Seconds for which a benchmark repeats its call")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--max-seconds", sweep.max_seconds,
                   "Time limit in total; what does not fit is omitted")
      ->check(CLI::PositiveNumber);
  command->add_option("--seed", sweep.seed, "Seed of the data");
  command->add_flag("--small-spreads", sweep.small_spreads,
                    "Sizes of spread are the edges that one query reads in a large graph");
  command->add_option("--out", arguments->out, "JSON file, in Google Benchmark's format");
  command->add_option("--report", arguments->report, "HTML file with the crossover plot");
  command->callback(
      [arguments, &action] { action = [arguments] { return run_sweep(*arguments); }; });
}

}  // namespace Kindred::Perf

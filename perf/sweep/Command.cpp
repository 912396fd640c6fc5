// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Calibration.hpp>
#include <kindred/memory/AtomicFile.hpp>

#include "Commands.hpp"
#include "common/Environment.hpp"
#include "common/Interrupt.hpp"
#include "common/JsonOutput.hpp"
#include "common/UsableSpace.hpp"
#include "machine/Limits.hpp"
#include "report/Page.hpp"
#include "sweep/Problems.hpp"
#include "sweep/Sweep.hpp"

#include <CLI/CLI.hpp>
#include <Html.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace Kindred::Perf {

namespace {

namespace Html = Tools::Html;

struct SweepArguments {
  SweepOptions sweep;
  std::string operations = "all";
  std::string sizes = "1:1e7";
  std::vector<std::string> spaces;
  bool calibrate = false;
  std::string out;
  std::string csv;
  std::string report;
};

std::vector<Space> spaces_from(const std::vector<std::string>& names, const Context& context) {
  std::vector<Space> out;
  for (const std::string& name : names) out.push_back(usable_space(context, "--spaces", name));
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

/// Numbers of threads that the context does not have are refused. One thread is the space serial.
void check_threads(SweepOptions& options, Context& context) {
  std::erase(options.threads, 1);
  const std::span<const int> sizes = context.dispatcher().team_sizes();
  for (const int threads : options.threads) {
    if (std::ranges::find(sizes, threads) != sizes.end()) continue;
    std::string known;
    for (const int size : sizes) known += (known.empty() ? "" : ", ") + std::to_string(size);
    throw InvalidArgument("--threads " + std::to_string(threads) +
                          ": the teams of this machine have " + known + " threads");
  }
}

/// Says which sizes do not fit into the memory, before anything is measured.
/// \throws OutOfMemory if none does
void check_memory(const SweepOptions& options, Context& context) {
  const Problems problems(context, options.seed, options.shape);
  for (const Operation operation : options.operations) {
    const double largest = problems.largest_size(operation);
    if (options.largest <= largest) continue;
    const double needed = problems.bytes(operation, options.largest);
    const std::string what =
        std::string(to_string(operation)) + " of " + Html::count(options.largest) + " " +
        problems.unit(operation) + " needs about " + Html::bytes(needed) +
        ", and half of the free memory is " + Html::bytes(problems.memory_allowed());
    if (options.smallest > largest)
      throw OutOfMemory("serial",
                        static_cast<std::uint64_t>(problems.bytes(operation, options.smallest)),
                        "kindred-perf sweep", what);
    std::cerr << what << ": sizes above " << Html::count(std::floor(largest)) << " are left out\n";
  }
}

std::string where(const SweepRow& row) {
  const std::string space(to_string(row.space));
  return row.space == Space::openmp ? space + "/" + std::to_string(row.threads) : space;
}

std::string percent_text(const SweepRow& row) {
  if (row.limit.empty()) return "";
  char text[40];
  std::snprintf(text, sizeof(text), "%5.1f %% %s", row.percent_of_limit, row.limit.c_str());
  return text;
}

/// \p text with spaces to the left up to \p width characters, which have several bytes each.
std::string right(const std::string& text, std::size_t width) {
  const auto characters = static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; }));
  return std::string(width > characters ? width - characters : 0, ' ') + text;
}

void print_header() {
  std::printf("%-17s %28s  %-10s %10s %10s %10s  %s\n", "operation", "size", "space", "time",
              "cold", "rate/s", "of the limit");
}

void print(const SweepRow& row) {
  std::printf("%-17s %s  %-10s %s %s %s  %s%s\n", std::string(to_string(row.operation)).c_str(),
              right(Html::count(row.size) + " " + row.unit, 28).c_str(), where(row).c_str(),
              right(Html::time(row.seconds), 10).c_str(),
              right(Html::time(row.cold_seconds), 10).c_str(),
              right(Html::brief(row.items_per_second), 10).c_str(), percent_text(row).c_str(),
              row.is_chosen ? "  <- the dispatcher's choice" : "");
  std::fflush(stdout);
}

Json to_json(const std::vector<SweepRow>& rows) {
  Json out = Json::array();
  for (const SweepRow& row : rows) {
    const std::string operation(to_string(row.operation));
    Json one{{"row", operation + " " + std::to_string(static_cast<std::uint64_t>(row.size)) + " " +
                         where(row)},
             {"operation", operation},
             {"unit", row.unit},
             {"size", row.size},
             {"space", to_string(row.space)},
             {"threads", row.threads},
             {"seconds", row.seconds},
             {"cold_seconds", row.cold_seconds},
             {"predicted_seconds", row.predicted_seconds},
             {"items_per_second", row.items_per_second},
             {"bytes_per_second", row.bytes_per_second},
             {"percent_of_limit", row.percent_of_limit},
             {"limit", row.limit},
             {"chosen", row.is_chosen},
             {"chosen_after", row.is_chosen_after},
             {"samples", row.samples}};
    out.push_back(std::move(one));
  }
  return out;
}

/// The record, in which the rows are beside Google Benchmark's own.
Json record_of(SweepResults results, const Json& context) {
  Json record = std::move(results.benchmarks);
  record["context"].update(context);
  record["rows"] = to_json(results.rows);
  record["kernels"] = Json::array();
  for (const SweepKernel& kernel : results.kernels) {
    record["kernels"].push_back({{"operation", to_string(kernel.operation)},
                                 {"space", to_string(kernel.space)},
                                 {"kernel", kernel.label},
                                 {"calls", kernel.calls},
                                 {"seconds", kernel.seconds}});
  }
  record["dispatcher"] = {{"calibrated", to_json(results.calibrated)},
                          {"after observing", to_json(results.observed)},
                          {"seconds_per_decision", results.seconds_per_decision}};
  record["not_run"] = results.not_run;
  return record;
}

void write_csv(const std::string& path, const std::vector<SweepRow>& rows) {
  std::string text =
      "operation,size,unit,space,threads,seconds,cold_seconds,predicted_seconds,items_per_second,"
      "bytes_per_second,percent_of_limit,limit,chosen\n";
  const auto number = [](double value) {
    char digits[32];
    std::snprintf(digits, sizeof(digits), "%.9g", value);
    return std::isnan(value) ? std::string() : std::string(digits);
  };
  for (const SweepRow& row : rows) {
    text += std::string(to_string(row.operation)) + "," + number(row.size) + "," + row.unit + "," +
            std::string(to_string(row.space)) + "," + std::to_string(row.threads) + "," +
            number(row.seconds) + "," + number(row.cold_seconds) + "," +
            number(row.predicted_seconds) + "," + number(row.items_per_second) + "," +
            number(row.bytes_per_second) + "," + number(row.percent_of_limit) + "," + row.limit +
            "," + (row.is_chosen ? "true" : "false") + "\n";
  }
  AtomicFile::replace(path, text);
}

void print_dispatcher(const SweepResults& results) {
  for (const auto& [name, quality] : {std::pair("calibrated", &results.calibrated),
                                      std::pair("after observing", &results.observed)}) {
    if (quality->sizes == 0) continue;
    std::printf(
        "dispatcher, %s: within 5 %% of the best space at %zu of %zu sizes (%.1f %%), worst %.2f "
        "x\n",
        name, quality->within, quality->sizes, 100 * quality->share(), quality->worst);
  }
  std::printf("dispatcher: %.0f ns a decision\n", 1e9 * results.seconds_per_decision);
}

int run_sweep(SweepArguments arguments) {
  SweepOptions& options = arguments.sweep;
  read_sizes(arguments.sizes, options);
  options.operations = operations_from(arguments.operations);
  std::ranges::sort(options.threads);
  ContextOptions context_options;
  if (!options.threads.empty()) context_options.threads = options.threads.back();
  // A probe would be counted as a choice.
  context_options.dispatcher.probe_interval = std::chrono::hours(24);
  Context context(context_options);
  options.spaces = spaces_from(arguments.spaces, context);
  check_threads(options, context);
  check_memory(options, context);
  LimitsOptions limits_options;
  if (options.largest < 1e5 || options.max_seconds <= 60) {
    limits_options.host_bytes = 64ULL << 20U;
    limits_options.device_bytes = 256ULL << 20U;
  }
  const std::vector<Limits> limits = measure_limits(context, limits_options);
  if (arguments.calibrate) {
    std::cerr << "calibrating\n";
    calibrate(context);
  }
  watch_interrupts();
  print_header();
  SweepResults results = sweep(context, options, limits, print);
  print_dispatcher(results);
  for (const std::string& name : results.not_run) std::printf("not run: %s\n", name.c_str());
  const bool failed = results.failed;
  if (!arguments.csv.empty()) write_csv(arguments.csv, results.rows);
  const Json record = record_of(std::move(results), environment(context, options.seed, limits));
  if (!arguments.out.empty()) write_json(record, arguments.out);
  if (!arguments.report.empty()) write_page(arguments.report, {{"sweep", record}});
  if (failed) throw Error("an answer was wrong: see error_message in the JSON");
  return is_interrupted() ? interrupted_status : 0;
}

}  // namespace

void add_sweep(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<SweepArguments>();
  SweepOptions& sweep = arguments->sweep;
  ProblemShape& shape = sweep.shape;
  CLI::App* command = app.add_subcommand(
      "sweep", "Times of every operation by size on every space: what pays where on this machine");
  command->add_option("--op", arguments->operations,
                      "lcs, difflib, edit-distance, search, search-quantized, search-gemm, score, "
                      "spread, seeds, lattice-build, lattice-search, transform, element-wise, "
                      "reduction, random-generation, matrix-multiply, matrix-add, by commas; "
                      "routed: those that KA Lattice routes; or all");
  command->add_option("--sizes", arguments->sizes, "FROM:TO, as 1:1e7");
  command->add_option("--step", sweep.step, "Ratio of consecutive sizes")
      ->check(CLI::Range(1.1, 1e6));
  command
      ->add_option("--spaces", arguments->spaces,
                   "Comma-separated: serial, openmp, cuda (default: all)")
      ->delimiter(',');
  command
      ->add_option("--threads", sweep.threads,
                   "Numbers of threads of openmp that are compared, comma-separated")
      ->delimiter(',')
      ->check(CLI::Range(1, 512));
  const std::string problem = "Your problem";
  command->add_option("--dimension", shape.dimension, "Of vectors")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100000}))
      ->capture_default_str()
      ->group(problem);
  command
      ->add_option("--rows", shape.rows,
                   "Vectors of the index whose candidates are scored, or that search-gemm searches")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 30U))
      ->capture_default_str()
      ->group(problem);
  command->add_option("--queries", shape.queries, "Of a call of match, search and spread")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 20U))
      ->capture_default_str()
      ->group(problem);
  command->add_option("--top", shape.top, "Results of a query (default: 100 patterns, 10 rows)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 20U))
      ->group(problem);
  command->add_option("--length", shape.length, "Symbols of a pattern")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000000}))
      ->capture_default_str()
      ->group(problem);
  command
      ->add_option("--query-length", shape.query_length,
                   "Symbols of a query (default: 64, by difflib 80)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000000}))
      ->group(problem);
  command
      ->add_option("--vocabulary", shape.vocabulary,
                   "Different symbols (default: 4096, by difflib 70)")
      ->check(CLI::Range(2U, 100000000U))
      ->group(problem);
  command
      ->add_flag("--small-spreads", shape.small_spreads,
                 "Sizes of spread are the edges that one query reads in a large graph")
      ->group(problem);
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
  command->add_option("--out", arguments->out,
                      "JSON file: rows, and Google Benchmark's format; compare and report read it");
  command->add_option("--csv", arguments->csv, "CSV file of the rows");
  command->add_option("--report", arguments->report, "HTML page with plots");
  command->callback(
      [arguments, &action] { action = [arguments] { return run_sweep(*arguments); }; });
}

}  // namespace Kindred::Perf

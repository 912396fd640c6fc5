// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "common/Interrupt.hpp"
#include "common/JsonOutput.hpp"
#include "common/Record.hpp"
#include "common/Timing.hpp"
#include "compare/CompareBuilds.hpp"
#include "compare/CompareRecords.hpp"

#include <kindred/core/common/Error.hpp>

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace Kindred::Perf {

namespace {

/// Exit statuses beside those of all commands.
constexpr int some_are_slower = 5;
constexpr int some_are_unclear = 6;

struct CompareArguments {
  BuildsOptions builds;
  std::vector<std::string> only;
  double percent = 5;
  std::string out;
};

bool is_program(const std::string& path) {
  return std::filesystem::is_regular_file(path) && ::access(path.c_str(), X_OK) == 0;
}

void print(const std::vector<RowComparison>& rows) {
  std::printf("%-24s %-8s %11s %7s  %-16s %s\n", "row", "time", "before ms", "ratio", "interval",
              "");
  for (const RowComparison& row : rows) {
    std::printf("%-24s %-8s %11.5f %7.3f  [%.3f, %.3f]   %s%s%s\n", row.row.c_str(),
                row.time.c_str(), 1e3 * median(row.before), row.ratio.median, row.ratio.low,
                row.ratio.high,
                row.verdict == Verdict::same ? "" : std::string(to_string(row.verdict)).c_str(),
                row.remark.empty() || row.verdict == Verdict::same ? "" : ", ", row.remark.c_str());
  }
}

Json to_json(const std::vector<RowComparison>& rows) {
  Json out = Json::array();
  for (const RowComparison& row : rows) {
    out.push_back({{"row", row.row},
                   {"time", row.time},
                   {"before", row.before},
                   {"after", row.after},
                   {"ratios", row.ratios},
                   {"ratio", row.ratio.median},
                   {"interval", {row.ratio.low, row.ratio.high}},
                   {"verdict", to_string(row.verdict)}});
    if (!row.remark.empty()) out.back()["remark"] = row.remark;
  }
  return out;
}

std::string names_of(const std::vector<RowComparison>& rows, Verdict verdict) {
  std::string out;
  for (const RowComparison& row : rows) {
    if (row.verdict == verdict)
      out +=
          (out.empty() ? "" : ", ") + row.row + (row.time == "call" ? "" : " (" + row.time + ")");
  }
  return out;
}

/// Prints what the rows show together, and returns the exit status.
int conclude(const std::vector<RowComparison>& rows, double percent) {
  const std::string slower = names_of(rows, Verdict::slower);
  const std::string unclear = names_of(rows, Verdict::unclear);
  if (!slower.empty()) std::printf("slower: %s\n", slower.c_str());
  if (!unclear.empty())
    std::printf("too much noise, or too few times, to see %g %%: %s\n", percent, unclear.c_str());
  if (!slower.empty()) return some_are_slower;
  return unclear.empty() ? 0 : some_are_unclear;
}

int run_compare(CompareArguments arguments) {
  BuildsOptions& builds = arguments.builds;
  Precision& precision = builds.precision;
  precision.change = arguments.percent / 100;
  for (const std::string& path : {builds.before, builds.after}) {
    if (!std::filesystem::exists(path)) throw NotFound(path + ": there is no such file");
  }
  const bool are_programs = is_program(builds.before);
  KINDRED_THROW_IF(are_programs != is_program(builds.after),
                   "one of the two is a program and the other is not: give two records of "
                   "kindred-perf, or two of its builds");
  Json out;
  std::vector<RowComparison> rows;
  bool is_complete = true;
  if (are_programs) {
    for (const std::string& name : arguments.only) {
      builds.arguments.insert(builds.arguments.end(), {"--only", name});
    }
    const auto& given = builds.arguments;
    if (arguments.only.empty() && std::ranges::find(given, "--tag") == given.end())
      builds.arguments.insert(builds.arguments.end(), {"--tag", "h200"});
    watch_interrupts();
    builds.is_interrupted = is_interrupted;
    builds.progress = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
    BuildsComparison comparison = compare_builds(builds);
    rows = std::move(comparison.rows);
    is_complete = comparison.is_complete;
    out = {{"before", comparison.before},
           {"after", comparison.after},
           {"starts", comparison.starts},
           {"complete", is_complete}};
  } else {
    KINDRED_THROW_IF(!builds.arguments.empty(),
                     builds.arguments[0] + " is an option for builds, and these are records");
    const Json before = read_record(builds.before);
    const Json after = read_record(builds.after);
    rows = compare_records(before, after, arguments.only, precision);
    out = {{"before", before["context"]}, {"after", after["context"]}};
    std::printf("two records: what changed on the machine between them is not told apart\n");
  }
  out["error"] = precision.error;
  out["rows"] = to_json(rows);
  if (!arguments.out.empty()) write_json(out, arguments.out);
  print(rows);
  if (!is_complete) std::printf("not complete\n");
  const int status = conclude(rows, arguments.percent);
  return is_interrupted() ? interrupted_status : status;
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<CompareArguments>();
  BuildsOptions& builds = arguments->builds;
  builds.times = {"call"};
  CLI::App* command = app.add_subcommand(
      "compare", "Compares two records, or two builds whose calls alternate, row by row");
  command->footer(
      "Other options are those of rows, for both builds, such as --tag h200 --scale 0.01 --space "
      "serial.\n"
      "Exit status: 0 no row is slower, 5 a row is slower, 6 the times vary too much to tell.\n"
      "The intervals hold for all rows together: with a probability of 95 % they contain every "
      "ratio.");
  command->add_option("before", builds.before, "A record (--out), or a program kindred-perf")
      ->required();
  command->add_option("after", builds.after, "Likewise")->required();
  command->add_option("--only", arguments->only, "Comma-separated rows")->delimiter(',');
  command->add_option("--change", arguments->percent, "The least change that must be found, in %")
      ->check(CLI::Range(0.1, 100.0));
  command
      ->add_option("--times", builds.times,
                   "Of builds, comma-separated: call, kernels, queued (default: call)")
      ->delimiter(',')
      ->check(CLI::IsMember({"call", "kernels", "queued"}));
  command
      ->add_option("--starts", builds.starts,
                   "How often both builds are started (default: as the number of rows needs)")
      ->check(CLI::Range(1, 1000));
  command
      ->add_option("--seconds", builds.row_seconds,
                   "Seconds for which the calls of a row alternate, after each start")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--max-seconds", builds.max_seconds,
                   "No row begins after this time; the rows are then unclear")
      ->check(CLI::PositiveNumber);
  command->add_option("--out", arguments->out, "JSON file");
  command->allow_extras();
  command->callback([arguments, command, &action] {
    for (const std::string& option : command->remaining())
      if (option != "--") arguments->builds.arguments.push_back(option);
    action = [arguments] { return run_compare(*arguments); };
  });
}

}  // namespace Kindred::Perf

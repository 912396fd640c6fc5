// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "common/Environment.hpp"
#include "common/Interrupt.hpp"
#include "common/JsonOutput.hpp"
#include "common/Timing.hpp"
#include "common/UsableSpace.hpp"
#include "machine/Limits.hpp"
#include "rows/RowOptions.hpp"
#include "rows/RowRunner.hpp"
#include "rows/RowServer.hpp"

#include <kindred/core/common/Error.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace Kindred::Perf {

namespace {

struct RowsArguments {
  RowFilter filter;
  RowsContext on;
  bool all = false;
  bool list = false;
  std::string space;
  int repeats = 15;
  double max_seconds = 600;
  bool serve = false;
  std::string out;
};

Space choose_space(const std::string& name, const Context& context) {
  if (name.empty()) {
    for (const Space space : {Space::cuda, Space::openmp})
      if (context.is_usable(space)) return space;
    return Space::serial;
  }
  return usable_space(context, "--space", name);
}

void print_list(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    std::string tags;
    for (const std::string& tag : row.tags) tags += (tags.empty() ? "" : ",") + tag;
    std::printf("%-34s %-22s %s%s\n", row.name.c_str(), tags.c_str(), row.work.c_str(),
                row.on_request ? " (only if named)" : "");
  }
}

int run_rows(const RowsArguments& arguments) {
  ContextOptions options;
  options.threads = arguments.on.threads;
  Context context(options);
  const RowSizes sizes{context, arguments.on.scale, arguments.on.seed};
  const bool is_listed =
      arguments.list || (arguments.filter.is_empty() && !arguments.all && !arguments.serve);
  if (is_listed) {
    print_list(arguments.filter.is_empty() ? all_rows(sizes)
                                           : selected_rows(sizes, arguments.filter));
    return 0;
  }
  const Space space = choose_space(arguments.space, context);
  std::vector<Row> rows = selected_rows(sizes, arguments.filter);
  if (arguments.serve) {
    serve_rows(rows, space, environment(context, sizes.seed, {}));
    return 0;
  }
  LimitsOptions limits_options;
  if (sizes.scale < 0.01) limits_options.host_bytes = 64ULL << 20U;
  const std::vector<Limits> limits = measure_limits(context, limits_options);
  if (sizes.scale != 1) std::printf("sizes scaled by %g: the targets are for 1\n", sizes.scale);
  RowRunner runner(context, {space, arguments.repeats, sizes.scale == 1}, limits);
  const auto start = Clock::now();
  Json measured = Json::array();
  Json not_run = Json::array();
  bool is_correct = true;
  watch_interrupts();
  for (Row& row : rows) {
    if (is_interrupted() || seconds_since(start) > arguments.max_seconds) {
      not_run.push_back(row.name);
      continue;
    }
    measured.push_back(runner.run(row));
    is_correct = is_correct && measured.back()["correct"].get<bool>();
    row = {};
  }
  if (!not_run.empty())
    std::printf("%zu rows were not run: %s\n", not_run.size(),
                is_interrupted() ? "interrupted" : "--max-seconds");
  if (!arguments.out.empty()) {
    write_json(Json{{"context", environment(context, sizes.seed, limits)},
                    {"scale", sizes.scale},
                    {"rows", std::move(measured)},
                    {"not_run", std::move(not_run)},
                    {"seconds", seconds_since(start)}},
               arguments.out);
  }
  if (!is_correct) throw Error("an answer was wrong: see the rows above");
  return is_interrupted() ? interrupted_status : 0;
}

}  // namespace

void add_rows(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<RowsArguments>();
  CLI::App* command = app.add_subcommand(
      "rows", "Calls of every engine with their targets; without a filter, the list of them");
  add_row_filter(*command, arguments->filter);
  add_rows_context(*command, arguments->on);
  command->add_flag("--all", arguments->all, "Run all rows that are not only run by name");
  command->add_flag("--list", arguments->list, "List the rows and run none");
  command->add_option("--space", arguments->space, "serial, openmp or cuda (default: the best)");
  command->add_option("--repeats", arguments->repeats, "Number of calls whose median is reported")
      ->check(CLI::Range(1, 1000));
  command->add_option("--max-seconds", arguments->max_seconds, "No row starts after this time")
      ->check(CLI::PositiveNumber);
  command->add_flag("--serve", arguments->serve)->group("");  // for `kindred-perf compare`
  command->add_option("--out", arguments->out, "JSON file");
  command->callback(
      [arguments, &action] { action = [arguments] { return run_rows(*arguments); }; });
}

}  // namespace Kindred::Perf

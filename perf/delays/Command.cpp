// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Error.hpp>

#include "Commands.hpp"
#include "common/Environment.hpp"
#include "common/JsonOutput.hpp"
#include "common/Timing.hpp"
#include "rows/RowOptions.hpp"
#include "sweep/DispatchQuality.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace Kindred::Perf {

namespace {

struct DelayArguments {
  RowsContext on;
  int calls = 10;
  bool check = false;
  std::string out;
};

/// What a user waits for. `limit` is ten times the requirement; `--check` compares the median.
struct Delay {
  std::string name;
  double median = 0;
  double longest = 0;
  double limit = 0;
};

/// Rows whose calls are long, one of each engine.
constexpr const char* cancelled_rows[] = {
    "peers/lcs-200",      "peers/difflib-none", "peers/search-1024", "peers/hop",
    "peers/pagerank-50k", "peers/seed-4096",    "peers/matmul-1024"};

/// Seconds from a request to cancel until the call has ended.
double seconds_to_cancel(Problem& problem, Space space, std::chrono::microseconds after) {
  Cancellation cancellation;
  std::atomic<bool> has_begun{false};
  Clock::time_point ended;
  std::thread caller([&] {
    const Cancellation::Scope scope(cancellation);
    has_begun = true;
    try {
      while (true) problem.run(space);  // also calls that are shorter than the wait
    } catch (const Cancelled&) {
      ended = Clock::now();
    }
  });
  while (!has_begun) std::this_thread::yield();
  std::this_thread::sleep_for(after);
  const Clock::time_point requested = Clock::now();
  cancellation.cancel();
  caller.join();
  return std::chrono::duration<double>(ended - requested).count();
}

std::vector<Delay> delays_of(Context& context, const DelayArguments& arguments) {
  constexpr double decision_limit = 10e-6;
  constexpr double cancellation_limit = 1;
  const double decision = seconds_per_decision(context.dispatcher());
  std::vector<Delay> delays{{"decision", decision, decision, decision_limit}};
  const RowSizes sizes{context, arguments.on.scale, arguments.on.seed};
  for (const char* const name : cancelled_rows) {
    const std::unique_ptr<Problem> problem = row_named(sizes, name).make();
    for (const Space space : {Space::serial, Space::openmp, Space::cuda}) {
      if (!context.is_usable(space)) continue;
      std::vector<double> seconds;
      for (int call = 0; call < arguments.calls; ++call)
        seconds.push_back(
            seconds_to_cancel(*problem, space, std::chrono::microseconds(1009 * call)));
      delays.push_back({std::string("cancel ") + name + " on " + std::string(to_string(space)),
                        median(seconds), *std::max_element(seconds.begin(), seconds.end()),
                        cancellation_limit});
    }
  }
  return delays;
}

int run_delays(const DelayArguments& arguments) {
  ContextOptions options;
  options.threads = arguments.on.threads;
  Context context(options);
  Json measured = Json::array();
  bool is_within = true;
  std::printf("| delay | median ms | longest ms | limit ms |\n|---|---:|---:|---:|\n");
  for (const Delay& delay : delays_of(context, arguments)) {
    std::printf("| %s | %.4g | %.4g | %.4g |\n", delay.name.c_str(), 1e3 * delay.median,
                1e3 * delay.longest, 1e3 * delay.limit);
    measured.push_back({{"name", delay.name},
                        {"median_seconds", delay.median},
                        {"longest_seconds", delay.longest},
                        {"limit_seconds", delay.limit}});
    is_within = is_within && delay.median <= delay.limit;
  }
  if (!arguments.out.empty()) {
    write_json(Json{{"context", environment(context, arguments.on.seed, {})},
                    {"delays", std::move(measured)}},
               arguments.out);
  }
  return arguments.check && !is_within ? 1 : 0;
}

}  // namespace

void add_delays(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<DelayArguments>();
  CLI::App* command = app.add_subcommand(
      "delays",
      "What a caller waits for: a decision of the dispatcher, the end of a cancelled call");
  add_rows_context(*command, arguments->on);
  command->add_option("--calls", arguments->calls, "Calls that are cancelled, per row and space")
      ->check(CLI::Range(1, 1000));
  command->add_flag("--check", arguments->check,
                    "Exit with status 1 if a median is above its limit");
  command->add_option("--out,--json", arguments->out, "JSON file");
  command->callback(
      [arguments, &action] { action = [arguments] { return run_delays(*arguments); }; });
}

}  // namespace Kindred::Perf

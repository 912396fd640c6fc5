// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "common/Environment.hpp"
#include "common/JsonOutput.hpp"
#include "common/Timing.hpp"
#include "threads/ThreadCalls.hpp"
#include "threads/Worker.hpp"

#include <CLI/CLI.hpp>

#include <sched.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace Kindred::Perf {

namespace {

struct ThreadsArguments {
  std::vector<int> threads;
  std::vector<std::string> only;
  std::vector<std::string> spaces{"serial", "chosen"};
  double seconds = 0.5;
  double large_seconds = 1;
  int repeats = 3;
  int context_threads = 0;
  std::uint64_t seed = 7;
  std::string out;
};

/// Number of processors that this process may use.
int usable_processors() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

/// `serial`, or the dispatcher's choice.
using ForcedSpace = std::pair<std::string, std::optional<Space>>;

class ThreadsRunner {
 public:
  ThreadsRunner(const ThreadsArguments& arguments, std::vector<int> threads)
      : m_arguments(arguments), m_threads(std::move(threads)) {
    const int most = *std::max_element(m_threads.begin(), m_threads.end());
    for (int i = 0; i < most; ++i)
      m_workers.push_back(std::make_unique<Worker>(arguments.seed, arguments.context_threads));
  }

  std::uint64_t wrong() const { return m_wrong; }

  /// Creates the objects of \p kind in all processes and compares their reference results.
  void prepare(std::size_t kind) {
    for (const auto& worker : m_workers) worker->start_preparing(kind);
    std::optional<std::uint64_t> first;
    bool is_same = true;
    for (const auto& worker : m_workers) {
      const std::uint64_t sum = worker->wait_prepared();
      is_same = is_same && sum == first.value_or(sum);
      first = sum;
    }
    if (!is_same) throw Error("two processes have different results of the same calls");
  }

  /// Calls per second of many threads with one object and of as many processes, in turn.
  Json rates(std::size_t kind, const ForcedSpace& space) {
    std::vector<std::vector<double>> of_threads(m_threads.size());
    std::vector<std::vector<double>> of_processes(m_threads.size());
    for (int repeat = 0; repeat < m_arguments.repeats; ++repeat) {
      for (std::size_t i = 0; i < m_threads.size(); ++i) {
        of_processes[i].push_back(rate(kind, space.second, m_threads[i], 1));
        of_threads[i].push_back(rate(kind, space.second, 1, m_threads[i]));
      }
    }
    Json out = Json::array();
    const double one = median(of_threads[0]);
    for (std::size_t i = 0; i < m_threads.size(); ++i) {
      const double calls = median(of_threads[i]);
      const double ceiling = median(of_processes[i]);
      const ThreadCallsKind& row = thread_calls_kinds()[kind];
      std::printf("%-7s %-24s %-7s %7d %11.0f %11.0f %11.2f %13.2f\n", row.name, row.text,
                  space.first.c_str(), m_threads[i], calls, ceiling, calls / ceiling, calls / one);
      out.push_back({{"call", row.name},
                     {"size", row.text},
                     {"space", space.first},
                     {"threads", m_threads[i]},
                     {"calls_per_second", calls},
                     {"calls_per_second_of_processes", ceiling},
                     {"share_of_processes", calls / ceiling},
                     {"of_fewest_threads", calls / one},
                     {"all_of_threads", of_threads[i]},
                     {"all_of_processes", of_processes[i]}});
    }
    std::fflush(stdout);
    return out;
  }

  /// The longest wait of calls of \p small beside a large call of \p large.
  Json wait(std::size_t small, std::size_t large, const ForcedSpace& space) {
    Worker& worker = *m_workers.front();
    worker.start_waiting(small, large, space.second, m_arguments.large_seconds);
    const CallWait wait = worker.wait_for_wait();
    m_wrong += wait.wrong;
    const char* const small_name = thread_calls_kinds()[small].name;
    const char* const large_name = thread_calls_kinds()[large].name;
    std::printf("%-7s %-7s %-7s %11.0f %11.3f %11.3f\n", small_name, large_name,
                space.first.c_str(), 1e3 * wait.large_seconds, 1e3 * wait.small_seconds,
                1e3 * wait.longest_seconds);
    std::fflush(stdout);
    return {{"small", small_name},
            {"large", large_name},
            {"space", space.first},
            {"large_seconds", wait.large_seconds},
            {"small_seconds", wait.small_seconds},
            {"longest_seconds", wait.longest_seconds},
            {"calls", wait.calls}};
  }

 private:
  double rate(std::size_t kind, std::optional<Space> space, int processes, int threads) {
    const auto used = std::span(m_workers).first(static_cast<std::size_t>(processes));
    for (const auto& worker : used) worker->start_warming(kind, space, threads);
    for (const auto& worker : used) worker->wait_warm();
    const double start = monotonic_seconds() + 0.01;
    for (const auto& worker : used) worker->start_calls(start, m_arguments.seconds);
    double sum = 0;
    for (const auto& worker : used) {
      const CallRate rate = worker->wait_rate();
      sum += rate.calls_per_second;
      m_wrong += rate.wrong;
    }
    return sum;
  }

  const ThreadsArguments& m_arguments;
  std::vector<int> m_threads;
  std::vector<std::unique_ptr<Worker>> m_workers;
  std::uint64_t m_wrong = 0;
};

std::vector<ForcedSpace> spaces_of(const ThreadsArguments& arguments) {
  std::vector<ForcedSpace> out;
  for (const std::string& name : arguments.spaces) {
    const std::optional<Space> space = from_string<Space>(name);
    KINDRED_THROW_IF(!space && name != "chosen",
                     "--spaces " + name + ": it must be serial, openmp, cuda or chosen");
    out.emplace_back(name, space);
  }
  return out;
}

std::vector<std::size_t> kinds_of(const ThreadsArguments& arguments) {
  const auto kinds = thread_calls_kinds();
  std::vector<std::size_t> out;
  for (const std::string& name : arguments.only) {
    const bool is_known = std::any_of(
        kinds.begin(), kinds.end(), [&](const ThreadCallsKind& kind) { return name == kind.name; });
    KINDRED_THROW_IF(!is_known, "--only " + name + ": there is no such call");
  }
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    const auto& only = arguments.only;
    if (only.empty() || std::find(only.begin(), only.end(), kinds[kind].name) != only.end())
      out.push_back(kind);
  }
  return out;
}

std::vector<int> threads_of(const ThreadsArguments& arguments) {
  std::vector<int> out = arguments.threads;
  if (out.empty()) {
    for (const int count : {1, 2, 4, 8, 16}) {
      if (count == 1 || count <= usable_processors()) out.push_back(count);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

int run_threads(const ThreadsArguments& arguments) {
  const std::vector<ForcedSpace> spaces = spaces_of(arguments);
  const std::vector<std::size_t> kinds = kinds_of(arguments);
  const std::vector<int> threads = threads_of(arguments);
  std::signal(SIGPIPE, SIG_IGN);  // of a process that ended; it is reported as an error
  Json rows = Json::array();
  Json waits = Json::array();
  std::uint64_t wrong = 0;
  {
    ThreadsRunner runner(arguments, threads);
    for (const std::size_t kind : kinds) runner.prepare(kind);
    std::printf(
        "%d processors, medians of %d x %g s; one object, or as many processes with an "
        "object each\n%-7s %-24s %-7s %7s %11s %11s %11s %13s\n",
        usable_processors(), arguments.repeats, arguments.seconds, "call", "size", "space",
        "threads", "calls/s", "processes", "of these", "of fewest");
    for (const std::size_t kind : kinds) {
      for (const ForcedSpace& space : spaces)
        for (Json& row : runner.rates(kind, space)) rows.push_back(std::move(row));
    }
    std::printf(
        "\nSmall calls beside a large call of another thread: milliseconds\n"
        "%-7s %-7s %-7s %11s %11s %11s\n",
        "small", "large", "space", "large", "small alone", "longest");
    for (const ForcedSpace& space : spaces) {
      for (const std::size_t kind : kinds) waits.push_back(runner.wait(kind, kind, space));
      // Two objects of one context.
      if (kinds.size() > 1) waits.push_back(runner.wait(kinds[0], kinds[1], space));
    }
    wrong = runner.wrong();
  }
  if (!arguments.out.empty()) {
    ContextOptions options;
    options.threads = arguments.context_threads;
    const Context context(options);
    write_json({{"context", environment(context, arguments.seed, {})},
                {"processors", usable_processors()},
                {"seconds", arguments.seconds},
                {"repeats", arguments.repeats},
                {"rows", std::move(rows)},
                {"waits", std::move(waits)}},
               arguments.out);
  }
  if (wrong > 0)
    throw Error(std::to_string(wrong) + " calls had other results than those of one thread");
  return 0;
}

}  // namespace

void add_threads(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<ThreadsArguments>();
  CLI::App* command = app.add_subcommand(
      "threads",
      "Small calls of many threads with one object, compared with as many processes, and how long "
      "they wait for a large call");
  command
      ->add_option("--threads", arguments->threads,
                   "Comma-separated numbers of threads; by default 1, 2, 4, 8, 16 up to the "
                   "processors of this process")
      ->delimiter(',')
      ->check(CLI::Range(1, 512));
  command
      ->add_option("--only", arguments->only,
                   "Comma-separated: search, match, score, spread, memory, hnsw")
      ->delimiter(',');
  command
      ->add_option("--spaces", arguments->spaces,
                   "Comma-separated: serial, openmp, cuda, or chosen (by the dispatcher)")
      ->delimiter(',');
  command->add_option("--seconds", arguments->seconds, "Seconds of each measurement")
      ->check(CLI::PositiveNumber);
  command->add_option("--large-seconds", arguments->large_seconds, "Seconds of the large calls")
      ->check(CLI::PositiveNumber);
  command->add_option("--repeats", arguments->repeats, "Measurements of which the median is taken")
      ->check(CLI::Range(1, 1000));
  command
      ->add_option("--context-threads", arguments->context_threads,
                   "Threads of the space openmp in each process")
      ->check(CLI::Range(1, 512));
  command->add_option("--seed", arguments->seed, "Seed of the data");
  command->add_option("--out", arguments->out, "JSON file");
  command->callback(
      [arguments, &action] { action = [arguments] { return run_threads(*arguments); }; });
}

}  // namespace Kindred::Perf

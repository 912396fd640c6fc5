// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/SpecialForms.hpp>

#include "Commands.hpp"
#include "common/Environment.hpp"
#include "common/JsonOutput.hpp"
#include "common/MedianInterval.hpp"
#include "common/Timing.hpp"
#include "machine/Limits.hpp"
#include "rows/RowOptions.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace Kindred::Perf {

namespace {

struct SpecialArguments {
  std::vector<std::string> only;
  RowsContext on;
  int pairs = 15;
  std::string out;
};

bool is_for_device(const Special::Record& record) {
  return record.machine == Special::Machine::device || record.machine == Special::Machine::clusters;
}

constexpr int queued_repeats = 3;

/// A call that uses a form, in the state that it keeps.
class MeasuredCall {
 public:
  MeasuredCall(const Row& row, Space space) : m_problem(row.make()), m_space(space) {
    for (int i = 0; i < row.warm; ++i) run();
    m_is_queued = row.queued && m_problem->queued(space, 1).seconds > 0;
    const std::string wrong = m_problem->check();
    if (!wrong.empty()) throw Error(row.name + ": " + wrong);
  }

  void run() const { m_problem->run(m_space); }
  std::uint64_t digest() const { return m_problem->digest(); }
  /// Seconds of a call, of one among many that are enqueued before one fence if the row says so.
  double seconds(int repeats) const {
    if (m_is_queued) return m_problem->queued(m_space, queued_repeats).seconds;
    run();  // calls on a device record their kernels again for another body
    return timed([&] {
             for (int i = 0; i < repeats; ++i) run();
           }) /
           repeats;
  }

 private:
  std::unique_ptr<Problem> m_problem;
  Space m_space;
  bool m_is_queued = false;
};

/// Seconds of both bodies, and how many times the portable one takes as long.
struct FormTimes {
  double portable = 0;
  double special = 0;
  MedianInterval gain;
};

/// Times both bodies in turns of who goes first.
FormTimes times_of(const Special::Record& record, const MeasuredCall& call, int pairs) {
  const auto without = [&](const auto& body) {
    const Special::Without portable(record.form);
    return body();
  };
  without([&] { call.run(); });
  const std::uint64_t expected = call.digest();
  call.run();
  if (call.digest() != expected)
    throw Error(std::string(record.name) + " gives other bits than the portable body");
  // Calls that are too short to be timed are repeated.
  constexpr double shortest = 0.01;
  const int repeats =
      std::max(1, static_cast<int>(shortest / std::max(timed([&] { call.run(); }), 1e-6)));
  const auto seconds = [&] { return call.seconds(repeats); };
  std::vector<double> times[2];
  std::vector<double> gains;
  for (int pair = 0; pair < pairs; ++pair) {
    for (const int side : {pair % 2, 1 - pair % 2})
      times[side].push_back(side == 0 ? without(seconds) : seconds());
    gains.push_back(times[0].back() / times[1].back());
  }
  const MedianInterval gain = median_interval(std::move(gains), 0.05);
  return {median(times[0]), median(times[1]), gain};
}

int run_special(const SpecialArguments& arguments) {
  const auto is_named = [&](const Special::Record& record) {
    return std::ranges::find(arguments.only, record.name) != arguments.only.end();
  };
  for (const std::string& name : arguments.only) {
    const bool known = std::ranges::any_of(
        Special::records, [&](const Special::Record& record) { return name == record.name; });
    KINDRED_THROW_IF(!known, "--only " + name + ": there is no such form");
  }
  ContextOptions context_options;
  context_options.threads = arguments.on.threads;
  Context context(context_options);
  const RowSizes sizes{context, arguments.on.scale, arguments.on.seed};
  Json measured = Json::array();
  std::printf("| form | for | row | portable ms | special ms | gain | 95 %% interval |\n");
  std::printf("|---|---|---|---:|---:|---:|---|\n");
  for (const Special::Record& record : Special::records) {
    if (!arguments.only.empty() && !is_named(record)) continue;
    const Space space = is_for_device(record)              ? Space::cuda
                        : context.is_usable(Space::openmp) ? Space::openmp
                                                           : Space::serial;
    Json entry{{"form", record.name}, {"machine", text_of(record.machine)}, {"row", record.row}};
    std::string why_not;
    if (!Special::is_available(record.form) || !context.is_usable(space))
      why_not = "not on this machine, or not in this build";
    else if (record.alone != nullptr)
      why_not = record.alone;
    else if (Special::is_switched_off(record.form))
      why_not = "switched off by KINDRED_WITHOUT";
    std::printf("| `%s` | %s | %s |", record.name, text_of(record.machine), record.row);
    if (why_not.empty()) {
      const FormTimes found =
          times_of(record, MeasuredCall(row_named(sizes, record.row), space), arguments.pairs);
      std::printf(" %.4g | %.4g | %.2f | %.2f … %.2f |\n", 1e3 * found.portable,
                  1e3 * found.special, found.gain.median, found.gain.low, found.gain.high);
      entry["portable_seconds"] = found.portable;
      entry["special_seconds"] = found.special;
      entry["gain"] = found.gain.median;
      entry["gain_interval"] = {found.gain.low, found.gain.high};
    } else {
      std::printf(" – | – | – | %s |\n", why_not.c_str());
      entry["not_measured"] = why_not;
    }
    std::fflush(stdout);
    measured.push_back(std::move(entry));
  }
  if (!arguments.out.empty()) {
    write_json(Json{{"context", environment(context, arguments.on.seed, {})},
                    {"scale", arguments.on.scale},
                    {"pairs", arguments.pairs},
                    {"forms", std::move(measured)}},
               arguments.out);
  }
  return 0;
}

}  // namespace

void add_special(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<SpecialArguments>();
  CLI::App* command = app.add_subcommand(
      "special", "The special forms of kernels beside the portable bodies, on this machine");
  command->add_option("--only", arguments->only, "Comma-separated forms to measure")
      ->delimiter(',');
  add_rows_context(*command, arguments->on);
  command->add_option("--pairs", arguments->pairs, "Number of times that both bodies are timed")
      ->check(CLI::Range(1, 1000));
  command->add_option("--out,--json", arguments->out, "JSON file");
  command->callback(
      [arguments, &action] { action = [arguments] { return run_special(*arguments); }; });
}

}  // namespace Kindred::Perf

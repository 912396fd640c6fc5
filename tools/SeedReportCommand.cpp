// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "SeedInput.hpp"

namespace Kindred::Tools {

ReportSeeds report_of(
    const std::vector<std::pair<std::string, SeedState>>& states,
    const std::vector<std::pair<std::string, std::vector<SeedTelemetry>>>& epochs) {
  ReportSeeds out;
  for (const auto& [label, state] : states) {
    ReportSeedCounts counts{label, std::vector<std::uint64_t>(enum_names<Lifecycle>.size())};
    for (const Lifecycle lifecycle : state.lifecycle)
      ++counts.counts[static_cast<std::size_t>(lifecycle)];
    out.states.push_back(std::move(counts));
  }
  const SeedState& last = states.back().second;
  for (std::size_t i = 0; i < last.seeds(); ++i) {
    ReportSeed seed;
    seed.lifecycle = to_string(last.lifecycle[i]);
    seed.mode = to_string(last.mode[i]);
    seed.schedule = to_string(last.schedule[i]);
    seed.blueprint = last.blueprint[i];
    seed.alpha = last.alpha[i];
    seed.epochs = last.epochs[i];
    seed.errors = last.errors[i];
    std::optional<Lifecycle> before;
    for (const SeedChange& change : last.history(i)) {
      if (before != change.to)
        seed.history += fmt::format("{}{}", before ? ", " : "", to_string(change.to));
      seed.history += fmt::format(" ← {}", to_string(change.from));
      before = change.from;
    }
    out.seeds.push_back(std::move(seed));
  }
  for (const auto& [label, telemetry] : epochs) {
    ReportSeedEpoch epoch;
    epoch.label = label;
    for (const SeedTelemetry& one : telemetry) {
      epoch.mean.push_back(one.mean);
      epoch.deviation.push_back(std::sqrt(one.variance));
      epoch.dead_ratio.push_back(one.dead_ratio);
      epoch.health.push_back(seed_health(one));
    }
    out.epochs.push_back(std::move(epoch));
  }
  return out;
}

namespace {

struct ReportFlags {
  std::vector<std::string> states;
  std::vector<std::string> telemetry;
  std::string out;
};

void report(const GlobalOptions& global, const ReportFlags& flags) {
  std::vector<std::string> inputs = flags.states;
  inputs.insert(inputs.end(), flags.telemetry.begin(), flags.telemetry.end());
  check_output("seeds report", flags.out, inputs);
  std::vector<std::pair<std::string, SeedState>> states;
  std::vector<std::pair<std::string, std::vector<SeedTelemetry>>> epochs;
  ReportData data = report_head("kindred seeds report", global);
  const auto add = [&](const char* what, const std::string& path, std::size_t seeds) {
    const std::size_t first = states.empty() ? seeds : states[0].second.seeds();
    if (seeds != first)
      throw InputError(fmt::format("{}: {} seeds; {} has {}", path, seeds, flags.states[0], first));
    data.inputs.push_back(input_of(what, path, Html::counted(seeds, "seed", "seeds")));
  };
  for (const std::string& path : flags.states) {
    SeedState state = read_seed_state(path).state;
    add("state", path, state.seeds());
    states.emplace_back(path, std::move(state));
  }
  for (const std::string& path : flags.telemetry) {
    std::vector<SeedTelemetry> seen = read_telemetry(path);
    add("telemetry", path, seen.size());
    epochs.emplace_back(path, std::move(seen));
  }
  data.seeds = report_of(states, epochs);
  write_report(flags.out, data);
}

}  // namespace

void add_seed_report_command(CLI::App& group, const GlobalOptions& global) {
  const auto [command, flags] = add_command<ReportFlags>(
      group, "report", "Plots of lifecycles and telemetry in one offline HTML page", global,
      report);
  command
      ->add_option("--state", flags->states,
                   "States (JSON) written by `seeds step`; several files in chronological order")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--telemetry", flags->telemetry,
                   "Telemetry (JSON) written by `seeds forward`; several files are epochs in order")
      ->type_name("FILE");
  add_out(*command, flags->out, "Output file of the page");
}

}  // namespace Kindred::Tools

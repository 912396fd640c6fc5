// SPDX-License-Identifier: Apache-2.0
#include "SeedCommands.hpp"
#include "io/InputError.hpp"
#include "io/Output.hpp"
#include "io/OutputPath.hpp"
#include "report/Report.hpp"

#include <kindred/backends/AtomicFile.hpp>

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace Kindred::Tools {

namespace {

struct TelemetryFlags {
  std::vector<std::string> inputs;
  std::size_t seeds = 0;
  std::string element;
};

void telemetry(const GlobalOptions& global, const TelemetryFlags& flags) {
  const auto element = seed_element(flags.element);
  Session session(global, "seeds telemetry");
  std::optional<SeedLayer> layer;
  std::vector<std::pair<std::string, std::vector<SeedTelemetry>>> epochs;
  for (const std::string& path : flags.inputs) {
    const SeedRowsInput x =
        session.timed(Phase::load, [&] { return read_seed_rows(path, element, session); });
    if (!layer) {
      SeedLayerOptions options;
      options.hidden = x.hidden;
      options.seeds = static_cast<std::uint32_t>(flags.seeds);
      options.telemetry_epochs = static_cast<std::uint32_t>(flags.inputs.size());
      layer.emplace(session.context(), options);
    }
    if (x.hidden != layer->hidden())
      throw InputError(fmt::format("{}: rows of {} features; those of {} have {}", path, x.hidden,
                                   flags.inputs[0], layer->hidden()));
    if (!epochs.empty()) layer->step();
    std::vector<std::byte> y(x.bytes.size());
    SeedBatch batch;
    batch.rows = x.rows;
    batch.input = batch.output = x.element;
    session.timed(Phase::compute, [&] { layer->forward(x.bytes, y, batch); });
    epochs.emplace_back(path, layer->telemetry());
  }
  Output output;
  std::string& out = output.text();
  for (const auto& [path, epoch] : epochs) {
    append_telemetry(out, epoch, true);
    out += '\n';
  }
  if (epochs.size() > 1) {
    const auto all =
        layer->reduce_telemetry(static_cast<std::uint32_t>(epochs.size()), 0, layer->seeds());
    out += fmt::format("{{\"epochs\": {}, \"seeds\": ", epochs.size());
    append_telemetry(out, all.each, true);
    out += ", \"all\": ";
    append_telemetry(out, {&all.whole, 1}, true);
    out += "}\n";
  }
  output.flush();
  session.show(report_of({{"no state", layer->state()}}, epochs));
  session.finish();
}

struct ReportFlags {
  std::vector<std::string> states;
  std::vector<std::string> telemetry;
  std::string out;
};

void report(const GlobalOptions&, const ReportFlags& flags) {
  std::vector<std::string> inputs = flags.states;
  inputs.insert(inputs.end(), flags.telemetry.begin(), flags.telemetry.end());
  check_outputs("seeds report", {flags.out}, inputs);
  { const AtomicFile probe(flags.out); }
  std::vector<std::pair<std::string, SeedState>> states;
  std::vector<std::pair<std::string, std::vector<SeedTelemetry>>> epochs;
  const auto check_seeds = [&](const std::string& path, std::size_t seeds) {
    if (!states.empty() && seeds != states[0].second.seeds())
      throw InputError(fmt::format("{}: {} seeds; {} has {}", path, seeds, flags.states[0],
                                   states[0].second.seeds()));
  };
  for (const std::string& path : flags.states) {
    SeedState state = read_seed_state(path).state;
    check_seeds(path, state.seeds());
    states.emplace_back(path, std::move(state));
  }
  for (const std::string& path : flags.telemetry) {
    std::vector<SeedTelemetry> seen = read_telemetry(path);
    check_seeds(path, seen.size());
    epochs.emplace_back(path, std::move(seen));
  }
  ReportData data;
  data.title = "kindred seeds";
  data.subtitle = fmt::format("{} seeds", states[0].second.seeds());
  data.seeds = report_of(states, epochs);
  write_report(flags.out, data);
}

}  // namespace

void add_seed_telemetry_command(CLI::App& group, const GlobalOptions& global) {
  CLI::App* command =
      group.add_subcommand("telemetry", "Compute the telemetry of seeds for given rows");
  const auto flags = std::make_shared<TelemetryFlags>();
  command
      ->add_option("--input", flags->inputs,
                   "Rows (.npy, float32 or float16); several files are epochs, and are also merged")
      ->type_name("FILE")
      ->required();
  add_count(*command, "--seeds", flags->seeds, "Number of seeds that share the features", 1,
            1U << 24U)
      ->required();
  command
      ->add_option("--element", flags->element,
                   "float32, float16 or bfloat16, which rounds float32 rows (default: the file's)")
      ->type_name("NAME");
  command->callback([&global, flags] { telemetry(global, *flags); });
}

void add_seed_report_command(CLI::App& group, const GlobalOptions& global) {
  CLI::App* command =
      group.add_subcommand("report", "Plots of lifecycles and telemetry in one offline HTML page");
  const auto flags = std::make_shared<ReportFlags>();
  command
      ->add_option("--state", flags->states,
                   "States (JSON) written by `seeds step`; several files in chronological order")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--telemetry", flags->telemetry,
                   "Telemetry (JSON) written by `seeds forward`; several files are epochs in order")
      ->type_name("FILE");
  command->add_option("--out", flags->out, "Output file of the page; an existing file is replaced")
      ->type_name("FILE")
      ->required();
  command->callback([&global, flags] { report(global, *flags); });
}

}  // namespace Kindred::Tools

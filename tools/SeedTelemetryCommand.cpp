// SPDX-License-Identifier: Apache-2.0
#include "SeedInput.hpp"
#include "SeedReports.hpp"
#include "SeedSubcommands.hpp"
#include "program/Errors.hpp"
#include "program/Output.hpp"

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
    session.timed(Phase::compute, [&] { layer->forward(x.array(), x.like(y)); });
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
  for (const std::string& path : flags.inputs) {
    session.add_input("input", path,
                      fmt::format("rows of {} features, {} seeds", layer->hidden(), flags.seeds));
  }
  ReportSeeds seeds = report_of({{"no state", layer->state()}}, epochs);
  seeds.states.clear();  // there is no state file: every seed is dormant
  seeds.seeds.clear();
  session.show(std::move(seeds));
  session.finish();
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

}  // namespace Kindred::Tools

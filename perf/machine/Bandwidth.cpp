// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "common/Environment.hpp"
#include "common/JsonOutput.hpp"
#include "machine/Limits.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <iostream>
#include <memory>

namespace Kindred::Perf {

namespace {

struct BandwidthOptions {
  double megabytes = 0;
  int repeats = 7;
  int threads = 0;
  std::string out;
};

int bandwidth(const BandwidthOptions& options) {
  ContextOptions context_options;
  context_options.threads = options.threads;
  context_options.load_profile = false;
  const Context context(context_options);
  LimitsOptions limits_options;
  limits_options.repeats = options.repeats;
  if (options.megabytes > 0) {
    limits_options.host_bytes = limits_options.device_bytes =
        static_cast<std::uint64_t>(options.megabytes * (1U << 20U));
  }
  const std::vector<Limits> limits = measure_limits(context, limits_options);
  std::fprintf(stderr, "%-8s %10s %10s %10s %12s %12s %12s %10s %10s\n", "space", "copy GB/s",
               "read GB/s", "triad GB/s", "rows GB/s", "LCS step/s", "double FMA/s", "launch us",
               "queued us");
  for (const Limits& l : limits) {
    std::fprintf(stderr, "%-8s %10.1f %10.1f %10.1f %12.1f %12.3g %12.3g %10.2f %10.2f\n",
                 std::string(to_string(l.space)).c_str(), l.copy / 1e9, l.read / 1e9, l.triad / 1e9,
                 l.random_rows / 1e9, l.word_steps, l.multiply_adds, l.launch * 1e6,
                 l.launch_queued * 1e6);
  }
  write_json(Json{{"context", environment(context, 0, limits)}}, options.out);
  return 0;
}

}  // namespace

void add_bandwidth(CLI::App& app, Action& action) {
  auto options = std::make_shared<BandwidthOptions>();
  CLI::App* command = app.add_subcommand(
      "bandwidth", "This machine's limits per space: copy, read, triad, random rows, launch");
  command
      ->add_option("--megabytes", options->megabytes,
                   "Size of each array (default: 512 on the host, 2048 on a device)")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--repeats", options->repeats,
                   "Number of repeats, the fastest of which is reported")
      ->check(CLI::Range(1, 1000));
  command->add_option("--threads", options->threads, "Threads of the space openmp")
      ->check(CLI::Range(1, 512));
  command->add_option("--out", options->out, "JSON file (default: standard output)");
  command->callback([options, &action] { action = [options] { return bandwidth(*options); }; });
}

}  // namespace Kindred::Perf

// SPDX-License-Identifier: Apache-2.0
#include "SeedReports.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <optional>

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

}  // namespace Kindred::Tools

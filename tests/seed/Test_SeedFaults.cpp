// SPDX-License-Identifier: Apache-2.0
// The k-th allocation of every change of a layer fails, for every k, and the layer must be
// unchanged afterwards.
#include <gtest/gtest.h>
#include <kindred/matcher/SeedLayer.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "Allocations.hpp"
#include "Faults.hpp"

namespace SeedFaultsTest {

using namespace Kindred;
using Testing::fail_every_accounted;
using Testing::fail_every_allocation;
using Testing::Faults;
using Testing::longer_than_labels;
using Testing::make_faulty_context;

constexpr std::uint32_t features = 96;
constexpr std::uint32_t seeds = 24;

SeedLayer make_layer(Context& context) {
  SeedLayerOptions options;
  options.hidden = features;
  options.seeds = seeds;
  options.residency = Residency::host;
  SeedLayer layer(context, options);
  for (const float weight : {2.0F, 3.0F, 5.0F, 7.0F}) {
    layer.add_blueprint("blueprint " + std::to_string(weight),
                        std::vector<float>(features, weight));
  }
  SeedState state(seeds);
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    state.lifecycle[seed] = seed % 3 == 0 ? Lifecycle::grafting : Lifecycle::training;
    state.schedule[seed] = AlphaSchedule::drift_controlled;
    state.blueprint[seed] = static_cast<std::int32_t>(seed % 2);
    state.alpha[seed] = 0.5F;
    state.errors[seed] = seed == 1 ? 5 : 0;
  }
  layer.set_state(state);
  return layer;
}

/// The outputs of a layer for given rows, and the state that it reports.
std::string state_of(SeedLayer& layer) {
  std::vector<float> x(features, 1.0F);
  std::vector<float> y(features);
  SeedForwardOptions options;
  options.space = Space::serial;
  options.telemetry = SeedTelemetryUse::none;
  layer.forward(std::span(x), std::span(y), options);
  std::string out(reinterpret_cast<const char*>(y.data()), y.size() * sizeof(float));
  const SeedState state = layer.state();
  const auto add = [&](const auto& array) {
    for (const auto value : array) out += std::to_string(static_cast<double>(value)) + ' ';
  };
  add(state.blueprint);
  add(state.epochs);
  add(state.alpha);
  add(state.errors);
  add(state.history_count);
  for (const Lifecycle lifecycle : state.lifecycle) out += to_string(lifecycle);
  for (std::uint32_t seed = 0; seed < seeds; ++seed)
    if (const auto numbers = layer.schedule_state(seed)) add(*numbers);
  out += std::to_string(layer.epoch());
  return out + std::to_string(layer.has_telemetry());
}

struct LayerChange {
  const char* name;
  std::function<void(SeedLayer&)> make;
  std::size_t least_bytes;  ///< smallest size of the container allocations that fail
};

std::vector<LayerChange> layer_changes() {
  const auto update = [](std::uint32_t seed, Lifecycle to, std::int32_t blueprint) {
    SeedUpdate out;
    out.seed = seed;
    out.mask = seed_lifecycle | seed_blueprint | seed_alpha;
    out.lifecycle = to;
    out.blueprint = blueprint;
    out.alpha = 0.25F;
    return out;
  };
  std::vector<SeedUpdate> to_others;
  std::vector<SeedUpdate> to_known;
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    // Blueprint 0 is no longer in use where 2 and 3 request its row.
    to_others.push_back(update(seed, Lifecycle::grafting, seed % 2 == 0 ? 3 : 2));
    to_known.push_back(update(seed, Lifecycle::stabilization, 1));
  }
  SeedMetrics metrics;
  metrics.weights = [] {
    static const std::vector<float> weights(500, 1.5F);
    return std::span(weights);
  }();
  const std::vector<double> numbers(40, 1.0);
  const std::vector<float> weights(features, 11.0F);
  return {{"update to other blueprints", [=](SeedLayer& layer) { layer.update(to_others); },
           longer_than_labels},
          {"update", [=](SeedLayer& layer) { layer.update(to_known); }, 0},
          {"request", [](SeedLayer& layer) { layer.request(0, Lifecycle::rolled_back); }, 0},
          {"step", [=](SeedLayer& layer) { layer.step(metrics); }, 0},
          {"report", [](SeedLayer& layer) { layer.report_error(1); }, 0},
          {"replace", [=](SeedLayer& layer) { layer.replace_blueprint(0, weights); }, 0},
          {"schedule", [=](SeedLayer& layer) { layer.set_schedule_state(0, numbers); }, 0}};
}

TEST(SeedFaults, OfAnyAllocationLeaveTheLayerUnchanged) {
  const auto faults = std::make_shared<Faults>();
  const auto context = make_faulty_context(faults, 2);
  for (const LayerChange& change : layer_changes()) {
    SCOPED_TRACE(change.name);
    SeedLayer other = make_layer(*context);
    const std::string before = state_of(other);
    change.make(other);
    const std::string after = state_of(other);
    EXPECT_TRUE(before != after);
    for (const bool accounted : {true, false}) {
      SeedLayer layer = make_layer(*context);
      state_of(layer);  // allocates the workspaces of its calls
      const auto make = [&] { change.make(layer); };
      const auto check = [&](std::size_t k) {
        EXPECT_TRUE(state_of(layer) == before) << "allocation " << k << ' ' << accounted;
      };
      if (accounted) {
        fail_every_accounted(*faults, make, check);
      } else {
        fail_every_allocation(change.least_bytes, make, check);
      }
      EXPECT_TRUE(state_of(layer) == after) << "after memory is available again";
    }
  }
}

TEST(SeedFaults, ALayerBeyondTheBudgetAllocatesNothing) {
  ContextOptions limited;
  limited.load_profile = false;
  limited.host_budget = std::uint64_t{1} << 20U;
  Context context(limited);
  SeedLayerOptions options;
  options.hidden = 8;
  options.seeds = 1U << 31U;
  try {
    SeedLayer(context, options);
    FAIL() << "its state is more than a hundred gigabytes";
  } catch (const OutOfMemory& error) {
    EXPECT_GE(error.bytes(), std::uint64_t{50} * options.seeds);
  }
  options.seeds = 100;
  EXPECT_NO_THROW(SeedLayer(context, options));
}

}  // namespace SeedFaultsTest

// SPDX-License-Identifier: Apache-2.0
// The k-th allocation of the context fails in every change of a layer, for every k, and the layer
// must be unchanged afterwards. `tests/allocations` does this with `operator new`.
#include "Faults.hpp"
#include "LayerSupport.hpp"

namespace Kindred::Testing::Seeds::SeedFaultsTest {

constexpr std::uint32_t features = 96;
constexpr std::uint32_t seeds = 24;

SeedLayer make_layer(Context& context) {
  SeedLayerOptions options = options_of(features, seeds);
  options.residency = Residency::host;
  SeedLayer layer(context, options);
  for (const float weight : {2.0F, 3.0F, 5.0F, 7.0F})
    layer.add_blueprint("blueprint " + std::to_string(weight),
                        std::vector<float>(features, weight));
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
auto observed(SeedLayer& layer) {
  std::vector<float> y(features, 1.0F);
  layer.forward(y, y, {.telemetry = SeedTelemetryUse::none, .space = Space::serial});
  std::array<std::optional<std::vector<double>>, seeds> schedules;
  for (std::uint32_t seed = 0; seed < seeds; ++seed) schedules[seed] = layer.schedule_state(seed);
  return std::tuple(y, layer.state(), schedules, layer.epoch(), layer.has_telemetry());
}

TEST(SeedFaults, OfAnyAllocationLeaveTheLayerUnchanged) {
  std::vector<SeedUpdate> to_others, to_known;
  constexpr unsigned mask = seed_lifecycle | seed_blueprint | seed_alpha;
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    // Blueprint 0 is no longer in use where 2 and 3 request its row.
    to_others.push_back(update_of(
        seed, mask,
        {.blueprint = seed % 2 == 0 ? 3 : 2, .alpha = 0.25F, .lifecycle = Lifecycle::grafting}));
    to_known.push_back(update_of(
        seed, mask, {.blueprint = 1, .alpha = 0.25F, .lifecycle = Lifecycle::stabilization}));
  }
  const std::vector<float> watched(500, 1.5F), weights(features, 11.0F);
  const std::vector<double> numbers(40, 1.0);
  const std::pair<const char*, std::function<void(SeedLayer&)>> changes[] = {
      {"update to other blueprints", [&](SeedLayer& layer) { layer.update(to_others); }},
      {"update", [&](SeedLayer& layer) { layer.update(to_known); }},
      {"request", [](SeedLayer& layer) { layer.request(0, Lifecycle::rolled_back); }},
      {"step", [&](SeedLayer& layer) { layer.step({.weights = watched}); }},
      {"report", [](SeedLayer& layer) { layer.report_error(1); }},
      {"replace", [&](SeedLayer& layer) { layer.replace_blueprint(0, weights); }},
      {"schedule", [&](SeedLayer& layer) { layer.set_schedule_state(0, numbers); }}};
  const auto faults = std::make_shared<Faults>();
  const auto context = make_faulty_context(faults, 2);
  for (const auto& [name, change] : changes) {
    SCOPED_TRACE(name);
    SeedLayer layer = make_layer(*context), other = make_layer(*context);
    const auto before = observed(layer);
    change(other);
    const auto after = observed(other);
    EXPECT_TRUE(before != after);
    fail_every_accounted(
        *faults, [&, &change = change] { change(layer); },
        [&](std::size_t k) { EXPECT_TRUE(observed(layer) == before) << "allocation " << k; });
    EXPECT_TRUE(observed(layer) == after) << "after memory is available again";
  }
}

TEST(SeedFaults, ALayerBeyondTheBudgetAllocatesNothing) {
  Context context({.host_budget = std::uint64_t{1} << 20U, .load_profile = false});
  constexpr std::uint32_t most = 1U << 31U;
  try {
    SeedLayer(context, options_of(8, most));
    FAIL() << "its state is more than a hundred gigabytes";
  } catch (const OutOfMemory& error) {
    EXPECT_GE(error.bytes(), std::uint64_t{50} * most);
  }
  EXPECT_NO_THROW(SeedLayer(context, options_of(8, 100)));
}

}  // namespace Kindred::Testing::Seeds::SeedFaultsTest

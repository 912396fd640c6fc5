// SPDX-License-Identifier: Apache-2.0
#include "PublicCalls.hpp"

namespace SeedCallsTest {

using namespace Kindred;
using namespace Testing;

constexpr std::uint32_t hidden = 24;
constexpr std::uint32_t seeds = 5;
constexpr std::uint64_t row_count = 6;

const std::vector<float> weights(hidden, 0.75F);
const std::string long_name = "a blueprint with a name that is not short";
const SeedLayerOptions layer_options{.hidden = hidden, .seeds = seeds};

SeedLayer make_layer() {
  SeedLayer layer(shared_context(), layer_options);
  layer.add_blueprint(long_name, weights);
  layer.add_blueprint("another blueprint with a name that is not short", weights);
  SeedState state(seeds);
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    state.lifecycle[seed] = seed == 0 ? Lifecycle::dormant : Lifecycle::grafting;
    state.blueprint[seed] = seed == 0 ? -1 : 0;
    state.alpha[seed] = 0.25F;
    state.schedule[seed] = static_cast<AlphaSchedule>(seed % 3);
  }
  layer.set_state(state);
  return layer;
}

const TypedCalls expect(make_layer);

TEST(OutOfMemory, OfAChangedSeedLayerLeavesItAsItWas) {
  expect_typed("SeedLayer", [] { return SeedLayer(shared_context(), layer_options); });
  expect("add_blueprint", [](auto& layer) { return layer.add_blueprint("third", weights); });
  expect("replace_blueprint", [](auto& layer) { layer.replace_blueprint(0, weights); });
  expect("remove_blueprint", [](auto& layer) { layer.remove_blueprint(1); });
  SeedState state(seeds);
  state.epochs[1] = 7;
  expect("set_state", [&](auto& layer) { layer.set_state(state); });
  const SeedUpdate update{.seed = 2,
                          .mask = seed_alpha | seed_lifecycle,
                          .alpha = 0.5F,
                          .lifecycle = Lifecycle::stabilization};
  expect("update", [&](auto& layer) { layer.update(std::span(&update, 1)); });
  expect("request", [](auto& layer) { return layer.request(0, Lifecycle::germinated); });
  expect("germinate", [](auto& layer) { return layer.germinate(0, 1); });
  expect("report_error", [](auto& layer) { return layer.report_error(1); });
  expect("step", [](auto& layer) { return layer.step(); });
  const std::vector<SeedMetrics> metrics(seeds);
  expect("step by seed", [&](auto& layer) { return layer.step(metrics); });
  const auto stepped = [] {
    SeedLayer layer = make_layer();
    layer.step();
    return layer;
  };
  const std::vector<double> numbers = stepped().schedule_state(2).value_or(std::vector<double>());
  expect_typed("set_schedule_state", stepped,
               [&](auto& layer) { layer.set_schedule_state(2, numbers); });
  const TempFolder folder;
  const std::string layer_path = folder / "layer";
  const std::string blueprints_path = folder / "blueprints";
  make_layer().save(layer_path);
  make_layer().blueprints().save(blueprints_path);
  expect("restore", [&](auto& layer) { layer.restore(layer_path); });
  expect("restore_blueprints", [&](auto& layer) { layer.restore_blueprints(blueprints_path); });
  const SeedLayer layer = make_layer();
  expect_written("save", Written{&folder, "layer"}, [&] { layer.save(layer_path); });
}

TEST(OutOfMemory, OfAPassOfASeedLayerIsTyped) {
  const std::vector<float> x(row_count * hidden, 0.5F);
  std::vector<float> y(x.size());
  std::vector<float> dw(hidden);
  for (const Space space : host_spaces()) {
    for (const SeedTelemetryUse use :
         {SeedTelemetryUse::none, SeedTelemetryUse::last, SeedTelemetryUse::merged}) {
      const SeedForwardOptions options{.telemetry = use, .space = space};
      expect("forward", y,
             [&](auto& layer) { layer.forward(std::span(x), std::span(y), options); });
      expect("backward", std::tie(y, dw), [&](auto& layer) {
        layer.backward(std::span(x), std::span(x), std::span(y), std::span(dw), options);
      });
    }
    expect("SeedSequence", y, [&](auto& layer) {
      SeedSequence sequence(shared_context(), space);
      sequence.add(layer, std::span(x), std::span(y));
      sequence.run();
      sequence.wait();
    });
  }
  const TypedCalls expect_used([&] {  // after a call with telemetry
    SeedLayer layer = make_layer();
    layer.forward(std::span(x), std::span(y));
    return layer;
  });
  expect_used("telemetry", [](auto& layer) { return layer.telemetry(); });
  expect_used("has_telemetry", [](auto& layer) { return layer.has_telemetry(); });
  expect_used("start_telemetry", [](auto& layer) { layer.start_telemetry(); });
  expect_used("reduce_telemetry", [](auto& layer) { return layer.reduce_telemetry(1, 0, seeds); });
}

TEST(OutOfMemory, OfAQueryOfASeedLayerIsTyped) {
  const SeedLayer layer = make_layer();
  expect_typed("blueprints", [&] { return layer.blueprints(); });
  expect_typed("state", [&] { return layer.state(); });
  expect_typed("history", [&] { return layer.state().history(1); });
  expect_typed("schedule_state", [&] { return layer.schedule_state(1); });
  expect_typed("device_trouble", [&] { return layer.device_trouble(); });
  expect_typed("epoch", [&] { return layer.epoch(); });
}

TEST(OutOfMemory, OfBlueprintsAndSchedulesIsTyped) {
  const TypedCalls expect_blueprints([] {
    BlueprintRegistry blueprints;
    blueprints.add(long_name, weights);
    return blueprints;
  });
  expect_blueprints("add", [](auto& blueprints) { return blueprints.add("another", weights); });
  expect_blueprints("replace", [](auto& blueprints) { blueprints.replace(0, weights); });
  expect_blueprints("remove", [](auto& blueprints) { blueprints.remove(0); });
  expect_blueprints("find", [](auto& blueprints) { return blueprints.find(long_name); });
  expect_blueprints.files([](const auto& from) { return BlueprintRegistry::load(from); });
  for (const AlphaSchedule kind : {AlphaSchedule::linear, AlphaSchedule::momentum,
                                   AlphaSchedule::drift_controlled, AlphaSchedule::stability}) {
    expect_typed("GraftingSchedule", [&] {
      GraftingSchedule schedule(kind);
      schedule.next(1, 0.5, {});
      return schedule.state();
    });
  }
  expect_typed("SeedState", [] { return SeedState(9); });
  expect_typed("check_transition", [] { return check_transition({}, Lifecycle::fossilized, {}); });
}

TEST(OutOfMemory, OfFunctionsOfSeedsIsTyped) {
  Context& context = shared_context();
  const std::vector<std::int32_t> lifecycle{3, 0};
  const std::vector<std::int32_t> zeros{0, 0};
  const std::vector<float> alpha{0.5F, 0.5F};
  const std::vector<float> table(12, 2.0F);
  const std::vector<float> x(12, 1.0F);
  std::vector<float> y(12);
  std::vector<float> dtable(12);
  std::vector<float> dalpha(2);
  const SeedArrays arrays{lifecycle, zeros, zeros, alpha, columns_of(table, 4)};
  const ConstArray given = columns_of(x, 4);
  const Array to = columns_of(y, 4);
  const Array to_table = columns_of(dtable, 4);
  for (const Space space : host_spaces()) {
    const SeedPassOptions options{.space = space};
    expect_written("forward_seeds", y,
                   [&] { forward_seeds(context, arrays, given, to, {}, options); });
    expect_written("backward_seeds", std::tie(y, dtable, dalpha), [&] {
      backward_seeds(context, arrays, given, given, to, to_table, dalpha, options);
    });
  }
  expect_typed("forward_seeds_workspace",
               [&] { return forward_seeds_workspace(context, arrays, given); });
  expect_typed("backward_seeds_workspace",
               [&] { return backward_seeds_workspace(context, arrays, given); });
}

}  // namespace SeedCallsTest

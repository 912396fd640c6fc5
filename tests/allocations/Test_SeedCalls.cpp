// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ResultText.hpp"

namespace SeedCallsTest {

using namespace Kindred;
using Testing::expect_out_of_memory;
using Testing::host_spaces;
using Testing::shared_context;
using Testing::TempFolder;
using Testing::Written;

constexpr std::uint32_t hidden = 24;
constexpr std::uint32_t seeds = 5;
constexpr std::uint64_t row_count = 6;

const std::vector<float>& weights() {
  static const std::vector<float> made(hidden, 0.75F);
  return made;
}

SeedLayer make_layer() {
  SeedLayerOptions options;
  options.hidden = hidden;
  options.seeds = seeds;
  SeedLayer layer(shared_context(), options);
  layer.add_blueprint("a blueprint with a name that is not short", weights());
  layer.add_blueprint("another blueprint with a name that is not short", weights());
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

/// A layer after a call with telemetry.
SeedLayer make_used_layer() {
  SeedLayer layer = make_layer();
  const std::vector<float> x(row_count * hidden, 0.5F);
  std::vector<float> y(x.size());
  layer.forward(std::span(x), std::span(y));
  return layer;
}

TEST(OutOfMemory, OfAChangedSeedLayerLeavesItAsItWas) {
  const TempFolder folder;
  const std::string layer_path = folder / "layer";
  const std::string blueprints_path = folder / "blueprints";
  SeedLayerOptions options;
  options.hidden = hidden;
  options.seeds = seeds;
  expect_out_of_memory("SeedLayer", [&] { return SeedLayer(shared_context(), options); });
  using Layer = SeedLayer;
  expect_out_of_memory("add_blueprint", make_layer,
                       [](Layer& layer) { return layer.add_blueprint("third", weights()); });
  expect_out_of_memory("replace_blueprint", make_layer,
                       [](Layer& layer) { layer.replace_blueprint(0, weights()); });
  expect_out_of_memory("remove_blueprint", make_layer,
                       [](Layer& layer) { layer.remove_blueprint(1); });
  SeedState state(seeds);
  state.epochs[1] = 7;
  expect_out_of_memory("set_state", make_layer, [&](Layer& layer) { layer.set_state(state); });
  SeedUpdate update;
  update.seed = 2;
  update.mask = seed_alpha | seed_lifecycle;
  update.lifecycle = Lifecycle::stabilization;
  update.alpha = 0.5F;
  expect_out_of_memory("update", make_layer,
                       [&](Layer& layer) { layer.update(std::span(&update, 1)); });
  expect_out_of_memory("request", make_layer,
                       [](Layer& layer) { return layer.request(0, Lifecycle::germinated); });
  expect_out_of_memory("germinate", make_layer, [](Layer& layer) { return layer.germinate(0, 1); });
  expect_out_of_memory("report_error", make_layer,
                       [](Layer& layer) { return layer.report_error(1); });
  expect_out_of_memory("step", make_layer, [](Layer& layer) { return layer.step(); });
  const std::vector<SeedMetrics> metrics(seeds);
  expect_out_of_memory("step by seed", make_layer,
                       [&](Layer& layer) { return layer.step(metrics); });
  const auto stepped = [] {
    Layer layer = make_layer();
    layer.step();
    return layer;
  };
  const std::vector<double> numbers = stepped().schedule_state(2).value_or(std::vector<double>());
  expect_out_of_memory("set_schedule_state", stepped,
                       [&](Layer& layer) { layer.set_schedule_state(2, numbers); });
  make_layer().save(layer_path);
  make_layer().blueprints().save(blueprints_path);
  expect_out_of_memory("restore", make_layer, [&](Layer& layer) { layer.restore(layer_path); });
  expect_out_of_memory("restore_blueprints", make_layer,
                       [&](Layer& layer) { layer.restore_blueprints(blueprints_path); });
}

TEST(OutOfMemory, OfAPassOfASeedLayerIsTyped) {
  const std::vector<float> x(row_count * hidden, 0.5F);
  std::vector<float> y(x.size());
  std::vector<float> dw(hidden);
  using Layer = SeedLayer;
  for (const Space space : host_spaces()) {
    SeedForwardOptions options;
    options.space = space;
    for (const SeedTelemetryUse use :
         {SeedTelemetryUse::none, SeedTelemetryUse::last, SeedTelemetryUse::merged}) {
      options.telemetry = use;
      expect_out_of_memory("forward", make_layer, [&](Layer& layer) {
        layer.forward(std::span(x), std::span(y), options);
        return std::span(y);
      });
    }
    expect_out_of_memory("backward", make_layer, [&](Layer& layer) {
      layer.backward(std::span(x), std::span(x), std::span(y), std::span(dw), options);
      return std::pair(std::span(y), std::span(dw));
    });
    const auto sequence_of = [&](Layer& layer) {
      SeedSequence sequence(shared_context(), space);
      sequence.add(layer, std::span(x), std::span(y));
      sequence.run();
      sequence.wait();
      return std::span(y);
    };
    expect_out_of_memory("SeedSequence", make_layer, sequence_of);
  }
  expect_out_of_memory("telemetry", make_used_layer,
                       [](Layer& layer) { return layer.telemetry(); });
  expect_out_of_memory("has_telemetry", make_used_layer,
                       [](Layer& layer) { return layer.has_telemetry(); });
  expect_out_of_memory("start_telemetry", make_used_layer,
                       [](Layer& layer) { layer.start_telemetry(); });
  expect_out_of_memory("reduce_telemetry", make_used_layer,
                       [](Layer& layer) { return layer.reduce_telemetry(1, 0, seeds); });
}

TEST(OutOfMemory, OfAQueryOfASeedLayerIsTyped) {
  const TempFolder folder;
  const std::string layer_path = folder / "layer";
  const SeedLayer layer = make_layer();
  expect_out_of_memory("blueprints", [&] { return layer.blueprints(); });
  expect_out_of_memory("state", [&] { return layer.state(); });
  expect_out_of_memory("history", [&] { return layer.state().history(1); });
  expect_out_of_memory("schedule_state", [&] { return layer.schedule_state(1); });
  expect_out_of_memory("device_trouble", [&] { return layer.device_trouble(); });
  expect_out_of_memory("epoch", [&] { return layer.epoch(); });
  layer.save(layer_path);
  expect_out_of_memory("save", [&] {
    layer.save(layer_path);
    return Written{&folder, "layer"};
  });
}

TEST(OutOfMemory, OfBlueprintsAndSchedulesIsTyped) {
  const TempFolder folder;
  const std::string blueprints_path = folder / "blueprints";
  const auto make = [] {
    BlueprintRegistry blueprints;
    blueprints.add("a blueprint with a name that is not short", weights());
    return blueprints;
  };
  using Blueprints = BlueprintRegistry;
  expect_out_of_memory("add", make,
                       [](Blueprints& blueprints) { return blueprints.add("another", weights()); });
  expect_out_of_memory("replace", make,
                       [](Blueprints& blueprints) { blueprints.replace(0, weights()); });
  expect_out_of_memory("remove", make, [](Blueprints& blueprints) { blueprints.remove(0); });
  const std::string name = "a blueprint with a name that is not short";
  expect_out_of_memory("find", make, [&](Blueprints& blueprints) { return blueprints.find(name); });
  make().save(blueprints_path);
  expect_out_of_memory("save", make, [&](Blueprints& blueprints) {
    blueprints.save(blueprints_path);
    return Written{&folder, "blueprints"};
  });
  expect_out_of_memory("load", [&] { return Blueprints::load(blueprints_path); });
  for (const AlphaSchedule kind : {AlphaSchedule::linear, AlphaSchedule::momentum,
                                   AlphaSchedule::drift_controlled, AlphaSchedule::stability}) {
    expect_out_of_memory("GraftingSchedule", [&] {
      GraftingSchedule schedule(kind);
      schedule.next(1, 0.5, {});
      return schedule.state();
    });
  }
  expect_out_of_memory("SeedState", [] { return SeedState(9); });
  expect_out_of_memory("check_transition",
                       [] { return check_transition({}, Lifecycle::fossilized, {}); });
}

TEST(OutOfMemory, OfFunctionsOfSeedsIsTyped) {
  const std::vector<std::int32_t> lifecycle{3, 0};
  const std::vector<std::int32_t> blueprint{0, 0};
  const std::vector<std::int32_t> mode{0, 0};
  const std::vector<float> alpha{0.5F, 0.5F};
  const std::vector<float> table(12, 2.0F);
  const std::vector<float> x(12, 1.0F);
  std::vector<float> y(12);
  std::vector<float> dtable(12);
  std::vector<float> dalpha(2);
  const std::vector<std::int64_t> shape{3, 4};
  const SeedArrays arrays{ConstArray(std::span(lifecycle)), ConstArray(std::span(blueprint)),
                          ConstArray(std::span(mode)), ConstArray(std::span(alpha)),
                          ConstArray(table.data(), DataType::float32, shape)};
  const ConstArray given(x.data(), DataType::float32, shape);
  const Array to(y.data(), DataType::float32, shape);
  for (const Space space : host_spaces()) {
    SeedPassOptions options;
    options.space = space;
    expect_out_of_memory("forward_seeds", [&] {
      forward_seeds(shared_context(), arrays, given, to, {}, options);
      return std::span(y);
    });
    expect_out_of_memory("backward_seeds", [&] {
      backward_seeds(shared_context(), arrays, given, given, to,
                     Array(dtable.data(), DataType::float32, shape), Array(std::span(dalpha)),
                     options);
      return std::pair(std::span(y), std::span(dtable));
    });
  }
  expect_out_of_memory("forward_seeds_workspace",
                       [&] { return forward_seeds_workspace(shared_context(), arrays, given); });
  expect_out_of_memory("backward_seeds_workspace",
                       [&] { return backward_seeds_workspace(shared_context(), arrays, given); });
}

}  // namespace SeedCallsTest

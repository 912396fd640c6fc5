// SPDX-License-Identifier: Apache-2.0
#include "LayerSupport.hpp"

namespace Kindred::Testing::Seeds::SeedLayerRefusalsTest {

/// Expects refusals that do not change the state that the layer reports.
void expect_refused(const SeedLayer& layer, const std::vector<RefusedCall>& calls) {
  const auto observed = [&] {
    return std::tuple(layer.state(), layer.epoch(), layer.blueprints(), layer.has_telemetry());
  };
  const auto before = observed();
  Testing::expect_refused(calls);
  EXPECT_TRUE(observed() == before);
}

TEST(SeedLayerRefusals, OfRows) {  // SeedFunctionCalls.RefuseWhatDoesNotFit has more rows
  SeedLayer layer = uniform_layer(context(), 8, 3, Lifecycle::grafting);
  std::vector<float> x(4 * 8), y(x.size()), more(6 * 8), odd(9), to(9);
  const auto call = [&](const ConstArray& from, const Array& into,
                        const SeedForwardOptions& options = {}) {
    return [=, &layer] { layer.forward(from, into, options); };
  };
  const auto in = shaped(x, {4, 8}), out = shaped(y, {4, 8});
  int stream = 0;
  expect_refused(
      layer, {{call(shaped(x, {4, 7}), out), "x is float32 [4, 7]; it must be float32 [any, 8]"},
              {call(in, shaped(more, {6, 8})), "y is float32 [6, 8]; it must be float32 [4, 8]"},
              {call(in, shaped(x, {4, 8}, float16)),
               "the same rows with the same element type and stride"},
              {call(in, out, {.stream = Stream::cuda(&stream)}),
               "a stream is given, and the rows lie in host memory"},
              {call(odd, to), "not a multiple of 8"}});
  for (const std::int64_t stride : {std::int64_t{1} << 62U, (std::int64_t{1} << 62U) + 2,
                                    (std::int64_t{1} << 62U) + 8, INT64_MAX}) {
    for (const std::int64_t rows : {2, 4}) {
      const auto far = [&](auto& values) {
        return shaped(values, {rows, 8}, float32, {stride, 1});
      };
      expect_refused(layer, {{call(far(x), shaped(y, {rows, 8})), "exceeds 64 bits"},
                             {call(shaped(x, {rows, 8}), far(y)), "exceeds 64 bits"}});
    }
  }
  const Extents shape{4, 8};
  const int device = context().info(Space::cuda).device_index;
  const ConstArray far_in(x.data(), float32, shape, {}, ArrayMemory::device, device);
  const Array far_out(y.data(), float32, shape, {}, ArrayMemory::device, device);
  if (context().is_usable(Space::cuda)) {
    expect_refused(layer, {{call(far_in, far_out, on(Space::serial)), "not on serial"}});
  } else {
    EXPECT_THROW(layer.forward(far_in, far_out), SpaceUnavailable);
  }
  std::vector<float> dw(8);
  const auto back = [&](const ConstArray& gradient, const Array& dx, std::span<float> of_weights) {
    return [=, &layer] { layer.backward(in, gradient, dx, of_weights); };
  };
  expect_refused(
      layer, {{back(in, out, std::span(dw).first(7)), "dw is float32 [7]; it must be float32 [8]"},
              {back(in, std::span(y).first(8), dw), "dx is float32 [8]; it must be float32 [32]"},
              {back(out, in, dw), "dx and x overlap"},
              {back(shaped(more, {4, 8}, float16), out, dw), "the gradient is float16"}});
  EXPECT_EQ(y, std::vector<float>(4 * 8));
}

TEST(SeedLayerRefusals, OfStates) {
  SeedLayer layer = uniform_layer(context(), 8, 3, Lifecycle::grafting);
  layer.add_blueprint("short", std::vector<float>(5, 1.0F));
  const auto set = [&](auto change) {
    return [&layer, change] {
      SeedState state = layer.state();
      change(state);
      layer.set_state(state);
    };
  };
  const auto code = []<class Code>(std::vector<Code>& codes, std::size_t seed, int value) {
    codes[seed] = static_cast<Code>(value);
  };
  expect_refused(
      layer, {{set([](auto& s) { s = SeedState(4); }), "a state of 4 seeds"},
              {set([](auto& s) { s.alpha.pop_back(); }), "alpha has 2 elements"},
              {set([](auto& s) { s.mode.push_back(ApplyMode::linear); }), "mode has 4 elements"},
              {set([](auto& s) { s.history_to.pop_back(); }), "must have 30"},
              {set([](auto& s) { s.alpha[1] = NAN; }), "alpha of seed 1 is"},
              {set([](auto& s) { s.alpha[2] = 1.0000001F; }), "in [0, 1]"},
              {set([](auto& s) { s.alpha[2] = -1e-9F; }), "in [0, 1]"},
              {set([=](auto& s) { code(s.lifecycle, 0, 11); }), "lifecycle of seed 0 is 11"},
              {set([=](auto& s) { code(s.lifecycle, 0, -1); }), "a code from 0 to 10"},
              {set([=](auto& s) { code(s.mode, 2, 4); }), "mode of seed 2 is 4"},
              {set([=](auto& s) { code(s.schedule, 2, 5); }), "schedule of seed 2"},
              {set([=](auto& s) { code(s.parent, 1, 12); }), "parent of seed 1"},
              {set([](auto& s) { s.epochs[1] = -1; }), "epochs of seed 1"},
              {set([](auto& s) { s.errors[1] = -1; }), "errors of seed 1"},
              {set([](auto& s) { s.evaluation[1] = INFINITY; }), "finite"},
              {set([](auto& s) { s.blueprint[1] = -2; }), "blueprint of seed 1"},
              {set([](auto& s) { s.checkpoint[1] = -2; }), "checkpoint of seed 1"},
              {set([](auto& s) { s.history_next[1] = 10; }), "below 10"},
              {set([](auto& s) { s.history_count[1] = 11; }), "at most 10"},
              {set([=](auto& s) { code(s.history_from, 10, 33); }), "history_from of seed 1"},
              {set([](auto& s) { s.blueprint[1] = -1; }), "has no blueprint"},
              {set([](auto& s) { s.blueprint[1] = 2; }), "no blueprint 2"},
              {set([](auto& s) { s.blueprint[2] = 1; }),
               "blueprint 1 has 5 weights, and the seed's chunk ends at feature 8"}});
  set([](auto& s) { s.blueprint[0] = 1; })();  // features 0 … 2
}

TEST(SeedLayerRefusals, OfChanges) {
  SeedLayer layer = uniform_layer(context(), 8, 3, Lifecycle::grafting);
  const auto update = [&](unsigned mask, const SeedUpdate& values, std::uint32_t seed = 1) {
    return [=, &layer] {  // a valid update before the invalid one
      layer.update(
          std::vector{update_of(0, seed_alpha, {.alpha = 0.75F}), update_of(seed, mask, values)});
    };
  };
  expect_refused(
      layer, {{update(0, {}, 3), "update 1 of seed 3"},
              {update(512, {}), "below 512"},
              {update(seed_alpha, {.alpha = NAN}), "alpha"},
              {update(seed_lifecycle, {.lifecycle = static_cast<Lifecycle>(11)}), "lifecycle 11"},
              {update(seed_mode, {.mode = static_cast<ApplyMode>(-1)}), "mode -1"},
              {update(seed_schedule, {.schedule = static_cast<AlphaSchedule>(9)}), "schedule 9"},
              {update(seed_epochs, {.epochs = -1}), "epochs -1"},
              {update(seed_errors, {.errors = -1}), "errors -1"},
              {update(seed_blueprint, {.blueprint = -2}), "blueprint -2"},
              {update(seed_blueprint, {.blueprint = 7}), "there is no blueprint 7"},
              {update(seed_blueprint, {}), "has no blueprint"},
              {update(seed_evaluation, {.evaluation = NAN}), "finite"},
              {[&] { layer.request(3, Lifecycle::culled); }, ""},
              {[&] { layer.request(0, static_cast<Lifecycle>(11)); }, ""},
              {[&] { layer.report_error(3); }, ""},
              {[&] { layer.step(std::vector<SeedMetrics>(2)); }, ""}});
}

TEST(SeedLayerRefusals, OfOptions) {
  const auto make = [](SeedLayerOptions options) {
    return [options] { SeedLayer(context(), options); };
  };
  SeedLayerOptions no_errors = options_of(8, 2);
  no_errors.rules.errors_max = 0;
  Testing::expect_refused(
      {{make({}), ""},
       {make(no_errors), ""},
       {make(options_of(8, 3, (1U << 20U) + 1)), "telemetry_epochs is 1048577"},
       {make(options_of(8, 3, ~0U)), "telemetry_epochs is " + std::to_string(~0U)}});
}

}  // namespace Kindred::Testing::Seeds::SeedLayerRefusalsTest

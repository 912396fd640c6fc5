// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kindred/core/common/Error.hpp>

#include "LayerSupport.hpp"
#include "MessageOf.hpp"

#include <cmath>
#include <limits>

namespace SeedLayerTest {

using namespace Kindred;
using namespace Kindred::Testing::Seeds;
using Testing::context;
using ::testing::HasSubstr;
using Testing::message_of;

std::vector<SeedTelemetry> telemetry_of(const std::vector<SeedMoments>& moments) {
  std::vector<SeedTelemetry> out;
  for (const SeedMoments& one : moments) out.push_back(Kindred::telemetry_of(one));
  return out;
}

TEST(SeedLayer, ForwardMatchesReferenceOnEverySpace) {
  auto generator = Testing::generator("SeedLayer.Forward");
  for (const auto [rows, hidden, seeds] : {std::array<std::size_t, 3>{1, 1, 1},
                                           {3, 7, 3},
                                           {65, 130, 200},
                                           {64, 96, 0},
                                           {0, 5, 2},
                                           {130, 512, 100},
                                           {2, 33, 11}}) {
    for (const DataType type : elements) {
      Reference::SeedLayer target = served_layer(hidden, seeds, 3, generator);
      SeedLayer layer = engine_of(context(), target);
      const Reference::SeedRows x = random_rows(type, rows, hidden, Values::ordinary, generator);
      const DataType output = elements[generator() % 3];
      const auto expected = bytes_of(Reference::seed_forward(target, x, output));
      const auto seen = telemetry_of(Reference::seed_moments(hidden, seeds, x));
      for (const Space space : Testing::spaces()) {
        std::vector<std::byte> y(expected.size());
        const DispatchRecord record =
            layer.forward(RowShape{type, rows, hidden}.in(bytes_of(x).data()),
                          RowShape{output, rows, hidden}.out(y.data()), on(space));
        EXPECT_EQ(record.chosen, space);
        EXPECT_TRUE(y == expected) << rows << " × " << hidden << ", " << seeds << " seeds";
        EXPECT_TRUE(layer.telemetry() == seen);
      }
    }
  }
}

TEST(SeedLayer, BackwardMatchesReferenceOnEverySpace) {
  auto generator = Testing::generator("SeedLayer.Backward");
  for (const auto [rows, hidden, seeds] :
       {std::array<std::size_t, 3>{1, 1, 1}, {70, 40, 9}, {5, 64, 80}}) {
    for (const DataType type : elements) {
      Reference::SeedLayer target = served_layer(hidden, seeds, 2, generator);
      SeedLayer layer = engine_of(context(), target);
      const Reference::SeedRows x = random_rows(type, rows, hidden, Values::ordinary, generator);
      const Reference::SeedRows g = random_rows(type, rows, hidden, Values::ordinary, generator);
      const Reference::SeedGradients expected = Reference::seed_backward(target, x, g);
      const RowShape shape{type, rows, hidden};
      for (const Space space : Testing::spaces()) {
        std::vector<std::byte> dx(bytes_of(x).size());
        std::vector<float> dw(hidden, -1);
        layer.backward(shape.in(bytes_of(x).data()), shape.in(bytes_of(g).data()),
                       shape.out(dx.data()), std::span(dw), on(space));
        EXPECT_TRUE(dx == bytes_of(expected.dx));
        EXPECT_EQ(dw, expected.dw);
      }
    }
  }
}

TEST(SeedLayer, AcceptsRowsInPlaceAndWithStrides) {
  auto generator = Testing::generator("SeedLayer.InPlace");
  Reference::SeedLayer target = served_layer(30, 4, 2, generator);
  SeedLayer layer = engine_of(context(), target);
  const Reference::SeedRows x = random_rows(DataType::float32, 9, 30, Values::all, generator);
  const auto expected = bytes_of(Reference::seed_forward(target, x, DataType::float32));
  for (const Space space : Testing::spaces()) {
    std::vector<std::byte> rows = bytes_of(x);
    RowShape shape{DataType::float32, 9, 30};
    layer.forward(shape.in(rows.data()), shape.out(rows.data()), on(space));
    EXPECT_TRUE(rows == expected);
    // Rows with strides of 37 and 33 elements; the gaps between them must be unchanged.
    std::vector<std::byte> from = packed(x, 30, {0, 37});
    std::vector<std::byte> to(8 * 33 * 4 + 30 * 4, untouched);
    from.resize(8 * 37 * 4 + 30 * 4);
    shape.stride = 37;
    const ConstArray x_of = shape.in(from.data());
    shape.stride = 33;
    layer.forward(x_of, shape.out(to.data()), on(space));
    bool kept = false;
    const auto y = unpacked(to, DataType::float32, 9, 30, {0, 33}, kept);
    EXPECT_TRUE(bytes_of(y) == expected);
    EXPECT_TRUE(kept);
  }
}

/// The state that a layer reports.
struct ObservableState {
  SeedState state;
  std::uint64_t epoch;
  BlueprintRegistry blueprints;
  bool has_telemetry;
  explicit ObservableState(const SeedLayer& layer)
      : state(layer.state()),
        epoch(layer.epoch()),
        blueprints(layer.blueprints()),
        has_telemetry(layer.has_telemetry()) {}
  friend bool operator==(const ObservableState&, const ObservableState&) = default;
};

/// The message of the error with which \p call is rejected; nothing may change.
template <class Type = InvalidArgument, class Call>
std::string refused(SeedLayer& layer, const Call& call) {
  const ObservableState before(layer);
  std::string message = message_of<Type>(call);
  EXPECT_TRUE(ObservableState(layer) == before) << message;
  return message;
}

TEST(SeedLayer, RejectsInvalidRows) {
  SeedLayer layer =
      uniform_layer(context(), 8, 3, Lifecycle::grafting, ApplyMode::linear, 0.5F, 3.0F);
  std::vector<float> x(4 * 8), y(x.size()), more(x.size() + 16);
  using enum DataType;
  const auto message = [&](const ConstArray& from, const Kindred::Array& to,
                           const SeedForwardOptions& options = {}) {
    return refused(layer, [&] { layer.forward(from, to, options); });
  };
  const RowShape four{float32, 4, 8};
  const ConstArray in = four.in(x.data());
  const Kindred::Array out = four.out(y.data());
  EXPECT_THAT(message(RowShape{float32, 4, 7}.in(x.data()), out),
              HasSubstr("x is float32 [4, 7]; it must be float32 [any, 8]"));
  EXPECT_THAT(message(in, RowShape{float32, 6, 8}.out(more.data())),
              HasSubstr("y is float32 [6, 8]; it must be float32 [4, 8]"));
  for (const std::size_t stride : {std::size_t{1} << 62U, (std::size_t{1} << 62U) + 2,
                                   (std::size_t{1} << 62U) + 8, ~std::size_t{0} / 2}) {
    for (const std::size_t rows : {2, 4}) {
      const RowShape near{float32, rows, 8}, far{float32, rows, 8, stride};
      EXPECT_THAT(message(far.in(x.data()), near.out(y.data())), HasSubstr("exceeds 64 bits"));
      EXPECT_THAT(message(near.in(x.data()), far.out(y.data())), HasSubstr("exceeds 64 bits"));
    }
  }
  const std::vector<std::int8_t> bytes(4 * 8);
  EXPECT_THAT(message(std::span(bytes), out), HasSubstr("its elements must be float32, float16 or bfloat16"));
  EXPECT_THAT(message(RowShape{float32, 4, 8, 7}.in(x.data()), out), HasSubstr("without overlap"));
  EXPECT_THAT(message(four.in(reinterpret_cast<const std::byte*>(more.data()) + 1), out),
              HasSubstr("is not aligned to its elements of 4 bytes"));
  EXPECT_THAT(message(four.in(more.data()), four.out(more.data() + 8)), HasSubstr("overlap"));
  EXPECT_THAT(message(in, RowShape{float16, 4, 8}.out(x.data())),
              HasSubstr("the same rows with the same element type and stride"));
  SeedForwardOptions options;
  int stream = 0;
  options.stream = Stream::cuda(&stream);
  EXPECT_THAT(message(in, out, options),
              HasSubstr("a stream is given, and the rows lie in host memory"));
  const std::vector<std::int64_t> shape{4, 8};
  const int device = context().info(Space::cuda).device_index;
  const ConstArray far_in(x.data(), DataType::float32, shape, {}, ArrayMemory::device, device);
  const Kindred::Array far_out(y.data(), DataType::float32, shape, {}, ArrayMemory::device, device);
  if (context().is_usable(Space::cuda)) {
    EXPECT_THAT(message(far_in, far_out, on(Space::serial)), HasSubstr("not on serial"));
  } else {
    EXPECT_THROW(layer.forward(far_in, far_out), SpaceUnavailable);
  }
  std::vector<float> odd(9), to(9);
  EXPECT_THAT(message(std::span(odd), std::span(to)), HasSubstr("not a multiple of 8"));
  const auto message_back = [&](const ConstArray& gradient, const Kindred::Array& dx,
                                std::span<float> dw) {
    return refused(layer, [&] { layer.backward(in, gradient, dx, dw); });
  };
  std::vector<float> dw(8);
  EXPECT_THAT(message_back(in, out, std::span(dw).first(7)),
              HasSubstr("dw is float32 [7]; it must be float32 [8]"));
  EXPECT_THAT(message_back(in, std::span(y).first(8), dw),
              HasSubstr("dx is float32 [8]; it must be float32 [32]"));
  EXPECT_THAT(message_back(out, four.out(x.data()), dw), HasSubstr("dx and x overlap"));
  EXPECT_THAT(message_back(RowShape{float16, 4, 8}.in(more.data()), out, dw),
              HasSubstr("the gradient is float16"));
}

TEST(SeedLayer, RejectsTooManyTelemetryEpochs) {
  SeedLayerOptions options;
  options.hidden = 8;
  options.seeds = 3;
  for (const std::uint32_t epochs : {(1U << 20U) + 1, ~0U}) {
    options.telemetry_epochs = epochs;
    EXPECT_THAT(message_of<InvalidArgument>([&] { SeedLayer(context(), options); }),
                HasSubstr("telemetry_epochs is " + std::to_string(epochs)));
  }
}

TEST(SeedLayer, RejectsInvalidStates) {
  SeedLayer layer =
      uniform_layer(context(), 8, 3, Lifecycle::grafting, ApplyMode::linear, 0.5F, 3.0F);
  layer.add_blueprint("short", std::vector<float>(5, 1.0F));
  const auto set = [&](const auto& change) {
    SeedState state = layer.state();
    change(state);
    return refused(layer, [&] { layer.set_state(state); });
  };
  EXPECT_THAT(set([](SeedState& s) { s = SeedState(4); }), HasSubstr("a state of 4 seeds"));
  EXPECT_THAT(set([](SeedState& s) { s.alpha.pop_back(); }), HasSubstr("alpha has 2 elements"));
  EXPECT_THAT(set([](SeedState& s) { s.mode.push_back(ApplyMode::linear); }),
              HasSubstr("mode has 4 elements"));
  EXPECT_THAT(set([](SeedState& s) { s.history_to.pop_back(); }), HasSubstr("must have 30"));
  EXPECT_THAT(set([](SeedState& s) { s.alpha[1] = NAN; }), HasSubstr("alpha of seed 1 is"));
  EXPECT_THAT(set([](SeedState& s) { s.alpha[2] = 1.0000001F; }), HasSubstr("in [0, 1]"));
  EXPECT_THAT(set([](SeedState& s) { s.alpha[2] = -1e-9F; }), HasSubstr("in [0, 1]"));
  EXPECT_THAT(set([](SeedState& s) { s.lifecycle[0] = static_cast<Lifecycle>(11); }),
              HasSubstr("lifecycle of seed 0 is 11"));
  EXPECT_THAT(set([](SeedState& s) { s.lifecycle[0] = static_cast<Lifecycle>(-1); }),
              HasSubstr("a code from 0 to 10"));
  EXPECT_THAT(set([](SeedState& s) { s.mode[2] = static_cast<ApplyMode>(4); }),
              HasSubstr("mode of seed 2 is 4"));
  EXPECT_THAT(set([](SeedState& s) { s.schedule[2] = static_cast<AlphaSchedule>(5); }),
              HasSubstr("schedule of seed 2"));
  EXPECT_THAT(set([](SeedState& s) { s.parent[1] = static_cast<Lifecycle>(12); }),
              HasSubstr("parent of seed 1"));
  EXPECT_THAT(set([](SeedState& s) { s.epochs[1] = -1; }), HasSubstr("epochs of seed 1"));
  EXPECT_THAT(set([](SeedState& s) { s.errors[1] = -1; }), HasSubstr("errors of seed 1"));
  EXPECT_THAT(set([](SeedState& s) { s.evaluation[1] = INFINITY; }), HasSubstr("finite"));
  EXPECT_THAT(set([](SeedState& s) { s.blueprint[1] = -2; }), HasSubstr("blueprint of seed 1"));
  EXPECT_THAT(set([](SeedState& s) { s.checkpoint[1] = -2; }), HasSubstr("checkpoint of seed 1"));
  EXPECT_THAT(set([](SeedState& s) { s.history_next[1] = 10; }), HasSubstr("below 10"));
  EXPECT_THAT(set([](SeedState& s) { s.history_count[1] = 11; }), HasSubstr("at most 10"));
  EXPECT_THAT(set([](SeedState& s) { s.history_from[10] = static_cast<Lifecycle>(33); }),
              HasSubstr("history_from of seed 1"));
  EXPECT_THAT(set([](SeedState& s) { s.blueprint[1] = -1; }), HasSubstr("has no blueprint"));
  EXPECT_THAT(set([](SeedState& s) { s.blueprint[1] = 2; }), HasSubstr("no blueprint 2"));
  EXPECT_THAT(set([](SeedState& s) { s.blueprint[2] = 1; }),
              HasSubstr("blueprint 1 has 5 weights, and the seed's chunk ends at feature 8"));
  SeedState reaching = layer.state();
  reaching.blueprint[0] = 1;  // features 0 … 2
  layer.set_state(reaching);
}

TEST(SeedLayer, RejectsInvalidUpdates) {
  SeedLayer layer =
      uniform_layer(context(), 8, 3, Lifecycle::grafting, ApplyMode::linear, 0.5F, 3.0F);
  const auto update = [&](unsigned mask, const auto& change) {
    SeedUpdate bad;
    bad.seed = 1;
    bad.mask = static_cast<std::uint16_t>(mask);
    change(bad);
    SeedUpdate good;
    good.mask = seed_alpha;
    good.alpha = 0.75F;
    const std::vector<SeedUpdate> both{good, bad};
    return refused(layer, [&] { layer.update(both); });
  };
  EXPECT_THAT(update(0, [](SeedUpdate& u) { u.seed = 3; }), HasSubstr("update 1 of seed 3"));
  EXPECT_THAT(update(512, [](SeedUpdate&) {}), HasSubstr("below 512"));
  EXPECT_THAT(update(seed_alpha, [](SeedUpdate& u) { u.alpha = NAN; }), HasSubstr("alpha"));
  EXPECT_THAT(
      update(seed_lifecycle, [](SeedUpdate& u) { u.lifecycle = static_cast<Lifecycle>(11); }),
      HasSubstr("lifecycle 11"));
  EXPECT_THAT(update(seed_mode, [](SeedUpdate& u) { u.mode = static_cast<ApplyMode>(-1); }),
              HasSubstr("mode -1"));
  EXPECT_THAT(
      update(seed_schedule, [](SeedUpdate& u) { u.schedule = static_cast<AlphaSchedule>(9); }),
      HasSubstr("schedule 9"));
  EXPECT_THAT(update(seed_epochs, [](SeedUpdate& u) { u.epochs = -1; }), HasSubstr("epochs -1"));
  EXPECT_THAT(update(seed_errors, [](SeedUpdate& u) { u.errors = -1; }), HasSubstr("errors -1"));
  EXPECT_THAT(update(seed_blueprint, [](SeedUpdate& u) { u.blueprint = -2; }),
              HasSubstr("blueprint -2"));
  EXPECT_THAT(update(seed_blueprint, [](SeedUpdate& u) { u.blueprint = 7; }),
              HasSubstr("there is no blueprint 7"));
  EXPECT_THAT(update(seed_blueprint, [](SeedUpdate&) {}), HasSubstr("has no blueprint"));
  EXPECT_THAT(update(seed_evaluation, [](SeedUpdate& u) { u.evaluation = NAN; }),
              HasSubstr("finite"));
  EXPECT_THROW(layer.request(3, Lifecycle::culled), InvalidArgument);
  EXPECT_THROW(layer.request(0, static_cast<Lifecycle>(11)), InvalidArgument);
  EXPECT_THROW(layer.report_error(3), InvalidArgument);
  EXPECT_THROW(layer.step(std::vector<SeedMetrics>(2)), InvalidArgument);
  EXPECT_THROW(SeedLayer(context(), SeedLayerOptions{}), InvalidArgument);
}

TEST(SeedLayer, TheLastUpdateWinsAndEpochsReset) {
  SeedLayer layer =
      uniform_layer(context(), 8, 3, Lifecycle::grafting, ApplyMode::linear, 0.5F, 3.0F);
  layer.step();
  ASSERT_EQ(layer.state().epochs[1], 1);
  std::vector<SeedUpdate> updates(3);
  updates[0].seed = updates[1].seed = updates[2].seed = 1;
  updates[0].mask = seed_lifecycle;
  updates[0].lifecycle = Lifecycle::culled;
  updates[1].mask = seed_lifecycle | seed_alpha;
  updates[1].lifecycle = Lifecycle::stabilization;
  updates[1].alpha = 0.25F;
  updates[2].mask = seed_mode;
  updates[2].mode = ApplyMode::mixed;
  layer.update(updates);
  const SeedState state = layer.state();
  EXPECT_EQ(state.lifecycle[1], Lifecycle::stabilization);
  EXPECT_EQ(state.parent[1], Lifecycle::grafting);
  EXPECT_EQ(state.epochs[1], 0);
  EXPECT_EQ(state.alpha[1], 0.25F);
  EXPECT_EQ(state.mode[1], ApplyMode::mixed);
  const std::vector<SeedChange> history{{Lifecycle::grafting, Lifecycle::stabilization}};
  EXPECT_EQ(state.history(1), history);
  EXPECT_EQ(state.epochs[0], 1);
  EXPECT_TRUE(state.history(0).empty());
}

SeedMetrics promising() {
  SeedMetrics metrics;
  metrics.reconstruction_loss = 0.001;
  metrics.performance_delta = 0.02;
  metrics.stability_score = 0.9;
  metrics.total_improvement = 0.05;
  metrics.final_stability = 0.99;
  return metrics;
}

TEST(SeedLayer, RunsThroughTheWholeLifecycleTwice) {
  SeedLayer layer(context(), options_of(6, 2));
  std::vector<SeedChange> reported;
  SeedLayerOptions options = options_of(6, 2);
  options.on_transition = [&](std::uint32_t seed, SeedChange change) {
    EXPECT_EQ(seed, 1U);
    reported.push_back(change);
  };
  layer = SeedLayer(context(), options);
  EXPECT_THAT(layer.germinate(1, 0).why, HasSubstr("no blueprint 0"));
  layer.add_blueprint("double", std::vector<float>(6, 2.0F));
  EXPECT_TRUE(layer.germinate(1, 0, ApplyMode::linear, AlphaSchedule::linear).accepted);
  EXPECT_THAT(layer.germinate(1, 0).why, HasSubstr("germinated does not go to germinated"));
  std::vector<float> x(6, 3.0F), y(6);
  // The output for feature 5, which belongs to seed 1.
  const auto made = [&] {
    layer.forward(std::span(x), std::span(y));
    EXPECT_EQ(y[0], 3.0F);
    return y[5];
  };
  EXPECT_TRUE(layer.request(1, Lifecycle::training).accepted);
  EXPECT_EQ(made(), 3.0F);
  EXPECT_THAT(layer.request(1, Lifecycle::grafting, promising()).why, HasSubstr("at least 100"));
  for (int i = 0; i < 100; ++i) layer.step();
  EXPECT_THAT(layer.request(1, Lifecycle::grafting).why, HasSubstr("reconstruction_loss"));
  EXPECT_TRUE(layer.request(1, Lifecycle::grafting, promising()).accepted);
  EXPECT_EQ(made(), 3.0F) << "alpha starts at 0";
  for (int i = 0; i < 25; ++i) layer.step();
  EXPECT_EQ(layer.state().alpha[1], 0.5F);
  EXPECT_EQ(made(), 4.5F);
  for (int i = 0; i < 25; ++i) layer.step();
  EXPECT_TRUE(layer.request(1, Lifecycle::stabilization).accepted);
  EXPECT_EQ(made(), 6.0F);
  for (int i = 0; i < 20; ++i) layer.step();
  EXPECT_TRUE(layer.request(1, Lifecycle::evaluating).accepted);
  for (int i = 0; i < 30; ++i) layer.step();
  EXPECT_TRUE(layer.request(1, Lifecycle::fine_tuning, promising()).accepted);
  for (int i = 0; i < 50; ++i) layer.step();
  EXPECT_TRUE(layer.request(1, Lifecycle::fossilized, promising()).accepted);
  SeedUpdate alpha;
  alpha.seed = 1;
  alpha.mask = seed_alpha;
  alpha.alpha = 0.125F;
  layer.update({&alpha, 1});
  EXPECT_EQ(made(), 6.0F) << "a fossilized seed applies with alpha 1";
  EXPECT_EQ(layer.state().history(1).size(), 7U);
  EXPECT_EQ(reported.size(), 7U);
  EXPECT_EQ(reported.back(), (SeedChange{Lifecycle::fine_tuning, Lifecycle::fossilized}));
  EXPECT_TRUE(layer.request(1, Lifecycle::dormant).accepted);
  EXPECT_EQ(layer.state().blueprint[1], -1);
  EXPECT_EQ(layer.state().alpha[1], 0.0F);
  EXPECT_EQ(made(), 3.0F);
  EXPECT_EQ(layer.epoch(), 250U);
}

TEST(SeedLayer, ARejectedTransitionChangesNothing) {
  SeedLayer layer =
      uniform_layer(context(), 8, 11, Lifecycle::dormant, ApplyMode::linear, 0.5F, 3.0F);
  SeedState state = layer.state();
  for (std::size_t i = 0; i < 11; ++i) state.lifecycle[i] = static_cast<Lifecycle>(i);
  layer.set_state(state);
  for (std::uint32_t seed = 0; seed < 11; ++seed) {
    for (std::int8_t to = 0; to < 11; ++to) {
      const ObservableState before(layer);
      const TransitionResult result = layer.request(seed, static_cast<Lifecycle>(to));
      if (!result.accepted) {
        EXPECT_FALSE(result.why.empty());
        EXPECT_TRUE(ObservableState(layer) == before);
      } else {
        layer.set_state(state);
      }
    }
  }
}

TEST(SeedLayer, TheRulesDetermineHowManyErrorsCullASeed) {
  SeedLayerOptions options = options_of(8, 2);
  options.rules.errors_max = 0;
  EXPECT_THROW(SeedLayer(context(), options), InvalidArgument);
  for (const std::int16_t most : {std::int16_t{2}, std::int16_t{7}}) {
    options.rules.errors_max = most;
    SeedLayer layer(context(), options);
    layer.add_blueprint("one", std::vector<float>(8, 1.0F));
    SeedState state(2);
    state.lifecycle[1] = Lifecycle::training;
    state.blueprint[1] = 0;
    layer.set_state(state);
    for (int i = 1; i < most; ++i) EXPECT_FALSE(layer.report_error(1)) << i;
    EXPECT_TRUE(layer.report_error(1));
    EXPECT_EQ(layer.state().lifecycle[1], Lifecycle::culled);
  }
}

TEST(SeedLayer, FiveErrorsCullASeed) {
  SeedLayer layer =
      uniform_layer(context(), 8, 4, Lifecycle::training, ApplyMode::linear, 0.5F, 3.0F);
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(layer.report_error(2));
  EXPECT_EQ(layer.state().lifecycle[2], Lifecycle::training);
  EXPECT_TRUE(layer.report_error(2));
  EXPECT_EQ(layer.state().lifecycle[2], Lifecycle::culled);
  EXPECT_EQ(layer.state().errors[2], 5);
  EXPECT_FALSE(layer.report_error(2)) << "it is";
  SeedUpdate errors;
  errors.seed = 1;
  errors.mask = seed_errors;
  errors.errors = 5;
  layer.update({&errors, 1});
  EXPECT_EQ(layer.state().lifecycle[1], Lifecycle::culled);
  SeedState state = layer.state();
  state.errors[0] = 7;
  layer.set_state(state);
  const auto events = layer.step();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].seed, 0U);
  EXPECT_THAT(events[0].why, HasSubstr("7 errors"));
  EXPECT_EQ(layer.state().lifecycle[3], Lifecycle::training);
}

TEST(SeedLayer, StepsProvideTheInputsOfSchedules) {
  SeedLayer layer(context(), options_of(10, 5));
  layer.add_blueprint("one", std::vector<float>(10, 1.0F));
  SeedState state(5);
  for (std::size_t i = 0; i < 5; ++i) {
    state.lifecycle[i] = Lifecycle::grafting;
    state.blueprint[i] = 0;
    state.schedule[i] = static_cast<AlphaSchedule>(i);
  }
  layer.set_state(state);
  std::vector<GraftingSchedule> expected;
  for (std::int8_t i = 0; i < 5; ++i) expected.emplace_back(static_cast<AlphaSchedule>(i));
  std::vector<float> alpha(5, 0.0F);
  auto generator = Testing::generator("SeedLayer.Steps");
  std::normal_distribution<double> normal;
  for (int epoch = 1; epoch <= 60; ++epoch) {
    const std::vector<float> weights{1 + 0.02F * static_cast<float>(normal(generator)), 2};
    SeedMetrics metrics;
    metrics.weights = weights;
    metrics.performance_delta = normal(generator);
    metrics.loss_variance = 0.08 + 0.03 * normal(generator);
    EXPECT_TRUE(layer.step(metrics).empty());
    for (std::size_t i = 0; i < 5; ++i)
      alpha[i] = static_cast<float>(expected[i].next(epoch, double{alpha[i]}, metrics));
    EXPECT_EQ(layer.state().alpha, alpha) << epoch;
  }
  std::vector<SeedMetrics> metrics(5);
  metrics[3].error_rate = 0.6;
  metrics[4].error_rate = 0.5;
  const auto events = layer.step(metrics);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].seed, 3U);
  EXPECT_EQ(events[0].change, (SeedChange{Lifecycle::grafting, Lifecycle::rolled_back}));
  EXPECT_THAT(events[0].why, HasSubstr("0.6"));
  EXPECT_EQ(layer.state().alpha[3], 0.0F);
  EXPECT_EQ(layer.state().epochs[3], 0);
  EXPECT_FALSE(layer.schedule_state(3));
  EXPECT_TRUE(layer.schedule_state(4));
  // A failed step restores all schedules, including those before the one that failed.
  for (int i = 0; i < 10; ++i) layer.step();  // no pause is in progress
  const ObservableState before(layer);
  const auto drift = layer.schedule_state(1);
  const std::vector<float> another(3, 1.0F);
  metrics = std::vector<SeedMetrics>(5);
  for (SeedMetrics& one : metrics) one.weights = another;
  EXPECT_THROW(layer.step(metrics), InvalidArgument);
  EXPECT_TRUE(ObservableState(layer) == before);
  EXPECT_EQ(layer.schedule_state(1), drift);
}

TEST(SeedLayer, EpochsSaturate) {
  SeedLayer layer(context(), options_of(1, 1));
  SeedState state(1);
  state.epochs[0] = 32766;
  layer.set_state(state);
  layer.step();
  layer.step();
  EXPECT_EQ(layer.state().epochs[0], 32767);
}

// --- the intent of Kasmina's tests, corrected

TEST(SeedLayer, MatchesKasminasValues) {
  const std::vector<float> x(16, 2.0F);
  for (const auto& [mode, expected] : {std::pair(ApplyMode::linear, 4.0F),
                                       {ApplyMode::multiplicative, 6.0F},
                                       {ApplyMode::additive, 5.0F},
                                       {ApplyMode::mixed, 2.5F}}) {
    for (const Lifecycle lifecycle : {Lifecycle::grafting, Lifecycle::stabilization,
                                      Lifecycle::evaluating, Lifecycle::fine_tuning}) {
      SeedLayer layer = uniform_layer(context(), 16, 3, lifecycle, mode, 0.5F, 3.0F);
      for (const Space space : Testing::spaces()) {
        std::vector<float> y(16);
        layer.forward(std::span(x), std::span(y), on(space));
        EXPECT_EQ(y, std::vector<float>(16, expected));
      }
    }
  }
}

TEST(SeedLayer, CountsBatchTimesWidthOfEverySeedThatOwnsData) {
  for (const std::size_t rows : {1, 16, 64, 128}) {
    for (const std::uint32_t seeds : {10U, 100U, 1000U}) {
      const std::uint32_t hidden = 1024;
      SeedLayer layer =
          uniform_layer(context(), hidden, seeds, Lifecycle::dormant, ApplyMode::linear, 0, 1);
      const std::vector<float> x(rows * hidden, 0.5F);
      std::vector<float> y(x.size());
      layer.forward(std::span(x), std::span(y));
      EXPECT_EQ(y, x);
      const auto seen = layer.telemetry();
      for (std::uint32_t i = 0; i < seeds; ++i) {
        EXPECT_EQ(seen[i].count, rows * (layer.chunk_begin(i + 1) - layer.chunk_begin(i)));
        EXPECT_EQ(seen[i].mean, 0.5);
        EXPECT_EQ(seen[i].variance, 0);
      }
    }
  }
}

TEST(SeedLayer, EveryThirdSeedChangesItsOwnChunk) {
  // With Kasmina's 512 features in chunks of 64, 31 of these 34 seeds have no data.
  const std::uint32_t hidden = 512, seeds = 100;
  SeedLayer layer =
      uniform_layer(context(), hidden, seeds, Lifecycle::dormant, ApplyMode::additive, 1, 1);
  SeedState state = layer.state();
  for (std::size_t i = 0; i < seeds; i += 3) state.lifecycle[i] = Lifecycle::grafting;
  layer.set_state(state);
  const std::vector<float> x(32 * hidden, 0.5F);
  std::vector<float> y(x.size());
  layer.forward(std::span(x), std::span(y));
  for (std::uint32_t i = 0; i < seeds; ++i) {
    const float expected = i % 3 == 0 ? 1.5F : 0.5F;
    for (std::uint32_t f = layer.chunk_begin(i); f < layer.chunk_begin(i + 1); ++f)
      EXPECT_EQ(y[31 * hidden + f], expected);
  }
}

TEST(SeedLayer, StatesPersistAndValuesStayFinite) {
  auto generator = Testing::generator("SeedLayer.Finite");
  std::normal_distribution<float> normal;
  for (const std::size_t rows : {1, 16, 64}) {
    for (const std::uint32_t hidden : {256U, 512U, 1024U}) {
      for (const std::uint32_t seeds : {50U, 100U, 500U}) {
        const Reference::SeedLayer target = served_layer(hidden, seeds, 10, generator);
        SeedLayer layer = engine_of(context(), target);
        const SeedState before = layer.state();
        std::vector<float> x(rows * hidden), y(x.size());
        for (float& value : x) value = normal(generator);
        const RowShape shape{DataType::float16, rows, hidden};
        std::vector<std::uint16_t> halves(x.size());
        for (int i = 0; i < 3; ++i) {
          layer.forward(std::span(x), std::span(y));
          layer.forward(std::span(x), shape.out(halves.data()));
        }
        EXPECT_TRUE(std::ranges::all_of(y, [](float value) { return std::isfinite(value); }));
        EXPECT_TRUE(
            std::ranges::all_of(halves, [](auto half) { return (half & 0x7C00) != 0x7C00; }));
        EXPECT_EQ(layer.state(), before) << "a forward pass must not change states";
      }
    }
  }
}

TEST(SeedLayer, HealthWeightsVarianceAndLivenessEqually) {
  EXPECT_EQ(seed_health({}), 0);
  EXPECT_EQ(seed_health({10, 0, 0.02, 0, 0, 0}), 1);
  EXPECT_EQ(seed_health({10, 0, 0.005, 0, 0, 0}), 0.75);
  EXPECT_EQ(seed_health({10, 0, 0, 0, 0, 1}), 0);
  EXPECT_EQ(seed_health({10, 0, 0.01, 0, 0, 0.5}), 0.75);
  EXPECT_EQ(seed_health({10, NAN, NAN, 0, 0, 0}), 0.5);
}

}  // namespace SeedLayerTest

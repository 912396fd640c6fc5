// SPDX-License-Identifier: Apache-2.0
#include "LayerSupport.hpp"
#include "SeedPasses.hpp"

namespace Kindred::Testing::Seeds::SeedLayerTest {

/// Makes both passes on rows of the host, which must not change the state.
void expect_reference(SeedLayer& layer, Space space, const Passes& given) {
  const SeedState before = layer.state();
  const PlacedPasses<HostSpace> rows(Impl::host_instance(context(), Space::serial), given);
  std::vector<float> dw(layer.hidden(), -1);
  layer.backward(rows.x, rows.gradient, rows.dx, dw, on(space));
  rows.expect_dx(given);
  EXPECT_TRUE(same_bits(dw, given.gradients.dw)) << given.name << ": dw";
  EXPECT_EQ(layer.forward(rows.x, rows.y, on(space)).chosen, space);
  rows.expect_y(given);
  EXPECT_TRUE(same_bits(layer.telemetry(), telemetry_of(given.moments)))
      << given.name << ": telemetry";
  EXPECT_EQ(layer.state(), before) << given.name;
}

TEST(SeedLayer, MatchesReferenceOnEverySpace) {
  const Shape shapes[] = {{1, 1, 1},       {7, 3, 3},   {130, 200, 65}, {96, 0, 64}, {5, 2, 0},
                          {512, 100, 130}, {33, 11, 2}, {40, 9, 70},    {64, 80, 5}, {30, 4, 9}};
  for (const Shape& shape : shapes) {
    for (const DataType type : elements) {
      for (const bool aligned : {true, false}) {
        const Passes given(served_layer(shape.hidden, shape.seeds, 3), shape.rows, type, aligned);
        SeedLayer layer = engine_of(context(), given.layer);
        for (const Space space : spaces()) expect_reference(layer, space, given);
      }
    }
  }
}

TEST(SeedLayer, GivesTheSameBitsForAnyNumberOfThreads) {
  // Numbers of 64-row blocks and widths that no number of threads divides; fewer blocks than
  // threads.
  for (const Shape& shape : {Shape{150, 23, 700}, Shape{400, 1, 40}}) {
    const Passes given(served_layer(shape.hidden, shape.seeds, 3), shape.rows, bfloat16, true);
    for (const int threads : {1, 2, 3, 5, 8}) {
      SCOPED_TRACE(threads);
      Context own({.threads = threads, .load_profile = false});
      SeedLayer layer = engine_of(own, given.layer);
      on_hosts([&](const auto&, Space space) { expect_reference(layer, space, given); });
    }
  }
}

TEST(SeedLayer, LargeResultsThatBypassTheCachesAreTheSameAtAnyAlignment) {
  // 17 MB of y, whose rows start within cache lines of 64 bytes; rows in place do not bypass the
  // caches.
  const std::size_t rows = 1700, hidden = 5000, stride = 5056;
  SeedLayer layer = engine_of(context(), served_layer(hidden, 77, 2));
  std::vector<std::uint16_t> x(rows * stride);
  for (std::uint16_t& element : x)
    element = static_cast<std::uint16_t>(0x3F00U + random_below(256) + (random_below(2) << 15U));
  const auto array = [](std::uint16_t* data) {
    return Array(data, bfloat16, Extents{rows, hidden}, Extents{stride, 1});
  };
  for (const Space space : spaces()) {
    for (const std::size_t skip : {0U, 3U, 31U}) {
      std::vector<std::uint16_t> in_place = x;
      std::vector<std::uint16_t> y(x.size() + 64, 0xA5A5), expected = y;
      layer.forward(array(in_place.data()), array(in_place.data()), on(space));
      const auto seen = layer.telemetry();
      layer.forward(array(x.data()), array(y.data() + skip), on(space));
      EXPECT_TRUE(layer.telemetry() == seen);
      for (std::size_t row = 0; row < rows; ++row)
        std::copy_n(in_place.data() + row * stride, hidden, expected.data() + skip + row * stride);
      EXPECT_TRUE(y == expected) << skip;
    }
  }
}

TEST(SeedLayer, TheLastUpdateWinsAndEpochsResetOrSaturate) {
  SeedLayer layer = uniform_layer(context(), 8, 3, Lifecycle::grafting);
  layer.step();
  SeedState expected = layer.state();
  ASSERT_EQ(expected.epochs[1], 1);
  layer.update(std::vector{update_of(1, seed_lifecycle, {.lifecycle = Lifecycle::culled}),
                           update_of(1, seed_lifecycle | seed_alpha,
                                     {.alpha = 0.25F, .lifecycle = Lifecycle::stabilization}),
                           update_of(1, seed_mode, {.mode = ApplyMode::mixed})});
  expected.lifecycle[1] = expected.history_to[seed_history] = Lifecycle::stabilization;
  expected.parent[1] = expected.history_from[seed_history] = Lifecycle::grafting;
  expected.history_next[1] = expected.history_count[1] = 1;
  expected.alpha[1] = 0.25F;
  expected.mode[1] = ApplyMode::mixed;
  expected.epochs[1] = 0;
  EXPECT_EQ(layer.state(), expected);
  expected.epochs[1] = 32766;
  layer.set_state(expected);
  layer.step();
  layer.step();
  EXPECT_EQ(layer.state().epochs[1], 32767);
}

TEST(SeedLayer, RunsThroughTheWholeLifecycle) {
  std::vector<SeedChange> reported;
  SeedLayerOptions options = options_of(6, 2);
  options.on_transition = [&](std::uint32_t seed, SeedChange change) {
    EXPECT_EQ(seed, 1U);
    reported.push_back(change);
  };
  SeedLayer layer(context(), options);
  EXPECT_THAT(layer.germinate(1, 0).why, HasSubstr("no blueprint 0"));
  layer.add_blueprint("double", std::vector<float>(6, 2.0F));
  EXPECT_TRUE(layer.germinate(1, 0, ApplyMode::linear, AlphaSchedule::linear).accepted);
  EXPECT_THAT(layer.germinate(1, 0).why, HasSubstr("germinated does not go to germinated"));
  // The output for feature 5, which belongs to seed 1.
  const auto made = [&] {
    std::vector<float> x(6, 3.0F), y(6);
    layer.forward(x, y);
    EXPECT_EQ(y[0], 3.0F);
    return y[5];
  };
  const SeedMetrics promising{.reconstruction_loss = 0.001,
                              .performance_delta = 0.02,
                              .stability_score = 0.9,
                              .total_improvement = 0.05,
                              .final_stability = 0.99};
  struct Stage {
    int epochs;  ///< that the transition needs
    Lifecycle to;
    float made;
  };
  const Stage stages[] = {{0, Lifecycle::training, 3},       {100, Lifecycle::grafting, 3},
                          {50, Lifecycle::stabilization, 6}, {20, Lifecycle::evaluating, 6},
                          {30, Lifecycle::fine_tuning, 6},   {50, Lifecycle::fossilized, 6}};
  for (const Stage& stage : stages) {  // alpha starts at 0
    for (int epoch = 0; epoch < stage.epochs; ++epoch) {
      EXPECT_THAT(layer.request(1, stage.to, promising).why,
                  HasSubstr("at least " + std::to_string(stage.epochs)));
      if (stage.to == Lifecycle::stabilization && epoch == 25) {
        EXPECT_EQ(layer.state().alpha[1], 0.5F);
        EXPECT_EQ(made(), 4.5F);
      }
      layer.step();
    }
    if (stage.to == Lifecycle::grafting) {
      EXPECT_THAT(layer.request(1, stage.to).why, HasSubstr("reconstruction_loss"));
    }
    EXPECT_TRUE(layer.request(1, stage.to, promising).accepted);
    EXPECT_EQ(reported.back().to, stage.to);
    EXPECT_EQ(made(), stage.made);
  }
  layer.update(std::vector{update_of(1, seed_alpha, {.alpha = 0.125F})});
  EXPECT_EQ(made(), 6.0F) << "a fossilized seed applies with alpha 1";
  EXPECT_EQ(layer.state().history(1).size(), 7U);
  EXPECT_EQ(reported.size(), 7U);
  EXPECT_TRUE(layer.request(1, Lifecycle::dormant).accepted);
  EXPECT_EQ(layer.state().blueprint[1], -1);
  EXPECT_EQ(layer.state().alpha[1], 0.0F);
  EXPECT_EQ(made(), 3.0F);
  EXPECT_EQ(layer.epoch(), 250U);
}

TEST(SeedLayer, ARejectedTransitionChangesNothing) {
  SeedLayer layer = uniform_layer(context(), 8, 11, Lifecycle::dormant);
  SeedState state = layer.state();
  for (std::size_t i = 0; i < 11; ++i) state.lifecycle[i] = static_cast<Lifecycle>(i);
  for (std::uint32_t seed = 0; seed < 11; ++seed) {
    for (std::int8_t to = 0; to < 11; ++to) {
      layer.set_state(state);
      const TransitionResult result = layer.request(seed, static_cast<Lifecycle>(to));
      EXPECT_EQ(result.why.empty(), result.accepted);
      EXPECT_EQ(layer.state() == state, !result.accepted);
    }
  }
  EXPECT_EQ(layer.epoch(), 0U);
}

TEST(SeedLayer, TheRulesDetermineHowManyErrorsCullASeed) {
  SeedLayerOptions options = options_of(8, 4);
  const Reference::Seed seed{Lifecycle::training, ApplyMode::linear, 0.5F, 0};
  const Reference::SeedLayer training{8, std::vector(4, seed), std::vector<float>(8, 3.0F)};
  EXPECT_EQ(options.rules.errors_max, 5);
  for (const std::int16_t most : {std::int16_t{5}, std::int16_t{2}, std::int16_t{7}}) {
    options.rules.errors_max = most;
    SeedLayer layer = engine_of(context(), training, options);
    for (int i = 1; i < most; ++i) EXPECT_FALSE(layer.report_error(2)) << i;
    EXPECT_EQ(layer.state().lifecycle[2], Lifecycle::training);
    EXPECT_TRUE(layer.report_error(2));
    EXPECT_EQ(layer.state().lifecycle[2], Lifecycle::culled);
    EXPECT_EQ(layer.state().errors[2], most);
    EXPECT_FALSE(layer.report_error(2)) << "it is";
    layer.update(std::vector{update_of(1, seed_errors, {.errors = most})});
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
}

TEST(SeedLayer, StepsProvideTheInputsOfSchedules) {
  SeedLayer layer = uniform_layer(context(), 10, 5, Lifecycle::grafting, ApplyMode::linear, 0);
  SeedState state = layer.state();
  for (std::size_t i = 0; i < 5; ++i) state.schedule[i] = static_cast<AlphaSchedule>(i);
  layer.set_state(state);
  std::vector<GraftingSchedule> expected(state.schedule.begin(), state.schedule.end());
  std::vector<float> alpha(5, 0.0F);
  std::normal_distribution<double> normal;
  for (int epoch = 1; epoch <= 60; ++epoch) {
    const std::vector<float> weights{1 + 0.02F * static_cast<float>(normal(generator())), 2};
    const SeedMetrics metrics{.performance_delta = normal(generator()),
                              .loss_variance = 0.08 + 0.03 * normal(generator()),
                              .weights = weights};
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
  const SeedState before = layer.state();
  const std::uint64_t epoch = layer.epoch();
  const auto drift = layer.schedule_state(1);
  const std::vector<float> another(3, 1.0F);
  EXPECT_THROW(layer.step(SeedMetrics{.weights = another}), InvalidArgument);
  EXPECT_EQ(layer.state(), before);
  EXPECT_EQ(layer.epoch(), epoch);
  EXPECT_EQ(layer.schedule_state(1), drift);
}

TEST(SeedLayer, HealthWeightsVarianceAndLivenessEqually) {
  EXPECT_EQ(seed_health({}), 0);
  EXPECT_EQ(seed_health({10, 0, 0.02, 0, 0, 0}), 1);
  EXPECT_EQ(seed_health({10, 0, 0.005, 0, 0, 0}), 0.75);
  EXPECT_EQ(seed_health({10, 0, 0, 0, 0, 1}), 0);
  EXPECT_EQ(seed_health({10, 0, 0.01, 0, 0, 0.5}), 0.75);
  EXPECT_EQ(seed_health({10, NAN, NAN, 0, 0, 0}), 0.5);
}

}  // namespace Kindred::Testing::Seeds::SeedLayerTest

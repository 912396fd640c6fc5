// SPDX-License-Identifier: Apache-2.0
// Every number here was computed by hand from the definitions in docs/guide/seeds.md.
#include <kindred/matcher/SeedSchedule.hpp>

#include "SeedSupport.hpp"

namespace Kindred::Testing::Seeds::SeedScheduleTest {

using enum AlphaSchedule;

SeedMetrics delta(double value) { return {.performance_delta = value}; }

SeedMetrics watched(const std::vector<float>& weights, double performance_delta = 0) {
  return {.performance_delta = performance_delta, .weights = weights};
}

struct Step {
  int epoch;
  double alpha;  ///< before
  SeedMetrics metrics;
  double next;
};
void expect_steps(AlphaSchedule kind, const std::vector<Step>& steps,
                  const ScheduleSettings& settings = {}) {
  GraftingSchedule schedule(kind, settings);
  const double tolerance = kind == momentum || kind == adaptive ? 1e-15 : 0;
  for (const auto& [epoch, alpha, metrics, next] : steps)
    EXPECT_NEAR(schedule.next(epoch, alpha, metrics), next, tolerance)
        << to_string(kind) << ", epoch " << epoch;
}

TEST(SeedSchedule, LinearIsARamp) {
  expect_steps(
      linear,
      {{0, 0.7, {}, 0}, {1, 0, {}, 0.02}, {25, 0, {}, 0.5}, {50, 0, {}, 1}, {75, 0, {}, 1}});
  expect_steps(linear, {{0, 0, {}, 0.1}, {5, 0, {}, 0.5}, {9, 0, {}, 0.8}},
               {.ramp_epochs = 10, .alpha_min = 0.1, .alpha_max = 0.8});
}

TEST(SeedSchedule, DriftPausesTheRampAndHoldsAlpha) {
  const std::vector<float> a{3, 4}, b{3, 4.04F}, c{3, 5}, far{9, 9}, d{3, 4.1F}, nan{NAN, 1};
  expect_steps(drift_controlled,
               {{1, 0, watched(a), 0.02},       // the first weights drift by 0
                {2, 0.02, watched(b), 0.04},    // 0.04 / 5 = 0.008
                {3, 0.04, watched(c), 0.04},    // the mean is (3, 4.004): 0.996 / 5.0032 = 0.199
                {4, 0.04, watched(far), 0.04},  // the first of two epochs of pause
                {5, 0.04, watched(far), 0.04},
                // The mean is (3, 4.1036), unaffected by the pause: 0.0036 / 5.083 = 0.0007.
                {6, 0.04, watched(d), 0.12},
                {7, 0.12, {}, 0.14},             // without weights there is no drift
                {8, 0.14, watched(nan), 0.14}},  // nonfinite weights count as drift
               {.pause_epochs = 2});
  const std::vector<float> zeros(2), more{0, 1e-9F};  // drift from zero is infinite
  expect_steps(drift_controlled, {{1, 0, watched(zeros), 0.02},
                                  {2, 0.02, watched(zeros), 0.04},
                                  {3, 0.04, watched(more), 0.04}});
}

TEST(SeedSchedule, MomentumSpeedsUpAndNeverGoesBack) {
  expect_steps(momentum, {{1, 0, delta(2), 0.04},       // v = 0.02
                          {2, 0.04, delta(-4), 0.04},   // v = -0.038, 0.002 would be lower
                          {3, 0.04, delta(0), 0.0562},  // v = -0.0038
                          {4, 0.0562, {}, 0.07962},     // v = -0.00038; a missing delta counts as 0
                          {49, 0.9, delta(100), 1}});
}

TEST(SeedSchedule, AdaptiveSelectsARuleInEveryEpoch) {
  const std::vector<float> a{100}, b{100.6F}, c{110}, d{102}, e{101.15F};
  expect_steps(adaptive, {{1, 0, delta(0.5), 0.025},      // momentum: v = 0.005
                          {2, 0.025, delta(0.01), 0.04},  // not above 0.01: the ramp
                          // The first weights: momentum, v = 0.1 · 0.005 + 0.01.
                          {3, 0.04, watched(a, 1), 0.0705},
                          // 0.006 is above half the threshold but not above the threshold: the ramp
                          // of drift control.
                          {4, 0.0705, watched(b, 1), 0.08},
                          {5, 0.08, watched(c, 1), 0.08},  // 9.94 / 100.06: a pause
                          {6, 0.08, watched(d, 1), 0.08},  // 0.946 / 101.054 = 0.0094
                          {7, 0.08, watched(e), 0.14}});   // 0.0014 / 101.15: the ramp
}

TEST(SeedSchedule, StabilityChecksOncePerWindow) {
  const SeedMetrics unstable{.loss_variance = 0.1},
      stable{.loss_variance = 0.0999, .gradient_norm = 9.99, .accuracy_variance = 0.0499};
  expect_steps(stability, {{5, 0.08, {}, 0.1},  // missing values count as stable; 0.08 is stored
                           {6, 0.1, unstable, 0.12},   // no window ends here
                           {10, 0.18, unstable, 0.1},  // half as fast
                           {11, 0.1, {}, 0.11},
                           {15, 0.14, {.gradient_norm = 10}, 0.15},
                           // The third time: back to the last stable value.
                           {20, 0.19, {.accuracy_variance = 0.05}, 0.08},
                           {21, 0.08, {}, 0.21},
                           {25, 0.24, stable, 0.5},
                           {30, 0.58, {.accuracy_variance = NAN}, 0.3}});  // NaN is not stable
}

TEST(SeedSchedule, AbortsAboveHalfErrors) {
  for (std::int8_t code = 0; code < 5; ++code) {
    GraftingSchedule schedule(static_cast<AlphaSchedule>(code));
    EXPECT_FALSE(schedule.aborts({}));
    EXPECT_FALSE(schedule.aborts({.error_rate = 0.5}));
    EXPECT_TRUE(schedule.aborts({.error_rate = 0.5000001}));
    EXPECT_TRUE(schedule.aborts({.error_rate = NAN}));
  }
}

TEST(SeedSchedule, ContinuesFromASavedState) {
  std::normal_distribution<double> normal;
  for (std::int8_t code = 0; code < 5; ++code) {
    const auto kind = static_cast<AlphaSchedule>(code);
    GraftingSchedule schedule(kind);
    EXPECT_EQ(schedule.kind(), kind);
    double alpha = 0;
    for (int epoch = 1; epoch < 200; ++epoch) {
      GraftingSchedule copy(kind);
      copy.restore(schedule.state());
      const std::vector<float> weights{3 + 0.03F * static_cast<float>(normal(generator())), 4};
      SeedMetrics metrics = watched(weights, normal(generator()));
      metrics.loss_variance = 0.08 + 0.05 * normal(generator());
      const double next = schedule.next(epoch % 60, alpha, metrics);
      EXPECT_EQ(copy.next(epoch % 60, alpha, metrics), next);
      EXPECT_EQ(copy.state(), schedule.state());
      EXPECT_GE(next, 0);
      EXPECT_LE(next, 1);
      alpha = next;
    }
  }
}

TEST(SeedSchedule, RejectsInvalidStates) {
  EXPECT_THROW(GraftingSchedule(static_cast<AlphaSchedule>(5)), InvalidArgument);
  EXPECT_THROW(GraftingSchedule(static_cast<AlphaSchedule>(-1)), InvalidArgument);
  const ScheduleSettings invalid[] = {
      {.ramp_epochs = 0},       {.ramp_epochs = NAN}, {.drift_threshold = -1},
      {.pause_epochs = -1},     {.momentum = 1},      {.stability_window = 0},
      {.alpha_min = -0.1},      {.alpha_max = 1.1},   {.alpha_min = 0.6, .alpha_max = 0.5},
      {.abort_error_rate = NAN}};
  for (const ScheduleSettings& settings : invalid)
    EXPECT_THROW(GraftingSchedule(linear, settings), InvalidArgument);
  const std::pair<AlphaSchedule, std::vector<double>> states[] = {{linear, {1}},
                                                                  {drift_controlled, {}},
                                                                  {drift_controlled, {11}},
                                                                  {drift_controlled, {0.5}},
                                                                  {momentum, {NAN}},
                                                                  {adaptive, {1}},
                                                                  {stability, {1.5, 0}},
                                                                  {stability, {0.5, -1}}};
  for (const auto& [kind, state] : states)
    EXPECT_THROW(GraftingSchedule(kind).restore(state), InvalidArgument) << to_string(kind);
  GraftingSchedule drift(drift_controlled);
  drift.next(1, 0, watched({1, 2}));
  const auto before = drift.state();
  EXPECT_THROW(drift.next(2, 0, watched({1})), InvalidArgument) << "a different number of weights";
  EXPECT_EQ(drift.state(), before);
}

}  // namespace Kindred::Testing::Seeds::SeedScheduleTest

// SPDX-License-Identifier: Apache-2.0
// Every number here was computed by hand from the definitions in docs/guide/seeds.md.
#include <gtest/gtest.h>

#include "Support.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/SeedSchedule.hpp>

#include <cmath>

namespace SeedScheduleTest {

using namespace Kindred;

constexpr double epsilon = 1e-15;

SeedMetrics delta(double value) { return {.performance_delta = value}; }

SeedMetrics watched(const std::vector<float>& weights, double performance_delta = 0) {
  return {.performance_delta = performance_delta, .weights = weights};
}

TEST(SeedSchedule, LinearIsARamp) {
  GraftingSchedule schedule(AlphaSchedule::linear);
  EXPECT_EQ(schedule.next(0, 0.7, {}), 0);
  EXPECT_EQ(schedule.next(1, 0, {}), 0.02);
  EXPECT_EQ(schedule.next(25, 0, {}), 0.5);
  EXPECT_EQ(schedule.next(50, 0, {}), 1);
  EXPECT_EQ(schedule.next(75, 0, {}), 1);
  GraftingSchedule narrow(AlphaSchedule::linear,
                          {.ramp_epochs = 10, .alpha_min = 0.1, .alpha_max = 0.8});
  EXPECT_EQ(narrow.next(0, 0, {}), 0.1);
  EXPECT_EQ(narrow.next(5, 0, {}), 0.5);
  EXPECT_EQ(narrow.next(9, 0, {}), 0.8);
}

TEST(SeedSchedule, DriftPausesTheRampAndHoldsAlpha) {
  GraftingSchedule schedule(AlphaSchedule::drift_controlled, {.pause_epochs = 2});
  EXPECT_EQ(schedule.next(1, 0, watched({3, 4})), 0.02) << "the first weights drift by 0";
  EXPECT_EQ(schedule.next(2, 0.02, watched({3, 4.04F})), 0.04) << "0.04 / 5 = 0.008";
  // The mean is (3, 4.004): 0.996 / 5.0032 = 0.199.
  EXPECT_EQ(schedule.next(3, 0.04, watched({3, 5})), 0.04);
  EXPECT_EQ(schedule.next(4, 0.04, watched({9, 9})), 0.04) << "the first of two epochs of pause";
  EXPECT_EQ(schedule.next(5, 0.04, watched({9, 9})), 0.04);
  // The mean is (3, 4.1036), unaffected by the pause: 0.0036 / 5.083 = 0.0007.
  EXPECT_EQ(schedule.next(6, 0.04, watched({3, 4.1F})), 0.12);
  EXPECT_EQ(schedule.next(7, 0.12, {}), 0.14) << "without weights there is no drift";
  EXPECT_EQ(schedule.next(8, 0.14, watched({NAN, 1})), 0.14) << "nonfinite weights count as drift";
}

TEST(SeedSchedule, DriftFromZeroIsInfinite) {
  GraftingSchedule schedule(AlphaSchedule::drift_controlled);
  EXPECT_EQ(schedule.next(1, 0, watched({0, 0})), 0.02);
  EXPECT_EQ(schedule.next(2, 0.02, watched({0, 0})), 0.04);
  EXPECT_EQ(schedule.next(3, 0.04, watched({0, 1e-9F})), 0.04);
}

TEST(SeedSchedule, MomentumSpeedsUpAndNeverGoesBack) {
  GraftingSchedule schedule(AlphaSchedule::momentum);
  EXPECT_NEAR(schedule.next(1, 0, delta(2)), 0.04, epsilon) << "v = 0.02";
  EXPECT_NEAR(schedule.next(2, 0.04, delta(-4)), 0.04, epsilon)
      << "v = -0.038, 0.002 would be lower";
  EXPECT_NEAR(schedule.next(3, 0.04, delta(0)), 0.0562, epsilon) << "v = -0.0038";
  EXPECT_NEAR(schedule.next(4, 0.0562, {}), 0.07962, epsilon)
      << "v = -0.00038; a missing delta counts as 0";
  EXPECT_EQ(schedule.next(49, 0.9, delta(100)), 1);
}

TEST(SeedSchedule, AdaptiveSelectsARuleInEveryEpoch) {
  GraftingSchedule schedule(AlphaSchedule::adaptive);
  EXPECT_NEAR(schedule.next(1, 0, delta(0.5)), 0.025, epsilon) << "momentum: v = 0.005";
  EXPECT_EQ(schedule.next(2, 0.025, delta(0.01)), 0.04) << "not above 0.01: the ramp";
  EXPECT_NEAR(schedule.next(3, 0.04, watched({100}, 1)), 0.0705, epsilon)
      << "the first weights: momentum, v = 0.1 · 0.005 + 0.01";
  EXPECT_EQ(schedule.next(4, 0.0705, watched({100.6F}, 1)), 0.08)
      << "0.006 is above half the threshold but not above the threshold: the ramp of drift control";
  EXPECT_EQ(schedule.next(5, 0.08, watched({110}, 1)), 0.08) << "9.94 / 100.06: a pause";
  EXPECT_EQ(schedule.next(6, 0.08, watched({102}, 1)), 0.08) << "0.946 / 101.054 = 0.0094";
  EXPECT_EQ(schedule.next(7, 0.08, watched({101.15F})), 0.14) << "0.0014 / 101.15: the ramp";
}

TEST(SeedSchedule, StabilityChecksOncePerWindow) {
  GraftingSchedule schedule(AlphaSchedule::stability);
  const SeedMetrics unstable{.loss_variance = 0.1};
  EXPECT_EQ(schedule.next(5, 0.08, {}), 0.1) << "missing values count as stable; 0.08 is stored";
  EXPECT_EQ(schedule.next(6, 0.1, unstable), 0.12) << "no window ends here";
  EXPECT_EQ(schedule.next(10, 0.18, unstable), 0.1) << "half as fast";
  EXPECT_EQ(schedule.next(11, 0.1, {}), 0.11);
  EXPECT_EQ(schedule.next(15, 0.14, {.gradient_norm = 10}), 0.15);
  EXPECT_EQ(schedule.next(20, 0.19, {.accuracy_variance = 0.05}), 0.08)
      << "the third time: back to the last stable value";
  EXPECT_EQ(schedule.next(21, 0.08, {}), 0.21);
  const SeedMetrics stable{
      .loss_variance = 0.0999, .gradient_norm = 9.99, .accuracy_variance = 0.0499};
  EXPECT_EQ(schedule.next(25, 0.24, stable), 0.5);
  EXPECT_EQ(schedule.next(30, 0.58, {.accuracy_variance = NAN}), 0.3) << "NaN is not stable";
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
  auto generator = Testing::generator("SeedSchedule.State");
  std::normal_distribution<double> normal;
  for (std::int8_t code = 0; code < 5; ++code) {
    const auto kind = static_cast<AlphaSchedule>(code);
    GraftingSchedule schedule(kind);
    EXPECT_EQ(schedule.kind(), kind);
    double alpha = 0;
    for (int epoch = 1; epoch < 200; ++epoch) {
      GraftingSchedule copy(kind);
      copy.restore(schedule.state());
      const std::vector<float> weights{3 + 0.03F * static_cast<float>(normal(generator)), 4};
      SeedMetrics metrics = watched(weights, normal(generator));
      metrics.loss_variance = 0.08 + 0.05 * normal(generator);
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
  for (const ScheduleSettings& settings :
       std::vector<ScheduleSettings>{{.ramp_epochs = 0},
                                     {.ramp_epochs = NAN},
                                     {.drift_threshold = -1},
                                     {.pause_epochs = -1},
                                     {.momentum = 1},
                                     {.stability_window = 0},
                                     {.alpha_min = -0.1},
                                     {.alpha_max = 1.1},
                                     {.alpha_min = 0.6, .alpha_max = 0.5},
                                     {.abort_error_rate = NAN}})
    EXPECT_THROW(GraftingSchedule(AlphaSchedule::linear, settings), InvalidArgument);
  using State = std::vector<double>;
  using enum AlphaSchedule;
  for (const auto& [kind, state] : {std::pair(linear, State{1}),
                                    {drift_controlled, State{}},
                                    {drift_controlled, State{11}},
                                    {drift_controlled, State{0.5}},
                                    {momentum, State{NAN}},
                                    {adaptive, State{1}},
                                    {stability, State{1.5, 0}},
                                    {stability, State{0.5, -1}}})
    EXPECT_THROW(GraftingSchedule(kind).restore(state), InvalidArgument) << to_string(kind);
  GraftingSchedule drift(AlphaSchedule::drift_controlled);
  drift.next(1, 0, watched({1, 2}));
  const auto before = drift.state();
  EXPECT_THROW(drift.next(2, 0, watched({1})), InvalidArgument) << "a different number of weights";
  EXPECT_EQ(drift.state(), before);
}

}  // namespace SeedScheduleTest

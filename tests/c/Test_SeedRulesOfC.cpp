// SPDX-License-Identifier: Apache-2.0
// The results of the C interface are those of the C++ interface.
#include "CSupport.hpp"

#include <kindred/matcher/SeedSchedule.hpp>
#include <kindred/matcher/SeedTransition.hpp>

#include <limits>
#include <string>
#include <vector>

namespace Kindred::Testing {
namespace {

constexpr auto state_count = static_cast<std::int32_t>(enum_names<Lifecycle>.size());

TEST(CSeedRules, TransitionsAreThoseOfCpp) {
  kindred_seeds_options options = KINDRED_SEEDS_OPTIONS_INIT;
  options.embargo_epochs = 7;
  options.stability_min = 0.25;
  TransitionRules rules;
  rules.embargo_epochs = 7;
  rules.stability_min = 0.25;
  kindred_seed_metrics metrics = KINDRED_SEED_METRICS_INIT;
  metrics.given = KINDRED_METRIC_PERFORMANCE_DELTA | KINDRED_METRIC_STABILITY_SCORE;
  metrics.performance_delta = 0.5;
  metrics.stability_score = 0.5;
  SeedMetrics expected_metrics;
  expected_metrics.performance_delta = 0.5;
  expected_metrics.stability_score = 0.5;
  int accepted_count = 0;
  for (std::int32_t from = 0; from < state_count; ++from) {
    std::int32_t epochs = -1;
    KINDRED_ASSERT_OK(kindred_seed_minimum_epochs(from, &options, &epochs));
    EXPECT_EQ(epochs, minimum_epochs(static_cast<Lifecycle>(from), rules));
    for (std::int32_t to = 0; to < state_count; ++to) {
      std::int32_t origin = -1;
      KINDRED_ASSERT_OK(kindred_seed_transition_origin(from, to, &origin));
      EXPECT_EQ(origin, static_cast<std::int32_t>(transition_origin(static_cast<Lifecycle>(from),
                                                                    static_cast<Lifecycle>(to))));
      const kindred_seed_state seed{from, 0, 0, -1, 0, 0, 100, 0, 0, 0};
      std::int32_t accepted = -1;
      Owned<kindred_string> why;
      KINDRED_ASSERT_OK(
          kindred_seed_check_transition(&seed, to, &metrics, &options, &accepted, &why));
      const TransitionResult expected =
          check_transition({static_cast<Lifecycle>(from), 100, 0, 0}, static_cast<Lifecycle>(to),
                           expected_metrics, rules);
      EXPECT_EQ(accepted, expected.accepted ? 1 : 0);
      EXPECT_EQ(view_of(why), expected.why);
      accepted_count += accepted;
    }
  }
  EXPECT_GT(accepted_count, 5);
  std::int32_t number = -1;
  KINDRED_EXPECT_OK(kindred_seed_transition_origin(-1, 300, &number));
  EXPECT_EQ(number, KINDRED_TRANSITION_NONE);
  EXPECT_EQ(kindred_seed_minimum_epochs(state_count, nullptr, &number), KINDRED_INVALID);
  kindred_seed_state seed{state_count, 0, 0, -1, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(kindred_seed_check_transition(&seed, 0, nullptr, nullptr, &number, nullptr),
            KINDRED_INVALID);
  seed.lifecycle = 0;
  seed.epochs = 1 << 16;
  EXPECT_EQ(kindred_seed_check_transition(&seed, 0, nullptr, nullptr, &number, nullptr),
            KINDRED_INVALID);
  seed.epochs = 0;
  EXPECT_EQ(kindred_seed_check_transition(&seed, -1, nullptr, nullptr, &number, nullptr),
            KINDRED_INVALID);
}

TEST(CSeedRules, SchedulesAreThoseOfCpp) {
  kindred_seeds_options options = KINDRED_SEEDS_OPTIONS_INIT;
  options.ramp_epochs = 10;
  options.alpha_max = 0.75;
  ScheduleSettings settings;
  settings.ramp_epochs = 10;
  settings.alpha_max = 0.75;
  const std::vector<float> weights = random_rows("CSeedRules weights", 8);
  for (std::int32_t kind = KINDRED_SCHEDULE_LINEAR; kind <= KINDRED_SCHEDULE_STABILITY; ++kind) {
    SCOPED_TRACE(kind);
    Owned<kindred_schedule> schedule;
    KINDRED_ASSERT_OK(kindred_schedule_create(kind, &options, &schedule));
    GraftingSchedule expected(static_cast<AlphaSchedule>(kind), settings);
    std::int32_t found_kind = -1;
    KINDRED_ASSERT_OK(kindred_schedule_kind(schedule, &found_kind));
    EXPECT_EQ(found_kind, kind);
    double alpha = 0;
    double expected_alpha = 0;
    for (std::int64_t epoch = 1; epoch <= 12; ++epoch) {
      kindred_seed_metrics metrics = KINDRED_SEED_METRICS_INIT;
      metrics.given = KINDRED_METRIC_LOSS_VARIANCE | KINDRED_METRIC_GRADIENT_NORM;
      metrics.loss_variance = 0.001 * static_cast<double>(epoch);
      metrics.gradient_norm = 0.5;
      metrics.weights = weights.data();
      metrics.weights_size = weights.size();
      SeedMetrics expected_metrics;
      expected_metrics.loss_variance = metrics.loss_variance;
      expected_metrics.gradient_norm = 0.5;
      expected_metrics.weights = weights;
      KINDRED_ASSERT_OK(kindred_schedule_next(schedule, epoch, alpha, &metrics, &alpha));
      expected_alpha = expected.next(epoch, expected_alpha, expected_metrics);
      EXPECT_EQ(alpha, expected_alpha);
    }
    std::vector<double> numbers(64);
    std::size_t count = 0;
    KINDRED_ASSERT_OK(kindred_schedule_state(schedule, numbers.data(), numbers.size(), &count));
    numbers.resize(count);
    EXPECT_EQ(numbers, expected.state());
    Owned<kindred_schedule> restored;
    KINDRED_ASSERT_OK(kindred_schedule_create(kind, &options, &restored));
    KINDRED_ASSERT_OK(kindred_schedule_set_state(restored, numbers.data(), count));
    double next = -1;
    double restored_next = -2;
    KINDRED_ASSERT_OK(kindred_schedule_next(schedule, 13, alpha, nullptr, &next));
    KINDRED_ASSERT_OK(kindred_schedule_next(restored, 13, alpha, nullptr, &restored_next));
    EXPECT_EQ(next, restored_next);
    std::vector<double> wrong(count + 1, std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(kindred_schedule_set_state(restored, wrong.data(), wrong.size()), KINDRED_INVALID);
    kindred_seed_metrics failing = KINDRED_SEED_METRICS_INIT;
    failing.given = KINDRED_METRIC_ERROR_RATE;
    failing.error_rate = 0.9;
    std::int32_t aborts = -1;
    KINDRED_ASSERT_OK(kindred_schedule_aborts(schedule, &failing, &aborts));
    EXPECT_EQ(aborts, 1);
    KINDRED_ASSERT_OK(kindred_schedule_aborts(schedule, nullptr, &aborts));
    EXPECT_EQ(aborts, 0);
  }
  kindred_schedule* refused = nullptr;
  EXPECT_EQ(kindred_schedule_create(5, nullptr, &refused), KINDRED_INVALID);
  options.momentum = 1;
  EXPECT_EQ(kindred_schedule_create(0, &options, &refused), KINDRED_INVALID);
  EXPECT_EQ(refused, nullptr);
}

}  // namespace
}  // namespace Kindred::Testing

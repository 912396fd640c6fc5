// SPDX-License-Identifier: Apache-2.0
// Functions of layers of seeds, their blueprints, rules and schedules: each does what the object of
// C++ behind the handle does.
#include "CppArguments.hpp"
#include "Given.hpp"
#include "Members.hpp"

#include <kindred/matcher/SeedSchedule.hpp>
#include <kindred/matcher/SeedTransition.hpp>

#include <TempFolder.hpp>

#include <string>
#include <vector>

namespace SeedsOfCTest {

using namespace Kindred;
using namespace Kindred::Testing;

constexpr std::uint32_t hidden = 37;
constexpr std::uint32_t seed_count = 5;

kindred_seed_update graft_of(std::uint32_t seed, std::int32_t schedule = KINDRED_SCHEDULE_LINEAR) {
  return {seed,
          KINDRED_FIELD_LIFECYCLE | KINDRED_FIELD_BLUEPRINT | KINDRED_FIELD_ALPHA |
              KINDRED_FIELD_SCHEDULE,
          {KINDRED_SEED_GRAFTING, 0, 0, -1, 0, schedule, 0, 0, 0.25F, 0}};
}

/// States of all seeds with their histories.
struct States {
  explicit States(const kindred_seeds* seeds) {
    EXPECT_EQ(result_of(kindred_seeds_states, seeds, states, histories, seed_count), seed_count);
  }
  /// Compares them with those of C++.
  void expect(const SeedState& of) const {
    for (std::size_t seed = 0; seed < seed_count; ++seed) {
      const kindred_seed_state& found = states[seed];
      EXPECT_EQ(
          numbers(found.lifecycle, found.parent, found.blueprint, found.checkpoint, found.mode,
                  found.schedule, found.epochs, found.errors, found.alpha, found.evaluation),
          numbers(of.lifecycle[seed], of.parent[seed], of.blueprint[seed], of.checkpoint[seed],
                  of.mode[seed], of.schedule[seed], of.epochs[seed], of.errors[seed],
                  of.alpha[seed], of.evaluation[seed]));
      const std::vector<SeedChange> changes = of.history(seed);
      ASSERT_EQ(histories[seed].count, changes.size());
      for (std::size_t i = 0; i < changes.size(); ++i)
        expect_members(histories[seed].changes[i], changes[i]);
    }
  }
  kindred_seed_state states[seed_count];
  kindred_seed_history histories[seed_count];
};

/// A layer with a blueprint, of which seed 1 is being grafted.
class CSeeds : public ::testing::Test {
 protected:
  CSeeds() {
    const kindred_seed_update graft = graft_of(1, KINDRED_SCHEDULE_MOMENTUM);
    ok(kindred_seeds_update(seeds, &graft, 1));
  }
  Owned<kindred_seeds> made(bool has_blueprint = true) {
    kindred_seeds_options options = Given::seeds_options{.hidden = hidden, .seeds = seed_count};
    options.on_transition = [](void* user, std::uint32_t, std::int32_t from, std::int32_t to) {
      EXPECT_NE(from, to);
      return ++*static_cast<int*>(user);
    };
    options.transition_user = &transitions;
    auto out = result_of(kindred_seeds_create, c_context(), &options);
    if (has_blueprint) {
      EXPECT_EQ(result_of(kindred_seeds_add_blueprint, out, "a", 1, weights.data(), hidden), 0);
    }
    return out;
  }
  SeedLayer& inside() const { return C::seeds_of(seeds); }

  const std::vector<float> weights = random_rows("CSeeds weights", hidden);
  int transitions = 0;
  const Owned<kindred_seeds> seeds = made();
  kindred_seed_metrics metrics = KINDRED_SEED_METRICS_INIT;
  kindred_seed_event events[seed_count];
  std::size_t count = 0;
  std::int32_t accepted = 1;
};

TEST_F(CSeeds, PassesAndTelemetryAreThoseOfCpp) {
  EXPECT_FALSE(has(seeds, 0));
  expect_refused(kindred_seeds_start_telemetry(seeds, 0), "", KINDRED_NOT_FOUND);
  for (const std::int32_t space : c_spaces()) {
    Floats x(random_rows("CSeeds x", 33 * hidden), hidden);
    Floats y(33, hidden), dx(33, hidden), dw(1, hidden), expected(33, hidden);
    std::vector<float> expected_dw(hidden);
    const kindred_seeds_call call = Given::seeds_call{.space = space};
    EXPECT_EQ(result_of(kindred_seeds_forward, seeds, &x, &y, &call).space, space);
    const std::vector<SeedTelemetry> of_cpp = inside().telemetry();
    const auto telemetry = list_from(kindred_seeds_telemetry, seeds, 0);
    ASSERT_EQ(telemetry.size(), seed_count);
    std::vector<kindred_seed_telemetry> each(seed_count);
    const kindred_seed_telemetry whole =
        result_of(kindred_seeds_reduce_telemetry, seeds, 1, 0, seed_count, each.data());
    const auto reduced = inside().reduce_telemetry(1, 0, seed_count);
    const auto expect_same = [](const kindred_seed_telemetry& found, const SeedTelemetry& of) {
      expect_members(found, of);
      EXPECT_EQ(result_of(kindred_seed_health, &found), seed_health(of));
    };
    for (std::size_t seed = 0; seed < seed_count; ++seed) {
      expect_same(telemetry[seed], of_cpp[seed]);
      expect_same(each[seed], reduced.each[seed]);
    }
    expect_same(whole, reduced.whole);
    ok(kindred_seeds_start_telemetry(seeds, 0));

    inside().forward(array_of(&x), array_of(&expected));
    EXPECT_EQ(y.values, expected.values);
    EXPECT_EQ(result_of(kindred_seeds_backward, seeds, &x, &y, &dx, &dw, &call).space, space);
    inside().backward(std::span<const float>(x.values), std::span<const float>(y.values),
                      std::span(expected.values), std::span(expected_dw));
    EXPECT_EQ(dx.values, expected.values);
    EXPECT_EQ(dw.values, expected_dw);
  }
  EXPECT_TRUE(has(seeds, 0));
  EXPECT_EQ(KINDRED_SEED_HEALTH_MIN, seed_health_min);
  Floats host(1, hidden), device(1, hidden);
  device.tensor.tensor.device.device_type = kDLCUDA;
  expect_refused(kindred_seeds_forward(seeds, &device, &host, nullptr, nullptr));
}

TEST_F(CSeeds, LifecyclesFollowTheRules) {
  const int before = transitions;
  EXPECT_EQ(result_of(kindred_seeds_germinate, seeds, 2, 0, KINDRED_APPLY_MIXED,
                      KINDRED_SCHEDULE_MOMENTUM),
            1);
  EXPECT_EQ(transitions, before + 1);
  Owned<kindred_string> why;
  ok(kindred_seeds_request(seeds, 2, KINDRED_SEED_FOSSILIZED, &metrics, &accepted, &why));
  EXPECT_EQ(accepted, 0);
  EXPECT_NE(view_of(why), "");
  ok(kindred_seeds_step(seeds, nullptr, 0, events, seed_count, &count));
  const States found(seeds);
  found.expect(inside().state());
  EXPECT_EQ(numbers(found.states[2].lifecycle, found.states[2].mode, found.states[2].epochs,
                    found.histories[2].count),
            numbers(KINDRED_SEED_GERMINATED, KINDRED_APPLY_MIXED, 1, 1));
  const auto info = statistics_of<kindred_seeds_statistics>(seeds);
  EXPECT_EQ(numbers(info.epoch, info.hidden, info.seeds, info.on_device),
            numbers(1, hidden, seed_count, inside().on_device()));
  for (int error = 0; error < 4; ++error)
    EXPECT_EQ(result_of(kindred_seeds_report_error, seeds, 2), 0);
  EXPECT_EQ(result_of(kindred_seeds_report_error, seeds, 2), 1) << "it is culled";
  EXPECT_EQ(result_of(kindred_seeds_chunk_begin, seeds, 1), inside().chunk_begin(1));
  EXPECT_EQ(view_of(result_of(kindred_seeds_device_trouble, seeds)), inside().device_trouble());
}

TEST_F(CSeeds, WhatIsOutOfRangeIsRefused) {
  expect_no_result("seed", kindred_seeds_request, seeds, seed_count, 1, &metrics);
  metrics.given = 1U << 9U;
  expect_no_result("given", kindred_seeds_request, seeds, 2, KINDRED_SEED_TRAINING, &metrics);
  expect_no_result("seed", kindred_seeds_chunk_begin, seeds, seed_count);
  kindred_seed_update wrong[] = {graft_of(3), graft_of(3)};
  wrong[0].fields = 1U << 9U;
  wrong[1].values.lifecycle = 11;
  for (const kindred_seed_update& update : wrong)
    expect_refused(kindred_seeds_update(seeds, &update, 1));
  kindred_seeds_options options = Given::seeds_options{.hidden = 1, .seeds = 1};
  options.errors_max = 1 << 20;  // 16 bits in C++
  expect_no_result("errors_max", kindred_seeds_create, c_context(), &options);
}

TEST_F(CSeeds, StatesAndHistoriesAreReplaced) {
  ok(kindred_seeds_germinate(seeds, 4, 0, 0, 0, &accepted, nullptr));
  ok(kindred_seeds_request(seeds, 4, KINDRED_SEED_CANCELLED, nullptr, &accepted, nullptr));
  States given(seeds);
  ASSERT_EQ(given.histories[4].count, 2U);
  const auto other = made();
  const auto set = [&](const kindred_seed_history* histories, std::size_t size = seed_count) {
    return kindred_seeds_set_states(other, given.states, histories, size);
  };
  ok(set(given.histories));
  given.expect(C::seeds_of(other).state());
  // A full history, and one more transition.
  given.histories[0].count = KINDRED_SEED_HISTORY;
  for (int i = 0; i < KINDRED_SEED_HISTORY; ++i) given.histories[0].changes[i] = {i, i + 1};
  ok(set(given.histories));
  ok(kindred_seeds_germinate(other, 0, 0, 0, 0, &accepted, nullptr));
  States found(other);
  found.expect(C::seeds_of(other).state());
  EXPECT_EQ(numbers(found.histories[0].count, found.histories[0].changes[9].from),
            numbers(KINDRED_SEED_HISTORY, 8));
  ok(set(nullptr));
  EXPECT_TRUE(C::seeds_of(other).state().history(4).empty());
  expect_refused(kindred_seeds_states(other, found.states, nullptr, seed_count - 1, &count));

  expect_refused(set(nullptr, seed_count - 1));
  given.histories[2].count = KINDRED_SEED_HISTORY + 1;
  expect_refused(set(given.histories), "histories[2].count");
  given.histories[2].count = 1;
  given.histories[2].changes[0].to = 11;
  expect_refused(set(given.histories), "history.to");
}

TEST_F(CSeeds, EverySeedHasItsMetricsAndSchedule) {
  std::vector<kindred_seed_metrics> all(seed_count, metrics);
  all[1].given = KINDRED_METRIC_GRADIENT_NORM | KINDRED_METRIC_ERROR_RATE;
  all[1].gradient_norm = 0.5;
  std::vector<const kindred_seed_metrics*> list;
  for (const kindred_seed_metrics& one : all) list.push_back(&one);
  const auto step = [&] {
    return kindred_seeds_step(seeds, list.data(), seed_count, events, seed_count, &count);
  };
  for (int epoch = 0; epoch < 3; ++epoch) ok(step());
  EXPECT_EQ(count, 0U);
  auto state = list_from(kindred_seeds_schedule_state, seeds, 1);
  EXPECT_EQ(state, inside().schedule_state(1));
  const auto read = [&](std::uint32_t seed) {
    return kindred_seeds_schedule_state(seeds, seed, state.data(), state.size(), &count);
  };
  expect_refused(read(0), "", KINDRED_NOT_FOUND);
  expect_refused(read(seed_count), "seed");
  state[0] += 0.0625;
  ok(kindred_seeds_set_schedule_state(seeds, 1, state.data(), state.size()));
  EXPECT_EQ(state, inside().schedule_state(1));
  list[2] = nullptr;
  expect_refused(step(), "metrics[2] is NULL");
  list[2] = &all[2];
  all[1].error_rate = 1;  // ends the graft of one seed
  ok(step());
  ASSERT_EQ(count, 1U);
  EXPECT_EQ(numbers(events[0].seed, events[0].from, events[0].to),
            numbers(1, KINDRED_SEED_GRAFTING, inside().state().lifecycle[1]));
  EXPECT_STRNE(events[0].why, "");
}

TEST_F(CSeeds, BlueprintsAndFilesAreThoseOfCpp) {
  const TempFolder folder;
  const std::string state_path = folder / "seeds.knd";
  const std::string path = folder / "blueprints.knd";
  const std::vector<float> others = random_rows("CSeeds others", hidden);
  ok(kindred_seeds_replace_blueprint(seeds, 0, others.data(), hidden));
  ok(kindred_seeds_remove_blueprint(
      seeds, result_of(kindred_seeds_add_blueprint, seeds, "b", 1, others.data(), hidden)));
  const auto copy = result_of(kindred_seeds_blueprints, seeds);
  const kindred_blueprint blueprint = result_of(kindred_blueprints_get, copy, 0);
  EXPECT_EQ(std::string(blueprint.name, blueprint.name_size), "a");
  EXPECT_EQ(list_of(blueprint.weights, blueprint.weights_size), others);
  EXPECT_EQ(blueprint.version, 2U);
  ok(kindred_save(copy, path.c_str()));
  ok(kindred_save(seeds, state_path.c_str()));
  const auto other = made(false);
  ok(kindred_seeds_restore_blueprints(other, path.c_str()));
  ok(kindred_seeds_restore(other, state_path.c_str()));
  EXPECT_EQ(C::seeds_of(other).state(), inside().state());

  const auto set = result_of(kindred_blueprints_create);
  const float two[] = {1, 2};
  for (const char* const name : {"x", "y"}) result_of(kindred_blueprints_add, set, name, 1, two, 2);
  ok(kindred_blueprints_replace(set, 1, two, 2));
  ok(kindred_blueprints_remove(set, 0));
  expect_no_result<KINDRED_NOT_FOUND>("", kindred_blueprints_get, set, 0);
  ok(kindred_save(set, path.c_str()));
  const auto loaded = result_of(kindred_blueprints_load, path.c_str());
  EXPECT_EQ(size_of(loaded), C::blueprints_of(set).size());
  EXPECT_EQ(result_of(kindred_blueprints_find, loaded, "y", 1), 1);
  expect_no_result<KINDRED_NOT_FOUND>("", kindred_blueprints_find, loaded, "x", 1);
}

TEST(CSeedRules, TransitionsAreThoseOfCpp) {
  constexpr auto state_count = static_cast<std::int32_t>(enum_names<Lifecycle>.size());
  const kindred_seeds_options options =
      Given::seeds_options{.stability_min = 0.25, .embargo_epochs = 7};
  const TransitionRules rules = cpp_of(options).rules;
  const kindred_seed_metrics metrics = Given::seed_metrics{
      .given = KINDRED_METRIC_PERFORMANCE_DELTA | KINDRED_METRIC_STABILITY_SCORE,
      .performance_delta = 0.5,
      .stability_score = 0.5};
  int accepted_count = 0;
  for (std::int32_t from = 0; from < state_count; ++from) {
    const auto from_cpp = static_cast<Lifecycle>(from);
    EXPECT_EQ(result_of(kindred_seed_minimum_epochs, from, &options),
              minimum_epochs(from_cpp, rules));
    for (std::int32_t to = 0; to < state_count; ++to) {
      const auto to_cpp = static_cast<Lifecycle>(to);
      EXPECT_EQ(result_of(kindred_seed_transition_origin, from, to),
                static_cast<std::int32_t>(transition_origin(from_cpp, to_cpp)));
      const kindred_seed_state seed{from, 0, 0, -1, 0, 0, 100, 0, 0, 0};
      std::int32_t number = -1;
      Owned<kindred_string> why;
      ok(kindred_seed_check_transition(&seed, to, &metrics, &options, &number, &why));
      const TransitionResult expected =
          check_transition({from_cpp, 100, 0, 0}, to_cpp, cpp_of(metrics), rules);
      EXPECT_EQ(number, expected.accepted ? 1 : 0);
      EXPECT_EQ(view_of(why), expected.why);
      accepted_count += number;
    }
  }
  EXPECT_GT(accepted_count, 5);
  EXPECT_EQ(result_of(kindred_seed_transition_origin, -1, 300), KINDRED_TRANSITION_NONE);
  expect_no_result("from", kindred_seed_minimum_epochs, state_count, nullptr);
  const kindred_seed_state wrong[] = {{state_count, 0, 0, -1, 0, 0, 0, 0, 0, 0},
                                      {0, 0, 0, -1, 0, 0, 1 << 16, 0, 0, 0}};
  for (const kindred_seed_state& seed : wrong)
    expect_no_result("seed", kindred_seed_check_transition, &seed, 0, nullptr, nullptr);
}

TEST(CSeedRules, SchedulesAreThoseOfCpp) {
  const kindred_seeds_options options = Given::seeds_options{.ramp_epochs = 10};
  kindred_seed_metrics metrics = Given::seed_metrics{
      .given = KINDRED_METRIC_LOSS_VARIANCE | KINDRED_METRIC_ERROR_RATE, .error_rate = 0.9};
  for (std::int32_t kind = KINDRED_SCHEDULE_LINEAR; kind <= KINDRED_SCHEDULE_STABILITY; ++kind) {
    SCOPED_TRACE(kind);
    const auto schedule = result_of(kindred_schedule_create, kind, &options);
    const auto restored = result_of(kindred_schedule_create, kind, &options);
    GraftingSchedule expected(static_cast<AlphaSchedule>(kind), cpp_of(options).schedules);
    EXPECT_EQ(result_of(kindred_schedule_kind, schedule), kind);
    double alpha = 0;
    for (std::int64_t epoch = 1; epoch <= 12; ++epoch) {
      metrics.loss_variance = 0.001 * static_cast<double>(epoch);
      const double wanted = expected.next(epoch, alpha, cpp_of(metrics));
      ok(kindred_schedule_next(schedule, epoch, alpha, &metrics, &alpha));
      EXPECT_EQ(alpha, wanted);
    }
    const auto state = list_from(kindred_schedule_state, schedule);
    EXPECT_EQ(state, expected.state());
    ok(kindred_schedule_set_state(restored, state.data(), state.size()));
    EXPECT_EQ(C::schedule_of(restored).state(), state);
    EXPECT_EQ(result_of(kindred_schedule_aborts, schedule, &metrics), 1);
    EXPECT_EQ(result_of(kindred_schedule_aborts, schedule, nullptr), 0);
  }
}

}  // namespace SeedsOfCTest

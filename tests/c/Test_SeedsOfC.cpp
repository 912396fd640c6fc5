// SPDX-License-Identifier: Apache-2.0
// The results of the C interface are those of the C++ interface.
#include "CSupport.hpp"

#include <kindred/matcher/SeedLayer.hpp>

#include <Support.hpp>
#include <TempFolder.hpp>

#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace Kindred::Testing {
namespace {

constexpr std::uint32_t hidden = 37;
constexpr std::uint32_t seed_count = 5;

struct Transitions {
  int count = 0;
};

kindred_seeds_options layer_options(Transitions* transitions = nullptr) {
  kindred_seeds_options options = KINDRED_SEEDS_OPTIONS_INIT;
  options.hidden = hidden;
  options.seeds = seed_count;
  if (transitions != nullptr) {
    options.on_transition = [](void* user, std::uint32_t, std::int32_t from, std::int32_t to) {
      EXPECT_NE(from, to);
      return ++static_cast<Transitions*>(user)->count;
    };
    options.transition_user = transitions;
  }
  return options;
}

/// Seeds 1 and 3 apply blueprint 0.
const kindred_seed_update grafts[] = {
    {1,
     KINDRED_FIELD_LIFECYCLE | KINDRED_FIELD_BLUEPRINT | KINDRED_FIELD_ALPHA,
     {KINDRED_SEED_GRAFTING, 0, 0, -1, 0, 0, 0, 0, 0.25F, 0}},
    {3,
     KINDRED_FIELD_LIFECYCLE | KINDRED_FIELD_BLUEPRINT | KINDRED_FIELD_MODE,
     {KINDRED_SEED_FOSSILIZED, 0, 0, -1, KINDRED_APPLY_ADDITIVE, 0, 0, 0, 0, 0}}};

TEST(CSeeds, PassesAreThoseOfCpp) {
  const std::vector<float> weights = random_rows("CSeeds weights", hidden);
  SeedLayer expected(context(),
                     {.hidden = hidden, .seeds = seed_count, .residency = Residency::host});
  expected.add_blueprint("blueprint", weights);
  const SeedUpdate updates[] = {{.seed = 1,
                                 .mask = seed_lifecycle | seed_blueprint | seed_alpha,
                                 .blueprint = 0,
                                 .alpha = 0.25F,
                                 .lifecycle = Lifecycle::grafting},
                                {.seed = 3,
                                 .mask = seed_lifecycle | seed_blueprint | seed_mode,
                                 .blueprint = 0,
                                 .lifecycle = Lifecycle::fossilized,
                                 .mode = ApplyMode::additive}};
  expected.update(updates);
  Owned<kindred_seeds> seeds;
  const kindred_seeds_options options = layer_options();
  KINDRED_ASSERT_OK(kindred_seeds_create(c_context(), &options, &seeds));
  std::int32_t blueprint = -1;
  KINDRED_ASSERT_OK(kindred_seeds_add_blueprint(seeds, "blueprint", 9, weights.data(),
                                                weights.size(), &blueprint));
  EXPECT_EQ(blueprint, 0);
  KINDRED_ASSERT_OK(kindred_seeds_update(seeds, grafts, 2));
  for (const std::int64_t rows : {0, 1, 2, 33})
    for (const std::int32_t space : c_spaces()) {
      const std::vector<float> x = random_rows("CSeeds x", static_cast<std::size_t>(rows) * hidden);
      std::vector<float> y(x.size());
      std::vector<float> expected_y(x.size());
      std::vector<float> dx(x.size());
      std::vector<float> expected_dx(x.size());
      std::vector<float> dw(hidden);
      std::vector<float> expected_dw(hidden);
      Tensor x_tensor(x.data(), KINDRED_FLOAT32, rows, hidden);
      Tensor y_tensor(y.data(), KINDRED_FLOAT32, rows, hidden);
      Tensor dx_tensor(dx.data(), KINDRED_FLOAT32, rows, hidden);
      Tensor dw_tensor(dw.data(), KINDRED_FLOAT32, 1, hidden);
      kindred_seeds_call call = KINDRED_SEEDS_CALL_INIT;
      call.space = space;
      kindred_record record = KINDRED_RECORD_INIT;
      KINDRED_ASSERT_OK(kindred_seeds_forward(seeds, &x_tensor, &y_tensor, &call, &record));
      expected.forward(std::span(x), std::span(expected_y));
      EXPECT_EQ(y, expected_y);
      KINDRED_ASSERT_OK(kindred_seeds_backward(seeds, &x_tensor, &y_tensor, &dx_tensor, &dw_tensor,
                                               &call, nullptr));
      expected.backward(std::span(x), std::span(expected_y), std::span(expected_dx),
                        std::span(expected_dw));
      EXPECT_EQ(dx, expected_dx);
      EXPECT_EQ(dw, expected_dw);
      if (rows == 0) continue;
      const std::vector<SeedTelemetry> expected_telemetry = expected.telemetry();
      kindred_seed_telemetry telemetry[seed_count];
      std::size_t count = 0;
      KINDRED_ASSERT_OK(kindred_seeds_telemetry(seeds, 0, telemetry, seed_count, &count));
      ASSERT_EQ(count, seed_count);
      for (std::size_t seed = 0; seed < count; ++seed) {
        EXPECT_EQ(telemetry[seed].count, expected_telemetry[seed].count);
        EXPECT_EQ(telemetry[seed].mean, expected_telemetry[seed].mean);
        EXPECT_EQ(telemetry[seed].variance, expected_telemetry[seed].variance);
      }
      EXPECT_EQ(kindred_seeds_telemetry(seeds, 0, telemetry, 1, &count), KINDRED_INVALID);
      kindred_seed_telemetry whole{};
      KINDRED_ASSERT_OK(kindred_seeds_reduce_telemetry(seeds, 1, 0, seed_count, telemetry, &whole));
      EXPECT_EQ(whole.count, x.size());
    }
  Tensor wrong(weights.data(), KINDRED_FLOAT32, 1, hidden - 1);
  EXPECT_EQ(kindred_seeds_forward(seeds, &wrong, &wrong, nullptr, nullptr), KINDRED_INVALID);
  Tensor device(weights.data(), KINDRED_FLOAT32, 1, hidden);
  device.tensor.device.device_type = kDLCUDA;
  Tensor host(weights.data(), KINDRED_FLOAT32, 1, hidden);
  EXPECT_EQ(kindred_seeds_forward(seeds, &device, &host, nullptr, nullptr), KINDRED_INVALID);
}

TEST(CSeeds, LifecyclesFollowTheRulesAndFilesKeepThem) {
  const TempFolder folder;
  Transitions transitions;
  Owned<kindred_seeds> seeds;
  const kindred_seeds_options options = layer_options(&transitions);
  KINDRED_ASSERT_OK(kindred_seeds_create(c_context(), &options, &seeds));
  const std::vector<float> weights = random_rows("CSeeds weights", hidden);
  std::int32_t blueprint = -1;
  KINDRED_ASSERT_OK(kindred_seeds_add_blueprint(seeds, "a", 1, weights.data(), hidden, &blueprint));
  EXPECT_EQ(kindred_seeds_add_blueprint(seeds, "a", 1, weights.data(), hidden, &blueprint),
            KINDRED_INVALID);
  KINDRED_ASSERT_OK(kindred_seeds_replace_blueprint(seeds, 0, weights.data(), hidden));
  std::int32_t accepted = 0;
  KINDRED_ASSERT_OK(kindred_seeds_germinate(seeds, 2, 0, KINDRED_APPLY_LINEAR,
                                            KINDRED_SCHEDULE_LINEAR, &accepted, nullptr));
  EXPECT_EQ(accepted, 1);
  EXPECT_EQ(transitions.count, 1);
  EXPECT_EQ(kindred_seeds_remove_blueprint(seeds, 0), KINDRED_INVALID);
  Owned<kindred_string> why;
  kindred_seed_metrics metrics = KINDRED_SEED_METRICS_INIT;
  metrics.given = KINDRED_METRIC_RECONSTRUCTION_LOSS;
  metrics.reconstruction_loss = 1;
  KINDRED_ASSERT_OK(
      kindred_seeds_request(seeds, 2, KINDRED_SEED_FOSSILIZED, &metrics, &accepted, &why));
  EXPECT_EQ(accepted, 0);
  EXPECT_NE(view_of(why), "");
  metrics.given = 1U << 9U;
  EXPECT_EQ(kindred_seeds_request(seeds, 2, KINDRED_SEED_TRAINING, &metrics, &accepted, nullptr),
            KINDRED_INVALID);
  EXPECT_EQ(kindred_seeds_request(seeds, 2, 11, nullptr, &accepted, nullptr), KINDRED_INVALID);
  EXPECT_EQ(kindred_seeds_request(seeds, seed_count, 1, nullptr, &accepted, nullptr),
            KINDRED_INVALID);
  std::size_t count = 0;
  kindred_seed_event events[seed_count];
  KINDRED_ASSERT_OK(kindred_seeds_step(seeds, nullptr, 0, events, seed_count, &count));
  EXPECT_EQ(count, 0U);
  kindred_seeds_statistics info = KINDRED_SEEDS_STATISTICS_INIT;
  KINDRED_ASSERT_OK(kindred_get_statistics(seeds, &info));
  EXPECT_EQ(info.epoch, 1U);
  EXPECT_EQ(info.hidden, hidden);
  std::uint32_t feature = 0;
  KINDRED_ASSERT_OK(kindred_seeds_chunk_begin(seeds, 1, &feature));
  EXPECT_GT(feature, 0U);
  EXPECT_EQ(kindred_seeds_chunk_begin(seeds, seed_count, &feature), KINDRED_INVALID);
  Owned<kindred_string> trouble;
  KINDRED_ASSERT_OK(kindred_seeds_device_trouble(seeds, &trouble));
  EXPECT_NE(view_of(trouble).data(), nullptr);

  const std::string state_path = folder / "seeds.knd";
  const std::string blueprint_path = folder / "blueprints.knd";
  KINDRED_ASSERT_OK(kindred_save(seeds, state_path.c_str()));
  Owned<kindred_blueprints> copies;
  KINDRED_ASSERT_OK(kindred_seeds_blueprints(seeds, &copies));
  KINDRED_ASSERT_OK(kindred_save(copies, blueprint_path.c_str()));
  Owned<kindred_seeds> other;
  KINDRED_ASSERT_OK(kindred_seeds_create(c_context(), &options, &other));
  EXPECT_EQ(kindred_seeds_restore(other, state_path.c_str()), KINDRED_INVALID);
  KINDRED_ASSERT_OK(kindred_seeds_restore_blueprints(other, blueprint_path.c_str()));
  KINDRED_ASSERT_OK(kindred_seeds_restore(other, state_path.c_str()));
  kindred_seed_state states[seed_count];
  KINDRED_ASSERT_OK(kindred_seeds_states(other, states, nullptr, seed_count, &count));
  ASSERT_EQ(count, seed_count);
  EXPECT_EQ(states[2].lifecycle, KINDRED_SEED_GERMINATED);
  EXPECT_EQ(states[2].blueprint, 0);
  EXPECT_EQ(states[2].epochs, 1);
  EXPECT_EQ(states[0].blueprint, -1);
  EXPECT_EQ(kindred_seeds_states(other, states, nullptr, seed_count - 1, &count), KINDRED_INVALID);

  std::int32_t culled = 0;
  for (int error = 0; error < 5; ++error)
    KINDRED_ASSERT_OK(kindred_seeds_report_error(other, 2, &culled));
  EXPECT_EQ(culled, 1);
  kindred_seed_update update = grafts[0];
  update.fields = 1U << 9U;
  EXPECT_EQ(kindred_seeds_update(other, &update, 1), KINDRED_INVALID);
  update = grafts[0];
  update.values.lifecycle = 11;
  EXPECT_EQ(kindred_seeds_update(other, &update, 1), KINDRED_INVALID);
  update = grafts[0];
  update.values.alpha = std::nanf("");
  EXPECT_EQ(kindred_seeds_update(other, &update, 1), KINDRED_INVALID);
  kindred_seeds_options bad = options;
  bad.errors_max = 1 << 20;
  kindred_seeds* refused = nullptr;
  EXPECT_EQ(kindred_seeds_create(c_context(), &bad, &refused), KINDRED_INVALID);
}

/// A layer of which seed 1 is being grafted.
void make_layer(Owned<kindred_seeds>& seeds, std::int32_t schedule = KINDRED_SCHEDULE_LINEAR) {
  const kindred_seeds_options options = layer_options();
  KINDRED_ASSERT_OK(kindred_seeds_create(c_context(), &options, &seeds));
  const std::vector<float> weights = random_rows("CSeeds weights", hidden);
  std::int32_t blueprint = -1;
  KINDRED_ASSERT_OK(kindred_seeds_add_blueprint(seeds, "a", 1, weights.data(), hidden, &blueprint));
  kindred_seed_update update = grafts[0];
  update.fields |= KINDRED_FIELD_SCHEDULE;
  update.values.schedule = schedule;
  KINDRED_ASSERT_OK(kindred_seeds_update(seeds, &update, 1));
}

TEST(CSeeds, StatesAndHistoriesAreReplaced) {
  Owned<kindred_seeds> seeds;
  make_layer(seeds);
  std::int32_t accepted = 0;
  KINDRED_ASSERT_OK(kindred_seeds_germinate(seeds, 4, 0, KINDRED_APPLY_MIXED,
                                            KINDRED_SCHEDULE_MOMENTUM, &accepted, nullptr));
  KINDRED_ASSERT_OK(
      kindred_seeds_request(seeds, 4, KINDRED_SEED_CANCELLED, nullptr, &accepted, nullptr));
  EXPECT_EQ(accepted, 1);
  kindred_seed_state states[seed_count];
  kindred_seed_history histories[seed_count];
  std::size_t count = 0;
  KINDRED_ASSERT_OK(kindred_seeds_states(seeds, states, histories, seed_count, &count));
  ASSERT_EQ(histories[4].count, 2U);
  EXPECT_EQ(histories[4].changes[0].from, KINDRED_SEED_GERMINATED);
  EXPECT_EQ(histories[4].changes[0].to, KINDRED_SEED_CANCELLED);
  EXPECT_EQ(histories[4].changes[1].from, KINDRED_SEED_DORMANT);

  Owned<kindred_seeds> other;
  make_layer(other);
  KINDRED_ASSERT_OK(kindred_seeds_set_states(other, states, histories, seed_count));
  kindred_seed_state found[seed_count];
  kindred_seed_history found_histories[seed_count];
  KINDRED_ASSERT_OK(kindred_seeds_states(other, found, found_histories, seed_count, &count));
  EXPECT_EQ(std::memcmp(found, states, sizeof(states)), 0);
  EXPECT_EQ(std::memcmp(found_histories, histories, sizeof(histories)), 0);
  // A full history, and one more transition.
  histories[0].count = KINDRED_SEED_HISTORY;
  for (int i = 0; i < KINDRED_SEED_HISTORY; ++i) histories[0].changes[i] = {i, i + 1};
  KINDRED_ASSERT_OK(kindred_seeds_set_states(other, states, histories, seed_count));
  KINDRED_ASSERT_OK(kindred_seeds_germinate(other, 0, 0, 0, 0, &accepted, nullptr));
  KINDRED_ASSERT_OK(kindred_seeds_states(other, found, found_histories, seed_count, &count));
  EXPECT_EQ(found_histories[0].count, static_cast<std::uint32_t>(KINDRED_SEED_HISTORY));
  EXPECT_EQ(found_histories[0].changes[0].to, KINDRED_SEED_GERMINATED);
  EXPECT_EQ(found_histories[0].changes[1].from, 0);
  EXPECT_EQ(found_histories[0].changes[9].from, 8);
  KINDRED_ASSERT_OK(kindred_seeds_set_states(other, states, nullptr, seed_count));
  KINDRED_ASSERT_OK(kindred_seeds_states(other, found, found_histories, seed_count, &count));
  EXPECT_EQ(found_histories[4].count, 0U);

  const auto refused = [&](const char* what) {
    EXPECT_EQ(kindred_seeds_set_states(other, states, histories, seed_count), KINDRED_INVALID);
    EXPECT_NE(std::strstr(kindred_last_error(), what), nullptr) << kindred_last_error();
  };
  EXPECT_EQ(kindred_seeds_set_states(other, states, nullptr, seed_count - 1), KINDRED_INVALID);
  histories[2].count = KINDRED_SEED_HISTORY + 1;
  refused("histories[2].count");
  histories[2].count = 1;
  histories[2].changes[0].to = 11;
  refused("history.to");
  histories[2].count = 0;
  states[1].blueprint = 7;  // of the seed that is being grafted
  refused("blueprint");
  states[1].blueprint = 0;
  states[3].alpha = 2;
  refused("alpha");
  KINDRED_ASSERT_OK(kindred_seeds_states(other, found, found_histories, seed_count, &count));
  EXPECT_EQ(found[3].alpha, 0);
}

TEST(CSeeds, EverySeedHasItsMetricsAndSchedule) {
  Owned<kindred_seeds> seeds;
  make_layer(seeds, KINDRED_SCHEDULE_MOMENTUM);
  SeedLayer expected(context(),
                     {.hidden = hidden, .seeds = seed_count, .residency = Residency::host});
  expected.add_blueprint("a", random_rows("CSeeds weights", hidden));
  const SeedUpdate update{.seed = 1,
                          .mask = seed_lifecycle | seed_blueprint | seed_alpha | seed_schedule,
                          .blueprint = 0,
                          .alpha = 0.25F,
                          .lifecycle = Lifecycle::grafting,
                          .schedule = AlphaSchedule::momentum};
  expected.update({&update, 1});
  std::vector<kindred_seed_metrics> metrics(seed_count,
                                            kindred_seed_metrics KINDRED_SEED_METRICS_INIT);
  metrics[1].given = KINDRED_METRIC_GRADIENT_NORM | KINDRED_METRIC_ERROR_RATE;
  metrics[1].gradient_norm = 0.5;
  std::vector<SeedMetrics> expected_metrics(seed_count);
  expected_metrics[1].gradient_norm = 0.5;
  expected_metrics[1].error_rate = 0;
  std::vector<const kindred_seed_metrics*> list;
  for (const kindred_seed_metrics& one : metrics) list.push_back(&one);
  kindred_seed_event events[seed_count];
  std::size_t count = 9;
  for (int step = 0; step < 3; ++step) {
    KINDRED_ASSERT_OK(
        kindred_seeds_step(seeds, list.data(), list.size(), events, seed_count, &count));
    EXPECT_EQ(count, expected.step(expected_metrics).size());
  }
  double numbers[16] = {};
  KINDRED_ASSERT_OK(kindred_seeds_schedule_state(seeds, 1, numbers, 16, &count));
  const std::optional<std::vector<double>> state = expected.schedule_state(1);
  ASSERT_TRUE(state);
  EXPECT_EQ(std::vector<double>(numbers, numbers + count), *state);
  ASSERT_GT(count, 0U);
  std::size_t needed = 0;
  EXPECT_EQ(kindred_seeds_schedule_state(seeds, 1, nullptr, 0, &needed), KINDRED_INVALID);
  EXPECT_EQ(needed, count);
  KINDRED_EXPECT_OK(kindred_seeds_set_schedule_state(seeds, 1, numbers, count));
  EXPECT_EQ(kindred_seeds_set_schedule_state(seeds, 1, numbers, count + 1), KINDRED_INVALID);
  EXPECT_EQ(kindred_seeds_set_schedule_state(seeds, 0, numbers, count), KINDRED_INVALID);
  EXPECT_EQ(kindred_seeds_schedule_state(seeds, 0, numbers, 16, &needed), KINDRED_NOT_FOUND);
  EXPECT_EQ(kindred_seeds_schedule_state(seeds, seed_count, numbers, 16, &needed), KINDRED_INVALID);
  EXPECT_EQ(kindred_seeds_step(seeds, list.data(), list.size() - 1, events, seed_count, nullptr),
            KINDRED_INVALID);
  list[2] = nullptr;
  EXPECT_EQ(kindred_seeds_step(seeds, list.data(), list.size(), events, seed_count, nullptr),
            KINDRED_INVALID);
  EXPECT_STREQ(kindred_last_error(), "metrics[2] is NULL");
  // The error rate of one seed ends its graft.
  list[2] = &metrics[2];
  metrics[1].error_rate = 1;
  KINDRED_ASSERT_OK(
      kindred_seeds_step(seeds, list.data(), list.size(), events, seed_count, &count));
  ASSERT_EQ(count, 1U);
  EXPECT_EQ(events[0].seed, 1U);
  EXPECT_EQ(events[0].from, KINDRED_SEED_GRAFTING);
}

TEST(CSeeds, TelemetryIsStartedAndRated) {
  Owned<kindred_seeds> seeds;
  make_layer(seeds);
  std::int32_t has = 1;
  KINDRED_ASSERT_OK(kindred_has(seeds, 0, &has));
  EXPECT_EQ(has, 0);
  EXPECT_EQ(kindred_seeds_start_telemetry(seeds, 0), KINDRED_NOT_FOUND);
  std::vector<float> x = random_rows("CSeeds telemetry", 4 * hidden);
  Tensor x_tensor(x.data(), KINDRED_FLOAT32, 4, hidden);
  KINDRED_ASSERT_OK(kindred_seeds_forward(seeds, &x_tensor, &x_tensor, nullptr, nullptr));
  KINDRED_ASSERT_OK(kindred_has(seeds, 0, &has));
  EXPECT_EQ(has, 1);
  KINDRED_ASSERT_OK(kindred_seeds_start_telemetry(seeds, 0));
  kindred_seed_telemetry telemetry[seed_count];
  std::size_t count = 0;
  KINDRED_ASSERT_OK(kindred_seeds_telemetry(seeds, 0, telemetry, seed_count, &count));
  double health = -1;
  KINDRED_ASSERT_OK(kindred_seed_health(&telemetry[0], &health));
  const SeedTelemetry same{telemetry[0].count, telemetry[0].mean, telemetry[0].variance,
                           telemetry[0].min,   telemetry[0].max,  telemetry[0].dead_ratio};
  EXPECT_EQ(health, seed_health(same));
  EXPECT_EQ(KINDRED_SEED_HEALTH_MIN, seed_health_min);
}

TEST(CSeeds, BlueprintsAreReadAndChanged) {
  const TempFolder folder;
  const std::string path = folder / "blueprints.knd";
  Owned<kindred_seeds> seeds;
  make_layer(seeds);
  Owned<kindred_blueprints> copy;
  KINDRED_ASSERT_OK(kindred_seeds_blueprints(seeds, &copy));
  kindred_blueprint blueprint = KINDRED_BLUEPRINT_INIT;
  KINDRED_ASSERT_OK(kindred_blueprints_get(copy, 0, &blueprint));
  EXPECT_EQ(std::string(blueprint.name, blueprint.name_size), "a");
  EXPECT_EQ(std::vector<float>(blueprint.weights, blueprint.weights + blueprint.weights_size),
            random_rows("CSeeds weights", hidden));
  EXPECT_EQ(blueprint.version, 1U);
  const float weights[] = {1, 2};
  std::int32_t id = 0;
  KINDRED_ASSERT_OK(kindred_blueprints_add(copy, "second", 6, weights, 2, &id));
  EXPECT_EQ(id, 1);
  EXPECT_EQ(kindred_blueprints_add(copy, "second", 6, weights, 2, &id), KINDRED_INVALID);
  EXPECT_EQ(kindred_blueprints_replace(copy, 1, weights, 1), KINDRED_INVALID);
  KINDRED_ASSERT_OK(kindred_blueprints_replace(copy, 1, weights, 2));
  KINDRED_ASSERT_OK(kindred_blueprints_remove(copy, 0));
  EXPECT_EQ(kindred_blueprints_get(copy, 0, &blueprint), KINDRED_NOT_FOUND);
  KINDRED_ASSERT_OK(kindred_save(copy, path.c_str()));
  Owned<kindred_blueprints> loaded;
  KINDRED_ASSERT_OK(kindred_blueprints_load(path.c_str(), &loaded));
  std::size_t size = 0;
  KINDRED_ASSERT_OK(kindred_size(loaded, &size));
  EXPECT_EQ(size, 2U);
  KINDRED_ASSERT_OK(kindred_blueprints_find(loaded, "second", 6, &id));
  EXPECT_EQ(id, 1);
  EXPECT_EQ(kindred_blueprints_find(loaded, "a", 1, &id), KINDRED_NOT_FOUND);
  // The layer has its own sets.
  KINDRED_ASSERT_OK(kindred_seeds_replace_blueprint(
      seeds, 0, random_rows("CSeeds others", hidden).data(), hidden));
}

}  // namespace
}  // namespace Kindred::Testing

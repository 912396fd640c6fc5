// SPDX-License-Identifier: Apache-2.0
// The results of the C interface are those of the C++ interface.
#include "CSupport.hpp"

#include <kindred/matcher/SeedLayer.hpp>

#include <Support.hpp>
#include <TempFolder.hpp>

#include <cmath>
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
  Owned<kindred_seeds> seeds(kindred_seeds_destroy);
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
      expected.forward(x, expected_y);
      EXPECT_EQ(y, expected_y);
      KINDRED_ASSERT_OK(kindred_seeds_backward(seeds, &x_tensor, &y_tensor, &dx_tensor, &dw_tensor,
                                               &call, nullptr));
      const SeedBatch batch{.rows = static_cast<std::uint64_t>(rows)};
      const auto bytes = [](std::vector<float>& values) {
        return std::as_writable_bytes(std::span(values));
      };
      expected.backward(std::as_bytes(std::span(x)), bytes(expected_y), bytes(expected_dx),
                        expected_dw, batch);
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
  Owned<kindred_seeds> seeds(kindred_seeds_destroy);
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
  Owned<kindred_string> why(kindred_string_destroy);
  kindred_seed_metrics metrics = KINDRED_SEED_METRICS_INIT;
  metrics.given = KINDRED_METRIC_RECONSTRUCTION_LOSS;
  metrics.reconstruction_loss = 1;
  KINDRED_ASSERT_OK(
      kindred_seeds_request(seeds, 2, KINDRED_SEED_FOSSILIZED, &metrics, &accepted, &why));
  EXPECT_EQ(accepted, 0);
  EXPECT_GT(kindred_string_size(why), 0U);
  metrics.given = 1U << 9U;
  EXPECT_EQ(kindred_seeds_request(seeds, 2, KINDRED_SEED_TRAINING, &metrics, &accepted, nullptr),
            KINDRED_INVALID);
  EXPECT_EQ(kindred_seeds_request(seeds, 2, 11, nullptr, &accepted, nullptr), KINDRED_INVALID);
  EXPECT_EQ(kindred_seeds_request(seeds, seed_count, 1, nullptr, &accepted, nullptr),
            KINDRED_INVALID);
  std::size_t count = 0;
  kindred_seed_event events[seed_count];
  KINDRED_ASSERT_OK(kindred_seeds_step(seeds, nullptr, events, seed_count, &count));
  EXPECT_EQ(count, 0U);
  kindred_seeds_info info = KINDRED_SEEDS_INFO_INIT;
  KINDRED_ASSERT_OK(kindred_seeds_describe(seeds, &info));
  EXPECT_EQ(info.epoch, 1U);
  EXPECT_EQ(info.hidden, hidden);
  std::uint32_t feature = 0;
  KINDRED_ASSERT_OK(kindred_seeds_chunk_begin(seeds, 1, &feature));
  EXPECT_GT(feature, 0U);
  EXPECT_EQ(kindred_seeds_chunk_begin(seeds, seed_count, &feature), KINDRED_INVALID);
  Owned<kindred_string> trouble(kindred_string_destroy);
  KINDRED_ASSERT_OK(kindred_seeds_device_trouble(seeds, &trouble));
  EXPECT_NE(kindred_string_data(trouble), nullptr);

  const std::string state_path = folder / "seeds.knd";
  const std::string blueprint_path = folder / "blueprints.knd";
  KINDRED_ASSERT_OK(kindred_seeds_save(seeds, state_path.c_str()));
  KINDRED_ASSERT_OK(kindred_seeds_save_blueprints(seeds, blueprint_path.c_str()));
  Owned<kindred_seeds> other(kindred_seeds_destroy);
  KINDRED_ASSERT_OK(kindred_seeds_create(c_context(), &options, &other));
  EXPECT_EQ(kindred_seeds_restore(other, state_path.c_str()), KINDRED_INVALID);
  KINDRED_ASSERT_OK(kindred_seeds_restore_blueprints(other, blueprint_path.c_str()));
  KINDRED_ASSERT_OK(kindred_seeds_restore(other, state_path.c_str()));
  kindred_seed_state states[seed_count];
  KINDRED_ASSERT_OK(kindred_seeds_states(other, states, seed_count, &count));
  ASSERT_EQ(count, seed_count);
  EXPECT_EQ(states[2].lifecycle, KINDRED_SEED_GERMINATED);
  EXPECT_EQ(states[2].blueprint, 0);
  EXPECT_EQ(states[2].epochs, 1);
  EXPECT_EQ(states[0].blueprint, -1);
  EXPECT_EQ(kindred_seeds_states(other, states, seed_count - 1, &count), KINDRED_INVALID);

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

}  // namespace
}  // namespace Kindred::Testing

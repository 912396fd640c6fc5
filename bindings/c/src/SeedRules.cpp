// SPDX-License-Identifier: Apache-2.0
// The rules of seeds: conversions, transitions and schedules.
#include <kindred/matcher/SeedSchedule.hpp>
#include <kindred/matcher/SeedTransition.hpp>

#include "Seeds.hpp"
#include "Strings.hpp"

namespace Kindred::C {

KINDRED_C_HANDLE(schedule, GraftingSchedule);

namespace {

GraftingSchedule& schedule_of(const kindred_schedule* schedule) {
  return object_of(schedule, "schedule");
}

}  // namespace

std::int16_t short_of(std::int32_t value, const char* name) {
  KINDRED_C_REFUSE_IF(
      value < std::numeric_limits<std::int16_t>::min() ||
          value > std::numeric_limits<std::int16_t>::max(),
      std::string(name) + " is " + std::to_string(value) + "; it must be at most 32767");
  return static_cast<std::int16_t>(value);
}

Lifecycle lifecycle_of(std::int32_t value, const char* name) {
  return enum_of<Lifecycle>(value, static_cast<std::int32_t>(enum_names<Lifecycle>.size()), name);
}
ApplyMode apply_mode_of(std::int32_t value) {
  return enum_of<ApplyMode>(value, static_cast<std::int32_t>(enum_names<ApplyMode>.size()), "mode");
}
AlphaSchedule alpha_schedule_of(std::int32_t value, const char* name) {
  return enum_of<AlphaSchedule>(value, static_cast<std::int32_t>(enum_names<AlphaSchedule>.size()),
                                name);
}

kindred_seeds_options seeds_options_of(const kindred_seeds_options* options) {
  return options_of(options, kindred_seeds_options KINDRED_SEEDS_OPTIONS_INIT, "options");
}

TransitionRules rules_of(const kindred_seeds_options& given) {
  TransitionRules out;
  out.reconstruction_loss_max = given.reconstruction_loss_max;
  out.stability_min = given.stability_min;
  out.total_improvement_min = given.total_improvement_min;
  out.final_stability_min = given.final_stability_min;
  out.performance_loss = given.performance_loss;
  out.error_rate_max = given.error_rate_max;
  out.errors_max = short_of(given.errors_max, "errors_max");
  out.embargo_epochs = short_of(given.embargo_epochs, "embargo_epochs");
  return out;
}

ScheduleSettings schedules_of(const kindred_seeds_options& given) {
  ScheduleSettings out;
  out.ramp_epochs = given.ramp_epochs;
  out.drift_threshold = given.drift_threshold;
  out.pause_epochs = given.pause_epochs;
  out.momentum = given.momentum;
  out.stability_window = given.stability_window;
  out.alpha_min = given.alpha_min;
  out.alpha_max = given.alpha_max;
  out.abort_error_rate = given.abort_error_rate;
  return out;
}

SeedMetrics metrics_of(const kindred_seed_metrics* metrics, const char* name) {
  const kindred_seed_metrics given =
      options_of(metrics, kindred_seed_metrics KINDRED_SEED_METRICS_INIT, name);
  KINDRED_C_REFUSE_IF(given.given >= 2 * std::uint64_t{KINDRED_METRIC_ACCURACY_VARIANCE},
                      std::string(name) + ".given is " + std::to_string(given.given) +
                          ", which has bits of metrics that do not exist");
  const auto metric = [&](std::uint64_t bit, double value) {
    return (given.given & bit) != 0 ? std::optional<double>(value) : std::nullopt;
  };
  SeedMetrics out;
  out.reconstruction_loss = metric(KINDRED_METRIC_RECONSTRUCTION_LOSS, given.reconstruction_loss);
  out.performance_delta = metric(KINDRED_METRIC_PERFORMANCE_DELTA, given.performance_delta);
  out.stability_score = metric(KINDRED_METRIC_STABILITY_SCORE, given.stability_score);
  out.error_rate = metric(KINDRED_METRIC_ERROR_RATE, given.error_rate);
  out.total_improvement = metric(KINDRED_METRIC_TOTAL_IMPROVEMENT, given.total_improvement);
  out.final_stability = metric(KINDRED_METRIC_FINAL_STABILITY, given.final_stability);
  out.loss_variance = metric(KINDRED_METRIC_LOSS_VARIANCE, given.loss_variance);
  out.gradient_norm = metric(KINDRED_METRIC_GRADIENT_NORM, given.gradient_norm);
  out.accuracy_variance = metric(KINDRED_METRIC_ACCURACY_VARIANCE, given.accuracy_variance);
  out.weights =
      span_of(given.weights, given.weights_size, (std::string(name) + ".weights").c_str());
  return out;
}

void write_result(const TransitionResult& result, std::int32_t* accepted, kindred_string** why) {
  if (why != nullptr) *why = make_handle_of<kindred_string>(result.why);
  *accepted = result.accepted ? 1 : 0;
}

kindred_status kindred_seed_transition_origin(std::int32_t from, std::int32_t to,
                                              std::int32_t* origin) noexcept {
  return guarded([&] {
    require(origin, "origin");
    const auto is_state = [](std::int32_t state) {
      return state >= 0 && state < static_cast<std::int32_t>(enum_names<Lifecycle>.size());
    };
    *origin = is_state(from) && is_state(to)
                  ? static_cast<std::int32_t>(
                        transition_origin(static_cast<Lifecycle>(from), static_cast<Lifecycle>(to)))
                  : KINDRED_TRANSITION_NONE;
  });
}

kindred_status kindred_seed_minimum_epochs(std::int32_t from, const kindred_seeds_options* options,
                                           std::int32_t* epochs) noexcept {
  return guarded([&] {
    const TransitionRules rules = rules_of(seeds_options_of(options));
    require(epochs, "epochs");
    *epochs = minimum_epochs(lifecycle_of(from, "from"), rules);
  });
}

kindred_status kindred_seed_check_transition(const kindred_seed_state* seed, std::int32_t to,
                                             const kindred_seed_metrics* metrics,
                                             const kindred_seeds_options* options,
                                             std::int32_t* accepted,
                                             kindred_string** why) noexcept {
  return guarded([&] {
    const TransitionRules rules = rules_of(seeds_options_of(options));
    const SeedMetrics given = metrics_of(metrics);
    require_all({{seed, "seed"}, {accepted, "accepted"}});
    const SeedSituation situation{lifecycle_of(seed->lifecycle, "seed.lifecycle"),
                                  short_of(seed->epochs, "seed.epochs"), seed->blueprint,
                                  short_of(seed->errors, "seed.errors")};
    write_result(check_transition(situation, lifecycle_of(to, "to"), given, rules), accepted, why);
  });
}

kindred_status kindred_schedule_create(std::int32_t kind, const kindred_seeds_options* options,
                                       kindred_schedule** schedule) noexcept {
  return guarded([&] {
    const ScheduleSettings settings = schedules_of(seeds_options_of(options));
    require(schedule, "schedule");
    *schedule = make_handle_of<kindred_schedule>(alpha_schedule_of(kind, "kind"), settings);
  });
}

kindred_status kindred_schedule_destroy(kindred_schedule* schedule) noexcept {
  return destroy_handle(schedule, "schedule");
}

kindred_status kindred_schedule_kind(const kindred_schedule* schedule,
                                     std::int32_t* kind) noexcept {
  return guarded([&] {
    const GraftingSchedule& object = schedule_of(schedule);
    require(kind, "kind");
    *kind = static_cast<std::int32_t>(object.kind());
  });
}

kindred_status kindred_schedule_next(kindred_schedule* schedule, std::int64_t epoch, double alpha,
                                     const kindred_seed_metrics* metrics, double* next) noexcept {
  return guarded([&] {
    GraftingSchedule& object = schedule_of(schedule);
    const SeedMetrics given = metrics_of(metrics);
    require(next, "next");
    *next = object.next(epoch, alpha, given);
  });
}

kindred_status kindred_schedule_aborts(const kindred_schedule* schedule,
                                       const kindred_seed_metrics* metrics,
                                       std::int32_t* aborts) noexcept {
  return guarded([&] {
    const GraftingSchedule& object = schedule_of(schedule);
    const SeedMetrics given = metrics_of(metrics);
    require(aborts, "aborts");
    *aborts = object.aborts(given) ? 1 : 0;
  });
}

kindred_status kindred_schedule_state(const kindred_schedule* schedule, double* numbers,
                                      std::size_t capacity, std::size_t* count) noexcept {
  return guarded([&] {
    const GraftingSchedule& object = schedule_of(schedule);
    require(count, "count");
    span_of(numbers, capacity, "numbers");
    const std::vector<double> state = object.state();
    *count = state.size();
    write_array(std::span<const double>(state), numbers, capacity, "numbers");
  });
}

kindred_status kindred_schedule_set_state(kindred_schedule* schedule, const double* numbers,
                                          std::size_t count) noexcept {
  return guarded([&] { schedule_of(schedule).restore(span_of(numbers, count, "numbers")); });
}

}  // namespace Kindred::C

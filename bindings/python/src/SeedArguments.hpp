// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_SEED_ARGUMENTS_HPP
#define KINDRED_PYTHON_SEED_ARGUMENTS_HPP

#include <kindred/matcher/SeedLayer.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Errors.hpp"
#include "Options.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

// Numbers, rules, metrics, states and telemetry of seeds, as Python has them.
namespace Kindred::Python::Seeds {

template <class T>
T narrow_of(nanobind::handle given, const char* option, std::int64_t lowest) {
  const std::int64_t value = integer_of(given, option, lowest);
  if (value > static_cast<std::int64_t>(std::numeric_limits<T>::max()))
    refuse(std::string(option) + " is " + std::to_string(value) + "; it must be at most " +
           std::to_string(std::numeric_limits<T>::max()));
  return static_cast<T>(value);
}
inline std::uint32_t seed_of(nanobind::handle given) {
  return narrow_of<std::uint32_t>(given, "seed", 0);
}
/// A code of \p count values. \throws InvalidType, InvalidArgument
template <class Code>
Code code_of(nanobind::handle given, const char* option, std::size_t count) {
  const std::int64_t code = integer_of(given, option, 0);
  if (code >= static_cast<std::int64_t>(count))
    refuse(std::string(option) + " is the code " + std::to_string(code) + "; codes are less than " +
           std::to_string(count));
  return static_cast<Code>(code);
}

/// The items of a tuple that Python made. \throws InvalidType
inline nanobind::tuple tuple_of(nanobind::handle given, const char* option, std::size_t size) {
  if (!nanobind::isinstance<nanobind::tuple>(given) || nanobind::len(given) != size)
    refuse_type(std::string(option) + " is of type " + type_text(given) +
                "; it must be a named tuple of " + std::to_string(size) + " fields");
  return nanobind::borrow<nanobind::tuple>(given);
}

inline TransitionRules rules_of(nanobind::handle given) {
  const nanobind::tuple items = tuple_of(given, "rules", 8);
  TransitionRules rules;
  rules.reconstruction_loss_max = number_of(items[0], "rules.reconstruction_loss_max");
  rules.stability_min = number_of(items[1], "rules.stability_min");
  rules.total_improvement_min = number_of(items[2], "rules.total_improvement_min");
  rules.final_stability_min = number_of(items[3], "rules.final_stability_min");
  rules.performance_loss = number_of(items[4], "rules.performance_loss");
  rules.error_rate_max = number_of(items[5], "rules.error_rate_max");
  rules.errors_max = narrow_of<std::int16_t>(items[6], "rules.errors_max", 0);
  rules.embargo_epochs = narrow_of<std::int16_t>(items[7], "rules.embargo_epochs", 0);
  return rules;
}

inline ScheduleSettings schedules_of(nanobind::handle given) {
  const nanobind::tuple items = tuple_of(given, "schedules", 8);
  ScheduleSettings settings;
  settings.ramp_epochs = number_of(items[0], "schedules.ramp_epochs");
  settings.drift_threshold = number_of(items[1], "schedules.drift_threshold");
  settings.pause_epochs = narrow_of<std::int32_t>(items[2], "schedules.pause_epochs", 0);
  settings.momentum = number_of(items[3], "schedules.momentum");
  settings.stability_window = narrow_of<std::int32_t>(items[4], "schedules.stability_window", 0);
  settings.alpha_min = number_of(items[5], "schedules.alpha_min");
  settings.alpha_max = number_of(items[6], "schedules.alpha_max");
  settings.abort_error_rate = number_of(items[7], "schedules.abort_error_rate");
  return settings;
}

/// Metrics of Python, and the weights that they refer to.
class Metrics {
 public:
  explicit Metrics(nanobind::handle given) {
    if (given.is_none()) return;
    const nanobind::tuple items = tuple_of(given, "metrics", 10);
    const auto read = [&](std::optional<double>& metric, std::size_t item, const char* name) {
      if (!items[item].is_none()) metric = number_of(items[item], name);
    };
    read(m_metrics.reconstruction_loss, 0, "metrics.reconstruction_loss");
    read(m_metrics.performance_delta, 1, "metrics.performance_delta");
    read(m_metrics.stability_score, 2, "metrics.stability_score");
    read(m_metrics.error_rate, 3, "metrics.error_rate");
    read(m_metrics.total_improvement, 4, "metrics.total_improvement");
    read(m_metrics.final_stability, 5, "metrics.final_stability");
    read(m_metrics.loss_variance, 6, "metrics.loss_variance");
    read(m_metrics.gradient_norm, 7, "metrics.gradient_norm");
    read(m_metrics.accuracy_variance, 8, "metrics.accuracy_variance");
    if (items[9].is_none()) return;
    m_weights.emplace(items[9], "metrics.weights", nullptr, Copying::if_needed, Layout::dense);
    m_weights->require_rank(1, 1);
    m_metrics.weights = m_weights->host_values<float>();
  }
  const SeedMetrics& values() const { return m_metrics; }

 private:
  SeedMetrics m_metrics;
  std::optional<Input> m_weights;
};

/// A new array of NumPy with \p count elements, or rows of \p columns, from \p values.
inline nanobind::object filled(DataType type, const void* values, std::int64_t count,
                               std::int64_t columns = 0) {
  nanobind::object made =
      columns == 0 ? empty_array(type, {count}) : empty_array(type, {count, columns});
  const Output out(made, "values");
  const auto elements = static_cast<std::size_t>(count * std::max<std::int64_t>(columns, 1));
  if (elements > 0) std::memcpy(out.array().data(), values, elements * size_of(type));
  return made;
}
/// The elements of an array of one number, or row of \p columns, per seed.
template <class T>
std::vector<T> per_seed(nanobind::handle given, const char* name, DataType type,
                        std::int64_t columns = 0) {
  const Input array(given, name, nullptr, Copying::if_needed, Layout::dense);
  array.require_type({type});
  array.require_rank(columns == 0 ? 1 : 2, columns == 0 ? 1 : 2);
  if (columns != 0) array.require_columns(static_cast<std::size_t>(columns));
  const std::span<const std::byte> bytes = array.host_bytes();
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> out(bytes.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

inline nanobind::tuple state_of(const SeedState& state) {
  const auto seeds = static_cast<std::int64_t>(state.seeds());
  return nanobind::make_tuple(
      filled(DataType::int8, state.lifecycle.data(), seeds),
      filled(DataType::int32, state.blueprint.data(), seeds),
      filled(DataType::int16, state.epochs.data(), seeds),
      filled(DataType::int8, state.mode.data(), seeds),
      filled(DataType::int8, state.schedule.data(), seeds),
      filled(DataType::float32, state.alpha.data(), seeds),
      filled(DataType::int8, state.parent.data(), seeds),
      filled(DataType::int32, state.checkpoint.data(), seeds),
      filled(DataType::float32, state.evaluation.data(), seeds),
      filled(DataType::int16, state.errors.data(), seeds),
      filled(DataType::int8, state.history_from.data(), seeds, seed_history),
      filled(DataType::int8, state.history_to.data(), seeds, seed_history),
      filled(DataType::uint8, state.history_next.data(), seeds),
      filled(DataType::uint8, state.history_count.data(), seeds));
}

inline SeedState state_from(nanobind::handle given) {
  const nanobind::tuple items = tuple_of(given, "state", 14);
  SeedState state;
  state.lifecycle = per_seed<Lifecycle>(items[0], "state.lifecycle", DataType::int8);
  state.blueprint = per_seed<std::int32_t>(items[1], "state.blueprint", DataType::int32);
  state.epochs = per_seed<std::int16_t>(items[2], "state.epochs", DataType::int16);
  state.mode = per_seed<ApplyMode>(items[3], "state.mode", DataType::int8);
  state.schedule = per_seed<AlphaSchedule>(items[4], "state.schedule", DataType::int8);
  state.alpha = per_seed<float>(items[5], "state.alpha", DataType::float32);
  state.parent = per_seed<Lifecycle>(items[6], "state.parent", DataType::int8);
  state.checkpoint = per_seed<std::int32_t>(items[7], "state.checkpoint", DataType::int32);
  state.evaluation = per_seed<float>(items[8], "state.evaluation", DataType::float32);
  state.errors = per_seed<std::int16_t>(items[9], "state.errors", DataType::int16);
  state.history_from =
      per_seed<Lifecycle>(items[10], "state.history_from", DataType::int8, seed_history);
  state.history_to =
      per_seed<Lifecycle>(items[11], "state.history_to", DataType::int8, seed_history);
  state.history_next = per_seed<std::uint8_t>(items[12], "state.history_next", DataType::uint8);
  state.history_count = per_seed<std::uint8_t>(items[13], "state.history_count", DataType::uint8);
  return state;
}

/// \param fields arrays as in `SeedUpdate`, or None: lifecycle, blueprint, epochs, mode, alpha,
/// schedule, checkpoint, evaluation, errors
inline std::vector<SeedUpdate> updates_from(nanobind::handle seeds, nanobind::handle fields) {
  const std::vector<std::uint64_t> ids = ids_of(seeds, "seeds");
  const nanobind::tuple items = tuple_of(fields, "fields", seed_fields);
  std::vector<SeedUpdate> updates(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] > std::numeric_limits<std::uint32_t>::max())
      refuse("seeds has the number " + std::to_string(ids[i]) + ", which is not that of a seed");
    updates[i].seed = static_cast<std::uint32_t>(ids[i]);
  }
  const auto read = [&](std::size_t item, const char* name, SeedField field, DataType type,
                        auto SeedUpdate::*member) {
    if (items[item].is_none()) return;
    using T = std::remove_reference_t<decltype(updates[0].*member)>;
    const std::vector<T> values = per_seed<T>(items[item], name, type);
    if (values.size() != updates.size())
      refuse(std::string(name) + " has " + std::to_string(values.size()) + " values, and seeds " +
             std::to_string(updates.size()) + "; give one per seed");
    for (std::size_t i = 0; i < values.size(); ++i) {
      updates[i].*member = values[i];
      updates[i].mask = static_cast<std::uint16_t>(updates[i].mask | field);
    }
  };
  read(0, "lifecycle", seed_lifecycle, DataType::int8, &SeedUpdate::lifecycle);
  read(1, "blueprint", seed_blueprint, DataType::int32, &SeedUpdate::blueprint);
  read(2, "epochs", seed_epochs, DataType::int16, &SeedUpdate::epochs);
  read(3, "mode", seed_mode, DataType::int8, &SeedUpdate::mode);
  read(4, "alpha", seed_alpha, DataType::float32, &SeedUpdate::alpha);
  read(5, "schedule", seed_schedule, DataType::int8, &SeedUpdate::schedule);
  read(6, "checkpoint", seed_checkpoint, DataType::int32, &SeedUpdate::checkpoint);
  read(7, "evaluation", seed_evaluation, DataType::float32, &SeedUpdate::evaluation);
  read(8, "errors", seed_errors, DataType::int16, &SeedUpdate::errors);
  return updates;
}

/// `(count, mean, variance, min, max, dead_ratio)`: arrays of one number per seed
inline nanobind::tuple arrays_of(std::span<const SeedTelemetry> telemetry) {
  const auto column = [&](auto member) {
    using T = std::remove_cvref_t<decltype(telemetry[0].*member)>;
    std::vector<T> values(telemetry.size());
    std::transform(telemetry.begin(), telemetry.end(), values.begin(),
                   [&](const SeedTelemetry& one) { return one.*member; });
    return filled(data_type_of<T>, values.data(), static_cast<std::int64_t>(values.size()));
  };
  return nanobind::make_tuple(column(&SeedTelemetry::count), column(&SeedTelemetry::mean),
                              column(&SeedTelemetry::variance), column(&SeedTelemetry::min),
                              column(&SeedTelemetry::max), column(&SeedTelemetry::dead_ratio));
}

}  // namespace Kindred::Python::Seeds

#endif  // KINDRED_PYTHON_SEED_ARGUMENTS_HPP

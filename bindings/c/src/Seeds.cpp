// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SeedLayer.hpp>

#include "Arguments.hpp"
#include "Handle.hpp"
#include "Strings.hpp"

namespace Kindred::C {

KINDRED_C_HANDLE(seeds, WithContext<SeedLayer>);

namespace {

SeedLayer& layer_of(const kindred_seeds* seeds) { return object_of(seeds, "seeds").engine; }

/// A number that is stored in 16 bits.
std::int16_t short_of(std::int32_t value, const char* name) {
  KINDRED_C_REFUSE_IF(
      value < std::numeric_limits<std::int16_t>::min() ||
          value > std::numeric_limits<std::int16_t>::max(),
      std::string(name) + " is " + std::to_string(value) + "; it must be at most 32767");
  return static_cast<std::int16_t>(value);
}

Lifecycle lifecycle_of(std::int32_t value, const char* name) {
  return enum_of<Lifecycle>(value, static_cast<std::int32_t>(lifecycle_names.size()), name);
}
ApplyMode mode_of(std::int32_t value) {
  return enum_of<ApplyMode>(value, static_cast<std::int32_t>(apply_mode_names.size()), "mode");
}
AlphaSchedule schedule_of(std::int32_t value) {
  return enum_of<AlphaSchedule>(value, static_cast<std::int32_t>(alpha_schedule_names.size()),
                                "schedule");
}

SeedLayerOptions seed_options(const kindred_seeds_options* options) {
  require(options, "options");
  const kindred_seeds_options given =
      options_of(options, kindred_seeds_options KINDRED_SEEDS_OPTIONS_INIT, "options");
  SeedLayerOptions out;
  out.hidden = given.hidden;
  out.seeds = given.seeds;
  out.telemetry_epochs = given.telemetry_epochs;
  out.blueprint_bytes = given.blueprint_bytes;
  out.residency = residency_option(given.residency);
  out.rules.reconstruction_loss_max = given.reconstruction_loss_max;
  out.rules.stability_min = given.stability_min;
  out.rules.total_improvement_min = given.total_improvement_min;
  out.rules.final_stability_min = given.final_stability_min;
  out.rules.performance_loss = given.performance_loss;
  out.rules.error_rate_max = given.error_rate_max;
  out.rules.errors_max = short_of(given.errors_max, "errors_max");
  out.rules.embargo_epochs = short_of(given.embargo_epochs, "embargo_epochs");
  out.schedules.ramp_epochs = given.ramp_epochs;
  out.schedules.drift_threshold = given.drift_threshold;
  out.schedules.pause_epochs = given.pause_epochs;
  out.schedules.momentum = given.momentum;
  out.schedules.stability_window = given.stability_window;
  out.schedules.alpha_min = given.alpha_min;
  out.schedules.alpha_max = given.alpha_max;
  out.schedules.abort_error_rate = given.abort_error_rate;
  if (given.on_transition != nullptr)
    out.on_transition = [call = given.on_transition, user = given.transition_user](
                            std::uint32_t seed, SeedChange change) {
      call(user, seed, static_cast<std::int32_t>(change.from),
           static_cast<std::int32_t>(change.to));
    };
  return out;
}

SeedMetrics metrics_of(const kindred_seed_metrics* metrics) {
  const kindred_seed_metrics given =
      options_of(metrics, kindred_seed_metrics KINDRED_SEED_METRICS_INIT, "metrics");
  KINDRED_C_REFUSE_IF(given.given >= 2 * std::uint64_t{KINDRED_METRIC_ACCURACY_VARIANCE},
                      "metrics.given is " + std::to_string(given.given) +
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
  out.weights = span_of(given.weights, given.weights_size, "metrics.weights");
  return out;
}

/// Rows of a pass: their bytes, and what the layer must know about them.
template <class Void>
struct PassRows {
  using Byte = std::conditional_t<std::is_const_v<Void>, const std::byte, std::byte>;

  PassRows(const BasicArray<Void>& array, const char* name, std::uint32_t hidden) {
    const auto refuse = [&](const std::string& what) {
      C::refuse(std::string(name) + " is " + to_string(ConstArray(array)) + what);
    };
    switch (array.type()) {
      case DataType::float32:
        break;
      case DataType::float16:
        element = VectorElement::float16;
        break;
      case DataType::bfloat16:
        element = VectorElement::bfloat16;
        break;
      default:
        refuse("; it must have elements of type float32, float16 or bfloat16");
    }
    if (array.rank() != 2 || array.extent(1) != static_cast<std::int64_t>(hidden))
      refuse("; its rows must have " + std::to_string(hidden) + " elements");
    if (hidden > 1 && array.stride(1) != 1) refuse("; the elements of a row must be contiguous");
    rows = static_cast<std::uint64_t>(array.extent(0));
    stride = hidden;
    if (rows > 1) {
      if (array.stride(0) < static_cast<std::int64_t>(hidden))
        refuse("; its rows must not overlap");
      stride = static_cast<std::uint64_t>(array.stride(0));
    }
    memory = array.on_device() ? SeedMemory::device : SeedMemory::host;
    const std::uint64_t elements = rows == 0 ? 0 : (rows - 1) * stride + hidden;
    bytes = {static_cast<Byte*>(array.data()),
             static_cast<std::size_t>(elements * size_of(array.type()))};
  }

  std::span<Byte> bytes;
  VectorElement element = VectorElement::float32;
  std::uint64_t rows = 0;
  std::uint64_t stride = 0;
  SeedMemory memory = SeedMemory::host;
};

SeedForwardOptions call_options(const kindred_seeds_call* options) {
  const kindred_seeds_call given =
      options_of(options, kindred_seeds_call KINDRED_SEEDS_CALL_INIT, "options");
  SeedForwardOptions out;
  out.telemetry = enum_of<SeedTelemetryUse>(given.telemetry, 3, "telemetry");
  out.space = space_option(given.space);
  if (given.stream != nullptr) out.stream = Stream::cuda(given.stream);
  return out;
}

kindred_seed_telemetry telemetry_of_seed(const SeedTelemetry& telemetry) {
  return {telemetry.count,      telemetry.mean, telemetry.variance,
          telemetry.dead_ratio, telemetry.min,  telemetry.max};
}

void write_result(const TransitionResult& result, std::int32_t* accepted, kindred_string** why) {
  if (why != nullptr) *why = make_handle_of<kindred_string>(result.why);
  *accepted = result.accepted ? 1 : 0;
}

}  // namespace

kindred_status kindred_seeds_create(kindred_context* context, const kindred_seeds_options* options,
                                    kindred_seeds** seeds) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(seeds, "seeds");
    *seeds = make_handle_of<kindred_seeds>(object, SeedLayer(*object, seed_options(options)));
  });
}

kindred_status kindred_seeds_destroy(kindred_seeds* seeds) noexcept {
  return destroy_handle(seeds, "seeds");
}

kindred_status kindred_seeds_describe(const kindred_seeds* seeds,
                                      kindred_seeds_info* info) noexcept {
  return guarded([&] {
    const SeedLayer& layer = layer_of(seeds);
    check_output(info, "info");
    write_output(info, kindred_seeds_info{sizeof(kindred_seeds_info), layer.epoch(), layer.hidden(),
                                          layer.seeds(), layer.on_device() ? 1 : 0, 0});
  });
}

kindred_status kindred_seeds_device_trouble(const kindred_seeds* seeds,
                                            kindred_string** why) noexcept {
  return guarded([&] {
    const SeedLayer& layer = layer_of(seeds);
    require(why, "why");
    *why = make_handle_of<kindred_string>(layer.device_trouble());
  });
}

kindred_status kindred_seeds_chunk_begin(const kindred_seeds* seeds, std::uint32_t seed,
                                         std::uint32_t* feature) noexcept {
  return guarded([&] {
    const SeedLayer& layer = layer_of(seeds);
    require(feature, "feature");
    KINDRED_C_REFUSE_IF(seed >= layer.seeds(), "seed is " + std::to_string(seed) +
                                                   "; the layer has " +
                                                   std::to_string(layer.seeds()) + " seeds");
    *feature = layer.chunk_begin(seed);
  });
}

kindred_status kindred_seeds_add_blueprint(kindred_seeds* seeds, const char* name, std::size_t size,
                                           const float* weights, std::size_t count,
                                           std::int32_t* blueprint) noexcept {
  return guarded([&] {
    SeedLayer& layer = layer_of(seeds);
    require(blueprint, "blueprint");
    const std::string_view text = text_of(name, size, "name");
    *blueprint = layer.add_blueprint(std::string(text), span_of(weights, count, "weights"));
  });
}

kindred_status kindred_seeds_replace_blueprint(kindred_seeds* seeds, std::int32_t blueprint,
                                               const float* weights, std::size_t count) noexcept {
  return guarded(
      [&] { layer_of(seeds).replace_blueprint(blueprint, span_of(weights, count, "weights")); });
}

kindred_status kindred_seeds_remove_blueprint(kindred_seeds* seeds,
                                              std::int32_t blueprint) noexcept {
  return guarded([&] { layer_of(seeds).remove_blueprint(blueprint); });
}

kindred_status kindred_seeds_save_blueprints(const kindred_seeds* seeds,
                                             const char* path) noexcept {
  return guarded([&] { layer_of(seeds).save_blueprints(path_of(path)); });
}
kindred_status kindred_seeds_restore_blueprints(kindred_seeds* seeds, const char* path) noexcept {
  return guarded([&] { layer_of(seeds).restore_blueprints(path_of(path)); });
}

kindred_status kindred_seeds_states(const kindred_seeds* seeds, kindred_seed_state* states,
                                    std::size_t capacity, std::size_t* count) noexcept {
  return guarded([&] {
    const SeedLayer& layer = layer_of(seeds);
    require(count, "count");
    span_of(states, capacity, "states");
    const SeedState state = layer.state();
    std::vector<kindred_seed_state> out;
    for (std::size_t seed = 0; seed < state.seeds(); ++seed)
      out.push_back({static_cast<std::int32_t>(state.lifecycle[seed]),
                     static_cast<std::int32_t>(state.parent[seed]), state.blueprint[seed],
                     state.checkpoint[seed], static_cast<std::int32_t>(state.mode[seed]),
                     static_cast<std::int32_t>(state.schedule[seed]), state.epochs[seed],
                     state.errors[seed], state.alpha[seed], state.evaluation[seed]});
    *count = out.size();
    write_array(std::span<const kindred_seed_state>(out), states, capacity, "states");
  });
}

kindred_status kindred_seeds_update(kindred_seeds* seeds, const kindred_seed_update* updates,
                                    std::size_t count) noexcept {
  return guarded([&] {
    SeedLayer& layer = layer_of(seeds);
    std::vector<SeedUpdate> out;
    for (const kindred_seed_update& update : span_of(updates, count, "updates")) {
      KINDRED_C_REFUSE_IF(update.fields >= 1U << seed_fields,
                          "fields is " + std::to_string(update.fields) +
                              ", which has bits of fields that do not exist");
      const auto is_set = [&](SeedField field) { return (update.fields & field) != 0; };
      const kindred_seed_state& values = update.values;
      SeedUpdate& to = out.emplace_back();
      to.seed = update.seed;
      to.mask = static_cast<std::uint16_t>(update.fields);
      if (is_set(seed_lifecycle)) to.lifecycle = lifecycle_of(values.lifecycle, "lifecycle");
      if (is_set(seed_blueprint)) to.blueprint = values.blueprint;
      if (is_set(seed_epochs)) to.epochs = short_of(values.epochs, "epochs");
      if (is_set(seed_mode)) to.mode = mode_of(values.mode);
      if (is_set(seed_alpha)) to.alpha = values.alpha;
      if (is_set(seed_schedule)) to.schedule = schedule_of(values.schedule);
      if (is_set(seed_checkpoint)) to.checkpoint = values.checkpoint;
      if (is_set(seed_evaluation)) to.evaluation = values.evaluation;
      if (is_set(seed_errors)) to.errors = short_of(values.errors, "errors");
    }
    layer.update(out);
  });
}

kindred_status kindred_seeds_request(kindred_seeds* seeds, std::uint32_t seed, std::int32_t to,
                                     const kindred_seed_metrics* metrics, std::int32_t* accepted,
                                     kindred_string** why) noexcept {
  return guarded([&] {
    SeedLayer& layer = layer_of(seeds);
    require(accepted, "accepted");
    const SeedMetrics given = metrics_of(metrics);
    write_result(layer.request(seed, lifecycle_of(to, "to"), given), accepted, why);
  });
}

kindred_status kindred_seeds_germinate(kindred_seeds* seeds, std::uint32_t seed,
                                       std::int32_t blueprint, std::int32_t mode,
                                       std::int32_t schedule, std::int32_t* accepted,
                                       kindred_string** why) noexcept {
  return guarded([&] {
    SeedLayer& layer = layer_of(seeds);
    require(accepted, "accepted");
    write_result(layer.germinate(seed, blueprint, mode_of(mode), schedule_of(schedule)), accepted,
                 why);
  });
}

kindred_status kindred_seeds_report_error(kindred_seeds* seeds, std::uint32_t seed,
                                          std::int32_t* culled) noexcept {
  return guarded([&] {
    const bool was_culled = layer_of(seeds).report_error(seed);
    write_optional(culled, was_culled ? 1 : 0);
  });
}

kindred_status kindred_seeds_step(kindred_seeds* seeds, const kindred_seed_metrics* metrics,
                                  kindred_seed_event* events, std::size_t capacity,
                                  std::size_t* count) noexcept {
  return guarded([&] {
    SeedLayer& layer = layer_of(seeds);
    const std::span<kindred_seed_event> out = span_of(events, capacity, "events");
    const std::vector<SeedEvent> found = layer.step(metrics_of(metrics));
    for (std::size_t i = 0; i < std::min(out.size(), found.size()); ++i) {
      out[i].seed = found[i].seed;
      out[i].from = static_cast<std::int32_t>(found[i].change.from);
      out[i].to = static_cast<std::int32_t>(found[i].change.to);
      copy_text(out[i].why, found[i].why);
    }
    write_optional(count, found.size());
  });
}

kindred_status kindred_seeds_forward(kindred_seeds* seeds, const DLTensor* x, DLTensor* y,
                                     const kindred_seeds_call* options,
                                     kindred_record* record) noexcept {
  return guarded([&] {
    SeedLayer& layer = layer_of(seeds);
    check_output(record, "record", true);
    const SeedForwardOptions given = call_options(options);
    require(x, "x");
    require(y, "y");
    const PassRows<const void> from(array_of(x, "x"), "x", layer.hidden());
    const PassRows<void> to(output_array_of(y, "y"), "y", layer.hidden());
    KINDRED_C_REFUSE_IF(from.rows != to.rows, "x has " + std::to_string(from.rows) +
                                                  " rows and y has " + std::to_string(to.rows) +
                                                  "; they must have as many");
    KINDRED_C_REFUSE_IF(from.memory != to.memory, "x and y are in different memories");
    const SeedBatch batch{from.rows, from.element, to.element, from.stride, to.stride, from.memory};
    write_output(record, record_of(layer.forward(from.bytes, to.bytes, batch, given)));
  });
}

kindred_status kindred_seeds_backward(kindred_seeds* seeds, const DLTensor* x,
                                      const DLTensor* gradient, DLTensor* dx, DLTensor* dw,
                                      const kindred_seeds_call* options,
                                      kindred_record* record) noexcept {
  return guarded([&] {
    SeedLayer& layer = layer_of(seeds);
    check_output(record, "record", true);
    const SeedForwardOptions given = call_options(options);
    require(x, "x");
    require(gradient, "gradient");
    require(dx, "dx");
    require(dw, "dw");
    const PassRows<const void> from(array_of(x, "x"), "x", layer.hidden());
    const PassRows<const void> above(array_of(gradient, "gradient"), "gradient", layer.hidden());
    const PassRows<void> below(output_array_of(dx, "dx"), "dx", layer.hidden());
    const Array weights = output_array_of(dw, "dw");
    KINDRED_C_REFUSE_IF(
        above.rows != from.rows || below.rows != from.rows || above.element != from.element ||
            below.element != from.element || above.memory != from.memory ||
            below.memory != from.memory || below.stride != from.stride,
        "x, gradient and dx must have the same type, number of rows and memory, and x and dx "
        "the same layout");
    KINDRED_C_REFUSE_IF(
        weights.type() != DataType::float32 || weights.size() != layer.hidden() ||
            !weights.is_contiguous() || weights.on_device() != (from.memory == SeedMemory::device),
        "dw is " + to_string(weights) + "; it must have " + std::to_string(layer.hidden()) +
            " elements of type float32 in the memory of the rows");
    // The element type of y has no effect here.
    const SeedBatch batch{from.rows,   from.element, above.element,
                          from.stride, above.stride, from.memory};
    write_output(record, record_of(layer.backward(
                             from.bytes, above.bytes, below.bytes,
                             {static_cast<float*>(weights.data()), layer.hidden()}, batch, given)));
  });
}

kindred_status kindred_seeds_telemetry(kindred_seeds* seeds, std::uint32_t age,
                                       kindred_seed_telemetry* telemetry, std::size_t capacity,
                                       std::size_t* count) noexcept {
  return guarded([&] {
    SeedLayer& layer = layer_of(seeds);
    require(count, "count");
    span_of(telemetry, capacity, "telemetry");
    std::vector<kindred_seed_telemetry> out;
    for (const SeedTelemetry& seed : layer.telemetry(age)) out.push_back(telemetry_of_seed(seed));
    *count = out.size();
    write_array(std::span<const kindred_seed_telemetry>(out), telemetry, capacity, "telemetry");
  });
}

kindred_status kindred_seeds_reduce_telemetry(kindred_seeds* seeds, std::uint32_t epochs,
                                              std::uint32_t first, std::size_t count,
                                              kindred_seed_telemetry* each,
                                              kindred_seed_telemetry* whole) noexcept {
  return guarded([&] {
    SeedLayer& layer = layer_of(seeds);
    KINDRED_C_REFUSE_IF(count > layer.seeds(), "count is " + std::to_string(count) +
                                                   "; the layer has " +
                                                   std::to_string(layer.seeds()) + " seeds");
    const std::span<kindred_seed_telemetry> out = span_of(each, count, "each");
    const SeedLayer::Reduced found =
        layer.reduce_telemetry(epochs, first, static_cast<std::uint32_t>(count));
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = telemetry_of_seed(found.each[i]);
    write_optional(whole, telemetry_of_seed(found.whole));
  });
}

kindred_status kindred_seeds_save(const kindred_seeds* seeds, const char* path) noexcept {
  return guarded([&] { layer_of(seeds).save(path_of(path)); });
}
kindred_status kindred_seeds_restore(kindred_seeds* seeds, const char* path) noexcept {
  return guarded([&] { layer_of(seeds).restore(path_of(path)); });
}

}  // namespace Kindred::C

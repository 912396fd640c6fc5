// SPDX-License-Identifier: Apache-2.0
#include "Seeds.hpp"
#include "Strings.hpp"

#include <array>

namespace Kindred::C {

namespace {

SeedLayerOptions seed_options(const kindred_seeds_options* options) {
  require(options, "options");
  const kindred_seeds_options given = seeds_options_of(options);
  SeedLayerOptions out;
  out.hidden = given.hidden;
  out.seeds = given.seeds;
  out.telemetry_epochs = given.telemetry_epochs;
  out.blueprint_bytes = given.blueprint_bytes;
  out.residency = residency_option(given.residency);
  out.rules = rules_of(given);
  out.schedules = schedules_of(given);
  if (given.on_transition != nullptr)
    out.on_transition = [call = given.on_transition, user = given.transition_user](
                            std::uint32_t seed, SeedChange change) {
      call(user, seed, static_cast<std::int32_t>(change.from),
           static_cast<std::int32_t>(change.to));
    };
  return out;
}

kindred_seed_telemetry telemetry_of_seed(const SeedTelemetry& telemetry) {
  return {telemetry.count,      telemetry.mean, telemetry.variance,
          telemetry.dead_ratio, telemetry.min,  telemetry.max};
}

}  // namespace

SeedForwardOptions pass_options(const kindred_seeds_call* options) {
  const kindred_seeds_call given =
      options_of(options, kindred_seeds_call KINDRED_SEEDS_CALL_INIT, "options");
  check_reserved(given.reserved, "options");
  SeedForwardOptions out;
  out.telemetry = enum_of<SeedTelemetryUse>(given.telemetry, 3, "telemetry");
  out.space = space_option(given.space);
  out.stream = stream_option(given.has_stream, given.stream);
  return out;
}

kindred_status kindred_seeds_create(kindred_context* context, const kindred_seeds_options* options,
                                    kindred_seeds** seeds) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(seeds, "seeds");
    *seeds = make_handle_of<kindred_seeds>(std::make_shared<WithContext<SeedLayer>>(
        WithContext<SeedLayer>{object, SeedLayer(*object, seed_options(options))}));
  });
}

kindred_status kindred_seeds_destroy(kindred_seeds* seeds) noexcept {
  return destroy_handle(seeds, "seeds");
}

kindred_status kindred_seeds_get_statistics(const kindred_seeds* seeds,
                                            kindred_seeds_statistics* info) noexcept {
  return guarded([&] {
    const SeedLayer& layer = layer_of(seeds);
    check_output(info, "info");
    write_output(info, kindred_seeds_statistics{sizeof(kindred_seeds_statistics), layer.epoch(),
                                                layer.hidden(), layer.seeds(),
                                                layer.on_device() ? 1 : 0, 0});
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

kindred_status kindred_seeds_blueprints(const kindred_seeds* seeds,
                                        kindred_blueprints** blueprints) noexcept {
  return guarded([&] {
    const SeedLayer& layer = layer_of(seeds);
    require(blueprints, "blueprints");
    *blueprints = make_handle_of<kindred_blueprints>(layer.blueprints());
  });
}

kindred_status kindred_seeds_save_blueprints(const kindred_seeds* seeds,
                                             const char* path) noexcept {
  return guarded([&] { layer_of(seeds).blueprints().save(path_of(path)); });
}
kindred_status kindred_seeds_restore_blueprints(kindred_seeds* seeds, const char* path) noexcept {
  return guarded([&] { layer_of(seeds).restore_blueprints(path_of(path)); });
}

kindred_status kindred_seeds_forward(kindred_seeds* seeds, const DLTensor* x, DLTensor* y,
                                     const kindred_seeds_call* options,
                                     kindred_record* record) noexcept {
  return guarded([&] {
    SeedLayer& layer = layer_of(seeds);
    check_record(record);
    const SeedForwardOptions given = pass_options(options);
    require_all({{x, "x"}, {y, "y"}});
    write_record(record, layer.forward(array_of(x, "x"), output_array_of(y, "y"), given));
  });
}

kindred_status kindred_seeds_backward(kindred_seeds* seeds, const DLTensor* x,
                                      const DLTensor* gradient, DLTensor* dx, DLTensor* dw,
                                      const kindred_seeds_call* options,
                                      kindred_record* record) noexcept {
  return guarded([&] {
    SeedLayer& layer = layer_of(seeds);
    check_record(record);
    const SeedForwardOptions given = pass_options(options);
    require_all({{x, "x"}, {gradient, "gradient"}, {dx, "dx"}, {dw, "dw"}});
    const Array weights = output_array_of(dw, "dw");
    KINDRED_C_REFUSE_IF(!weights.is_contiguous(),
                        "dw is " + to_string(weights) + "; its elements must be contiguous");
    // In any number of dimensions.
    const std::array count{static_cast<std::int64_t>(weights.size())};
    write_record(
        record, layer.backward(
                    array_of(x, "x"), array_of(gradient, "gradient"), output_array_of(dx, "dx"),
                    {weights.data(), weights.type(), count, {}, weights.memory(), weights.device()},
                    given));
  });
}

kindred_status kindred_seeds_has_telemetry(const kindred_seeds* seeds, std::uint32_t age,
                                           std::int32_t* has) noexcept {
  return guarded([&] {
    const SeedLayer& layer = layer_of(seeds);
    require(has, "has");
    *has = layer.has_telemetry(age) ? 1 : 0;
  });
}

kindred_status kindred_seeds_start_telemetry(kindred_seeds* seeds, std::uint32_t age) noexcept {
  return guarded([&] { layer_of(seeds).start_telemetry(age); });
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

kindred_status kindred_seed_health(const kindred_seed_telemetry* telemetry,
                                   double* health) noexcept {
  return guarded([&] {
    require_all({{telemetry, "telemetry"}, {health, "health"}});
    *health = seed_health({telemetry->count, telemetry->mean, telemetry->variance, telemetry->min,
                           telemetry->max, telemetry->dead_ratio});
  });
}

kindred_status kindred_seeds_save(const kindred_seeds* seeds, const char* path) noexcept {
  return guarded([&] { layer_of(seeds).save(path_of(path)); });
}
kindred_status kindred_seeds_restore(kindred_seeds* seeds, const char* path) noexcept {
  return guarded([&] { layer_of(seeds).restore(path_of(path)); });
}

}  // namespace Kindred::C

// SPDX-License-Identifier: Apache-2.0
#include "Seeds.hpp"

#include <kindred/core/common/Error.hpp>

namespace Kindred::C {

namespace {

BlueprintRegistry& registry_of(const kindred_blueprints* blueprints) {
  return object_of(blueprints, "blueprints");
}

}  // namespace

kindred_status kindred_blueprints_create(kindred_blueprints** blueprints) noexcept {
  return guarded([&] {
    require(blueprints, "blueprints");
    *blueprints = make_handle_of<kindred_blueprints>();
  });
}

kindred_status kindred_blueprints_load(const char* path, kindred_blueprints** blueprints) noexcept {
  return guarded([&] {
    require_all({{path, "path"}, {blueprints, "blueprints"}});
    *blueprints = make_handle_of<kindred_blueprints>(BlueprintRegistry::load(path_of(path)));
  });
}

kindred_status kindred_blueprints_destroy(kindred_blueprints* blueprints) noexcept {
  return destroy_handle(blueprints, "blueprints");
}

kindred_status kindred_blueprints_save(const kindred_blueprints* blueprints,
                                       const char* path) noexcept {
  return guarded([&] { registry_of(blueprints).save(path_of(path)); });
}

kindred_status kindred_blueprints_size(const kindred_blueprints* blueprints,
                                       std::size_t* size) noexcept {
  return guarded([&] {
    const BlueprintRegistry& registry = registry_of(blueprints);
    require(size, "size");
    *size = registry.size();
  });
}

kindred_status kindred_blueprints_find(const kindred_blueprints* blueprints, const char* name,
                                       std::size_t size, std::int32_t* id) noexcept {
  return guarded([&] {
    const BlueprintRegistry& registry = registry_of(blueprints);
    const std::string_view text = text_of(name, size, "name");
    require(id, "id");
    const std::optional<std::int32_t> found = registry.find(text);
    if (!found) throw NotFound("there is no blueprint of the name " + std::string(text));
    *id = *found;
  });
}

kindred_status kindred_blueprints_get(const kindred_blueprints* blueprints, std::int32_t id,
                                      kindred_blueprint* blueprint) noexcept {
  return guarded([&] {
    const BlueprintRegistry& registry = registry_of(blueprints);
    check_output(blueprint, "blueprint");
    const std::string& name = registry.name(id);
    const std::span<const float> weights = registry.weights(id);
    write_output(blueprint,
                 kindred_blueprint{sizeof(kindred_blueprint), name.c_str(), name.size(),
                                   weights.data(), weights.size(), registry.version(id)});
  });
}

kindred_status kindred_blueprints_add(kindred_blueprints* blueprints, const char* name,
                                      std::size_t size, const float* weights, std::size_t count,
                                      std::int32_t* id) noexcept {
  return guarded([&] {
    BlueprintRegistry& registry = registry_of(blueprints);
    const std::string_view text = text_of(name, size, "name");
    const std::span<const float> values = span_of(weights, count, "weights");
    require(id, "id");
    *id = registry.add(std::string(text), values);
  });
}

kindred_status kindred_blueprints_replace(kindred_blueprints* blueprints, std::int32_t id,
                                          const float* weights, std::size_t count) noexcept {
  return guarded([&] { registry_of(blueprints).replace(id, span_of(weights, count, "weights")); });
}

kindred_status kindred_blueprints_remove(kindred_blueprints* blueprints, std::int32_t id) noexcept {
  return guarded([&] { registry_of(blueprints).remove(id); });
}

}  // namespace Kindred::C

// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a checkpoint of seeds and as blueprints: rejected, or read within their
// bounds.
#include "StoredTarget.hpp"
#include "seed/StoredSeeds.hpp"

#include <kindred/matcher/BlueprintRegistry.hpp>

namespace Kindred::Testing {

std::vector<std::string> good_files() { return stored_files({"seeds.knd", "blueprints.knd"}); }

void use_blueprints(const std::string& path) {
  const BlueprintRegistry registry = BlueprintRegistry::load(path);
  for (std::int32_t id = 0; id < static_cast<std::int32_t>(registry.size()); ++id)
    if (registry.contains(id)) read_numbers(registry.weights(id), registry.name(id));
}

/// As a checkpoint, or as blueprints.
void use(const std::string& path) {
  try {
    const Impl::StoredSeeds checkpoint = Impl::load_checkpoint(path);
    read_numbers(checkpoint.state.alpha, checkpoint.state.blueprint);
    for (std::size_t row = 0; row < checkpoint.schedules.rows(); ++row)
      read_numbers(checkpoint.schedules[row]);
    for (std::size_t row = 0; row < checkpoint.blueprints.rows(); ++row)
      read_numbers(checkpoint.blueprints[row]);
  } catch (const CorruptFile&) {
    use_blueprints(path);
  }
}

}  // namespace Kindred::Testing

// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a checkpoint of seeds and as blueprints: rejected, or read within their
// bounds.
#include "StoredTarget.hpp"
#include "TextRows.hpp"
#include "seed/StoredSeeds.hpp"

#include <kindred/matcher/BlueprintRegistry.hpp>

namespace Kindred::Testing {

/// Saves a valid checkpoint: three seeds, one of them grafting, with the state of its schedule.
void save_checkpoint(const std::string& path) {
  Impl::StoredSeeds checkpoint;
  checkpoint.hidden = 7;
  checkpoint.epoch = 120;
  checkpoint.state = SeedState(3);
  checkpoint.state.lifecycle[1] = Lifecycle::grafting;
  checkpoint.state.blueprint[1] = 1;
  checkpoint.state.alpha[1] = 0.5F;
  checkpoint.state.schedule[1] = AlphaSchedule::stability;
  for (const std::vector<double>& row : {std::vector<double>{}, {0.25, 1.0}, {}})
    checkpoint.schedules.push_row(row);
  checkpoint.blueprints = text_rows({"", "doubles"});
  Impl::save_checkpoint(path, checkpoint);
}
void save_blueprints(const std::string& path) {
  BlueprintRegistry registry;
  registry.add("doubles", std::vector<float>(7, 2.0F));
  registry.add("gone", std::vector<float>(3, 1.0F));
  registry.remove(1);
  registry.add("short", std::vector<float>(2, -1.0F));
  registry.save(path);
}

/// The sum of all numbers that were read.
double use(const Impl::StoredSeeds& checkpoint) {
  double sum = static_cast<double>(checkpoint.hidden + checkpoint.epoch);
  for (std::size_t i = 0; i < checkpoint.state.seeds(); ++i)
    sum += checkpoint.state.alpha[i] + static_cast<double>(checkpoint.state.blueprint[i]);
  for (std::size_t row = 0; row < checkpoint.schedules.rows(); ++row) {
    for (const double number : checkpoint.schedules[row]) sum += number;
  }
  for (std::size_t row = 0; row < checkpoint.blueprints.rows(); ++row) {
    for (const char letter : checkpoint.blueprints[row]) sum += letter;
  }
  return sum;
}
double use(const BlueprintRegistry& registry) {
  double sum = 0;
  for (std::int32_t id = 0; id < static_cast<std::int32_t>(registry.size()); ++id) {
    if (!registry.contains(id)) continue;
    for (const float weight : registry.weights(id)) sum += weight;
    sum += static_cast<double>(registry.name(id).size());
  }
  return sum;
}

const std::vector<std::string>& good_files() {
  static const std::vector<std::string> files{file_of(save_checkpoint), file_of(save_blueprints)};
  return files;
}

bool is_good(const std::string& path, std::size_t which) {
  return which == 0 ? Impl::load_checkpoint(path).epoch == 120
                    : BlueprintRegistry::load(path).weights(2).size() == 2;
}

/// As a checkpoint, and as blueprints.
void use(const std::string& path) {
  const auto try_load = [](const auto& load) {
    try {
      const volatile double sum = use(load());
      static_cast<void>(sum);
    } catch (const CorruptFile&) {
    }
  };
  try_load([&] { return Impl::load_checkpoint(path); });
  try_load([&] { return BlueprintRegistry::load(path); });
}

}  // namespace Kindred::Testing

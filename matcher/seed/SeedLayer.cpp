// SPDX-License-Identifier: Apache-2.0
#include "SeedLayerState.hpp"
#include "SeedRules.hpp"
#include "StoredSeeds.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Quotes.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace KINDRED_PUBLIC Kindred {

namespace {

constexpr std::uint32_t telemetry_epochs_max = 1U << 20U;

/// Calls \p body, which takes over the contents of a file. Its InvalidArgument names the file.
template <class Body>
void naming(const std::string& path, const Body& body) {
  try {
    body();
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(path + ": " + error.what());
  }
}

/// \throws InvalidArgument for limits with which nothing compares, and for errors_max below 1
void check_rules(const TransitionRules& rules) {
  const std::pair<const char*, double> limits[] = {
      {"reconstruction_loss_max", rules.reconstruction_loss_max},
      {"stability_min", rules.stability_min},
      {"total_improvement_min", rules.total_improvement_min},
      {"final_stability_min", rules.final_stability_min},
      {"performance_loss", rules.performance_loss},
      {"error_rate_max", rules.error_rate_max}};
  for (const auto& [name, limit] : limits)
    KINDRED_THROW_IF(std::isnan(limit), std::string(name) + " is nan; it must be a number");
  KINDRED_THROW_IF(rules.errors_max < 1,
                   "errors_max is " + std::to_string(rules.errors_max) + "; it must be at least 1");
  KINDRED_THROW_IF(
      rules.embargo_epochs < 0,
      "embargo_epochs is " + std::to_string(rules.embargo_epochs) + "; it must be at least 0");
}

/// The arrays of the state are not allocated within the budget, so that they are checked before.
/// \throws OutOfMemory
void check_budget(const Context& context, std::uint32_t seeds) {
  const SeedState one(1);
  std::uint64_t each = sizeof(std::unique_ptr<GraftingSchedule>);
  Impl::for_each_array(
      one, [&](const char*, const auto& array) { each += array.size() * sizeof(array[0]); });
  const std::uint64_t bytes = each * seeds;
  const std::uint64_t budget = context.info(Space::serial).memory_budget;
  const std::uint64_t used = context.memory_statistics(Space::serial).bytes_in_use;
  if (bytes <= budget - std::min(budget, used)) return;
  throw OutOfMemory("host", bytes, "Kindred::SeedLayer::state",
                    std::to_string(used) + " of the budget of " + std::to_string(budget) +
                        " bytes are in use; use fewer seeds or a larger budget");
}

}  // namespace

SeedLayer::SeedLayer(Context& context, const SeedLayerOptions& options) try {
  KINDRED_THROW_IF(options.hidden == 0, "hidden is 0; it must be at least 1");
  KINDRED_THROW_IF(options.hidden > 1U << 31U || options.seeds > 1U << 31U,
                   "hidden is " + std::to_string(options.hidden) + " and seeds " +
                       std::to_string(options.seeds) + "; each must be at most 2147483648");
  KINDRED_THROW_IF(options.telemetry_epochs > telemetry_epochs_max,
                   "telemetry_epochs is " + std::to_string(options.telemetry_epochs) +
                       "; the ring keeps " + std::to_string(telemetry_epochs_max) + " at most");
  (void)GraftingSchedule(AlphaSchedule::linear, options.schedules);  // checks the settings
  check_rules(options.rules);
  check_budget(context, options.seeds);
  m_state = std::make_unique<Impl::SeedLayerState>(context, options);
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer");
}

std::uint32_t SeedLayer::hidden() const noexcept { return m_state->chunks.hidden; }
std::uint32_t SeedLayer::seeds() const noexcept { return m_state->chunks.seeds; }
std::uint32_t SeedLayer::chunk_begin(std::uint32_t seed) const noexcept {
  return seed >= seeds() ? hidden() : m_state->chunks.begin(seed);
}
std::uint64_t SeedLayer::epoch() const noexcept { return m_state->epoch(); }
bool SeedLayer::on_device() const noexcept { return m_state->on_device(); }
std::string SeedLayer::device_trouble() const try {
  return m_state->device_trouble();
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::device_trouble");
}

// --- blueprints

BlueprintRegistry SeedLayer::blueprints() const try { return m_state->blueprints(); } catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::blueprints");
}

std::int32_t SeedLayer::add_blueprint(std::string name, std::span<const float> weights) try {
  const Impl::SeedTurn seeds = m_state->turn();
  KINDRED_THROW_IF(weights.size() > hidden(), "a blueprint of " + std::to_string(weights.size()) +
                                                  " weights for rows of " +
                                                  std::to_string(hidden()) + " features");
  return seeds->add_blueprint(std::move(name), weights);
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::add_blueprint");
}

void SeedLayer::replace_blueprint(std::int32_t id, std::span<const float> weights) try {
  m_state->turn()->replace_blueprint(id, weights);
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::replace_blueprint");
}

void SeedLayer::remove_blueprint(std::int32_t id) try {
  const Impl::SeedTurn seeds = m_state->turn();
  const std::vector<std::int32_t>& of = seeds->state().blueprint;
  const auto user = std::find(of.begin(), of.end(), id);
  KINDRED_THROW_IF(id >= 0 && user != of.end(), "blueprint " + std::to_string(id) +
                                                    " is used by seed " +
                                                    std::to_string(user - of.begin()) +
                                                    "; assign another one to this seed first");
  seeds->remove_blueprint(id);
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::remove_blueprint");
}

void SeedLayer::restore_blueprints(const std::string& path) try {
  BlueprintRegistry registry = BlueprintRegistry::load(path);
  const Impl::SeedTurn seeds = m_state->turn();
  for (std::size_t id = 0; id < registry.size(); ++id) {
    const auto requested = static_cast<std::int32_t>(id);
    if (!registry.contains(requested)) continue;
    const std::size_t weights = registry.weights(requested).size();
    KINDRED_THROW_IF(weights > hidden(), path + ": blueprint " + std::to_string(id) + " has " +
                                             std::to_string(weights) +
                                             " weights; rows of the layer have " +
                                             std::to_string(hidden()) + " features");
  }
  naming(path, [&] {
    Impl::check_blueprints(m_state->chunks, seeds->state(), registry);
    seeds->adopt(std::move(registry));
  });
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::restore_blueprints");
}

// --- checkpoints

void SeedLayer::save(const std::string& path) const try {
  Impl::StoredSeeds checkpoint;
  {
    const Impl::SeedTurn seeds = m_state->turn();
    checkpoint.hidden = hidden();
    checkpoint.epoch = epoch();
    checkpoint.state = seeds->state();
    for (const auto& schedule : seeds->schedules()) {
      if (schedule)
        checkpoint.schedules.push_row(schedule->state());
      else
        checkpoint.schedules.close_row();
    }
    const BlueprintRegistry& registry = seeds->blueprints();
    for (std::size_t id = 0; id < registry.size(); ++id) {
      const auto requested = static_cast<std::int32_t>(id);
      if (registry.contains(requested)) {
        checkpoint.blueprints.push_row(registry.name(requested));
      } else {
        checkpoint.blueprints.close_row();
      }
    }
  }
  Impl::save_checkpoint(path, checkpoint);
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::save");
}

void SeedLayer::restore(const std::string& path) try {
  Impl::StoredSeeds checkpoint = Impl::load_checkpoint(path);
  const Impl::SeedTurn seeds = m_state->turn();
  naming(path, [&] {
    const auto check_same = [](const char* what, std::uint64_t saved, std::uint64_t own) {
      KINDRED_THROW_IF(saved != own, "a checkpoint of a layer with " + std::to_string(saved) + " " +
                                         what + "; this one has " + std::to_string(own));
    };
    check_same("features", checkpoint.hidden, hidden());
    check_same("seeds", checkpoint.state.seeds(), this->seeds());
    const BlueprintRegistry& registry = seeds->blueprints();
    for (std::size_t seed = 0; seed < checkpoint.state.seeds(); ++seed) {
      const std::int32_t id = checkpoint.state.blueprint[seed];
      if (id < 0) continue;
      const std::span<const char> name = checkpoint.blueprints[static_cast<std::size_t>(id)];
      KINDRED_THROW_IF(
          !registry.contains(id) || registry.name(id) != std::string_view(name.data(), name.size()),
          "seed " + std::to_string(seed) + " has blueprint " + std::to_string(id) + ", " +
              in_quotes(std::string_view(name.data(), name.size())) +
              ", which the layer does not have under this id");
    }
    Impl::check_blueprints(m_state->chunks, checkpoint.state, registry);
    auto schedules = seeds->new_schedules(checkpoint.state);
    for (std::size_t seed = 0; seed < schedules.size(); ++seed) {
      if (schedules[seed]) schedules[seed]->restore(checkpoint.schedules[seed]);
    }
    seeds->adopt(std::move(checkpoint.state), std::move(schedules));
    seeds->set_epoch(checkpoint.epoch);
  });
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::restore");
}

double seed_health(const SeedTelemetry& telemetry) noexcept {
  if (telemetry.count == 0) return 0;
  const double variance = telemetry.variance >= 0 ? std::min(1.0, telemetry.variance / 0.01) : 0;
  return 0.5 * variance + 0.5 * (1 - telemetry.dead_ratio);
}

}  // namespace Kindred

// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/matcher/SeedLayer.hpp>
#include <kindred/matcher/SeedOperationInfo.hpp>

#include "SeedLayerState.hpp"
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

SeedLayer::State::State(Context& given, const SeedLayerOptions& requested)
    : context(given),
      options(requested),
      chunks{requested.hidden, requested.seeds},
      seeds(requested.seeds),
      transfers{Transfer(given.pinned_memory()), Transfer(given.pinned_memory())} {
  context.dispatcher().register_operations({Operations::seeds});
  schedules.resize(requested.seeds);
  if (requested.telemetry_epochs > 0) slots.resize(std::size_t{requested.telemetry_epochs} + 1);
  const auto bind = [&]<class ExecutionSpace>(const ExecutionSpace& exec_space, Space space,
                                              std::uint64_t bytes) {
    auto& side = sides.get<ExecutionSpace>();
    MemoryResource& memory = context.memory(space);
    using Words = Buffer<std::uint32_t, typename ExecutionSpace::memory_space>;
    side.state.bind(memory, seeds);
    side.winners =
        Words(memory, "Kindred::SeedLayer::winners", std::size_t{chunks.seeds} * seed_fields);
    Kokkos::deep_copy(exec_space, side.winners.view(), 0U);
    side.blueprints.bind(memory, chunks.hidden, bytes);
    side.blueprints.serve(exec_space, blueprints, {});
    side.ring.bind(exec_space, memory, chunks.seeds, static_cast<std::uint32_t>(slots.size()));
    side.state.start_upload(exec_space, seeds);
    Arch::fence(exec_space, "Kindred::SeedLayer::bind");
  };
  bind(Impl::HostLease(context, Space::serial).get(), Space::serial, 0);
  if (options.residency == Residency::host) return;
  if (!context.is_usable(Space::cuda)) {
    if (!needs_device(options.residency)) return;
    throw SpaceUnavailable("space cuda cannot hold the seed layer: " +
                           context.info(Space::cuda).why_not);
  }
  try {
    Impl::with_instance(context, Space::cuda, [&](const auto& exec_space) {
      bind(exec_space, Space::cuda,
           std::max<std::uint64_t>(options.blueprint_bytes, chunks.hidden * sizeof(float)));
    });
    if (!slots.empty()) {
      for (Transfer& transfer : transfers) transfer.moments.resize_discarding(chunks.seeds);
    }
    on_device = true;
  } catch (const OutOfMemory& error) {
    if (needs_device(options.residency)) throw;
    context.log(LogLevel::info, std::string("the seed layer stays on the host: ") + error.what());
  }
}

void SeedLayer::State::serve_host(const BlueprintRegistry& registry,
                                  const std::vector<std::uint32_t>& of) {
  sides.get<HostSpace>().blueprints.serve(Impl::HostLease(context, Space::serial).get(), registry,
                                          needed_of(of));
}

void SeedLayer::State::sync_device() {
  trouble = nullptr;
  {
    const std::lock_guard lock(reading);
    trouble_text.clear();
  }
  on_the_device([&](const auto& exec_space, auto& side) {
    side.state.start_upload(exec_space, seeds);
    side.blueprints.clear();
    side.blueprints.serve(exec_space, blueprints, needed_of(uses));
  });
}

void SeedLayer::State::note_trouble(const char* what) noexcept {
  trouble = std::current_exception();
  ++revision;  // recorded calls must not use the outdated state on the device
  try {
    {
      const std::lock_guard lock(reading);
      trouble_text = what;
    }
    context.log(LogLevel::warning, std::string("the seed layer continues on the host: ") + what);
  } catch (const std::exception&) {
    return;  // no memory for the message; the results of the host are correct nevertheless
  }
}

SeedLayer::SeedLayer(Context& context, const SeedLayerOptions& options) try {
  KINDRED_THROW_IF(options.hidden == 0, "hidden is 0; it must be at least 1");
  KINDRED_THROW_IF(options.hidden > 1U << 31U || options.seeds > 1U << 31U,
                   "hidden is " + std::to_string(options.hidden) + " and seeds " +
                       std::to_string(options.seeds) + "; each must be at most 2147483648");
  KINDRED_THROW_IF(options.telemetry_epochs > telemetry_epochs_max,
                   "telemetry_epochs is " + std::to_string(options.telemetry_epochs) +
                       "; the ring keeps " + std::to_string(telemetry_epochs_max) + " at most");
  check_settings(options.schedules);
  KINDRED_THROW_IF(
      options.rules.errors_max < 1,
      "errors_max is " + std::to_string(options.rules.errors_max) + "; it must be at least 1");
  check_budget(context, options.seeds);
  m_state = std::make_unique<State>(context, options);
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer");
}

SeedLayer::State::~State() {
  // Launched kernels still read the state.
  on_the_device([](const auto&, auto&) {});
}

std::uint32_t SeedLayer::hidden() const noexcept { return m_state->chunks.hidden; }
std::uint32_t SeedLayer::seeds() const noexcept { return m_state->chunks.seeds; }
std::uint32_t SeedLayer::chunk_begin(std::uint32_t seed) const noexcept {
  return seed >= seeds() ? hidden() : m_state->chunks.begin(seed);
}
std::uint64_t SeedLayer::epoch() const noexcept { return m_state->epoch.load(); }
bool SeedLayer::on_device() const noexcept { return m_state->on_device; }
std::string SeedLayer::device_trouble() const try {
  const auto lock = m_state->read();
  return m_state->trouble_text;
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::device_trouble");
}

// --- blueprints

BlueprintRegistry SeedLayer::blueprints() const try {
  const auto lock = m_state->read();
  return m_state->blueprints;
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::blueprints");
}

std::int32_t SeedLayer::add_blueprint(std::string name, std::span<const float> weights) try {
  State& state = *m_state;
  const auto lock = Impl::engine_lock(state.mutex);
  KINDRED_THROW_IF(weights.size() > state.chunks.hidden,
                   "a blueprint of " + std::to_string(weights.size()) + " weights for rows of " +
                       std::to_string(state.chunks.hidden) + " features");
  state.uses.reserve(state.uses.size() + 1);
  const std::lock_guard changing(state.reading);
  const std::int32_t id = state.blueprints.add(std::move(name), weights);
  state.uses.push_back(0);
  ++state.revision;
  return id;
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::add_blueprint");
}

void SeedLayer::replace_blueprint(std::int32_t id, std::span<const float> weights) try {
  State& state = *m_state;
  const auto lock = Impl::engine_lock(state.mutex);
  {
    const std::lock_guard changing(state.reading);
    state.blueprints.replace(id, weights);
  }
  state.sides.get<HostSpace>().blueprints.refresh(
      Impl::HostLease(state.context, Space::serial).get(), state.blueprints, id);
  state.on_the_device([&](const auto& exec_space, auto& side) {
    side.blueprints.refresh(exec_space, state.blueprints, id);
  });
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::replace_blueprint");
}

void SeedLayer::remove_blueprint(std::int32_t id) try {
  State& state = *m_state;
  const auto lock = Impl::engine_lock(state.mutex);
  const std::vector<std::int32_t>& of = state.seeds.blueprint;
  const auto user = std::find(of.begin(), of.end(), id);
  KINDRED_THROW_IF(id >= 0 && user != of.end(), "blueprint " + std::to_string(id) +
                                                    " is used by seed " +
                                                    std::to_string(user - of.begin()) +
                                                    "; assign another one to this seed first");
  const std::lock_guard changing(state.reading);
  state.blueprints.remove(id);
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::remove_blueprint");
}

void SeedLayer::save_blueprints(const std::string& path) const try {
  blueprints().save(path);
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::save_blueprints");
}

void SeedLayer::restore_blueprints(const std::string& path) try {
  State& state = *m_state;
  BlueprintRegistry registry = BlueprintRegistry::load(path);
  const auto lock = Impl::engine_lock(state.mutex);
  for (std::size_t id = 0; id < registry.size(); ++id) {
    const auto requested = static_cast<std::int32_t>(id);
    if (!registry.contains(requested)) continue;
    const std::size_t weights = registry.weights(requested).size();
    KINDRED_THROW_IF(weights > state.chunks.hidden,
                     path + ": blueprint " + std::to_string(id) + " has " +
                         std::to_string(weights) + " weights; rows of the layer have " +
                         std::to_string(state.chunks.hidden) + " features");
  }
  naming(path, [&] {
    state.check_blueprints(state.seeds, registry);
    state.take(state.seeds, std::move(registry));
  });
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::restore_blueprints");
}

// --- checkpoints

void SeedLayer::save(const std::string& path) const try {
  Impl::StoredSeeds checkpoint;
  {
    const State& state = *m_state;
    const auto lock = Impl::engine_lock(state.mutex);
    checkpoint.hidden = state.chunks.hidden;
    checkpoint.epoch = state.epoch;
    checkpoint.state = state.seeds;
    for (const auto& schedule : state.schedules) {
      if (schedule)
        checkpoint.schedules.push_row(schedule->state());
      else
        checkpoint.schedules.close_row();
    }
    for (std::size_t id = 0; id < state.blueprints.size(); ++id) {
      const auto requested = static_cast<std::int32_t>(id);
      if (state.blueprints.contains(requested)) {
        checkpoint.blueprints.push_row(state.blueprints.name(requested));
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
  State& state = *m_state;
  const auto lock = Impl::engine_lock(state.mutex);
  naming(path, [&] {
    const auto check_same = [](const char* what, std::uint64_t saved, std::uint64_t own) {
      KINDRED_THROW_IF(saved != own, "a checkpoint of a layer with " + std::to_string(saved) + " " +
                                         what + "; this one has " + std::to_string(own));
    };
    check_same("features", checkpoint.hidden, state.chunks.hidden);
    check_same("seeds", checkpoint.state.seeds(), state.chunks.seeds);
    for (std::size_t seed = 0; seed < checkpoint.state.seeds(); ++seed) {
      const std::int32_t id = checkpoint.state.blueprint[seed];
      if (id < 0) continue;
      const std::span<const char> name = checkpoint.blueprints[static_cast<std::size_t>(id)];
      KINDRED_THROW_IF(!state.blueprints.contains(id) ||
                           state.blueprints.name(id) != std::string_view(name.data(), name.size()),
                       "seed " + std::to_string(seed) + " has blueprint " + std::to_string(id) +
                           ", " + in_quotes(std::string_view(name.data(), name.size())) +
                           ", which the layer does not have under this id");
    }
    state.check_blueprints(checkpoint.state, state.blueprints);
    auto schedules = state.new_schedules(checkpoint.state);
    for (std::size_t seed = 0; seed < schedules.size(); ++seed) {
      if (schedules[seed]) schedules[seed]->restore(checkpoint.schedules[seed]);
    }
    state.take(std::move(checkpoint.state), state.blueprints);
    state.schedules = std::move(schedules);
    state.epoch = checkpoint.epoch;
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

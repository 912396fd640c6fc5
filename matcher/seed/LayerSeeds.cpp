// SPDX-License-Identifier: Apache-2.0
#include "SeedLayerState.hpp"

#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/seed/UpdateSeeds.hpp>
#include <kindred/matcher/SeedOperationInfo.hpp>
#include <kindred/memory/Copies.hpp>

#include <algorithm>

#include "kit/Placement.hpp"

namespace Kindred::Impl {

SeedLayerState::SeedLayerState(Context& given, const SeedLayerOptions& requested)
    : context(given),
      options(requested),
      chunks{requested.hidden, requested.seeds},
      m_seeds(requested.seeds) {
  context.dispatcher().register_operations({Operations::seeds});
  static_cast<void>(m_calls.take([this] { return std::make_unique<LayerSeeds>(*this); }));
}

LayerSeeds::LayerSeeds(SeedLayerState& layer)
    : telemetry(layer.context, m_streams, layer.chunks.seeds, layer.options.telemetry_epochs),
      m_layer(layer),
      m_schedules(layer.chunks.seeds) {
  const Context& context = layer.context;
  bind(HostLease(context, Space::serial).get(), Space::serial, 0);
  place_on_device(context, layer.options.residency, "the seed layer", [&] {
    with_instance(context, Space::cuda, [&](const auto& exec_space) {
      bind(exec_space, Space::cuda,
           std::max<std::uint64_t>(layer.options.blueprint_bytes,
                                   layer.chunks.hidden * sizeof(float)));
    });
    layer.m_on_device = true;
  });
}

template <class ExecutionSpace>
void LayerSeeds::bind(const ExecutionSpace& exec_space, Space space,
                      std::uint64_t blueprint_bytes) {
  using Words = Buffer<std::uint32_t, typename ExecutionSpace::memory_space>;
  MemoryResource& memory = m_layer.context.memory(space);
  const SeedChunks& chunks = m_layer.chunks;
  SeedSide<ExecutionSpace>& own = side<ExecutionSpace>();
  own.state.bind(memory, state());
  own.winners =
      Words(memory, "Kindred::SeedLayer::winners", std::size_t{chunks.seeds} * seed_fields);
  Arch::start_fill(exec_space, own.winners.view(), 0U);
  own.blueprints.bind(memory, chunks.hidden, blueprint_bytes);
  own.blueprints.serve(exec_space, blueprints(), {});
  telemetry.bind(exec_space, memory);
  own.state.start_upload(exec_space, m_layer.m_seeds);
  Arch::fence(exec_space, "Kindred::SeedLayer::bind");
}

LayerSeeds::~LayerSeeds() {
  // Launched kernels still read the state.
  on_the_device([](const auto&, auto&) {});
}

LayerSeeds::Uses LayerSeeds::uses_of(const SeedState& state, std::size_t blueprints) {
  Uses out(blueprints, 0);
  for (std::size_t seed = 0; seed < state.seeds(); ++seed) {
    if (applies_blueprint(state.lifecycle[seed]))
      ++out[static_cast<std::size_t>(state.blueprint[seed])];
  }
  return out;
}

std::vector<std::int32_t> LayerSeeds::needed_of(const Uses& uses) {
  std::vector<std::int32_t> out;
  for (std::size_t id = 0; id < uses.size(); ++id) {
    if (uses[id] > 0) out.push_back(static_cast<std::int32_t>(id));
  }
  return out;
}

LayerSeeds::Schedules LayerSeeds::new_schedules(const SeedState& state) const {
  Schedules out(state.seeds());
  for (std::size_t seed = 0; seed < state.seeds(); ++seed) {
    if (state.lifecycle[seed] == Lifecycle::grafting)
      out[seed] =
          std::make_unique<GraftingSchedule>(state.schedule[seed], m_layer.options.schedules);
  }
  return out;
}

void LayerSeeds::serve_host(const Uses& uses) {
  side<HostSpace>().blueprints.serve(HostLease(m_layer.context, Space::serial).get(), blueprints(),
                                     needed_of(uses));
}

void LayerSeeds::sync_device() {
  m_trouble = nullptr;
  publish([&] { m_layer.m_trouble.clear(); });
  on_the_device([&](const auto& exec_space, auto& device) {
    device.state.start_upload(exec_space, m_layer.m_seeds);
    device.blueprints.clear();
    device.blueprints.serve(exec_space, blueprints(), needed_of(m_uses));
  });
}

void LayerSeeds::note_trouble(const char* what) noexcept {
  m_trouble = std::current_exception();
  ++m_layer.m_revision;  // recorded calls must not use the outdated state on the device
  try {
    publish([&] { m_layer.m_trouble = what; });
    m_layer.context.log(LogLevel::warning,
                        std::string("the seed layer continues on the host: ") + what);
  } catch (const std::exception&) {
    return;  // no memory for the message; the results of the host are correct nevertheless
  }
}

std::vector<SeedEvent> LayerSeeds::apply(std::span<const SeedUpdate> updates,
                                         std::span<const Touched> touched) {
  // The steps that can fail come first.
  std::vector<SeedEvent> events;
  Uses uses;
  std::vector<std::pair<std::uint32_t, std::unique_ptr<GraftingSchedule>>> renewed;
  const auto applied = [](const SeedSituation& seed) {
    return applies_blueprint(seed.lifecycle) ? seed.blueprint : seed_none;
  };
  for (const Touched& change : touched) {
    const std::uint32_t seed = change.seed;
    if (applied(change.before) != applied(change.after)) {
      if (uses.empty()) uses = m_uses;
      if (applied(change.before) != seed_none)
        --uses[static_cast<std::size_t>(change.before.blueprint)];
      if (applied(change.after) != seed_none)
        ++uses[static_cast<std::size_t>(change.after.blueprint)];
    }
    const bool grafts = change.after.lifecycle == Lifecycle::grafting;
    const bool is_other = change.after.lifecycle != change.before.lifecycle;
    if (is_other) events.push_back({seed, {change.before.lifecycle, change.after.lifecycle}, {}});
    if (!is_other && (!grafts || change.schedule_after == change.schedule_before)) continue;
    renewed.emplace_back(seed, grafts ? std::make_unique<GraftingSchedule>(
                                            change.schedule_after, m_layer.options.schedules)
                                      : nullptr);
  }
  if (!uses.empty()) serve_host(uses);
  {
    const HostLease lease(m_layer.context, Space::serial);
    const HostSpace& host = lease.get();
    SeedSide<HostSpace>& own = side<HostSpace>();
    publish([&] {
      update_seeds(host, own.state.view(m_layer.m_seeds),
                   ArrayView<const SeedUpdate, HostSpace>(updates.data(), updates.size()),
                   own.winners.view());
      // Nothing may fail from here on.
      Arch::fence(host, "Kindred::SeedLayer::update");
    });
  }
  if (!uses.empty()) m_uses = std::move(uses);
  for (auto& [seed, schedule] : renewed) m_schedules[seed] = std::move(schedule);
  ++m_layer.m_revision;
  if (m_trouble) {
    sync_device();
    return events;
  }
  on_the_device([&]<class ExecutionSpace>(const ExecutionSpace& exec_space,
                                          SeedSide<ExecutionSpace>& device) {
    if (device.updates.size() < updates.size()) {
      device.updates = Buffer<SeedUpdate, typename ExecutionSpace::memory_space>(
          m_layer.context.memory(Space::cuda), "Kindred::SeedLayer::updates", updates.size());
    }
    device.blueprints.serve(exec_space, blueprints(), needed_of(m_uses));
    start_upload(exec_space, device.updates.view(), updates.data(), updates.size());
    update_seeds(exec_space, device.state.view(m_layer.m_seeds),
                 ArrayView<const SeedUpdate, ExecutionSpace>(device.updates.data(), updates.size()),
                 device.winners.view());
  });
  return events;
}

void LayerSeeds::adopt(SeedState state, Schedules schedules) {
  Uses uses = uses_of(state, blueprints().size());
  serve_host(uses);
  publish([&] { m_layer.m_seeds = std::move(state); });
  m_uses = std::move(uses);
  m_schedules = std::move(schedules);
  ++m_layer.m_revision;
  sync_device();
}

void LayerSeeds::adopt(BlueprintRegistry given) {
  Uses uses = uses_of(state(), given.size());
  auto& cache = side<HostSpace>().blueprints;
  const HostLease lease(m_layer.context, Space::serial);
  const std::vector<std::int32_t> needed = needed_of(uses);
  const std::vector<std::int32_t> needed_before = needed_of(m_uses);
  cache.clear();
  try {
    cache.serve(lease.get(), given, needed);
  } catch (...) {
    cache.serve(lease.get(), blueprints(), needed_before);  // its memory already exists
    throw;
  }
  publish([&] { m_layer.m_blueprints = std::move(given); });
  m_uses = std::move(uses);
  ++m_layer.m_revision;
  sync_device();
}

std::int32_t LayerSeeds::add_blueprint(std::string name, std::span<const float> weights) {
  m_uses.reserve(m_uses.size() + 1);
  std::int32_t id = 0;
  publish([&] { id = m_layer.m_blueprints.add(std::move(name), weights); });
  m_uses.push_back(0);
  ++m_layer.m_revision;
  return id;
}

void LayerSeeds::replace_blueprint(std::int32_t id, std::span<const float> weights) {
  const HostLease lease(m_layer.context, Space::serial);  // which may fail, so before the change
  publish([&] { m_layer.m_blueprints.replace(id, weights); });
  side<HostSpace>().blueprints.refresh(lease.get(), blueprints(), id);
  on_the_device([&](const auto& exec_space, auto& device) {
    device.blueprints.refresh(exec_space, blueprints(), id);
  });
}

void LayerSeeds::remove_blueprint(std::int32_t id) {
  publish([&] { m_layer.m_blueprints.remove(id); });
}

void LayerSeeds::end_epoch() {
  ++m_layer.m_epoch;
  if (!telemetry.has(SeedTelemetryUse::last)) return;
  telemetry.advance();
  on_the_device([&](const auto& exec_space, auto&) { telemetry.clear(exec_space); });
}

}  // namespace Kindred::Impl

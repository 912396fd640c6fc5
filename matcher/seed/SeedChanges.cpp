// SPDX-License-Identifier: Apache-2.0
#include "SeedLayerState.hpp"
#include "StateFault.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/simd/Prefetch.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Quotes.hpp>
#include <kindred/core/seed/UpdateSeeds.hpp>
#include <kindred/memory/Copies.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace Kindred {

namespace {

bool is_culled_by_errors(const SeedSituation& seed, const TransitionRules& rules) {
  return seed.errors >= rules.errors_max && seed.lifecycle >= Lifecycle::germinated &&
         seed.lifecycle <= Lifecycle::fossilized;
}

SeedUpdate update_of(std::uint32_t seed, unsigned mask) {
  SeedUpdate update;
  update.seed = seed;
  update.mask = static_cast<std::uint16_t>(mask);
  return update;
}

SeedUpdate change_to(std::uint32_t seed, Lifecycle to) {
  SeedUpdate update = update_of(seed, seed_lifecycle);
  update.lifecycle = to;
  return update;
}

/// Whether \p code is valid. The cast turns a negative code into a large number.
template <class Code>
bool is_code(Code code, std::size_t count) {
  return static_cast<std::size_t>(static_cast<int>(code)) < count;
}

/// Whether `fault_of` would find no fault; takes a few nanoseconds.
bool is_sound(const SeedUpdate& update) {
  const auto given = [&](SeedField field) { return (update.mask & field) != 0; };
  return update.mask < 1U << seed_fields &&
         (!given(seed_lifecycle) || is_code(update.lifecycle, lifecycle_names.size())) &&
         (!given(seed_mode) || is_code(update.mode, apply_mode_names.size())) &&
         (!given(seed_schedule) || is_code(update.schedule, alpha_schedule_names.size())) &&
         (!given(seed_alpha) || (update.alpha >= 0.0F && update.alpha <= 1.0F)) &&
         (!given(seed_blueprint) || update.blueprint >= seed_none) &&
         (!given(seed_checkpoint) || update.checkpoint >= seed_none) &&
         (!given(seed_epochs) || update.epochs >= 0) &&
         (!given(seed_errors) || update.errors >= 0) &&
         (!given(seed_evaluation) || std::isfinite(update.evaluation));
}

/// Describes the invalid value of an update.
std::string fault_of(const SeedUpdate& update) {
  constexpr unsigned all = (1U << seed_fields) - 1;
  const auto has = [&](SeedField field) { return (update.mask & field) != 0; };
  const auto outside = [](const char* field, auto value, const std::string& limit) {
    return std::string(field) + " " + std::to_string(value) + "; it must be " + limit;
  };
  if ((update.mask & ~all) != 0) return outside("a mask of", update.mask, "below 512");
  if (has(seed_lifecycle) && !is_code(update.lifecycle, lifecycle_names.size()))
    return outside("lifecycle", static_cast<int>(update.lifecycle), "0 to 10");
  if (has(seed_mode) && !is_code(update.mode, apply_mode_names.size()))
    return outside("mode", static_cast<int>(update.mode), "0 to 3");
  if (has(seed_schedule) && !is_code(update.schedule, alpha_schedule_names.size()))
    return outside("schedule", static_cast<int>(update.schedule), "0 to 4");
  if (has(seed_alpha) && !(update.alpha >= 0.0F && update.alpha <= 1.0F))
    return outside("alpha", update.alpha, "in [0, 1]");
  if (has(seed_blueprint) && update.blueprint < seed_none)
    return outside("blueprint", update.blueprint, "an id, or -1 for none");
  if (has(seed_checkpoint) && update.checkpoint < seed_none)
    return outside("checkpoint", update.checkpoint, "an id, or -1 for none");
  if (has(seed_epochs) && update.epochs < 0) return outside("epochs", update.epochs, "at least 0");
  if (has(seed_errors) && update.errors < 0) return outside("errors", update.errors, "at least 0");
  if (has(seed_evaluation) && !std::isfinite(update.evaluation))
    return outside("evaluation", update.evaluation, "finite");
  return {};
}

}  // namespace

SeedSituation SeedLayer::State::situation(std::uint32_t seed) const {
  return {seeds.lifecycle[seed], seeds.epochs[seed], seeds.blueprint[seed], seeds.errors[seed]};
}

void SeedLayer::State::check_seed(std::uint32_t seed) const {
  KINDRED_THROW_IF(seed >= chunks.seeds, "seed " + std::to_string(seed) +
                                             " does not exist; the number of seeds is " +
                                             std::to_string(chunks.seeds));
}

std::string SeedLayer::State::blueprint_fault(std::uint32_t seed, std::int32_t blueprint,
                                              const BlueprintRegistry& registry) const {
  if (blueprint < 0) return "the seed has no blueprint";
  if (!registry.contains(blueprint)) {
    return "there is no blueprint " + std::to_string(blueprint) + "; only ids below " +
           std::to_string(registry.size()) + " were assigned";
  }
  const std::size_t weights = registry.weights(blueprint).size();
  const std::uint32_t end = chunks.begin(seed + 1);
  if (chunks.width(seed) > 0 && weights < end) {
    return "blueprint " + std::to_string(blueprint) + " has " + std::to_string(weights) +
           " weights, and the seed's chunk ends at feature " + std::to_string(end);
  }
  return {};
}

bool SeedLayer::State::touches(const SeedUpdate& update) const {
  const std::uint32_t seed = update.seed;
  const auto given = [&](SeedField field) { return (update.mask & field) != 0; };
  constexpr unsigned of_situation = seed_lifecycle | seed_blueprint | seed_errors;
  return (given(seed_lifecycle) && update.lifecycle != seeds.lifecycle[seed]) ||
         (given(seed_blueprint) && update.blueprint != seeds.blueprint[seed]) ||
         (given(seed_schedule) && update.schedule != seeds.schedule[seed]) ||
         (given(seed_errors) && update.errors >= options.rules.errors_max) ||
         ((update.mask & of_situation) != 0 && seeds.errors[seed] >= options.rules.errors_max);
}

SeedLayer::State::TouchedSeeds SeedLayer::State::check_updates(
    std::span<const SeedUpdate> updates) const {
  TouchedSeeds touched;
  const auto where = [&](std::size_t i) {
    return "update " + std::to_string(i) + " of seed " + std::to_string(updates[i].seed) + ": ";
  };
  constexpr std::size_t ahead = 16;
  for (std::size_t i = 0; i < updates.size(); ++i) {
    if (i + ahead < updates.size() && updates[i + ahead].seed < chunks.seeds) {
      const std::uint32_t next = updates[i + ahead].seed;
      Arch::prefetch(seeds.lifecycle.data() + next);
      Arch::prefetch(seeds.errors.data() + next);
    }
    const SeedUpdate& update = updates[i];
    KINDRED_THROW_IF(update.seed >= chunks.seeds,
                     where(i) + "there are " + std::to_string(chunks.seeds) + " seeds");
    KINDRED_THROW_IF(!is_sound(update), where(i) + fault_of(update));
    if (touches(update)) touched.push_back({update.seed, {}, {}, {}, {}});
  }
  if (touched.empty()) return touched;
  std::ranges::sort(touched, {}, &Touched::seed);
  const auto same_seed = [](const Touched& a, const Touched& b) { return a.seed == b.seed; };
  touched.erase(std::unique(touched.begin(), touched.end(), same_seed), touched.end());
  for (Touched& seed : touched) {
    seed.before = seed.after = situation(seed.seed);
    seed.schedule_before = seed.schedule_after = seeds.schedule[seed.seed];
  }
  // If few seeds are touched, this bit set rules out most updates without a search.
  constexpr std::uint32_t marks = 8192;
  std::array<std::uint64_t, marks / 64> marked{};
  const auto mark_of = [](std::uint32_t seed) { return std::uint64_t{1} << seed % 64; };
  const auto word_of = [](std::uint32_t seed) { return seed % marks / 64; };
  for (const Touched& seed : touched) marked[word_of(seed.seed)] |= mark_of(seed.seed);
  for (const SeedUpdate& update : updates) {
    if ((marked[word_of(update.seed)] & mark_of(update.seed)) == 0) continue;
    const auto found = std::ranges::lower_bound(touched, update.seed, {}, &Touched::seed);
    if (found == touched.end() || found->seed != update.seed) continue;
    if ((update.mask & seed_lifecycle) != 0) found->after.lifecycle = update.lifecycle;
    if ((update.mask & seed_blueprint) != 0) found->after.blueprint = update.blueprint;
    if ((update.mask & seed_errors) != 0) found->after.errors = update.errors;
    if ((update.mask & seed_schedule) != 0) found->schedule_after = update.schedule;
  }
  for (const Touched& change : touched) {
    if (!applies_blueprint(change.after.lifecycle)) continue;
    const std::string fault = blueprint_fault(change.seed, change.after.blueprint, blueprints);
    KINDRED_THROW_IF(!fault.empty(), "seed " + std::to_string(change.seed) + " would be " +
                                         std::string(to_string(change.after.lifecycle)) + ": " +
                                         fault);
  }
  return touched;
}

void SeedLayer::State::check_blueprints(const SeedState& state,
                                        const BlueprintRegistry& registry) const {
  for (std::uint32_t seed = 0; seed < chunks.seeds; ++seed) {
    if (!applies_blueprint(state.lifecycle[seed])) continue;
    const std::string fault = blueprint_fault(seed, state.blueprint[seed], registry);
    KINDRED_THROW_IF(!fault.empty(), "seed " + std::to_string(seed) + " is " +
                                         std::string(to_string(state.lifecycle[seed])) + ": " +
                                         fault);
  }
}

std::vector<std::uint32_t> SeedLayer::State::uses_of(const SeedState& state) const {
  std::vector<std::uint32_t> out(blueprints.size(), 0);
  for (std::size_t seed = 0; seed < state.seeds(); ++seed) {
    if (!applies_blueprint(state.lifecycle[seed])) continue;
    const auto id = static_cast<std::size_t>(state.blueprint[seed]);
    if (id >= out.size()) out.resize(id + 1, 0);
    ++out[id];
  }
  return out;
}

std::vector<std::int32_t> SeedLayer::State::needed_of(const std::vector<std::uint32_t>& uses) {
  std::vector<std::int32_t> out;
  for (std::size_t id = 0; id < uses.size(); ++id) {
    if (uses[id] > 0) out.push_back(static_cast<std::int32_t>(id));
  }
  return out;
}

std::vector<std::unique_ptr<GraftingSchedule>> SeedLayer::State::new_schedules(
    const SeedState& state) const {
  std::vector<std::unique_ptr<GraftingSchedule>> out(state.seeds());
  for (std::size_t seed = 0; seed < state.seeds(); ++seed) {
    if (state.lifecycle[seed] == Lifecycle::grafting)
      out[seed] = make_schedule(state.schedule[seed], options.schedules);
  }
  return out;
}

std::vector<SeedEvent> SeedLayer::State::apply(std::span<const SeedUpdate> updates,
                                               const TouchedSeeds& touched) {
  // The steps that can fail come first.
  std::vector<SeedEvent> events;
  std::vector<std::uint32_t> new_uses;
  std::vector<std::pair<std::uint32_t, std::unique_ptr<GraftingSchedule>>> renewed;
  const auto applied = [](const SeedSituation& seed) {
    return applies_blueprint(seed.lifecycle) ? seed.blueprint : seed_none;
  };
  for (const Touched& change : touched) {
    const std::uint32_t seed = change.seed;
    if (applied(change.before) != applied(change.after)) {
      if (new_uses.empty()) new_uses = uses;
      if (applied(change.before) != seed_none)
        --new_uses[static_cast<std::size_t>(change.before.blueprint)];
      if (applied(change.after) != seed_none)
        ++new_uses[static_cast<std::size_t>(change.after.blueprint)];
    }
    const bool grafts = change.after.lifecycle == Lifecycle::grafting;
    const bool is_other = change.after.lifecycle != change.before.lifecycle;
    if (is_other) events.push_back({seed, {change.before.lifecycle, change.after.lifecycle}, {}});
    if (!is_other && (!grafts || change.schedule_after == change.schedule_before)) continue;
    renewed.emplace_back(
        seed, grafts ? make_schedule(change.schedule_after, options.schedules) : nullptr);
  }
  if (!new_uses.empty()) serve_host(blueprints, new_uses);

  const Impl::HostLease lease(context, Space::serial);
  const HostSpace& host = lease.get();
  auto& side = sides.get<HostSpace>();
  std::unique_lock changing(reading);
  update_seeds(host, side.state.view(seeds),
               ArrayView<const SeedUpdate, HostSpace>(updates.data(), updates.size()),
               side.winners.view());
  // Nothing may fail from here on.
  Arch::fence(host, "Kindred::SeedLayer::update");
  changing.unlock();
  if (!new_uses.empty()) uses = std::move(new_uses);
  for (auto& [seed, schedule] : renewed) schedules[seed] = std::move(schedule);
  ++revision;
  if (!on_device) return events;
  if (trouble) {
    sync_device();
    return events;
  }
  on_the_device([&]<class ExecutionSpace>(const ExecutionSpace& exec_space,
                                          Impl::SeedSide<ExecutionSpace>& device) {
    if (device.updates.size() < updates.size()) {
      device.updates = Buffer<SeedUpdate, typename ExecutionSpace::memory_space>(
          context.memory(Space::cuda), "Kindred::SeedLayer::updates", updates.size());
    }
    device.blueprints.serve(exec_space, blueprints, needed_of(uses));
    Impl::start_upload(exec_space, device.updates.view(), updates.data(), updates.size());
    update_seeds(exec_space, device.state.view(seeds),
                 ArrayView<const SeedUpdate, ExecutionSpace>(device.updates.data(), updates.size()),
                 device.winners.view());
  });
  return events;
}

std::vector<SeedEvent> SeedLayer::State::make(std::span<const SeedUpdate> updates) {
  return Impl::translating_out_of_memory("Kindred::SeedLayer::update",
                                         [&] { return apply(updates, check_updates(updates)); });
}

void SeedLayer::State::take(SeedState state, BlueprintRegistry registry) {
  std::vector<std::uint32_t> new_uses = uses_of(state);
  new_uses.resize(std::max(new_uses.size(), registry.size()), 0);
  auto own = new_schedules(state);
  auto& cache = sides.get<HostSpace>().blueprints;
  const Impl::HostLease lease(context, Space::serial);
  const HostSpace& host = lease.get();
  const bool is_other = !(registry == blueprints);
  const std::vector<std::int32_t> needed = needed_of(new_uses);
  const std::vector<std::int32_t> needed_before = needed_of(uses);
  if (is_other) cache.clear();
  try {
    cache.serve(host, registry, needed);
  } catch (...) {
    if (is_other) cache.serve(host, blueprints, needed_before);  // its memory already exists
    throw;
  }
  // A seed that continues to graft keeps its schedule.
  for (std::size_t seed = 0; seed < own.size(); ++seed) {
    if (is_other && own[seed] && schedules[seed]) own[seed] = std::move(schedules[seed]);
  }
  {
    const std::lock_guard changing(reading);
    seeds = std::move(state);
    blueprints = std::move(registry);
  }
  uses = std::move(new_uses);
  schedules = std::move(own);
  ++revision;
  sync_device();
}

void SeedLayer::State::notify(const std::vector<SeedEvent>& events) const {
  if (!options.on_transition) return;
  for (const SeedEvent& event : events) options.on_transition(event.seed, event.change);
}

SeedState SeedLayer::state() const try {
  const auto lock = m_state->read();
  return m_state->seeds;
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::state");
}

void SeedLayer::set_state(const SeedState& requested) try {
  check_state(requested);
  State& state = *m_state;
  const auto lock = Impl::engine_lock(state.mutex);
  KINDRED_THROW_IF(requested.seeds() != state.chunks.seeds,
                   "a state of " + std::to_string(requested.seeds()) + " seeds; the layer has " +
                       std::to_string(state.chunks.seeds));
  state.check_blueprints(requested, state.blueprints);
  state.take(requested, state.blueprints);
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::set_state");
}

void SeedLayer::update(std::span<const SeedUpdate> updates) try {
  State& state = *m_state;
  std::vector<SeedEvent> events;
  {
    const auto lock = Impl::engine_lock(state.mutex);
    const auto touched = state.check_updates(updates);
    std::vector<SeedUpdate> all;
    for (const State::Touched& change : touched) {
      if (!is_culled_by_errors(change.after, state.options.rules)) continue;
      if (all.empty()) all.assign(updates.begin(), updates.end());
      all.push_back(change_to(change.seed, Lifecycle::culled));
    }
    events =
        all.empty() ? state.apply(updates, touched) : state.apply(all, state.check_updates(all));
  }
  state.notify(events);
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::update");
}

TransitionResult SeedLayer::request(std::uint32_t seed, Lifecycle to,
                                    const SeedMetrics& metrics) try {
  State& state = *m_state;
  std::vector<SeedEvent> events;
  {
    const auto lock = Impl::engine_lock(state.mutex);
    state.check_seed(seed);
    const SeedSituation now = state.situation(seed);
    TransitionResult result = check_transition(now, to, metrics, state.options.rules);
    if (!result.accepted) return result;
    if (needs_blueprint(to)) {
      std::string fault = state.blueprint_fault(seed, now.blueprint, state.blueprints);
      if (!fault.empty()) return {false, std::move(fault)};
    }
    SeedUpdate update = change_to(seed, to);
    if (to == Lifecycle::grafting) {
      update.mask |= seed_alpha;
      update.alpha = static_cast<float>(state.options.schedules.alpha_min);
    }
    if (to == Lifecycle::dormant) update.mask |= seed_blueprint | seed_alpha | seed_errors;
    events = state.make({&update, 1});
  }
  state.notify(events);
  return {true, {}};
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::request");
}

TransitionResult SeedLayer::germinate(std::uint32_t seed, std::int32_t blueprint, ApplyMode mode,
                                      AlphaSchedule schedule) try {
  State& state = *m_state;
  std::vector<SeedEvent> events;
  {
    const auto lock = Impl::engine_lock(state.mutex);
    state.check_seed(seed);
    TransitionResult result =
        check_transition(state.situation(seed), Lifecycle::germinated, {}, state.options.rules);
    if (!result.accepted) return result;
    std::string fault = state.blueprint_fault(seed, blueprint, state.blueprints);
    if (!fault.empty()) return {false, std::move(fault)};
    SeedUpdate update = change_to(seed, Lifecycle::germinated);
    update.mask |= seed_blueprint | seed_mode | seed_schedule;
    update.blueprint = blueprint;
    update.mode = mode;
    update.schedule = schedule;
    events = state.make({&update, 1});
  }
  state.notify(events);
  return {true, {}};
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::germinate");
}

std::optional<std::vector<double>> SeedLayer::schedule_state(std::uint32_t seed) const try {
  const State& state = *m_state;
  const auto lock = Impl::engine_lock(state.mutex);
  state.check_seed(seed);
  if (!state.schedules[seed]) return {};
  return state.schedules[seed]->state();
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::schedule_state");
}

void SeedLayer::set_schedule_state(std::uint32_t seed, std::span<const double> numbers) try {
  State& state = *m_state;
  const auto lock = Impl::engine_lock(state.mutex);
  state.check_seed(seed);
  KINDRED_THROW_IF(!state.schedules[seed], "seed " + std::to_string(seed) + " is " +
                                               std::string(to_string(state.seeds.lifecycle[seed])) +
                                               "; only a grafting one has a schedule");
  auto next = make_schedule(state.schedules[seed]->kind(), state.options.schedules);
  next->restore(numbers);
  state.schedules[seed] = std::move(next);
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::set_schedule_state");
}

bool SeedLayer::report_error(std::uint32_t seed) try {
  State& state = *m_state;
  std::vector<SeedEvent> events;
  {
    const auto lock = Impl::engine_lock(state.mutex);
    state.check_seed(seed);
    SeedUpdate update = update_of(seed, seed_errors);
    SeedSituation now = state.situation(seed);
    if (now.errors < std::numeric_limits<std::int16_t>::max()) ++now.errors;
    update.errors = now.errors;
    if (is_culled_by_errors(now, state.options.rules)) {
      update.mask |= seed_lifecycle;
      update.lifecycle = Lifecycle::culled;
    }
    events = state.make({&update, 1});
  }
  state.notify(events);
  return !events.empty();
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::report_error");
}

std::vector<SeedEvent> SeedLayer::step(const SeedMetrics& metrics) try {
  return m_state->step([&](std::uint32_t) -> const SeedMetrics& { return metrics; });
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::step");
}

std::vector<SeedEvent> SeedLayer::step(std::span<const SeedMetrics> metrics) try {
  KINDRED_THROW_IF(metrics.size() != seeds(), "metrics of " + std::to_string(metrics.size()) +
                                                  " seeds; the layer has " +
                                                  std::to_string(seeds()));
  return m_state->step([&](std::uint32_t seed) -> const SeedMetrics& { return metrics[seed]; });
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::step");
}

SeedUpdate SeedLayer::State::next_of(std::uint32_t seed, const SeedMetrics& metrics,
                                     Advance& advance) const {
  const SeedSituation now = situation(seed);
  if (is_culled_by_errors(now, options.rules)) {
    advance.reasons[seed] = std::to_string(now.errors) + " errors; " +
                            std::to_string(options.rules.errors_max) + " or more cull a seed";
    return change_to(seed, Lifecycle::culled);
  }
  SeedUpdate update = update_of(seed, seed_epochs);
  update.epochs = static_cast<std::int16_t>(
      std::min<int>(now.epochs + 1, std::numeric_limits<std::int16_t>::max()));
  const auto& schedule = schedules[seed];
  if (!schedule) return update;
  if (schedule->aborts(metrics)) {
    advance.reasons[seed] = "error_rate is " + std::to_string(metrics.error_rate.value_or(0)) +
                            "; a graft is aborted above " +
                            std::to_string(options.schedules.abort_error_rate);
    update = change_to(seed, Lifecycle::rolled_back);
    update.mask |= seed_alpha;
    return update;
  }
  // Advances a copy, so that a failure leaves every schedule unchanged.
  auto next = make_schedule(schedule->kind(), options.schedules);
  next->restore(schedule->state());
  update.mask |= seed_alpha;
  update.alpha = static_cast<float>(next->next(update.epochs, double{seeds.alpha[seed]}, metrics));
  advance.schedules.emplace_back(seed, std::move(next));
  return update;
}

std::vector<SeedEvent> SeedLayer::State::step(
    const std::function<const SeedMetrics&(std::uint32_t)>& metrics_of) {
  std::vector<SeedEvent> events;
  {
    const auto lock = Impl::engine_lock(mutex);
    Advance advance;
    events = Impl::translating_out_of_memory("Kindred::SeedLayer::step", [&] {
      std::vector<SeedUpdate> updates;
      updates.reserve(chunks.seeds);
      for (std::uint32_t seed = 0; seed < chunks.seeds; ++seed)
        updates.push_back(next_of(seed, metrics_of(seed), advance));
      return apply(updates, check_updates(updates));
    });
    for (auto& [seed, schedule] : advance.schedules) schedules[seed] = std::move(schedule);
    for (SeedEvent& event : events) {
      const auto reason = advance.reasons.find(event.seed);
      if (reason != advance.reasons.end()) event.why = std::move(reason->second);
    }
    ++epoch;
    advance_ring();
  }
  notify(events);
  return events;
}

}  // namespace Kindred

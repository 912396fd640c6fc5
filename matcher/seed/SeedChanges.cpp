// SPDX-License-Identifier: Apache-2.0
#include "SeedLayerState.hpp"
#include "SeedRules.hpp"

#include <kindred/core/arch/simd/Prefetch.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace Kindred {

namespace {

using Impl::LayerSeeds;
using Impl::SeedLayerState;
using Touched = Impl::LayerSeeds::Touched;

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

constexpr unsigned all_fields = (1U << seed_fields) - 1;

/// The fields of an update whose values are invalid, and the bits that are no fields; takes a few
/// nanoseconds.
unsigned invalid_fields(const SeedUpdate& update) {
  const auto unless = [](bool is_valid, unsigned field) { return is_valid ? 0U : field; };
  return update.mask &
         (~all_fields |
          unless(is_code(update.lifecycle, enum_names<Lifecycle>.size()), seed_lifecycle) |
          unless(is_code(update.mode, enum_names<ApplyMode>.size()), seed_mode) |
          unless(is_code(update.schedule, enum_names<AlphaSchedule>.size()), seed_schedule) |
          unless(update.alpha >= 0.0F && update.alpha <= 1.0F, seed_alpha) |
          unless(update.blueprint >= seed_none, seed_blueprint) |
          unless(update.checkpoint >= seed_none, seed_checkpoint) |
          unless(update.epochs >= 0, seed_epochs) | unless(update.errors >= 0, seed_errors) |
          unless(std::isfinite(update.evaluation), seed_evaluation));
}

/// Describes the first of the \p invalid fields.
std::string fault_of(const SeedUpdate& update, unsigned invalid) {
  const auto has = [&](unsigned fields) { return (invalid & fields) != 0; };
  const auto outside = [](const char* field, auto value, const char* limit) {
    return std::string(field) + " " + std::to_string(value) + "; it must be " + limit;
  };
  if (has(~all_fields)) return outside("a mask of", update.mask, "below 512");
  if (has(seed_lifecycle))
    return outside("lifecycle", static_cast<int>(update.lifecycle), "0 to 10");
  if (has(seed_mode)) return outside("mode", static_cast<int>(update.mode), "0 to 3");
  if (has(seed_schedule)) return outside("schedule", static_cast<int>(update.schedule), "0 to 4");
  if (has(seed_alpha)) return outside("alpha", update.alpha, "in [0, 1]");
  if (has(seed_blueprint)) return outside("blueprint", update.blueprint, "an id, or -1 for none");
  if (has(seed_checkpoint))
    return outside("checkpoint", update.checkpoint, "an id, or -1 for none");
  if (has(seed_epochs)) return outside("epochs", update.epochs, "at least 0");
  if (has(seed_errors)) return outside("errors", update.errors, "at least 0");
  return outside("evaluation", update.evaluation, "finite");
}

/// The rules of a layer, for the call in turn.
struct Rules {
  const SeedLayerState& layer;
  LayerSeeds& seeds;

  /// \throws InvalidArgument for an invalid seed
  void check_seed(std::uint32_t seed) const {
    KINDRED_THROW_IF(seed >= layer.chunks.seeds, "seed " + std::to_string(seed) +
                                                     " does not exist; the number of seeds is " +
                                                     std::to_string(layer.chunks.seeds));
  }
  std::string blueprint_fault(std::uint32_t seed, std::int32_t blueprint) const {
    return Impl::blueprint_fault(layer.chunks, seed, blueprint, seeds.blueprints());
  }
  /// Whether \p update alone would change the situation of its seed, or its schedule.
  bool touches(const SeedUpdate& update) const {
    const SeedState& state = seeds.state();
    const std::uint32_t seed = update.seed;
    const auto given = [&](unsigned fields) { return (update.mask & fields) != 0; };
    const std::int16_t errors_max = layer.options.rules.errors_max;
    return (given(seed_lifecycle) && update.lifecycle != state.lifecycle[seed]) ||
           (given(seed_blueprint) && update.blueprint != state.blueprint[seed]) ||
           (given(seed_schedule) && update.schedule != state.schedule[seed]) ||
           (given(seed_errors) && update.errors >= errors_max) ||
           (given(seed_lifecycle | seed_blueprint | seed_errors) &&
            state.errors[seed] >= errors_max);
  }
  /// The seeds that updates touch. \throws InvalidArgument for invalid updates
  std::vector<Touched> check(std::span<const SeedUpdate> updates) const {
    std::vector<Touched> touched;
    const auto where = [&](std::size_t i) {
      return "update " + std::to_string(i) + " of seed " + std::to_string(updates[i].seed) + ": ";
    };
    constexpr std::size_t ahead = 16;
    for (std::size_t i = 0; i < updates.size(); ++i) {
      if (i + ahead < updates.size() && updates[i + ahead].seed < layer.chunks.seeds) {
        const std::uint32_t next = updates[i + ahead].seed;
        Arch::prefetch(seeds.state().lifecycle.data() + next);
        Arch::prefetch(seeds.state().errors.data() + next);
      }
      const SeedUpdate& update = updates[i];
      KINDRED_THROW_IF(update.seed >= layer.chunks.seeds,
                       where(i) + "there are " + std::to_string(layer.chunks.seeds) + " seeds");
      const unsigned invalid = invalid_fields(update);
      KINDRED_THROW_IF(invalid != 0, where(i) + fault_of(update, invalid));
      if (touches(update)) touched.push_back({update.seed, {}, {}, {}, {}});
    }
    if (touched.empty()) return touched;
    std::ranges::sort(touched, {}, &Touched::seed);
    const auto same_seed = [](const Touched& a, const Touched& b) { return a.seed == b.seed; };
    touched.erase(std::unique(touched.begin(), touched.end(), same_seed), touched.end());
    for (Touched& seed : touched) {
      seed.before = seed.after = seeds.situation(seed.seed);
      seed.schedule_before = seed.schedule_after = seeds.state().schedule[seed.seed];
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
      const std::string fault = blueprint_fault(change.seed, change.after.blueprint);
      KINDRED_THROW_IF(!fault.empty(), "seed " + std::to_string(change.seed) + " would be " +
                                           std::string(to_string(change.after.lifecycle)) + ": " +
                                           fault);
    }
    return touched;
  }
  /// Validates and applies updates. \throws InvalidArgument, OutOfMemory
  std::vector<SeedEvent> make(std::span<const SeedUpdate> updates) const {
    return seeds.apply(updates, check(updates));
  }
  std::vector<SeedEvent> make(const SeedUpdate& update) const { return make({&update, 1}); }
};

/// The results of a step other than updates.
struct Advance {
  std::vector<std::pair<std::uint32_t, std::unique_ptr<GraftingSchedule>>> schedules;
  std::map<std::uint32_t, std::string> reasons;
};

/// The update of a seed by a step.
SeedUpdate next_of(const Rules& rules, std::uint32_t seed, const SeedMetrics& metrics,
                   Advance& advance) {
  const SeedLayerOptions& options = rules.layer.options;
  const SeedSituation now = rules.seeds.situation(seed);
  if (is_culled_by_errors(now, options.rules)) {
    advance.reasons[seed] = std::to_string(now.errors) + " errors; " +
                            std::to_string(options.rules.errors_max) + " or more cull a seed";
    return change_to(seed, Lifecycle::culled);
  }
  SeedUpdate update = update_of(seed, seed_epochs);
  update.epochs = static_cast<std::int16_t>(
      std::min<int>(now.epochs + 1, std::numeric_limits<std::int16_t>::max()));
  const auto& schedule = rules.seeds.schedules()[seed];
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
  auto next = std::make_unique<GraftingSchedule>(*schedule);
  update.mask |= seed_alpha;
  const double alpha = rules.seeds.state().alpha[seed];
  update.alpha = static_cast<float>(next->next(update.epochs, alpha, metrics));
  advance.schedules.emplace_back(seed, std::move(next));
  return update;
}

/// Ends an epoch of a layer. \param metrics of every seed, or one for each
std::vector<SeedEvent> step(SeedLayerState& layer, std::span<const SeedMetrics> metrics) {
  return layer.changed([&](LayerSeeds& seeds) {
    const Rules rules{layer, seeds};
    Advance advance;
    std::vector<SeedUpdate> updates;
    updates.reserve(layer.chunks.seeds);
    for (std::uint32_t seed = 0; seed < layer.chunks.seeds; ++seed)
      updates.push_back(next_of(rules, seed, metrics[metrics.size() == 1 ? 0 : seed], advance));
    std::vector<SeedEvent> events = rules.make(updates);
    for (auto& [seed, schedule] : advance.schedules) seeds.set_schedule(seed, std::move(schedule));
    for (SeedEvent& event : events) {
      const auto reason = advance.reasons.find(event.seed);
      if (reason != advance.reasons.end()) event.why = std::move(reason->second);
    }
    seeds.end_epoch();
    return events;
  });
}

}  // namespace

std::string Impl::blueprint_fault(const SeedChunks& chunks, std::uint32_t seed,
                                  std::int32_t blueprint, const BlueprintRegistry& registry) {
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

void Impl::check_blueprints(const SeedChunks& chunks, const SeedState& state,
                            const BlueprintRegistry& registry) {
  for (std::uint32_t seed = 0; seed < chunks.seeds; ++seed) {
    if (!applies_blueprint(state.lifecycle[seed])) continue;
    const std::string fault = blueprint_fault(chunks, seed, state.blueprint[seed], registry);
    KINDRED_THROW_IF(!fault.empty(), "seed " + std::to_string(seed) + " is " +
                                         std::string(to_string(state.lifecycle[seed])) + ": " +
                                         fault);
  }
}

SeedState SeedLayer::state() const try { return m_state->seeds(); } catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::state");
}

void SeedLayer::set_state(const SeedState& requested) try {
  const auto fault = Impl::fault_of(requested);
  KINDRED_THROW_IF(fault, fault->why);
  const Impl::SeedTurn turn = m_state->turn();
  KINDRED_THROW_IF(requested.seeds() != seeds(), "a state of " + std::to_string(requested.seeds()) +
                                                     " seeds; the layer has " +
                                                     std::to_string(seeds()));
  Impl::check_blueprints(m_state->chunks, requested, turn->blueprints());
  turn->adopt(requested, turn->new_schedules(requested));
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::set_state");
}

void SeedLayer::update(std::span<const SeedUpdate> updates) try {
  m_state->changed([&](LayerSeeds& seeds) {
    const Rules rules{*m_state, seeds};
    const auto touched = rules.check(updates);
    std::vector<SeedUpdate> all;
    for (const Touched& change : touched) {
      if (!is_culled_by_errors(change.after, m_state->options.rules)) continue;
      if (all.empty()) all.assign(updates.begin(), updates.end());
      all.push_back(change_to(change.seed, Lifecycle::culled));
    }
    return all.empty() ? seeds.apply(updates, touched) : rules.make(all);
  });
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::update");
}

TransitionResult SeedLayer::request(std::uint32_t seed, Lifecycle to,
                                    const SeedMetrics& metrics) try {
  TransitionResult result;
  m_state->changed([&](LayerSeeds& seeds) -> std::vector<SeedEvent> {
    const Rules rules{*m_state, seeds};
    rules.check_seed(seed);
    const SeedSituation now = seeds.situation(seed);
    result = check_transition(now, to, metrics, m_state->options.rules);
    if (result.accepted && Impl::needs_blueprint(to)) {
      result.why = rules.blueprint_fault(seed, now.blueprint);
      result.accepted = result.why.empty();
    }
    if (!result.accepted) return {};
    SeedUpdate update = change_to(seed, to);
    if (to == Lifecycle::grafting) {
      update.mask |= seed_alpha;
      update.alpha = static_cast<float>(m_state->options.schedules.alpha_min);
    }
    if (to == Lifecycle::dormant) update.mask |= seed_blueprint | seed_alpha | seed_errors;
    return rules.make(update);
  });
  return result;
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::request");
}

TransitionResult SeedLayer::germinate(std::uint32_t seed, std::int32_t blueprint, ApplyMode mode,
                                      AlphaSchedule schedule) try {
  TransitionResult result;
  m_state->changed([&](LayerSeeds& seeds) -> std::vector<SeedEvent> {
    const Rules rules{*m_state, seeds};
    rules.check_seed(seed);
    result =
        check_transition(seeds.situation(seed), Lifecycle::germinated, {}, m_state->options.rules);
    if (result.accepted) {
      result.why = rules.blueprint_fault(seed, blueprint);
      result.accepted = result.why.empty();
    }
    if (!result.accepted) return {};
    SeedUpdate update = change_to(seed, Lifecycle::germinated);
    update.mask |= seed_blueprint | seed_mode | seed_schedule;
    update.blueprint = blueprint;
    update.mode = mode;
    update.schedule = schedule;
    return rules.make(update);
  });
  return result;
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::germinate");
}

std::optional<std::vector<double>> SeedLayer::schedule_state(std::uint32_t seed) const try {
  const Impl::SeedTurn turn = m_state->turn();
  Rules{*m_state, *turn}.check_seed(seed);
  const auto& schedule = turn->schedules()[seed];
  if (!schedule) return {};
  return schedule->state();
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::schedule_state");
}

void SeedLayer::set_schedule_state(std::uint32_t seed, std::span<const double> numbers) try {
  const Impl::SeedTurn turn = m_state->turn();
  Rules{*m_state, *turn}.check_seed(seed);
  const auto& schedule = turn->schedules()[seed];
  KINDRED_THROW_IF(!schedule, "seed " + std::to_string(seed) + " is " +
                                  std::string(to_string(turn->state().lifecycle[seed])) +
                                  "; only a grafting one has a schedule");
  auto next = std::make_unique<GraftingSchedule>(*schedule);
  next->restore(numbers);
  turn->set_schedule(seed, std::move(next));
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::set_schedule_state");
}

bool SeedLayer::report_error(std::uint32_t seed) try {
  const auto events = m_state->changed([&](LayerSeeds& seeds) {
    const Rules rules{*m_state, seeds};
    rules.check_seed(seed);
    SeedUpdate update = update_of(seed, seed_errors);
    SeedSituation now = seeds.situation(seed);
    if (now.errors < std::numeric_limits<std::int16_t>::max()) ++now.errors;
    update.errors = now.errors;
    if (is_culled_by_errors(now, m_state->options.rules)) {
      update.mask |= seed_lifecycle;
      update.lifecycle = Lifecycle::culled;
    }
    return rules.make(update);
  });
  return !events.empty();
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::report_error");
}

std::vector<SeedEvent> SeedLayer::step(const SeedMetrics& metrics) try {
  return Kindred::step(*m_state, {&metrics, 1});
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::step");
}

std::vector<SeedEvent> SeedLayer::step(std::span<const SeedMetrics> metrics) try {
  KINDRED_THROW_IF(metrics.size() != seeds(), "metrics of " + std::to_string(metrics.size()) +
                                                  " seeds; the layer has " +
                                                  std::to_string(seeds()));
  return Kindred::step(*m_state, metrics);
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::step");
}

}  // namespace Kindred

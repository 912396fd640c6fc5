// SPDX-License-Identifier: Apache-2.0
// The states of the seeds of a layer, and their changes.
#include <kindred/core/common/Error.hpp>

#include "Seeds.hpp"

namespace Kindred::C {

namespace {

kindred_seed_state state_of(const SeedState& state, std::size_t seed) {
  return {static_cast<std::int32_t>(state.lifecycle[seed]),
          static_cast<std::int32_t>(state.parent[seed]),
          state.blueprint[seed],
          state.checkpoint[seed],
          static_cast<std::int32_t>(state.mode[seed]),
          static_cast<std::int32_t>(state.schedule[seed]),
          state.epochs[seed],
          state.errors[seed],
          state.alpha[seed],
          state.evaluation[seed]};
}

kindred_seed_history history_of(const SeedState& state, std::size_t seed) {
  kindred_seed_history out{};
  for (const SeedChange& change : state.history(seed))
    out.changes[out.count++] = {static_cast<std::int32_t>(change.from),
                                static_cast<std::int32_t>(change.to)};
  return out;
}

void set_state_of(SeedState& state, std::size_t seed, const kindred_seed_state& values) {
  state.lifecycle[seed] = lifecycle_of(values.lifecycle, "lifecycle");
  state.parent[seed] = lifecycle_of(values.parent, "parent");
  state.blueprint[seed] = values.blueprint;
  state.checkpoint[seed] = values.checkpoint;
  state.mode[seed] = apply_mode_of(values.mode);
  state.schedule[seed] = alpha_schedule_of(values.schedule, "schedule");
  state.epochs[seed] = short_of(values.epochs, "epochs");
  state.errors[seed] = short_of(values.errors, "errors");
  state.alpha[seed] = values.alpha;
  state.evaluation[seed] = values.evaluation;
}

/// The transitions in the order in which they happened, from the first slot on.
void set_history_of(SeedState& state, std::size_t seed, const kindred_seed_history& history) {
  static_assert(KINDRED_SEED_HISTORY == seed_history);
  KINDRED_C_REFUSE_IF(history.count > seed_history,
                      "histories[" + std::to_string(seed) + "].count is " +
                          std::to_string(history.count) + "; a seed stores at most " +
                          std::to_string(seed_history) + " transitions");
  for (std::uint32_t i = 0; i < history.count; ++i) {
    const kindred_seed_change& change = history.changes[history.count - 1 - i];
    state.history_from[seed * seed_history + i] = lifecycle_of(change.from, "history.from");
    state.history_to[seed * seed_history + i] = lifecycle_of(change.to, "history.to");
  }
  state.history_count[seed] = static_cast<std::uint8_t>(history.count);
  state.history_next[seed] = static_cast<std::uint8_t>(history.count % seed_history);
}

void write_events(const std::vector<SeedEvent>& found, std::span<kindred_seed_event> out,
                  std::size_t* count) {
  for (std::size_t i = 0; i < std::min(out.size(), found.size()); ++i) {
    out[i].seed = found[i].seed;
    out[i].from = static_cast<std::int32_t>(found[i].change.from);
    out[i].to = static_cast<std::int32_t>(found[i].change.to);
    copy_text(out[i].why, found[i].why);
  }
  write_optional(count, found.size());
}

}  // namespace

kindred_status kindred_seeds_states(const kindred_seeds* seeds, kindred_seed_state* states,
                                    kindred_seed_history* histories, std::size_t capacity,
                                    std::size_t* count) noexcept {
  return guarded([&] {
    const SeedLayer& layer = layer_of(seeds);
    require(count, "count");
    span_of(states, capacity, "states");
    const SeedState state = layer.state();
    std::vector<kindred_seed_state> out;
    std::vector<kindred_seed_history> transitions;
    for (std::size_t seed = 0; seed < state.seeds(); ++seed) {
      out.push_back(state_of(state, seed));
      if (histories != nullptr) transitions.push_back(history_of(state, seed));
    }
    *count = out.size();
    write_array(std::span<const kindred_seed_state>(out), states, capacity, "states");
    std::copy(transitions.begin(), transitions.end(), histories);
  });
}

kindred_status kindred_seeds_set_states(kindred_seeds* seeds, const kindred_seed_state* states,
                                        const kindred_seed_history* histories,
                                        std::size_t count) noexcept {
  return guarded([&] {
    SeedLayer& layer = layer_of(seeds);
    const std::span<const kindred_seed_state> given = span_of(states, count, "states");
    KINDRED_C_REFUSE_IF(count != layer.seeds(), "count is " + std::to_string(count) +
                                                    "; the layer has " +
                                                    std::to_string(layer.seeds()) + " seeds");
    SeedState state(count);
    for (std::size_t seed = 0; seed < count; ++seed) {
      set_state_of(state, seed, given[seed]);
      if (histories != nullptr) set_history_of(state, seed, histories[seed]);
    }
    layer.set_state(state);
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
      if (is_set(seed_mode)) to.mode = apply_mode_of(values.mode);
      if (is_set(seed_alpha)) to.alpha = values.alpha;
      if (is_set(seed_schedule)) to.schedule = alpha_schedule_of(values.schedule, "schedule");
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
    write_result(layer.germinate(seed, blueprint, apply_mode_of(mode),
                                 alpha_schedule_of(schedule, "schedule")),
                 accepted, why);
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
    write_events(layer.step(metrics_of(metrics)), out, count);
  });
}

kindred_status kindred_seeds_step_each(kindred_seeds* seeds,
                                       const kindred_seed_metrics* const* metrics,
                                       std::size_t metrics_count, kindred_seed_event* events,
                                       std::size_t capacity, std::size_t* count) noexcept {
  return guarded([&] {
    SeedLayer& layer = layer_of(seeds);
    const auto given = span_of(metrics, metrics_count, "metrics");
    const std::span<kindred_seed_event> out = span_of(events, capacity, "events");
    std::vector<SeedMetrics> each;
    each.reserve(given.size());
    for (const kindred_seed_metrics* one : given) {
      const std::string name = "metrics[" + std::to_string(each.size()) + "]";
      require(one, name.c_str());
      each.push_back(metrics_of(one, name.c_str()));
    }
    write_events(layer.step(each), out, count);
  });
}

kindred_status kindred_seeds_schedule_state(const kindred_seeds* seeds, std::uint32_t seed,
                                            double* numbers, std::size_t capacity,
                                            std::size_t* count) noexcept {
  return guarded([&] {
    const SeedLayer& layer = layer_of(seeds);
    require(count, "count");
    span_of(numbers, capacity, "numbers");
    KINDRED_C_REFUSE_IF(seed >= layer.seeds(), "seed is " + std::to_string(seed) +
                                                   "; the layer has " +
                                                   std::to_string(layer.seeds()) + " seeds");
    const std::optional<std::vector<double>> state = layer.schedule_state(seed);
    if (!state) throw NotFound("seed " + std::to_string(seed) + " is not grafting");
    *count = state->size();
    write_array(std::span<const double>(*state), numbers, capacity, "numbers");
  });
}

kindred_status kindred_seeds_set_schedule_state(kindred_seeds* seeds, std::uint32_t seed,
                                                const double* numbers, std::size_t count) noexcept {
  return guarded(
      [&] { layer_of(seeds).set_schedule_state(seed, span_of(numbers, count, "numbers")); });
}

}  // namespace Kindred::C

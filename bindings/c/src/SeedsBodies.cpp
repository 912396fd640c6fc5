// SPDX-License-Identifier: Apache-2.0
// What is special of the functions of seeds: their states, telemetry and sequences.
#include <kindred/core/common/Error.hpp>

#include "Seeds.hpp"
#include "Strings.hpp"

#include <array>
#include <type_traits>

namespace Kindred::C {

namespace {

static_assert(KINDRED_SEED_HISTORY == seed_history);
static_assert(int{KINDRED_FIELD_LIFECYCLE} == int{seed_lifecycle} &&
              int{KINDRED_FIELD_ERRORS} == int{seed_errors});

/// Calls `call(name, bit, column, value, new_value)` for every field of a seed but its parent, with
/// members of `SeedState`, `kindred_seed_state` and `SeedUpdate`.
template <class Call>
void for_each_field(const Call& call) {
  using C = kindred_seed_state;
  using S = SeedState;
  using U = SeedUpdate;
  call("lifecycle", seed_lifecycle, &S::lifecycle, &C::lifecycle, &U::lifecycle);
  call("blueprint", seed_blueprint, &S::blueprint, &C::blueprint, &U::blueprint);
  call("epochs", seed_epochs, &S::epochs, &C::epochs, &U::epochs);
  call("mode", seed_mode, &S::mode, &C::mode, &U::mode);
  call("alpha", seed_alpha, &S::alpha, &C::alpha, &U::alpha);
  call("schedule", seed_schedule, &S::schedule, &C::schedule, &U::schedule);
  call("checkpoint", seed_checkpoint, &S::checkpoint, &C::checkpoint, &U::checkpoint);
  call("evaluation", seed_evaluation, &S::evaluation, &C::evaluation, &U::evaluation);
  call("errors", seed_errors, &S::errors, &C::errors, &U::errors);
}

/// \throws InvalidArgument for a code or a number that \p to cannot have
template <class To, class From>
void set_field(To& to, From value, const char* name) {
  if constexpr (std::is_enum_v<To>)
    to = enum_of<To>(value, static_cast<std::int32_t>(enum_names<To>.size()), name);
  else
    set_number(to, value, name);
}

kindred_seed_change change_of(const SeedChange& change) {
  return {static_cast<std::int32_t>(change.from), static_cast<std::int32_t>(change.to)};
}

/// The transitions in the order in which they happened, from the first slot on.
void set_history_of(SeedState& state, std::size_t seed, const kindred_seed_history& history) {
  KINDRED_C_REFUSE_IF(history.count > seed_history,
                      "histories[" + std::to_string(seed) + "].count is " +
                          std::to_string(history.count) + "; a seed stores at most " +
                          std::to_string(seed_history) + " transitions");
  for (std::uint32_t i = 0; i < history.count; ++i) {
    const kindred_seed_change& change = history.changes[history.count - 1 - i];
    set_field(state.history_from[seed * seed_history + i], change.from, "history.from");
    set_field(state.history_to[seed * seed_history + i], change.to, "history.to");
  }
  state.history_count[seed] = static_cast<std::uint8_t>(history.count);
  state.history_next[seed] = static_cast<std::uint8_t>(history.count % seed_history);
}

}  // namespace

void check_metrics(std::uint64_t given, const char* name) {
  KINDRED_C_REFUSE_IF(given >= 2 * std::uint64_t{KINDRED_METRIC_ACCURACY_VARIANCE},
                      std::string(name) + ".given is " + std::to_string(given) +
                          ", which has bits of metrics that do not exist");
}

std::function<void(std::uint32_t, SeedChange)> listener_of(kindred_transition_callback listener,
                                                           void* user) {
  if (listener == nullptr) return {};
  return [listener, user](std::uint32_t seed, SeedChange change) {
    const auto [from, to] = change_of(change);
    listener(user, seed, from, to);
  };
}

void check_seed(const SeedLayer& layer, std::uint32_t seed) {
  KINDRED_C_REFUSE_IF(seed >= layer.seeds(), "seed is " + std::to_string(seed) +
                                                 "; the layer has " +
                                                 std::to_string(layer.seeds()) + " seeds");
}

Lifecycle state_of(std::int32_t state, const char* name, bool must) {
  constexpr auto count = static_cast<std::int32_t>(enum_names<Lifecycle>.size());
  if (!must && (state < 0 || state >= count)) return static_cast<Lifecycle>(-1);
  return enum_of<Lifecycle>(state, count, name);
}

SeedSituation situation_of(const kindred_seed_state& seed) {
  SeedSituation out;
  set_field(out.lifecycle, seed.lifecycle, "seed.lifecycle");
  set_field(out.epochs, seed.epochs, "seed.epochs");
  out.blueprint = seed.blueprint;
  set_field(out.errors, seed.errors, "seed.errors");
  return out;
}

SeedState state_from(const SeedLayer& layer, const kindred_seed_state* states,
                     const kindred_seed_history* histories, std::size_t count) {
  const std::span<const kindred_seed_state> given = span_of(states, count, "states");
  KINDRED_C_REFUSE_IF(count != layer.seeds(), "count is " + std::to_string(count) +
                                                  "; the layer has " +
                                                  std::to_string(layer.seeds()) + " seeds");
  SeedState out(count);
  for (std::size_t seed = 0; seed < count; ++seed) {
    for_each_field([&](const char* name, auto, auto column, auto value, auto) {
      set_field((out.*column)[seed], given[seed].*value, name);
    });
    set_field(out.parent[seed], given[seed].parent, "parent");
    if (histories != nullptr) set_history_of(out, seed, histories[seed]);
  }
  return out;
}

void write_states(const SeedState& state, kindred_seed_state* states,
                  kindred_seed_history* histories, std::size_t capacity, std::size_t* count) {
  std::vector<kindred_seed_state> out(state.seeds());
  for (std::size_t seed = 0; seed < out.size(); ++seed) {
    for_each_field([&](const char*, auto, auto column, auto value, auto) {
      using Value = std::remove_reference_t<decltype(out[seed].*value)>;
      out[seed].*value = static_cast<Value>((state.*column)[seed]);
    });
    out[seed].parent = static_cast<std::int32_t>(state.parent[seed]);
  }
  write_list(out, states, capacity, count, "states");
  for (std::size_t seed = 0; seed < out.size() && histories != nullptr; ++seed) {
    histories[seed] = {};
    for (const SeedChange& change : state.history(seed))
      histories[seed].changes[histories[seed].count++] = change_of(change);
  }
}

std::vector<SeedUpdate> updates_of(const kindred_seed_update* updates, std::size_t count) {
  std::vector<SeedUpdate> out;
  for (const kindred_seed_update& update : span_of(updates, count, "updates")) {
    KINDRED_C_REFUSE_IF(update.fields >= 1U << seed_fields,
                        "fields is " + std::to_string(update.fields) +
                            ", which has bits of fields that do not exist");
    SeedUpdate& to = out.emplace_back();
    to.seed = update.seed;
    to.mask = static_cast<std::uint16_t>(update.fields);
    for_each_field([&](const char* name, SeedField bit, auto, auto value, auto new_value) {
      if ((update.fields & bit) != 0) set_field(to.*new_value, update.values.*value, name);
    });
  }
  return out;
}

void write_outcome(const TransitionResult& result, std::int32_t* accepted, kindred_string** why) {
  if (why != nullptr) *why = make_handle_of<kindred_string>(result.why);
  *accepted = result.accepted ? 1 : 0;
}

std::vector<double> of_graft(std::optional<std::vector<double>> numbers, std::uint32_t seed) {
  if (!numbers) throw NotFound("seed " + std::to_string(seed) + " is not grafting");
  return *std::move(numbers);
}

std::int32_t found_of(std::optional<std::int32_t> id, const char* name, std::size_t size) {
  if (!id) throw NotFound("there is no blueprint of the name " + std::string(name, size));
  return *id;
}

SeedTelemetry telemetry_from(const kindred_seed_telemetry& telemetry) {
  return {telemetry.count, telemetry.mean, telemetry.variance,
          telemetry.min,   telemetry.max,  telemetry.dead_ratio};
}

std::vector<kindred_seed_telemetry> values_of(std::span<const SeedTelemetry> telemetry) {
  std::vector<kindred_seed_telemetry> out;
  for (const SeedTelemetry& one : telemetry)
    out.push_back({one.count, one.mean, one.variance, one.dead_ratio, one.min, one.max});
  return out;
}

void write_reduced(const SeedLayer::Reduced& found, std::span<kindred_seed_telemetry> each,
                   kindred_seed_telemetry* whole) {
  copy_values(values_of(found.each), each);
  write_optional(whole, values_of({&found.whole, 1})[0]);
}

Array flat_output_of(const DLTensor* tensor, const char* name) {
  const Array array = output_array_of(tensor, name);
  KINDRED_C_REFUSE_IF(!array.is_contiguous(), std::string(name) + " is " + to_string(array) +
                                                  "; its elements must be contiguous");
  const std::array count{static_cast<std::int64_t>(array.size())};
  return {array.data(), array.type(), count, {}, array.memory(), array.device()};
}

std::uint64_t* workspace_bytes_of(const kindred_seed_pass_options* options) {
  return options_of(options, kindred_seed_pass_options KINDRED_SEED_PASS_OPTIONS_INIT, "options")
      .workspace_bytes;
}

kindred_status kindred_seeds_step(kindred_seeds* seeds, const kindred_seed_metrics* const* metrics,
                                  std::size_t metrics_count, kindred_seed_event* events,
                                  std::size_t capacity, std::size_t* count) noexcept {
  return guarded([&] {
    SeedLayer& object = seeds_of(seeds);
    const std::span<kindred_seed_event> out = span_of(events, capacity, "events");
    std::vector<SeedMetrics> each;
    for (const kindred_seed_metrics* one : span_of(metrics, metrics_count, "metrics")) {
      const std::string name = "metrics[" + std::to_string(each.size()) + "]";
      require(one, name.c_str());
      each.push_back(seed_metrics(one, name.c_str()));
    }
    if (each.empty()) each.emplace_back();
    const std::vector<SeedEvent> found =
        each.size() == 1 ? object.step(each[0]) : object.step(std::span<const SeedMetrics>(each));
    for (std::size_t i = 0; i < std::min(out.size(), found.size()); ++i) {
      const auto [from, to] = change_of(found[i].change);
      out[i].seed = found[i].seed;
      out[i].from = from;
      out[i].to = to;
      copy_text(out[i].why, found[i].why);
    }
    write_optional(count, found.size());
  });
}

kindred_status kindred_seed_sequence_add(kindred_seed_sequence* seed_sequence,
                                         const kindred_seeds* seeds, const DLTensor* x, DLTensor* y,
                                         std::int32_t telemetry) noexcept {
  return guarded([&] {
    SharedSequence& object = object_of(seed_sequence, "seed_sequence");
    const SharedSeeds& layer = object_of(seeds, "seeds");
    require_all({{x, "x"}, {y, "y"}});
    const auto use = enum_of<SeedTelemetryUse>(telemetry, 2, "telemetry");
    object.layers.reserve(object.layers.size() + 1);
    object.sequence.add(layer->engine, array_of(x, "x"), output_array_of(y, "y"),
                        use == SeedTelemetryUse::last);
    object.layers.push_back(layer);
  });
}

}  // namespace Kindred::C

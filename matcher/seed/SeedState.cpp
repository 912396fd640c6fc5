// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SeedState.hpp>

#include "SeedRules.hpp"
#include "StateFields.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace Kindred {

namespace Impl {

namespace {

std::string shown(float value) { return std::to_string(value); }
template <class T>
std::string shown(T value) {
  return std::to_string(static_cast<std::int64_t>(value));
}

}  // namespace

std::optional<StateFault> fault_of(const SeedState& state) {
  const std::size_t seeds = state.seeds();
  std::optional<StateFault> fault;
  // Each array has `per_seed` elements per seed which are all `good`; `limit` describes them.
  const auto look = [&](const char* name, const auto& values, const std::string& limit,
                        const auto& good, std::size_t per_seed = 1) {
    if (fault) return;
    if (values.size() != seeds * per_seed) {
      fault = {name, std::string(name) + " has " + std::to_string(values.size()) +
                         " elements; it must have " + std::to_string(seeds * per_seed) +
                         " for the " + std::to_string(seeds) + " seeds of lifecycle"};
      return;
    }
    const auto wrong = std::find_if_not(values.begin(), values.end(), good);
    if (wrong == values.end()) return;
    const auto seed = static_cast<std::size_t>(wrong - values.begin()) / per_seed;
    fault = {name, std::string(name) + " of seed " + std::to_string(seed) + " is " + shown(*wrong) +
                       "; it must be " + limit};
  };
  const auto codes = [&](const char* name, const auto& values, const auto& names,
                         std::size_t per_seed = 1) {
    const auto is_code = [&](auto value) {
      return static_cast<int>(value) >= 0 && static_cast<std::size_t>(value) < names.size();
    };
    look(name, values, "a code from 0 to " + std::to_string(names.size() - 1), is_code, per_seed);
  };
  const auto not_negative = [](auto value) { return value >= 0; };
  const auto id_or_none = [](std::int32_t value) { return value >= -1; };
  codes("lifecycle", state.lifecycle, enum_names<Lifecycle>);
  look("blueprint", state.blueprint, "an id, or -1 for none", id_or_none);
  look("epochs", state.epochs, "0 to 32767", not_negative);
  codes("mode", state.mode, enum_names<ApplyMode>);
  codes("schedule", state.schedule, enum_names<AlphaSchedule>);
  look("alpha", state.alpha, "in [0, 1]",
       [](float value) { return value >= 0.0F && value <= 1.0F; });
  codes("parent", state.parent, enum_names<Lifecycle>);
  look("checkpoint", state.checkpoint, "an id, or -1 for none", id_or_none);
  look("evaluation", state.evaluation, "finite", [](float value) { return std::isfinite(value); });
  look("errors", state.errors, "0 to 32767", not_negative);
  codes("history_from", state.history_from, enum_names<Lifecycle>, seed_history);
  codes("history_to", state.history_to, enum_names<Lifecycle>, seed_history);
  look("history_next", state.history_next, "below 10",
       [](std::uint8_t value) { return value < seed_history; });
  look("history_count", state.history_count, "at most 10",
       [](std::uint8_t value) { return value <= seed_history; });
  return fault;
}

}  // namespace Impl

SeedState::SeedState(std::size_t seeds) try {
  Impl::for_each_array(*this, [&](const char*, auto& array) { array.resize(seeds); });
  for (auto* const ids : {&blueprint, &checkpoint}) ids->assign(seeds, -1);
  for (auto* const of : {&history_from, &history_to}) of->resize(seeds * seed_history);
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedState");
}

std::vector<SeedChange> SeedState::history(std::size_t seed) const try {
  KINDRED_THROW_IF(seed >= seeds(), "seed " + std::to_string(seed) +
                                        " does not exist; the number of seeds is " +
                                        std::to_string(seeds()));
  std::vector<SeedChange> out;
  std::size_t at = history_next[seed];
  for (std::size_t i = 0; i < history_count[seed]; ++i) {
    at = (at + seed_history - 1) % seed_history;
    const std::size_t place = seed * seed_history + at;
    out.push_back({history_from[place], history_to[place]});
  }
  return out;
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedState::history");
}

}  // namespace Kindred

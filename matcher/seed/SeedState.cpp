// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SeedState.hpp>

#include "StateFault.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <cmath>
#include <string>
#include <utility>

namespace KINDRED_PUBLIC Kindred {

namespace KINDRED_HIDDEN Impl {

namespace {

std::string shown(float value) { return std::to_string(value); }
template <class T>
std::string shown(T value) {
  return std::to_string(static_cast<std::int64_t>(value));
}

/// Checks one array after the other and keeps the first fault.
class Examination {
 public:
  explicit Examination(std::size_t seeds) : m_seeds(seeds) {}

  /// Checks that \p values has \p per_seed elements per seed which are all \p good; \p limit
  /// describes the valid values.
  template <class T, class Good>
  void array(const char* name, const std::vector<T>& values, const std::string& limit,
             const Good& good, std::size_t per_seed = 1) {
    if (m_fault) return;
    if (values.size() != m_seeds * per_seed) {
      m_fault = {name, std::string(name) + " has " + std::to_string(values.size()) +
                           " elements; it must have " + std::to_string(m_seeds * per_seed) +
                           " for the " + std::to_string(m_seeds) + " seeds of lifecycle"};
      return;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (good(values[i])) continue;
      m_fault = {name, std::string(name) + " of seed " + std::to_string(i / per_seed) + " is " +
                           shown(values[i]) + "; it must be " + limit};
      return;
    }
  }
  /// Checks that \p values are codes of the enumeration whose names are \p names.
  template <class T, class Names>
  void codes(const char* name, const std::vector<T>& values, const Names& names,
             std::size_t per_seed = 1) {
    const auto is_code = [&](T value) {
      return static_cast<int>(value) >= 0 && static_cast<std::size_t>(value) < names.size();
    };
    array(name, values, "a code from 0 to " + std::to_string(names.size() - 1), is_code, per_seed);
  }
  std::optional<StateFault> fault() const { return m_fault; }

 private:
  std::size_t m_seeds;
  std::optional<StateFault> m_fault;
};

}  // namespace

std::optional<StateFault> fault_of(const SeedState& state) {
  constexpr std::size_t history = seed_history;
  const auto not_negative = [](auto value) { return value >= 0; };
  const auto id_or_none = [](std::int32_t value) { return value >= -1; };
  Examination look(state.seeds());
  look.codes("lifecycle", state.lifecycle, lifecycle_names);
  look.array("blueprint", state.blueprint, "an id, or -1 for none", id_or_none);
  look.array("epochs", state.epochs, "0 to 32767", not_negative);
  look.codes("mode", state.mode, apply_mode_names);
  look.codes("schedule", state.schedule, alpha_schedule_names);
  look.array("alpha", state.alpha, "in [0, 1]",
             [](float value) { return value >= 0.0F && value <= 1.0F; });
  look.codes("parent", state.parent, lifecycle_names);
  look.array("checkpoint", state.checkpoint, "an id, or -1 for none", id_or_none);
  look.array("evaluation", state.evaluation, "finite",
             [](float value) { return std::isfinite(value); });
  look.array("errors", state.errors, "0 to 32767", not_negative);
  look.codes("history_from", state.history_from, lifecycle_names, history);
  look.codes("history_to", state.history_to, lifecycle_names, history);
  look.array("history_next", state.history_next, "below 10",
             [](std::uint8_t value) { return value < history; });
  look.array("history_count", state.history_count, "at most 10",
             [](std::uint8_t value) { return value <= history; });
  return look.fault();
}

}  // namespace Impl

SeedState::SeedState(std::size_t seeds) try
    : lifecycle(seeds, Lifecycle::dormant),
      blueprint(seeds, -1),
      epochs(seeds, 0),
      mode(seeds, ApplyMode::linear),
      schedule(seeds, AlphaSchedule::linear),
      alpha(seeds, 0.0F),
      parent(seeds, Lifecycle::dormant),
      checkpoint(seeds, -1),
      evaluation(seeds, 0.0F),
      errors(seeds, 0),
      history_from(seeds * seed_history, Lifecycle::dormant),
      history_to(seeds * seed_history, Lifecycle::dormant),
      history_next(seeds, 0),
      history_count(seeds, 0) {
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

void check_state(const SeedState& state) try {
  const auto fault = Impl::fault_of(state);
  KINDRED_THROW_IF(fault, fault->why);
} catch (...) {
  Impl::rethrow_translated("Kindred::check_state");
}

}  // namespace Kindred

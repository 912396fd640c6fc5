// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SeedTransition.hpp>

#include "SeedRules.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <utility>

namespace KINDRED_PUBLIC Kindred {

namespace {

constexpr std::size_t states = enum_names<Lifecycle>.size();

constexpr bool is_state(Lifecycle lifecycle) {
  return lifecycle >= Lifecycle::dormant && static_cast<std::size_t>(lifecycle) < states;
}

struct Targets {
  std::uint16_t table = 0;   ///< one bit per state
  std::uint16_t design = 0;  ///< additions of the design document
};

template <class... Lifecycles>
constexpr std::uint16_t bits(Lifecycles... targets) {
  return static_cast<std::uint16_t>((0U | ... | (1U << static_cast<unsigned>(targets))));
}

using enum Lifecycle;

constexpr std::array<Targets, states> targets_of{{
    {bits(germinated), 0},                                   // dormant
    {bits(training, cancelled), 0},                          // germinated
    {bits(grafting, culled, cancelled), bits(rolled_back)},  // training
    {bits(stabilization, rolled_back), 0},                   // grafting
    {bits(evaluating, rolled_back), 0},                      // stabilization
    {bits(fine_tuning, culled, rolled_back), 0},             // evaluating
    {bits(fossilized, culled, rolled_back), 0},              // fine_tuning
    {0, bits(dormant)},                                      // fossilized
    {0, bits(dormant)},                                      // culled, after the embargo
    {0, bits(dormant)},                                      // cancelled
    {0, 0},                                                  // rolled_back
}};

constexpr std::array<std::int16_t, states> minimum{0, 0, 100, 50, 20, 30, 50, 0, 0, 0, 0};

std::string name(Lifecycle lifecycle) { return std::string(to_string(lifecycle)); }

std::string shown(double value) {
  std::string text(32, '\0');
  const int length = std::snprintf(text.data(), text.size(), "%.9g", value);
  text.resize(static_cast<std::size_t>(length));
  return text;
}

TransitionResult refused(std::string why) { return {false, std::move(why)}; }

/// Refuses unless \p passes: \p value of the metric \p what must be at least (or at most, or above)
/// the bound.
TransitionResult transition_result(bool passes, const char* what,
                                   const std::optional<double>& value, const char* limit,
                                   double bound) {
  if (passes) return {true, {}};
  return refused(std::string(what) + (value ? " is " + shown(*value) : " was not given") +
                 "; it must be " + limit + " " + shown(bound));
}

TransitionResult at_least(const char* what, const std::optional<double>& value, double bound) {
  return transition_result(value.value_or(0) >= bound, what, value, "at least", bound);
}

TransitionResult fine_tuning_guard(const SeedMetrics& metrics, const TransitionRules& rules) {
  if (!(metrics.performance_delta.value_or(0) > 0))
    return transition_result(false, "performance_delta", metrics.performance_delta, "above", 0);
  return at_least("stability_score", metrics.stability_score, rules.stability_min);
}

TransitionResult cull_guard(const SeedSituation& seed, const SeedMetrics& metrics,
                            const TransitionRules& rules) {
  const double delta = metrics.performance_delta.value_or(0);
  const double error_rate = metrics.error_rate.value_or(0);
  if (delta < rules.performance_loss || error_rate > rules.error_rate_max ||
      seed.errors > rules.errors_max)
    return {true, {}};
  return refused("performance_delta is " + shown(delta) + ", error_rate " + shown(error_rate) +
                 " and errors " + std::to_string(seed.errors) + "; one must be below " +
                 shown(rules.performance_loss) + ", above " + shown(rules.error_rate_max) +
                 " or above " + std::to_string(rules.errors_max));
}

TransitionResult fossil_guard(const SeedMetrics& metrics, const TransitionRules& rules) {
  TransitionResult improves =
      at_least("total_improvement", metrics.total_improvement, rules.total_improvement_min);
  if (!improves.accepted) return improves;
  return at_least("final_stability", metrics.final_stability, rules.final_stability_min);
}

TransitionResult check_guard(const SeedSituation& seed, Lifecycle to, const SeedMetrics& metrics,
                             const TransitionRules& rules) {
  if (seed.lifecycle == training && to == grafting) {
    const double loss =
        metrics.reconstruction_loss.value_or(std::numeric_limits<double>::infinity());
    return transition_result(loss <= rules.reconstruction_loss_max, "reconstruction_loss",
                             metrics.reconstruction_loss, "at most", rules.reconstruction_loss_max);
  }
  if (seed.lifecycle == evaluating && to == fine_tuning) return fine_tuning_guard(metrics, rules);
  if (seed.lifecycle == evaluating && to == culled) return cull_guard(seed, metrics, rules);
  if (seed.lifecycle == fine_tuning && to == fossilized) return fossil_guard(metrics, rules);
  return {true, {}};
}

/// The states that \p from may change to, for messages.
std::string listed(Lifecycle from) {
  std::string text;
  for (std::size_t i = 0; i < states; ++i) {
    const auto to = static_cast<Lifecycle>(i);
    if (transition_origin(from, to) == TransitionOrigin::none) continue;
    text += (text.empty() ? "" : ", ") + name(to);
  }
  return text.empty() ? "nothing: it is final" : text;
}

}  // namespace

TransitionOrigin transition_origin(Lifecycle from, Lifecycle to) noexcept {
  if (!is_state(from) || !is_state(to)) return TransitionOrigin::none;
  const Targets& targets = targets_of[static_cast<std::size_t>(from)];
  const std::uint16_t bit = bits(to);
  if ((targets.table & bit) != 0) return TransitionOrigin::table;
  return (targets.design & bit) != 0 ? TransitionOrigin::design : TransitionOrigin::none;
}

std::int16_t minimum_epochs(Lifecycle from, const TransitionRules& rules) noexcept {
  if (!is_state(from)) return 0;
  return from == culled ? rules.embargo_epochs : minimum[static_cast<std::size_t>(from)];
}

TransitionResult check_transition(const SeedSituation& seed, Lifecycle to,
                                  const SeedMetrics& metrics, const TransitionRules& rules) try {
  for (const Lifecycle state : {seed.lifecycle, to})
    KINDRED_THROW_IF(!is_state(state), "the state " + std::to_string(static_cast<int>(state)) +
                                           " does not exist; states are 0 to " +
                                           std::to_string(states - 1));
  if (transition_origin(seed.lifecycle, to) == TransitionOrigin::none)
    return refused(name(seed.lifecycle) + " does not go to " + name(to) + ", but to " +
                   listed(seed.lifecycle));
  const std::int16_t least = minimum_epochs(seed.lifecycle, rules);
  if (to != rolled_back && seed.epochs < least)
    return refused(std::to_string(seed.epochs) + " epochs in " + name(seed.lifecycle) +
                   "; at least " + std::to_string(least) + " are needed");
  if (Impl::needs_blueprint(to) && seed.blueprint < 0)
    return refused(name(to) + " needs a blueprint, and the seed has none");
  return check_guard(seed, to, metrics, rules);
} catch (...) {
  Impl::rethrow_translated("Kindred::check_transition");
}

}  // namespace Kindred

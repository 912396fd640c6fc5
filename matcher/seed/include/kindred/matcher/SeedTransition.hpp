// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_TRANSITION_HPP
#define KINDRED_MATCHER_SEED_TRANSITION_HPP

#include <kindred/core/seed/Lifecycle.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

namespace Kindred {

/// \brief What is measured of a seed outside of the layer: transitions and schedules ask for it.
struct SeedMetrics {
  // Of transitions; what is missing counts as the worst, or as nothing to complain of.
  std::optional<double> reconstruction_loss;  ///< training → grafting; missing: infinite
  std::optional<double> performance_delta;    ///< missing: 0
  std::optional<double> stability_score;      ///< evaluating → fine_tuning; missing: 0
  std::optional<double> error_rate;           ///< missing: 0
  std::optional<double> total_improvement;    ///< fine_tuning → fossilized; missing: 0
  std::optional<double> final_stability;      ///< fine_tuning → fossilized; missing: 0
  // Of schedules; what is missing is stable.
  std::optional<double> loss_variance;
  std::optional<double> gradient_norm;
  std::optional<double> accuracy_variance;
  std::span<const float> weights;  ///< whose drift is watched; empty: none is
};

/// \brief The bounds of the guards.
struct TransitionRules {
  double reconstruction_loss_max = 0.01;
  double stability_min = 0.8;
  double total_improvement_min = 0.01;
  double final_stability_min = 0.95;
  double performance_loss = -0.05;    ///< below it an evaluated seed may be culled
  double error_rate_max = 0.1;        ///< above it, too
  std::int16_t errors_max = 5;        ///< above it, too; a layer culls at it by itself; ≥ 1
  std::int16_t embargo_epochs = 100;  ///< in `culled` before `dormant`
};

/// Where a transition comes from.
enum class TransitionOrigin : std::uint8_t {
  none,    ///< there is no such transition
  table,   ///< Kasmina's StateTransition
  design,  ///< an addition of its design document
};

/// Whether, and by what, \p from may become \p to.
TransitionOrigin transition_origin(Lifecycle from, Lifecycle to) noexcept;

/// Epochs a seed stays in \p from at least; not asked of a transition to `rolled_back`.
std::int16_t minimum_epochs(Lifecycle from, const TransitionRules& rules = {}) noexcept;

/// Whether a seed in \p lifecycle has a blueprint: training … fossilized.
constexpr bool needs_blueprint(Lifecycle lifecycle) noexcept {
  return lifecycle >= Lifecycle::training && lifecycle <= Lifecycle::fossilized;
}

/// What a transition is judged by.
struct SeedSituation {
  Lifecycle lifecycle = Lifecycle::dormant;
  std::int16_t epochs = 0;      ///< in this state
  std::int32_t blueprint = -1;  ///< −1: none
  std::int16_t errors = 0;
};

/// \brief An answer to a request.
struct TransitionResult {
  bool accepted = false;
  std::string why;  ///< of a refusal: the value seen and the bound
};

/// \brief Whether the seed may go to \p to: the table, the epochs, the blueprint, the guard, in
/// this order. Changes nothing. NaN passes no guard. \throws InvalidArgument for what is no state
TransitionResult check_transition(const SeedSituation& seed, Lifecycle to,
                                  const SeedMetrics& metrics, const TransitionRules& rules = {});

}  // namespace Kindred

#endif  // KINDRED_MATCHER_SEED_TRANSITION_HPP

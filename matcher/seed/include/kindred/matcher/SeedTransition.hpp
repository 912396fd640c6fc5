// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_TRANSITION_HPP
#define KINDRED_MATCHER_SEED_TRANSITION_HPP

#include <kindred/core/common/Public.hpp>
#include <kindred/core/seed/Lifecycle.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

namespace KINDRED_PUBLIC Kindred {

/// \brief Metrics of a seed that are measured outside of the layer and used by transitions and
/// schedules.
struct SeedMetrics {
  // For transitions. The value assumed for a missing metric is given for each.
  std::optional<double> reconstruction_loss = {};  ///< training → grafting; missing: infinite
  std::optional<double> performance_delta = {};    ///< missing: 0
  std::optional<double> stability_score = {};      ///< evaluating → fine_tuning; missing: 0
  std::optional<double> error_rate = {};           ///< missing: 0
  std::optional<double> total_improvement = {};    ///< fine_tuning → fossilized; missing: 0
  std::optional<double> final_stability = {};      ///< fine_tuning → fossilized; missing: 0
  // For schedules. A missing metric counts as stable.
  std::optional<double> loss_variance = {};
  std::optional<double> gradient_norm = {};
  std::optional<double> accuracy_variance = {};
  std::span<const float> weights = {};  ///< weights whose drift is monitored; empty: none
};

/// \brief Limits for the guards of transitions.
struct TransitionRules {
  double reconstruction_loss_max = 0.01;
  double stability_min = 0.8;
  double total_improvement_min = 0.01;
  double final_stability_min = 0.95;
  double performance_loss = -0.05;  ///< below it an evaluated seed may be culled
  double error_rate_max = 0.1;      ///< above it too
  /// Above it too; a layer culls a seed when its errors reach it; ≥ 1.
  std::int16_t errors_max = 5;
  std::int16_t embargo_epochs = 100;  ///< epochs in `culled` before `dormant`, at least 0
};

/// The origin of a transition.
enum class TransitionOrigin : std::uint8_t {
  none,    ///< the transition does not exist
  table,   ///< Kasmina's StateTransition
  design,  ///< an addition of its design document
};

/// The origin of the transition \p from → \p to, or `none`.
TransitionOrigin transition_origin(Lifecycle from, Lifecycle to) noexcept;

/// Minimum number of epochs in \p from; does not apply to transitions to `rolled_back`.
std::int16_t minimum_epochs(Lifecycle from, const TransitionRules& rules = {}) noexcept;

/// The facts about a seed that determine whether a transition is allowed.
struct SeedSituation {
  Lifecycle lifecycle = Lifecycle::dormant;
  std::int16_t epochs = 0;      ///< epochs in the current state
  std::int32_t blueprint = -1;  ///< −1: none
  std::int16_t errors = 0;
};

/// \brief The outcome of a transition request.
struct TransitionResult {
  bool accepted = false;
  std::string why;  ///< if refused: the actual value and the limit
};

/// \brief Checks whether the seed may go to \p to: first the table, then the epochs, the blueprint
/// and the guard. Changes nothing. NaN passes no guard. Thread-safe. \throws InvalidArgument for an
/// invalid state
TransitionResult check_transition(const SeedSituation& seed, Lifecycle to,
                                  const SeedMetrics& metrics, const TransitionRules& rules = {});

}  // namespace Kindred

#endif  // KINDRED_MATCHER_SEED_TRANSITION_HPP

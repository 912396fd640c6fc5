// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SeedSchedule.hpp>

#include <kindred/core/common/Error.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace Kindred {

namespace {

/// Whether \p value is in [\p low, \p high]; false for NaN.
bool within(double value, double low, double high) { return value >= low && value <= high; }

bool is_count(double value, double most) {
  return within(value, 0, most) && value == std::floor(value);
}

bool is_stable(const SeedMetrics& metrics) {
  return metrics.loss_variance.value_or(0) < 0.1 && metrics.gradient_norm.value_or(1) < 10 &&
         metrics.accuracy_variance.value_or(0) < 0.05;
}

void check_settings(const ScheduleSettings& settings) {
  const auto refuse = [](bool wrong, const char* what, double value, const char* limit) {
    KINDRED_THROW_IF(wrong,
                     std::string(what) + " is " + std::to_string(value) + "; it must be " + limit);
  };
  refuse(!(settings.ramp_epochs > 0 && std::isfinite(settings.ramp_epochs)), "ramp_epochs",
         settings.ramp_epochs, "above 0");
  refuse(!(settings.drift_threshold >= 0), "drift_threshold", settings.drift_threshold,
         "at least 0");
  refuse(settings.pause_epochs < 0, "pause_epochs", settings.pause_epochs, "at least 0");
  refuse(!(settings.momentum >= 0 && settings.momentum < 1), "momentum", settings.momentum,
         "in [0, 1)");
  refuse(settings.stability_window < 1, "stability_window", settings.stability_window,
         "at least 1");
  refuse(!within(settings.alpha_min, 0, 1), "alpha_min", settings.alpha_min, "in [0, 1]");
  refuse(!within(settings.alpha_max, settings.alpha_min, 1), "alpha_max", settings.alpha_max,
         "in [alpha_min, 1]");
  refuse(std::isnan(settings.abort_error_rate), "abort_error_rate", settings.abort_error_rate,
         "a number");
}

}  // namespace

GraftingSchedule::GraftingSchedule(AlphaSchedule kind, const ScheduleSettings& settings) try
    : m_kind(kind), m_settings(settings) {
  check_settings(settings);
  // The cast turns a negative code into a large number.
  KINDRED_THROW_IF(static_cast<std::size_t>(kind) >= enum_names<AlphaSchedule>.size(),
                   "the alpha schedule " + std::to_string(static_cast<int>(kind)) +
                       " does not exist; schedules are 0 to 4");
} catch (...) {
  Impl::rethrow_translated("Kindred::GraftingSchedule");
}

double GraftingSchedule::next(std::int64_t epoch, double alpha, const SeedMetrics& metrics) try {
  return std::min(std::max(alpha_of(epoch, alpha, metrics), 0.0), 1.0);
} catch (...) {
  Impl::rethrow_translated("Kindred::GraftingSchedule::next");
}

double GraftingSchedule::alpha_of(std::int64_t epoch, double alpha, const SeedMetrics& metrics) {
  const double delta = metrics.performance_delta.value_or(0);
  switch (m_kind) {
    case AlphaSchedule::linear:
      break;
    case AlphaSchedule::drift_controlled: {
      // The weights are ignored during a pause.
      const double drift = m_pause > 0 ? 0 : drift_of(metrics.weights);
      if (pauses(drift)) return alpha;
      break;
    }
    case AlphaSchedule::momentum:
      return ahead(epoch, alpha, delta);
    case AlphaSchedule::adaptive:
      // Drift control if the weights drift by more than half of the threshold; otherwise momentum
      // if the model improves; otherwise the ramp.
      if (const double drift = drift_of(metrics.weights);
          drift > 0.5 * m_settings.drift_threshold) {
        if (pauses(drift)) return alpha;
      } else if (delta > 0.01) {
        return ahead(epoch, alpha, delta);
      }
      break;
    case AlphaSchedule::stability:
      return stable(epoch, alpha, metrics);
  }
  return ramp(epoch);
}

/// The linear ramp, scaled by \p share.
double GraftingSchedule::ramp(std::int64_t epoch, double share) const noexcept {
  const double progress = static_cast<double>(epoch) / m_settings.ramp_epochs * share;
  return std::min(std::max(progress, m_settings.alpha_min), m_settings.alpha_max);
}

/// Runs ahead of the ramp while the model improves: epoch / ramp + velocity, never below \p alpha.
double GraftingSchedule::ahead(std::int64_t epoch, double alpha,
                               double performance_delta) noexcept {
  const double velocity = m_settings.momentum * m_velocity + 0.01 * performance_delta;
  if (std::isfinite(velocity)) m_velocity = velocity;
  const double progress = static_cast<double>(epoch) / m_settings.ramp_epochs + m_velocity;
  return std::min(std::max(progress, std::max(m_settings.alpha_min, alpha)), m_settings.alpha_max);
}

/// Checks once per window whether training is stable. Slows down if it is not, and returns to the
/// last stable alpha if it remains unstable.
double GraftingSchedule::stable(std::int64_t epoch, double alpha,
                                const SeedMetrics& metrics) noexcept {
  constexpr double unstable_max = 3;
  if (epoch % m_settings.stability_window == 0) {
    if (is_stable(metrics)) {
      m_stable_alpha = alpha;
      m_unstable = 0;
    } else {
      m_unstable = std::min(m_unstable + 1, 32767.0);
      if (m_unstable >= unstable_max) return m_stable_alpha;
    }
  }
  return ramp(epoch, m_unstable > 0 ? 0.5 : 1);
}

/// \brief The relative drift of weights from their moving average: ‖w − ema‖ / ‖ema‖, in double and
/// in order of the weights. 0 without weights and the first time, infinite if a weight is not
/// finite.
double GraftingSchedule::drift_of(std::span<const float> weights) {
  if (weights.empty()) return 0;
  if (m_mean.empty()) {
    const auto finite = [](float weight) { return std::isfinite(weight); };
    if (!std::all_of(weights.begin(), weights.end(), finite))
      return std::numeric_limits<double>::infinity();
    m_mean.assign(weights.begin(), weights.end());
    return 0;
  }
  KINDRED_THROW_IF(weights.size() != m_mean.size(), std::to_string(weights.size()) +
                                                        " weights; the epochs before had " +
                                                        std::to_string(m_mean.size()));
  double distance = 0;
  double norm = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double difference = double{weights[i]} - m_mean[i];
    distance += difference * difference;
    norm += m_mean[i] * m_mean[i];
  }
  // Weights that are not finite do not change the mean.
  if (!std::isfinite(distance)) return std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < weights.size(); ++i)
    m_mean[i] = 0.9 * m_mean[i] + 0.1 * double{weights[i]};
  return distance == 0 ? 0 : std::sqrt(distance) / std::sqrt(norm);
}

/// Whether alpha is held in this epoch, because the weights drift or did a while ago.
bool GraftingSchedule::pauses(double drift) noexcept {
  if (m_pause > 0) {
    --m_pause;
    return true;
  }
  if (!(drift > m_settings.drift_threshold)) return false;
  m_pause = m_settings.pause_epochs;
  return true;
}

bool GraftingSchedule::aborts(const SeedMetrics& metrics) const noexcept {
  // Written so that a NaN aborts the graft.
  return !(metrics.error_rate.value_or(0) <= m_settings.abort_error_rate);
}

std::vector<double> GraftingSchedule::state() const try {
  std::vector<double> out;
  if (m_kind == AlphaSchedule::stability) out = {m_stable_alpha, m_unstable};
  if (m_kind == AlphaSchedule::momentum) out = {m_velocity};
  if (m_kind == AlphaSchedule::drift_controlled) out = {static_cast<double>(m_pause)};
  if (m_kind == AlphaSchedule::adaptive) out = {static_cast<double>(m_pause), m_velocity};
  out.insert(out.end(), m_mean.begin(), m_mean.end());
  return out;
} catch (...) {
  Impl::rethrow_translated("Kindred::GraftingSchedule::state");
}

void GraftingSchedule::restore(std::span<const double> state) try {
  const auto require = [&](bool is_valid, const char* why) {
    KINDRED_THROW_IF(!is_valid,
                     "the state of the schedule " + std::string(to_string(m_kind)) + ": " + why);
  };
  GraftingSchedule restored(m_kind, m_settings);
  switch (m_kind) {
    case AlphaSchedule::linear:
      require(state.empty(), "it must be empty");
      break;
    case AlphaSchedule::momentum:
      require(state.size() == 1 && std::isfinite(state[0]), "one finite velocity is needed");
      restored.m_velocity = state[0];
      break;
    case AlphaSchedule::stability:
      require(state.size() == 2 && within(state[0], 0, 1) && is_count(state[1], 32767),
              "the last stable alpha and a count of unstable checks are needed");
      restored.m_stable_alpha = state[0];
      restored.m_unstable = state[1];
      break;
    case AlphaSchedule::drift_controlled:
    case AlphaSchedule::adaptive: {
      const bool is_adaptive = m_kind == AlphaSchedule::adaptive;
      const std::size_t first = is_adaptive ? 2 : 1;
      require(state.size() >= first && is_count(state[0], m_settings.pause_epochs) &&
                  std::isfinite(state[first - 1]),
              is_adaptive ? "a pause, a velocity and the mean weights are needed"
                          : "a pause and the mean weights are needed");
      constexpr double most = std::numeric_limits<float>::max();
      const auto possible = [](double value) { return within(value, -most, most); };
      const std::span<const double> mean = state.subspan(first);
      require(std::all_of(mean.begin(), mean.end(), possible),
              "the mean weights must be finite, as float32");
      restored.m_pause = static_cast<std::int32_t>(state[0]);
      if (is_adaptive) restored.m_velocity = state[1];
      restored.m_mean.assign(mean.begin(), mean.end());
    }
  }
  *this = std::move(restored);
} catch (...) {
  Impl::rethrow_translated("Kindred::GraftingSchedule::restore");
}

}  // namespace Kindred

// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SeedSchedule.hpp>

#include <kindred/core/common/Error.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace KINDRED_PUBLIC Kindred {

namespace {

/// Whether \p value is in [\p low, \p high]; false for NaN.
bool within(double value, double low, double high) { return value >= low && value <= high; }

void refuse_state(const char* schedule, const std::string& why) {
  KINDRED_THROW_IF(true, std::string("the state of the schedule ") + schedule + ": " + why);
}

bool is_count(double value, double most) {
  return within(value, 0, most) && value == std::floor(value);
}

/// \brief The relative drift of weights from their moving average: ‖w − ema‖ / ‖ema‖, in double and
/// in order of the weights.
class WeightDrift {
 public:
  /// The drift of \p weights: 0 the first time, infinite if a weight is not finite.
  double observe(std::span<const float> weights) {
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
  const std::vector<double>& mean() const noexcept { return m_mean; }
  /// \throws InvalidArgument for a mean that no weights have
  void restore(const char* schedule, std::span<const double> mean) {
    constexpr double most = std::numeric_limits<float>::max();
    const auto possible = [](double value) { return within(value, -most, most); };
    if (!std::all_of(mean.begin(), mean.end(), possible))
      refuse_state(schedule, "the mean weights must be finite, as float32");
    m_mean.assign(mean.begin(), mean.end());
  }

 private:
  std::vector<double> m_mean;
};

class LinearSchedule final : public GraftingSchedule {
 public:
  explicit LinearSchedule(const ScheduleSettings& settings) : GraftingSchedule(settings) {}
  AlphaSchedule kind() const noexcept override { return AlphaSchedule::linear; }

 private:
  double compute(std::int64_t epoch, double, const SeedMetrics&) override { return ramp(epoch); }
};

/// Pauses the ramp while the weights drift.
class Pause {
 public:
  /// Whether alpha is held in this epoch.
  bool holds(double drift, const ScheduleSettings& settings) {
    if (is_on()) {
      --m_left;
      return true;
    }
    if (!(drift > settings.drift_threshold)) return false;
    m_left = settings.pause_epochs;
    return true;
  }
  bool is_on() const noexcept { return m_left > 0; }
  double left() const noexcept { return m_left; }
  void restore(double left) { m_left = static_cast<std::int32_t>(left); }

 private:
  std::int32_t m_left = 0;
};

class DriftSchedule final : public GraftingSchedule {
 public:
  explicit DriftSchedule(const ScheduleSettings& settings) : GraftingSchedule(settings) {}
  AlphaSchedule kind() const noexcept override { return AlphaSchedule::drift_controlled; }

  std::vector<double> numbers() const override {
    std::vector<double> out{m_pause.left()};
    out.insert(out.end(), m_drift.mean().begin(), m_drift.mean().end());
    return out;
  }
  void take_numbers(std::span<const double> state) override {
    if (state.empty() || !is_count(state[0], settings().pause_epochs))
      refuse_state("drift_controlled", "a pause and the mean weights are needed");
    m_drift.restore("drift_controlled", state.subspan(1));
    m_pause.restore(state[0]);
  }

 private:
  double compute(std::int64_t epoch, double alpha, const SeedMetrics& metrics) override {
    // The weights are ignored during a pause.
    const bool looks = !m_pause.is_on() && !metrics.weights.empty();
    const double drift = looks ? m_drift.observe(metrics.weights) : 0;
    return m_pause.holds(drift, settings()) ? alpha : ramp(epoch);
  }

  Pause m_pause;
  WeightDrift m_drift;
};

/// Runs ahead of the ramp while the model improves.
class Velocity {
 public:
  double push(double performance_delta, double momentum) {
    const double next = momentum * m_value + 0.01 * performance_delta;
    if (std::isfinite(next)) m_value = next;
    return m_value;
  }
  double value() const noexcept { return m_value; }
  void restore(double value) { m_value = value; }

 private:
  double m_value = 0;
};

/// epoch / ramp + velocity, never below \p alpha.
double ahead(std::int64_t epoch, double velocity, double alpha, const ScheduleSettings& settings) {
  const double progress = static_cast<double>(epoch) / settings.ramp_epochs + velocity;
  return std::min(std::max(progress, std::max(settings.alpha_min, alpha)), settings.alpha_max);
}

class MomentumSchedule final : public GraftingSchedule {
 public:
  explicit MomentumSchedule(const ScheduleSettings& settings) : GraftingSchedule(settings) {}
  AlphaSchedule kind() const noexcept override { return AlphaSchedule::momentum; }

  std::vector<double> numbers() const override { return {m_velocity.value()}; }
  void take_numbers(std::span<const double> state) override {
    if (state.size() != 1 || !std::isfinite(state[0]))
      refuse_state("momentum", "one finite velocity is needed");
    m_velocity.restore(state[0]);
  }

 private:
  double compute(std::int64_t epoch, double alpha, const SeedMetrics& metrics) override {
    const double velocity =
        m_velocity.push(metrics.performance_delta.value_or(0), settings().momentum);
    return ahead(epoch, velocity, alpha, settings());
  }

  Velocity m_velocity;
};

/// Chooses per epoch: drift control if the weights drift by more than half of the threshold;
/// otherwise momentum if the model improves; otherwise the ramp.
class AdaptiveSchedule final : public GraftingSchedule {
 public:
  explicit AdaptiveSchedule(const ScheduleSettings& settings) : GraftingSchedule(settings) {}
  AlphaSchedule kind() const noexcept override { return AlphaSchedule::adaptive; }

  std::vector<double> numbers() const override {
    std::vector<double> out{m_pause.left(), m_velocity.value()};
    out.insert(out.end(), m_drift.mean().begin(), m_drift.mean().end());
    return out;
  }
  void take_numbers(std::span<const double> state) override {
    if (state.size() < 2 || !is_count(state[0], settings().pause_epochs) ||
        !std::isfinite(state[1]))
      refuse_state("adaptive", "a pause, a velocity and the mean weights are needed");
    m_drift.restore("adaptive", state.subspan(2));
    m_pause.restore(state[0]);
    m_velocity.restore(state[1]);
  }

 private:
  double compute(std::int64_t epoch, double alpha, const SeedMetrics& metrics) override {
    const double drift = metrics.weights.empty() ? 0 : m_drift.observe(metrics.weights);
    if (drift > 0.5 * settings().drift_threshold)
      return m_pause.holds(drift, settings()) ? alpha : ramp(epoch);
    const double delta = metrics.performance_delta.value_or(0);
    if (delta > 0.01)
      return ahead(epoch, m_velocity.push(delta, settings().momentum), alpha, settings());
    return ramp(epoch);
  }

  WeightDrift m_drift;
  Pause m_pause;
  Velocity m_velocity;
};

/// Checks once per window whether training is stable. Slows down if it is not, and returns to the
/// last stable alpha if it remains unstable.
class StabilitySchedule final : public GraftingSchedule {
 public:
  explicit StabilitySchedule(const ScheduleSettings& settings) : GraftingSchedule(settings) {}
  AlphaSchedule kind() const noexcept override { return AlphaSchedule::stability; }

  std::vector<double> numbers() const override { return {m_stable_alpha, m_unstable}; }
  void take_numbers(std::span<const double> state) override {
    if (state.size() != 2 || !within(state[0], 0, 1) || !is_count(state[1], 32767))
      refuse_state("stability", "the last stable alpha and a count of unstable checks are needed");
    m_stable_alpha = state[0];
    m_unstable = state[1];
  }

 private:
  static constexpr double unstable_max = 3;

  static bool is_stable(const SeedMetrics& metrics) {
    return metrics.loss_variance.value_or(0) < 0.1 && metrics.gradient_norm.value_or(1) < 10 &&
           metrics.accuracy_variance.value_or(0) < 0.05;
  }
  double compute(std::int64_t epoch, double alpha, const SeedMetrics& metrics) override {
    if (epoch % settings().stability_window == 0) {
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

  double m_stable_alpha = 0;
  double m_unstable = 0;  ///< consecutive unstable checks
};

}  // namespace

double GraftingSchedule::next(std::int64_t epoch, double alpha, const SeedMetrics& metrics) try {
  return std::min(std::max(compute(epoch, alpha, metrics), 0.0), 1.0);
} catch (...) {
  Impl::rethrow_translated("Kindred::GraftingSchedule::next");
}

bool GraftingSchedule::aborts(const SeedMetrics& metrics) const noexcept {
  // Written so that a NaN aborts the graft.
  return !(metrics.error_rate.value_or(0) <= m_settings.abort_error_rate);
}

std::vector<double> GraftingSchedule::state() const try { return numbers(); } catch (...) {
  Impl::rethrow_translated("Kindred::GraftingSchedule::state");
}

void GraftingSchedule::take_numbers(std::span<const double> state) {
  if (!state.empty()) refuse_state("linear", "it must be empty");
}

void GraftingSchedule::restore(std::span<const double> state) try {
  take_numbers(state);
} catch (...) {
  Impl::rethrow_translated("Kindred::GraftingSchedule::restore");
}

double GraftingSchedule::ramp(std::int64_t epoch, double share) const noexcept {
  const double progress = static_cast<double>(epoch) / m_settings.ramp_epochs * share;
  return std::min(std::max(progress, m_settings.alpha_min), m_settings.alpha_max);
}

void check_settings(const ScheduleSettings& settings) try {
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
} catch (...) {
  Impl::rethrow_translated("Kindred::check_settings");
}

std::unique_ptr<GraftingSchedule> make_schedule(AlphaSchedule kind,
                                                const ScheduleSettings& settings) try {
  check_settings(settings);
  switch (kind) {
    case AlphaSchedule::linear:
      return std::make_unique<LinearSchedule>(settings);
    case AlphaSchedule::drift_controlled:
      return std::make_unique<DriftSchedule>(settings);
    case AlphaSchedule::momentum:
      return std::make_unique<MomentumSchedule>(settings);
    case AlphaSchedule::adaptive:
      return std::make_unique<AdaptiveSchedule>(settings);
    case AlphaSchedule::stability:
      return std::make_unique<StabilitySchedule>(settings);
  }
  KINDRED_THROW_IF(true, "the alpha schedule " + std::to_string(static_cast<int>(kind)) +
                             " does not exist; schedules are 0 to 4");
  return {};
} catch (...) {
  Impl::rethrow_translated("Kindred::make_schedule");
}

}  // namespace Kindred

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_SCHEDULE_HPP
#define KINDRED_MATCHER_SEED_SCHEDULE_HPP

#include <kindred/core/common/Public.hpp>
#include <kindred/core/seed/AlphaSchedule.hpp>
#include <kindred/matcher/SeedTransition.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// \brief Parameters of the schedules that raise alpha.
struct ScheduleSettings {
  double ramp_epochs = 50;            ///< epochs in which alpha rises from 0 to 1, > 0
  double drift_threshold = 0.01;      ///< above it a ramp pauses, ≥ 0
  std::int32_t pause_epochs = 10;     ///< ≥ 0
  double momentum = 0.1;              ///< of the velocity, in [0, 1)
  std::int32_t stability_window = 5;  ///< epochs between checks, ≥ 1
  double alpha_min = 0;               ///< 0 ≤ alpha_min ≤ alpha_max ≤ 1
  double alpha_max = 1;
  double abort_error_rate = 0.5;  ///< above it a graft is aborted

  friend bool operator==(const ScheduleSettings&, const ScheduleSettings&) = default;
};

/// \brief Computes the alpha of one grafting seed, epoch by epoch. Stateful; not thread-safe.
class GraftingSchedule {
 public:
  /// \throws InvalidArgument for an invalid schedule code or settings out of range
  explicit GraftingSchedule(AlphaSchedule kind, const ScheduleSettings& settings = {});

  /// \brief The alpha of epoch \p epoch of the graft, in double. A missing metric counts as stable,
  /// NaN as unstable.
  /// \param alpha the current alpha of the seed
  /// \throws InvalidArgument if the number of weights differs from that of earlier epochs
  double next(std::int64_t epoch, double alpha, const SeedMetrics& metrics);
  /// Whether the graft must be aborted.
  bool aborts(const SeedMetrics& metrics) const noexcept;
  AlphaSchedule kind() const noexcept { return m_kind; }

  /// The internal state, as `restore` takes it.
  std::vector<double> state() const;
  /// \throws InvalidArgument for numbers that are not a valid state; the schedule is then unchanged
  void restore(std::span<const double> state);

 private:
  double alpha_of(std::int64_t epoch, double alpha, const SeedMetrics& metrics);
  double ramp(std::int64_t epoch, double share = 1) const noexcept;
  double ahead(std::int64_t epoch, double alpha, double performance_delta) noexcept;
  double stable(std::int64_t epoch, double alpha, const SeedMetrics& metrics) noexcept;
  double drift_of(std::span<const float> weights);
  bool pauses(double drift) noexcept;

  AlphaSchedule m_kind;
  ScheduleSettings m_settings;
  std::int32_t m_pause = 0;    ///< epochs for which alpha is still held
  double m_velocity = 0;       ///< by which alpha runs ahead of the ramp
  double m_stable_alpha = 0;   ///< the last stable one
  double m_unstable = 0;       ///< consecutive unstable checks
  std::vector<double> m_mean;  ///< moving average of the weights
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_SEED_SCHEDULE_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_SCHEDULE_HPP
#define KINDRED_MATCHER_SEED_SCHEDULE_HPP

#include <kindred/core/common/Public.hpp>
#include <kindred/core/seed/AlphaSchedule.hpp>
#include <kindred/matcher/SeedTransition.hpp>

#include <cstdint>
#include <memory>
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

/// \throws InvalidArgument for a value out of range
void check_settings(const ScheduleSettings& settings);

/// \brief Computes the alpha of one grafting seed, epoch by epoch. Stateful; not thread-safe.
class GraftingSchedule {
 public:
  virtual ~GraftingSchedule() = default;

  /// \brief The alpha of epoch \p epoch of the graft, in double. A missing metric counts as stable,
  /// NaN as unstable.
  /// \param alpha the current alpha of the seed
  double next(std::int64_t epoch, double alpha, const SeedMetrics& metrics);
  /// Whether the graft must be aborted.
  bool aborts(const SeedMetrics& metrics) const noexcept;
  virtual AlphaSchedule kind() const noexcept = 0;

  /// The internal state, as `restore` takes it.
  std::vector<double> state() const;
  /// \throws InvalidArgument for numbers that are not a valid state; the schedule is then unchanged
  void restore(std::span<const double> state);

 protected:
  explicit GraftingSchedule(const ScheduleSettings& settings) : m_settings(settings) {}
  const ScheduleSettings& settings() const noexcept { return m_settings; }
  /// The linear ramp, scaled by \p share.
  double ramp(std::int64_t epoch, double share = 1) const noexcept;

 private:
  virtual double compute(std::int64_t epoch, double alpha, const SeedMetrics& metrics) = 0;
  virtual std::vector<double> numbers() const { return {}; }
  virtual void take_numbers(std::span<const double> state);

  ScheduleSettings m_settings;
};

/// \throws InvalidArgument for an invalid schedule code or settings out of range
std::unique_ptr<GraftingSchedule> make_schedule(AlphaSchedule kind,
                                                const ScheduleSettings& settings = {});

}  // namespace Kindred

#endif  // KINDRED_MATCHER_SEED_SCHEDULE_HPP

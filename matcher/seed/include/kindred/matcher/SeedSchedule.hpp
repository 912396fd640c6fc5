// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_SCHEDULE_HPP
#define KINDRED_MATCHER_SEED_SCHEDULE_HPP

#include <kindred/core/seed/Lifecycle.hpp>
#include <kindred/matcher/SeedTransition.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace Kindred {

/// \brief By what schedules raise alpha.
struct ScheduleSettings {
  double ramp_epochs = 50;            ///< from 0 to 1, > 0
  double drift_threshold = 0.01;      ///< above it a ramp pauses, ≥ 0
  std::int32_t pause_epochs = 10;     ///< ≥ 0
  double momentum = 0.1;              ///< of the velocity, in [0, 1)
  std::int32_t stability_window = 5;  ///< epochs between checks, ≥ 1
  double alpha_min = 0;               ///< 0 ≤ alpha_min ≤ alpha_max ≤ 1
  double alpha_max = 1;
  double abort_error_rate = 0.5;  ///< above it a graft is given up

  friend bool operator==(const ScheduleSettings&, const ScheduleSettings&) = default;
};

/// \throws InvalidArgument for a value out of range
void check_settings(const ScheduleSettings& settings);

/// \brief How the alpha of one grafting seed rises, epoch by epoch. Has its own state; not
/// thread-safe.
class GraftingSchedule {
 public:
  virtual ~GraftingSchedule() = default;

  /// \brief The alpha of epoch \p epoch of the graft, in double. A metric that is missing is
  /// stable; one that is NaN is not.
  /// \param alpha that the seed has now
  double next(std::int64_t epoch, double alpha, const SeedMetrics& metrics);
  /// Whether the graft is to be given up.
  bool aborts(const SeedMetrics& metrics) const noexcept;
  virtual AlphaSchedule kind() const noexcept = 0;

  /// What `restore` takes: numbers of this kind of schedule.
  virtual std::vector<double> state() const { return {}; }
  /// \throws InvalidArgument for numbers that no `state` gave; it is then as it was
  virtual void restore(std::span<const double> state);

 protected:
  explicit GraftingSchedule(const ScheduleSettings& settings) : m_settings(settings) {}
  const ScheduleSettings& settings() const noexcept { return m_settings; }
  /// The straight ramp, \p share of it.
  double ramp(std::int64_t epoch, double share = 1) const noexcept;

 private:
  virtual double compute(std::int64_t epoch, double alpha, const SeedMetrics& metrics) = 0;

  ScheduleSettings m_settings;
};

/// \throws InvalidArgument for a code that is no schedule, or settings out of range
std::unique_ptr<GraftingSchedule> make_schedule(AlphaSchedule kind,
                                                const ScheduleSettings& settings = {});

}  // namespace Kindred

#endif  // KINDRED_MATCHER_SEED_SCHEDULE_HPP

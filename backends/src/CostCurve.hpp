// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_SRC_COST_CURVE_HPP
#define KINDRED_BACKENDS_SRC_COST_CURVE_HPP

#include "Published.hpp"

#include <kindred/backends/Dispatcher.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

inline constexpr std::size_t size_class_count = 64;

/// The binary logarithm of \p work, rounded down to 0 … 63. Class 0 for work below 2 and for NaN.
inline std::size_t size_class(double work) noexcept {
  if (!(work >= 2.0)) return 0;
  // The exponent: `std::ilogb` takes as long as a prediction.
  return std::min<std::size_t>((std::bit_cast<std::uint64_t>(work) >> 52U) - 1023, 63);
}

/// \brief Seconds of an operation on a space as a function of its work, without transfers.
///
/// Before calibration: the line `overhead + work / rate`. After calibration: one measured point per
/// size class, with linear interpolation between two points. Beyond them it extrapolates along the
/// line through the nearest two points, or at the assumed rate if those two are nearly equal;
/// below, never faster than in proportion to the work, and above, never slower. May be read while
/// one thread changes it.
class CostCurve {
 public:
  struct Point {
    double work = 0;
    double seconds = 0;
  };

  CostCurve() = default;
  CostCurve(double overhead_seconds, double work_per_second)
      : m_overhead(overhead_seconds), m_rate(work_per_second) {}

  double seconds(double work) const noexcept;

  /// Sets the measured point of a size class, replacing an earlier one.
  void set(Point point) noexcept;
  bool calibrated() const noexcept { return m_measured != 0; }
  /// Calls `function(point)` for every measured point in ascending order of work.
  template <class Function>
  void for_each_point(const Function& function) const {
    for (std::size_t k = 0; k < size_class_count; ++k)
      if ((m_measured >> k & 1U) != 0) function(point(k));
  }

 private:
  struct PublishedPoint {
    Published<double> work;
    Published<double> seconds;
  };

  Point point(std::size_t k) const noexcept { return {m_points[k].work, m_points[k].seconds}; }

  Published<double> m_overhead = 0;
  Published<double> m_rate = 1;
  std::array<PublishedPoint, size_class_count> m_points{};
  Published<std::uint64_t> m_measured = 0;  ///< one bit per size class; written after the point
};

/// \brief The assumed costs of an operation on \p space before anything is measured.
///
/// One host thread does \ref OperationPrior::thread_rate work per second after the fixed cost of a
/// call. A call on `openmp` is handed to the leader of a team, which wakes the other threads: this
/// adds 100 µs and 2 µs per thread, and every thread after the first adds 0.85 of the rate. The
/// device has 100 times the rate of a thread, and the overhead that puts the crossover of a call
/// with one kernel launch at \ref OperationPrior::device_work_min.
CostCurve prior_curve(const OperationPrior& prior, Space space, int threads) noexcept;

/// \brief Assumed seconds of a parallel region or kernel before they are measured.
///
/// A region that follows another waits for all threads, some of which have fallen asleep: 15 µs and
/// 1 µs per thread. A launch that is queued behind others takes 1.5 µs.
double start_prior(Space space, int threads) noexcept;

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_SRC_COST_CURVE_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_SRC_COST_CURVE_HPP
#define KINDRED_BACKENDS_SRC_COST_CURVE_HPP

#include <kindred/backends/Dispatcher.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

inline constexpr std::size_t size_class_count = 64;

/// The power of two of \p work, 0 … 63. Work below 2 and what is no number is class 0.
std::size_t size_class(double work) noexcept;

/// \brief Seconds of an operation on a space as a function of its work, transfer apart.
///
/// A line `overhead + work / rate` until it is calibrated. Then a measured point a size class:
/// straight between two of them, and along the line through the nearest two beyond them, or at the
/// assumed rate where those two are alike; never
/// faster than in proportion below, never slower than in proportion above.
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

  /// Takes the place of what was measured in that size class.
  void set(Point point) noexcept;
  bool calibrated() const noexcept { return m_measured != 0; }
  /// Calls `function(point)` for every measured point, least work first.
  template <class Function>
  void for_each_point(const Function& function) const {
    for (std::size_t k = 0; k < size_class_count; ++k)
      if ((m_measured >> k & 1U) != 0) function(m_points[k]);
  }

 private:
  double m_overhead = 0;
  double m_rate = 1;
  std::uint64_t m_measured = 0;  ///< a bit a size class
  std::array<Point, size_class_count> m_points{};
};

/// \brief What is assumed of an operation on \p space before anything is measured.
///
/// One thread of the host does \ref OperationPrior::thread_rate work per second after what a call
/// costs. A call on `openmp` is handed to a thread of the team, which wakes the others: 100 µs and
/// 2 µs per thread more; every thread but the first adds 0.85 of the rate. The device does 100
/// times the work of a thread, and has the overhead which puts the crossover of a call of one start
/// at \ref OperationPrior::device_work_min.
CostCurve prior_curve(const OperationPrior& prior, Space space, int threads) noexcept;

/// \brief Seconds that are assumed of a parallel region or kernel before they are measured.
///
/// A region behind another waits for all threads, of which some fell asleep: 15 µs and 1 µs per
/// thread. A launch that is queued behind others takes 1.5 µs.
double start_prior(Space space, int threads) noexcept;

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_SRC_COST_CURVE_HPP

// SPDX-License-Identifier: Apache-2.0
#include "CostCurve.hpp"

#include <algorithm>
#include <bit>

namespace Kindred::Impl {

void CostCurve::set(Point point) noexcept {
  const std::size_t k = size_class(point.work);
  m_points[k] = {point.work, point.seconds};
  m_measured = m_measured | std::uint64_t{1} << k;
}

double CostCurve::seconds(double work) const noexcept {
  work = std::max(0.0, work);  // 0 for NaN
  const std::uint64_t measured = m_measured;
  const double rate = m_rate;
  if (measured == 0) return m_overhead + work / rate;

  const auto line = [work](const Point& a, const Point& b) {
    return a.seconds + (b.seconds - a.seconds) * ((work - a.work) / (b.work - a.work));
  };
  // The nearest measured points at or below `work` and above it.
  const std::size_t k = size_class(work);
  std::uint64_t below = measured & (~std::uint64_t{0} >> (63 - k));
  std::uint64_t above = k == 63 ? 0 : measured & (~std::uint64_t{0} << (k + 1));
  // If nothing was measured in class k, the work of its point is 0.
  if (m_points[k].work > work) {
    below &= ~(std::uint64_t{1} << k);
    above |= std::uint64_t{1} << k;
  }
  const auto last = [](std::uint64_t bits) {
    return static_cast<std::size_t>(63 - std::countl_zero(bits));
  };
  const auto first = [](std::uint64_t bits) {
    return static_cast<std::size_t>(std::countr_zero(bits));
  };
  if (below != 0 && above != 0) return line(point(last(below)), point(first(above)));
  if (below != 0) {
    // Extrapolate along the line through the last two points: a last point that was disturbed or is
    // mostly overhead must not be scaled up as a whole. Two nearly equal points are overhead and
    // give no rate; noise between such points must not give one, either.
    constexpr double prior_error = 30;
    const Point end = point(last(below));
    const double proportional = end.seconds / end.work;
    const std::uint64_t rest = below & ~(std::uint64_t{1} << last(below));
    const Point start = rest != 0 ? point(last(rest)) : end;
    const double growth = end.seconds / start.seconds;
    const double slope = growth * growth > end.work / start.work
                             ? (end.seconds - start.seconds) / (end.work - start.work)
                             : 1.0 / rate;
    const double least = std::min(0.125 / rate, proportional);
    const double most = std::clamp(prior_error / rate, least, proportional);
    return end.seconds + (work - end.work) * std::clamp(slope, least, most);
  }
  const Point start = point(first(above));
  const double proportional = start.seconds * (work / start.work);
  const std::uint64_t rest = above & (above - 1);
  const double along = rest != 0 ? line(start, point(first(rest)))
                                 : m_overhead + (start.seconds - m_overhead) * (work / start.work);
  // A point that is being set may be half written.
  return std::clamp(along, proportional, std::max(start.seconds, proportional));
}

CostCurve prior_curve(const OperationPrior& prior, Space space, int threads) noexcept {
  // The call is handed to a sleeping thread, which wakes the others, and back.
  constexpr double handover = 100e-6;
  constexpr double wake_each = 2e-6;
  constexpr double efficiency = 0.85;  // of every thread after the first
  constexpr double device_speedup = 100;
  switch (space) {
    case Space::serial:
      return {prior.call_seconds, prior.thread_rate};
    case Space::openmp:
      if (threads == 1) return {prior.call_seconds, prior.thread_rate};
      return {prior.call_seconds + handover + wake_each * threads,
              prior.thread_rate * (1 + efficiency * (threads - 1))};
    case Space::cuda:
      break;
  }
  const double rate = prior.thread_rate * device_speedup;
  // Work equal to the threshold goes to the device.
  const double threshold = prior.device_work_min * (1 - 0x1p-20);
  const double fixed = threshold == 0 ? prior.call_seconds / 4 : prior.call_seconds;
  const double overhead =
      fixed + threshold / prior.thread_rate - threshold / rate - start_prior(Space::cuda, threads);
  return {std::max(overhead, 0.0), rate};
}

double start_prior(Space space, int threads) noexcept {
  if (space == Space::cuda) return 1.5e-6;
  return space == Space::openmp && threads > 1 ? 15e-6 + 1e-6 * threads : 0;
}

}  // namespace Kindred::Impl

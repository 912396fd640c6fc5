// SPDX-License-Identifier: Apache-2.0
#include "Ladder.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace Kindred::Impl {

namespace {

constexpr double grace = 50e-6;  ///< seconds that a call may always take: a thread that was woken
constexpr double steepest = 4;   ///< times the growth of the work, from one point to the next

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The median of those that are at most twice the least: the others were disturbed.
double typical(std::vector<double> seconds) {
  const double least = std::ranges::min(seconds);
  std::erase_if(seconds, [&](double one) { return one > 2 * least; });
  return median(std::move(seconds));
}

/// The points of one space.
struct Curve {
  Space space = Space::serial;
  std::vector<TimedCall> points = {};
  double trusted = 0;  ///< seconds of the last point that the points before it vouch for
  bool climbs = true;
};

class Ladder {
 public:
  explicit Ladder(const LadderOptions& options) : m_options(options), m_start(options.clock()) {
    for (const Space space : options.spaces) m_curves.push_back({space});
  }

  std::vector<LadderPoint> climb(const PrepareRung& prepare) {
    for (std::size_t size = 1; size <= m_options.size_max; size *= 2) {
      const Rung rung = prepare(size);
      if (!rung) break;
      std::vector<std::size_t> spaces;
      for (std::size_t i = 0; i < m_curves.size(); ++i)
        if (m_curves[i].climbs) spaces.push_back(i);
      if (spaces.empty()) break;
      measure_rung(rung, spaces);
    }
    return points();
  }

 private:
  double left() const { return m_options.seconds - (m_options.clock() - m_start); }

  void measure_rung(const Rung& rung, std::vector<std::size_t> spaces) {
    constexpr int repeats_max = 3;
    m_rung.assign(m_curves.size(), {0, std::numeric_limits<double>::infinity()});
    std::vector<std::size_t> asked = spaces;
    for (int repeat = 0; !asked.empty() && repeat <= repeats_max; ++repeat) {
      if (repeat > 0 && left() <= 0) break;
      measure(rung, asked);
      std::erase_if(asked, [&](std::size_t i) { return is_plausible(i); });
    }
    for (const std::size_t i : spaces) take(m_curves[i], m_rung[i]);
  }

  /// Every one of \p spaces in turn; `m_rung` keeps the better of what it has and what is found.
  void measure(const Rung& rung, const std::vector<std::size_t>& spaces) {
    constexpr int rounds_min = 3;
    constexpr int rounds_max = 25;
    constexpr double share = 1.0 / 60;  // of the time, for the calls of a rung
    std::vector<std::vector<double>> seconds(m_curves.size());
    for (const std::size_t i : spaces) rung(m_curves[i].space);  // allocates, and is cold
    const double start = m_options.clock();
    for (int round = 0; round < rounds_max; ++round) {
      if (round >= rounds_min && m_options.clock() - start > share * m_options.seconds) break;
      for (const std::size_t i : spaces) {
        const TimedCall call = rung(m_curves[i].space);
        seconds[i].push_back(call.seconds);
        m_rung[i].work = call.work;
      }
    }
    for (const std::size_t i : spaces)
      m_rung[i].seconds = std::min(m_rung[i].seconds, typical(std::move(seconds[i])));
  }

  /// Whether the point of this rung may be true: disturbances make points that are far above.
  bool is_plausible(std::size_t i) const {
    const TimedCall& point = m_rung[i];
    if (point.seconds <= grace) return true;
    if (!m_curves[i].points.empty()) {
      const TimedCall& before = m_curves[i].points.back();
      const double growth = std::max(point.work / before.work, 1.0);
      if (point.seconds > steepest * growth * m_curves[i].trusted + grace) return false;
    }
    constexpr double prior_error = 30;
    if (point.seconds > prior_error * m_options.prior(m_curves[i].space, point.work) + 2 * grace)
      return false;
    // All threads do what one does, at worst by one of them.
    constexpr double crowd = 2;
    if (m_curves[i].space != Space::openmp) return true;
    for (std::size_t other = 0; other < m_curves.size(); ++other) {
      if (m_curves[other].space == Space::serial &&
          point.seconds > crowd * m_rung[other].seconds + grace)
        return false;
    }
    return true;
  }

  void take(Curve& curve, const TimedCall& point) {
    if (!(point.work > 0)) return;
    curve.trusted = curve.points.empty() ? std::min(point.seconds, 10 * grace)
                                         : std::min(point.seconds, 2 * steepest * curve.trusted);
    curve.points.push_back(point);
    // A call that is cold and three that are not, of twice the work, beside those of other spaces.
    curve.climbs = 8 * curve.trusted < left() / 2;
  }

  std::vector<LadderPoint> points() {
    std::vector<LadderPoint> out;
    for (Curve& curve : m_curves) {
      // Nothing after it shows whether it is true.
      if (curve.points.size() > 1 && curve.points.back().seconds > curve.trusted)
        curve.points.pop_back();
      std::ranges::stable_sort(curve.points, {}, &TimedCall::work);
      double later = std::numeric_limits<double>::infinity();
      for (auto point = curve.points.rbegin(); point != curve.points.rend(); ++point)
        later = point->seconds = std::min(point->seconds, later);
      for (const TimedCall& point : curve.points)
        out.push_back({curve.space, point.work, point.seconds});
    }
    return out;
  }

  const LadderOptions& m_options;
  double m_start;
  std::vector<Curve> m_curves;
  std::vector<TimedCall> m_rung;  ///< of every curve, what this size has given
};

}  // namespace

std::vector<LadderPoint> climb(const LadderOptions& options, const PrepareRung& prepare) {
  return Ladder(options).climb(prepare);
}

double steady_seconds(const std::function<void()>& start, const SecondsClock& clock, double seconds,
                      double plausible) {
  constexpr std::size_t batch = 16;
  constexpr double warm_seconds = 5e-3;  // in which a scheduler moves a thread
  constexpr double disturbed = 8;
  const double begin = clock();
  double least = std::numeric_limits<double>::infinity();
  while (true) {
    std::array<double, batch> times{};
    for (double& time : times) {
      const double before = clock();
      start();
      time = clock() - before;
    }
    std::ranges::sort(times);
    const double middle = times[batch / 2];
    const bool is_steady = middle <= 1.5 * least && times.back() <= disturbed * middle;
    least = std::min(least, middle);
    const double taken = clock() - begin;
    if ((is_steady && least <= plausible && taken >= warm_seconds) || taken > seconds) return least;
  }
}

}  // namespace Kindred::Impl

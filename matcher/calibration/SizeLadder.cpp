// SPDX-License-Identifier: Apache-2.0
#include "SizeLadder.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace Kindred::Impl {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

namespace {

/// Seconds that a call may always take, because a thread may have to be woken.
constexpr double grace = 50e-6;
/// Limit of time growth between two points, as a multiple of the growth of the work.
constexpr double steepest = 4;

/// \brief The median of the times that are at most twice the lower quartile; larger ones were
/// disturbed.
///
/// Not twice the minimum: on many processors some calls find the threads of a team still awake and
/// take a third of the others.
double typical(std::vector<double> seconds) {
  const auto quartile = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 4);
  std::nth_element(seconds.begin(), quartile, seconds.end());
  const double low = *quartile;
  std::erase_if(seconds, [&](double one) { return one > 2 * low; });
  return median(std::move(seconds));
}

/// The points measured at one place.
struct Curve {
  Place place;
  std::vector<TimedCall> points = {};
  double trusted = 0;  ///< seconds of the last point, limited by the earlier points
  double behind = 0;   ///< seconds of the last point divided by those of the best later place
  int hopeless = 0;    ///< consecutive sizes at which it was far behind, each further than before
  bool is_suspect = false;  ///< whether its last point remained implausible
  bool climbs = true;
};

class SizeLadder {
 public:
  explicit SizeLadder(const SizeLadderOptions& options)
      : m_options(options), m_start(options.clock()) {
    for (const Place place : options.places) m_curves.push_back({place});
  }

  std::vector<SizeLadderPoint> climb(const PrepareRung& prepare) {
    double prepared = 0;  // seconds that preparing the last size took
    for (std::size_t size = 1; size <= m_options.size_max; size *= step()) {
      if (prepared * static_cast<double>(step()) > left()) break;
      const double start = m_options.clock();
      const Rung rung = prepare(size);
      prepared = m_options.clock() - start;
      if (!rung) break;
      std::vector<std::size_t> climbing;
      bool is_over = true;
      for (std::size_t i = 0; i < m_curves.size(); ++i) {
        if (!m_curves[i].climbs) continue;
        is_over = false;
        if (is_near(m_curves[i])) climbing.push_back(i);
      }
      if (is_over) break;
      if (!climbing.empty()) measure_rung(rung, climbing);
    }
    return points();
  }

 private:
  double left() const { return m_options.seconds - (m_options.clock() - m_start); }

  /// There are many sizes of short calls, and preparing a size may take longer than its calls.
  std::size_t step() const { return m_best < 1e-3 ? 4 : 2; }

  /// Whether \p curve may soon be the best. Until then its time is nearly constant, because the
  /// best time is far below the cost of a call at this place.
  bool is_near(const Curve& curve) const {
    constexpr double near = 4;
    return curve.points.empty() || curve.is_suspect || curve.trusted < near * m_best;
  }

  void measure_rung(const Rung& rung, const std::vector<std::size_t>& climbing) {
    constexpr int repeats_max = 3;
    m_rung.assign(m_curves.size(), {0, std::numeric_limits<double>::infinity()});
    std::vector<std::size_t> requested = climbing;
    double taken = 0;
    for (int repeat = 0; !requested.empty() && repeat <= repeats_max; ++repeat) {
      if (repeat > 0 && taken > left() / 3) break;
      const double start = m_options.clock();
      measure(rung, requested);
      taken = m_options.clock() - start;
      std::erase_if(requested, [&](std::size_t i) { return is_plausible(i); });
    }
    for (const std::size_t i : climbing)
      m_curves[i].is_suspect = std::ranges::find(requested, i) != requested.end();
    m_best = std::numeric_limits<double>::infinity();
    for (const std::size_t i : climbing) m_best = std::min(m_best, m_rung[i].seconds);
    for (const std::size_t i : climbing) {
      // A later place has more threads or is a device; a place that is far behind it will not catch
      // up.
      double best_after = std::numeric_limits<double>::infinity();
      for (const std::size_t other : climbing)
        if (other > i) best_after = std::min(best_after, m_rung[other].seconds);
      take(m_curves[i], m_rung[i], best_after);
    }
  }

  /// Measures \p requested in turns; `m_rung` keeps the minimum of the old and the new time.
  void measure(const Rung& rung, const std::vector<std::size_t>& requested) {
    constexpr int rounds_min = 7;
    constexpr int rounds_max = 25;
    constexpr double share = 1.0 / 50;  // of the time limit, for the calls of a rung
    std::vector<std::vector<double>> seconds(m_curves.size());
    // The first call allocates and is cold.
    for (const std::size_t i : requested) rung(m_curves[i].place);
    const double start = m_options.clock();
    for (int round = 0; round < rounds_max; ++round) {
      if (round >= rounds_min && m_options.clock() - start > share * m_options.seconds) break;
      for (const std::size_t i : requested) {
        const TimedCall call = rung(m_curves[i].place);
        seconds[i].push_back(call.seconds);
        m_rung[i].work = call.work;
      }
    }
    for (const std::size_t i : requested)
      m_rung[i].seconds = std::min(m_rung[i].seconds, typical(std::move(seconds[i])));
  }

  /// Whether the point of this rung is plausible. Disturbances produce points that are far too
  /// high.
  bool is_plausible(std::size_t i) const {
    const TimedCall& point = m_rung[i];
    if (point.seconds <= grace) return true;
    if (!m_curves[i].points.empty()) {
      const TimedCall& before = m_curves[i].points.back();
      const double growth = std::max(point.work / before.work, 1.0);
      if (point.seconds > steepest * growth * m_curves[i].trusted + grace) return false;
    }
    constexpr double prior_error = 30;
    if (point.seconds > prior_error * m_options.prior(m_curves[i].place, point.work) + 2 * grace)
      return false;
    // A team takes at most about as long as one thread, because one thread can do all the work.
    constexpr double crowd = 2;
    if (m_curves[i].place.space != Space::openmp) return true;
    for (std::size_t other = 0; other < m_curves.size(); ++other) {
      if (m_curves[other].place.space == Space::serial &&
          point.seconds > crowd * m_rung[other].seconds + grace)
        return false;
    }
    return true;
  }

  /// \param best_after minimum seconds of this size at any later place
  void take(Curve& curve, const TimedCall& point, double best_after) {
    if (!(point.work > 0)) return;
    curve.trusted = curve.points.empty() ? std::min(point.seconds, 10 * grace)
                                         : std::min(point.seconds, 2 * steepest * curve.trusted);
    curve.points.push_back(point);
    // The next rung takes one cold call and seven others of twice the work, in addition to the
    // calls at other places.
    curve.climbs = 16 * curve.trusted < left() / 2;
    constexpr double far = 4;
    constexpr int sizes_in_a_row = 2;
    const double behind = point.seconds / best_after;
    curve.hopeless = behind > std::max(far, curve.behind) ? curve.hopeless + 1 : 0;
    curve.behind = behind;
    if (curve.hopeless >= sizes_in_a_row) curve.climbs = false;
  }

  std::vector<SizeLadderPoint> points() {
    std::vector<SizeLadderPoint> out;
    for (Curve& curve : m_curves) {
      // A high last point is dropped, because no later point confirms it.
      if (curve.points.size() > 1 && curve.points.back().seconds > curve.trusted)
        curve.points.pop_back();
      if (&curve != &m_curves.front()) remove_spikes(m_curves.front().points, curve.points);
    }
    for (Curve& curve : m_curves) {
      std::ranges::stable_sort(curve.points, {}, &TimedCall::work);
      remove_inversions(curve.points);
      for (const TimedCall& point : curve.points)
        out.push_back({curve.place, point.work, point.seconds});
    }
    return out;
  }

  /// \brief Makes the times of \p points, which are sorted by work, non-decreasing. A point far
  /// above a later one was disturbed, and is lowered to it. Smaller differences are noise in both
  /// directions: such points are averaged, by isotonic regression (pool adjacent violators).
  static void remove_inversions(std::vector<TimedCall>& points) {
    constexpr double disturbed = 1.5;
    double later = std::numeric_limits<double>::infinity();
    for (auto point = points.rbegin(); point != points.rend(); ++point) {
      if (point->seconds > disturbed * later) point->seconds = later;
      later = std::min(later, point->seconds);
    }
    struct Block {
      double seconds;  ///< the sum over its points
      std::size_t count;
      double mean() const { return seconds / static_cast<double>(count); }
    };
    std::vector<Block> blocks;
    for (const TimedCall& point : points) {
      Block block{point.seconds, 1};
      for (; !blocks.empty() && blocks.back().mean() >= block.mean(); blocks.pop_back())
        block = {block.seconds + blocks.back().seconds, block.count + blocks.back().count};
      blocks.push_back(block);
    }
    auto point = points.begin();
    for (const Block& block : blocks)
      for (std::size_t i = 0; i < block.count; ++i) (point++)->seconds = block.mean();
  }

  /// \brief Lowers a point if its ratio to \p first, which was measured in turns with it, exceeds
  /// the ratios of its neighbours.
  static void remove_spikes(const std::vector<TimedCall>& first, std::vector<TimedCall>& points) {
    constexpr double spike = 1.25;
    struct Beside {
      TimedCall* point;
      double first;
      double ratio() const { return point->seconds / first; }
    };
    std::vector<Beside> both;
    for (TimedCall& point : points) {
      const auto found = std::ranges::find(first, point.work, &TimedCall::work);
      if (found != first.end()) both.push_back({&point, found->seconds});
    }
    if (both.size() < 3) return;
    std::vector<double> usual(both.size());
    for (std::size_t i = 0; i < both.size(); ++i) {
      const std::size_t begin = std::min(i == 0 ? 0 : i - 1, both.size() - 3);
      usual[i] = median({both[begin].ratio(), both[begin + 1].ratio(), both[begin + 2].ratio()});
    }
    for (std::size_t i = 1; i < both.size(); ++i) {
      if (both[i].point->seconds > grace && both[i].ratio() > spike * usual[i])
        both[i].point->seconds = usual[i] * both[i].first;
    }
  }

  const SizeLadderOptions& m_options;
  double m_start;
  std::vector<Curve> m_curves;
  double m_best = 0;              ///< seconds of the last size
  std::vector<TimedCall> m_rung;  ///< per curve: the call of this size
};

}  // namespace

std::vector<SizeLadderPoint> climb(const SizeLadderOptions& options, const PrepareRung& prepare) {
  return SizeLadder(options).climb(prepare);
}

double steady_seconds(const std::function<void()>& start, const SecondsClock& clock, double seconds,
                      double plausible) {
  constexpr std::size_t batch = 16;
  constexpr double warm_seconds = 5e-3;  // time in which a scheduler moves a thread
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

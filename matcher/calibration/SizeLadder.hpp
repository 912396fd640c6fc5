// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_CALIBRATION_SIZE_LADDER_HPP
#define KINDRED_MATCHER_CALIBRATION_SIZE_LADDER_HPP

#include <kindred/backends/Space.hpp>

#include <cstddef>
#include <functional>
#include <vector>

namespace Kindred::Impl {

/// The current time in seconds. It is passed in, so that a test can simulate a machine.
using SecondsClock = std::function<double()>;

/// The median of \p values, which may be in any order; the greater of two middle values. \p values
/// must not be empty.
double median(std::vector<double> values);

/// Where a call runs: the space and the number of threads.
struct Place {
  Space space = Space::serial;
  int threads = 1;
  bool operator==(const Place&) const = default;
};

/// One call at one place.
struct TimedCall {
  double work = 0;
  double seconds = 0;
};
/// Executes a call of the size of a rung.
using Rung = std::function<TimedCall(Place)>;
/// Prepares the calls of a size; an empty function means that memory is exhausted and ends the
/// ladder.
using PrepareRung = std::function<Rung(std::size_t size)>;

struct SizeLadderOptions {
  std::vector<Place> places;  ///< in order of increasing number of threads, with a device last
  std::size_t size_max = 1;
  double seconds = 1;  ///< approximate time limit for the whole measurement
  SecondsClock clock;
  std::function<double(Place, double work)> prior;  ///< predicted seconds
};

struct SizeLadderPoint {
  Place place;
  double work = 0;
  double seconds = 0;
};

/// \brief Measures calls at every place over sizes that quadruple, or double for long calls.
///
/// The places take turns, so that a disturbance affects all of them; a point is the median of the
/// calls that took at most twice the lower quartile. A point is measured again if it is
/// implausible: far above the previous point, the prior, or the time of one thread. A place whose
/// calls cost far more than those of the best place is skipped until the difference shrinks. A
/// place leaves the ladder in two cases: when the next size would exceed its share of the remaining
/// time (estimated from several points, so that a single bad one does not end it), or when it falls
/// further and further behind a later place, which has more threads. At the end, points are lowered
/// and averaged until none takes longer than a larger size at the same place.
std::vector<SizeLadderPoint> climb(const SizeLadderOptions& options, const PrepareRung& prepare);

/// \brief Calls \p start until its time is steady and at most \p plausible, for at most \p seconds,
/// and returns that time.
///
/// The first parallel regions of a process may stall for milliseconds each, until the operating
/// system has moved the new threads to processors of their own.
double steady_seconds(const std::function<void()>& start, const SecondsClock& clock, double seconds,
                      double plausible);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_CALIBRATION_SIZE_LADDER_HPP

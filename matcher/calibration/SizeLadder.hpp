// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_CALIBRATION_SIZE_LADDER_HPP
#define KINDRED_MATCHER_CALIBRATION_SIZE_LADDER_HPP

#include <kindred/backends/Space.hpp>

#include <cstddef>
#include <functional>
#include <vector>

namespace Kindred::Impl {

/// What is measured, and with which clock: seconds, so that a test can make up a machine.
using SecondsClock = std::function<double()>;

/// Where a call runs: on a space, with how many threads.
struct Place {
  Space space = Space::serial;
  int threads = 1;
  bool operator==(const Place&) const = default;
};

/// One call in one place.
struct TimedCall {
  double work = 0;
  double seconds = 0;
};
/// Makes a call of the size of a rung.
using Rung = std::function<TimedCall(Place)>;
/// Prepares the calls of a size; an empty function ends the ladder, as there is no memory.
using PrepareRung = std::function<Rung(std::size_t size)>;

struct SizeLadderOptions {
  std::vector<Place> places;  ///< more threads after fewer, a device last
  std::size_t size_max = 1;
  double seconds = 1;  ///< about how long all of it may take
  SecondsClock clock;
  std::function<double(Place, double work)> prior;  ///< seconds that are assumed
};

struct SizeLadderPoint {
  Place place;
  double work = 0;
  double seconds = 0;
};

/// \brief Measures calls in every place over sizes that quadruple, those of long calls double.
///
/// The places take turns, so that a disturbance meets all of them; a point is the median of those
/// calls that took at most twice the least. A point is measured again where it is not plausible:
/// far above the point before it, the prior, or one thread. A place whose calls cost far more than
/// the best takes waits until that comes near. A place leaves the ladder when the next size would
/// take more than its share of what is left, judged by the points before as well as by the last
/// one, so that one bad point ends nothing; or when it falls ever further behind one of the places
/// after it, which have more threads. As disturbances only add, no point of the result is above a
/// later one of its place.
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

// SPDX-License-Identifier: Apache-2.0
// The measuring loop of a calibration on a simulated machine, whose threads stall as real ones do.
#include <calibration/SizeLadder.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

namespace SizeLadderTest {

using namespace Kindred;
using Impl::Place;
using Impl::SizeLadderPoint;

/// Calls of 100 steps per unit of size; each test defines the disturbances.
struct Machine {
  double now = 0;
  std::vector<Place> places{{Space::serial}, {Space::openmp, 2}};
  std::array<double, 2> overhead{2e-6, 6e-6};
  std::array<double, 2> rate{1e9, 1.8e9};
  int calls = 0;
  std::size_t size_fits = std::size_t{1} << 40U;
  /// The seconds by which a measured call exceeds its true time.
  std::function<double(Space, std::size_t size)> disturbance = [](Space, std::size_t) { return 0; };

  double truth(Space space, double work) const {
    const auto s = space_index(space);
    return overhead[s] + work / rate[s];
  }
  std::vector<SizeLadderPoint> climb(double seconds = 0.3) {
    const Impl::SizeLadderOptions options{
        .places = places,
        .size_max = std::size_t{1} << 22U,
        .seconds = seconds,
        .clock = [this] { return now; },
        .prior = [this](Place place, double work) { return truth(place.space, work) / 4; }};
    return Impl::climb(options, [this](std::size_t size) -> Impl::Rung {
      if (size > size_fits) return {};
      now += 1e-9 * static_cast<double>(size);
      return [this, size](Place place) -> Impl::TimedCall {
        const Space space = place.space;
        ++calls;
        const double work = 100.0 * static_cast<double>(size);
        const double seconds = truth(space, work) + disturbance(space, size);
        now += seconds;
        return {work, seconds};
      };
    });
  }
};

std::vector<SizeLadderPoint> of(Space space, std::vector<SizeLadderPoint> points) {
  std::erase_if(points, [=](const SizeLadderPoint& point) { return point.place.space != space; });
  return points;
}

/// The most work of any point of \p space.
double reach(Space space, const std::vector<SizeLadderPoint>& all) {
  const auto points = of(space, all);
  return points.empty() ? 0 : points.back().work;
}

/// The largest error of a point, as a factor.
double worst(const Machine& machine, const std::vector<SizeLadderPoint>& points) {
  double worst = 1;
  for (const SizeLadderPoint& point : points) {
    const double ratio = point.seconds / machine.truth(point.place.space, point.work);
    worst = std::max({worst, ratio, 1 / ratio});
  }
  return worst;
}

/// The crossover of the points: the work from which all threads are predicted to be faster.
double crossover(const std::vector<SizeLadderPoint>& points) {
  const auto one = of(Space::serial, points);
  const auto all = of(Space::openmp, points);
  for (const SizeLadderPoint& point : all) {
    const auto same = std::ranges::find(one, point.work, &SizeLadderPoint::work);
    if (same != one.end() && point.seconds < same->seconds) return point.work;
  }
  return 0;
}

TEST(SizeLadder, OfAQuietMachineIsAccurate) {
  Machine machine;
  const auto points = machine.climb();
  EXPECT_NEAR(worst(machine, points), 1, 1e-9);
  EXPECT_GE(reach(Space::serial, points), 6e6);
  EXPECT_GE(reach(Space::openmp, points), 6e6);
  EXPECT_LE(machine.now, 0.5);
}

TEST(SizeLadder, StallsOfTheFirstParallelRegionsChangeNothing) {
  for (const double until : {0.02, 0.06, 0.12}) {
    for (const double stall : {8.6e-3, 19.2e-3}) {
      Machine machine;
      machine.disturbance = [&](Space space, std::size_t) {
        return space == Space::openmp && machine.now < until ? stall : 0;
      };
      const auto points = machine.climb();
      EXPECT_LE(worst(machine, points), 1.05) << until << " s of " << stall;
      EXPECT_GE(reach(Space::openmp, points), 6e6) << until << " s of " << stall;
      EXPECT_EQ(crossover(points), 25600) << "the first size measured after it";
    }
  }
}

TEST(SizeLadder, DoesNotEndAtASingleBadPoint) {
  for (std::size_t bad = 1; bad <= 1 << 16; bad *= 4) {
    Machine machine;
    machine.disturbance = [&](Space space, std::size_t size) {
      return space == Space::openmp && size == bad ? 15e-3 : 0;
    };
    const auto points = machine.climb(0.6);
    EXPECT_GE(reach(Space::openmp, points), 6e6) << bad;
    EXPECT_LE(worst(machine, of(Space::openmp, points)), 2.01) << bad;
  }
}

TEST(SizeLadder, DiscardsCallsThatWereDisturbed) {
  Machine machine;
  machine.disturbance = [&](Space space, std::size_t) {
    return machine.calls % 3 == 0 ? 40 * machine.truth(space, 1000) : 0;
  };
  EXPECT_LE(worst(machine, machine.climb()), 1.02);
}

TEST(SizeLadder, MeasuresATrulySlowSpaceAccurately) {
  Machine machine;
  machine.overhead[1] = 3e-3;  // the cost of a parallel region where threads share a processor
  machine.rate[1] = 0.5e9;
  const auto points = machine.climb();
  EXPECT_NEAR(worst(machine, points), 1, 1e-9);
  EXPECT_GE(of(Space::openmp, points).size(), 3U);
  EXPECT_LE(machine.now, 0.6);
}

TEST(SizeLadder, TakesAboutTheGivenTimeWhateverStalls) {
  Machine machine;
  machine.disturbance = [](Space, std::size_t) { return 20e-3; };
  machine.climb(0.3);
  EXPECT_LE(machine.now, 1.0);
}

TEST(SizeLadder, CorrectsThePointsOfALongDisturbance) {
  Machine machine;  // one of its sizes is disturbed in all calls
  for (const std::size_t bad : {std::size_t{64}, std::size_t{4096}}) {
    machine.disturbance = [&](Space space, std::size_t size) {
      return space == Space::openmp && size == bad ? 0.9 * machine.truth(space, 100.0 * size) : 0;
    };
    auto points = of(Space::openmp, machine.climb(0.6));
    std::erase_if(points, [](const SizeLadderPoint& point) { return point.seconds <= 50e-6; });
    EXPECT_LE(worst(machine, points), 1.3) << bad;
  }
}

TEST(SizeLadder, StopsMeasuringFewThreadsWhereMoreAreMuchFaster) {
  Machine machine;
  machine.rate[1] = 32e9;
  const auto points = machine.climb(0.6);
  EXPECT_GT(of(Space::openmp, points).size(), of(Space::serial, points).size() + 2);
  EXPECT_NEAR(worst(machine, points), 1, 1e-9);
}

TEST(SizeLadder, WithoutMemoryForMoreKeepsThePointsSoFar) {
  Machine machine;
  machine.size_fits = 64;
  EXPECT_EQ(machine.climb().size(), 2U * 4U) << "1, 4, 16 and 64";
}

TEST(SizeLadder, OfOneSpaceHasNoOtherToCompareWith) {
  Machine machine;
  machine.places = {{Space::openmp, 2}};
  EXPECT_NEAR(worst(machine, machine.climb()), 1, 1e-9);
}

TEST(SteadySeconds, WaitsUntilTheTimesAreSteady) {
  double now = 0;
  const auto region = [&] { now += now < 0.1 ? 9e-3 : 1.5e-6; };
  const auto clock = [&] { return now; };
  EXPECT_NEAR(Impl::steady_seconds(region, clock, 0.5, 1e-4), 1.5e-6, 1e-9);
  EXPECT_LE(now, 0.5);
}

TEST(SteadySeconds, GivesUpIfTheTimesAreNeverSteady) {
  double now = 0;
  int call = 0;
  const auto region = [&] { now += 1e-3 * (1 + call++ % 7 * 5); };
  const auto clock = [&] { return now; };
  EXPECT_GT(Impl::steady_seconds(region, clock, 0.2, 1e-4), 0);
  EXPECT_LE(now, 1.0);
}

}  // namespace SizeLadderTest

// SPDX-License-Identifier: Apache-2.0
#include "CostCurve.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace CostCurveTest {

using namespace Kindred;
using Impl::CostCurve;
using Impl::prior_curve;
using Impl::size_class;

/// Of 1 µs and a nanosecond a step, where \p points were measured.
CostCurve curve_of(const std::vector<CostCurve::Point>& points) {
  CostCurve curve(1e-6, 1e9);
  for (const auto& point : points) curve.set(point);
  return curve;
}

TEST(CostCurve, SizeClassesArePowersOfTwo) {
  for (const double work : {0.0, -5.0, 1.0, 1.999, std::nan("")}) EXPECT_EQ(size_class(work), 0U);
  EXPECT_EQ(size_class(2), 1U);
  EXPECT_EQ(size_class(3.999), 1U);
  EXPECT_EQ(size_class(4), 2U);
  EXPECT_EQ(size_class(std::ldexp(1.0, 63)), 63U);
  EXPECT_EQ(size_class(1e300), 63U);
  EXPECT_EQ(size_class(std::numeric_limits<double>::infinity()), 63U);
}

TEST(CostCurve, IsCalibratedOnceAPointIsMeasured) {
  EXPECT_FALSE(curve_of({}).calibrated());
  EXPECT_TRUE(curve_of({{1, 1e-6}}).calibrated());
}

TEST(CostCurve, FollowsItsPointsAndBesideThemTheirLinesTheOverheadAndTheRate) {
  struct Row {
    std::vector<CostCurve::Point> points;
    double work;
    double seconds;
  };
  const double most = std::ldexp(1.0, 63);
  for (const auto& [points, work, seconds] : std::vector<Row>{
           // Without points it is the assumed line.
           {{}, 0, 1e-6},
           {{}, 0.5, 1e-6 + 0.5e-9},
           {{}, 3000, 4e-6},
           {{}, -7, 1e-6},
           {{}, std::nan(""), 1e-6},
           // It is straight between points, whichever class they are of: 1050 is of the class of
           // the point above it, 1700 of that of the point below it.
           {{{600, 1e-6}, {1500, 10e-6}, {1e6, 1e-3}}, 600, 1e-6},
           {{{600, 1e-6}, {1500, 10e-6}, {1e6, 1e-3}}, 1050, 5.5e-6},
           {{{600, 1e-6}, {1500, 10e-6}, {1e6, 1e-3}}, 1500, 10e-6},
           {{{600, 1e-6}, {1500, 10e-6}, {1e6, 1e-3}}, 1700, 10e-6 + 200 * (990e-6 / 998500)},
           {{{600, 1e-6}, {1500, 10e-6}, {1e6, 1e-3}}, 1500 + 998500 / 2.0, 505e-6},
           {{{600, 1e-6}, {1500, 10e-6}, {1e6, 1e-3}}, 1e6, 1e-3},
           {{{1, 1e-6}, {most, 2}}, 1, 1e-6},
           {{{1, 1e-6}, {most, 2}}, most, 2},
           // A point keeps its seconds, however slow its neighbours are.
           {{{600, 1e3}, {1500, 1e-14}, {1e6, 1e3}}, 1500, 1e-14},
           // The last measurement of a class counts.
           {{{1100, 7e-6}, {1050, 5e-6}}, 1050, 5e-6},
           // Beyond one point it grows at the assumed rate, or in proportion at most; with a point
           // of the least class, along their line.
           {{{1000, 2e-6}}, 2000, 3e-6},
           {{{1000, 0.5e-6}}, 3000, 1.5e-6},
           {{{1, 1e-9}, {1000, 0.5e-6}}, 3000, 0.5e-6 + 2000 * (0.499e-6 / 999)},
           // Beyond two points it follows their line, never slower than in proportion.
           {{{1000, 3e-6}, {4000, 9e-6}}, 8000, 17e-6},
           {{{1, 1e-6}, {4000, 9e-6}}, 8000, 13e-6},
           {{{10, 1}, {1000, 3e-6}, {4000, 9e-6}}, 8000, 17e-6},
           {{{1000, 1e-6}, {4000, 7e-6}}, 8000, 14e-6},
           // It grows at 30 times the assumed time per step at most.
           {{{1000, 1e-6}, {4000, 1e-3}}, 8000, 1.12e-3},
           // Where they are alike it grows at the assumed rate, at least at an eighth of its time.
           {{{1000, 4e-6}, {4000, 5e-6}}, 8000, 9e-6},
           {{{1000, 5e-6}, {4000, 4e-6}}, 8000, 8e-6},
           {{{1000, 2.4e-7}, {4000, 5.2e-7}}, 8000, 1.02e-6},
           // Below the points it falls to the overhead, and no faster than in proportion; it is
           // never more than the point.
           {{{1000, 5e-6}}, 500, 3e-6},
           {{{1000, 5e-6}}, 0, 1e-6},
           {{{1000, 0.5e-6}}, 500, 0.5e-6},
           {{{1000, 4e-6}, {4000, 7e-6}}, 500, 3.5e-6},
           {{{1000, 1e-6}, {4000, 10e-6}}, 500, 0.5e-6},
           {{{1000, 4e-6}, {4000, 7e-6}, {1e5, 1}}, 500, 3.5e-6}})
    EXPECT_DOUBLE_EQ(curve_of(points).seconds(work), seconds) << work;
  EXPECT_NEAR(curve_of({{1, 1e-6}, {most, 2}}).seconds(most / 2), 1, 1e-5);
}

TEST(CostCurve, IsNeverNegative) {
  for (const double work : {0.0, -1.0, 0.5, 1.0, 1e300, std::nan(""), 9.3e18, 1.0e19}) {
    EXPECT_GE(curve_of({{1000, 1e-3}}).seconds(work), 0) << work;
    EXPECT_GE(curve_of({{100, 5e-3}, {1000, 1e-3}}).seconds(work), 0) << work;
  }
}

TEST(CostCurve, PriorsOfTeamsAreThoseOfOneThreadAndTheTeam) {
  const OperationPrior prior{.thread_rate = 1e9, .call_seconds = 5e-6, .device_work_min = 1e6};
  const CostCurve serial = prior_curve(prior, Space::serial, 1);
  const CostCurve one = prior_curve(prior, Space::openmp, 1);
  const CostCurve four = prior_curve(prior, Space::openmp, 4);
  EXPECT_DOUBLE_EQ(serial.seconds(3e9), 5e-6 + 3);
  EXPECT_EQ(one.seconds(0), serial.seconds(0));
  EXPECT_EQ(one.seconds(1e6), serial.seconds(1e6));
  EXPECT_DOUBLE_EQ(four.seconds(0), 5e-6 + 100e-6 + 4 * 2e-6);
  EXPECT_DOUBLE_EQ(four.seconds(3.55e9), four.seconds(0) + 1);
}

TEST(CostCurve, PriorsOfADeviceMeetOneThreadAtTheLeastWork) {
  for (const double least : {1e3, 1e6, 1e9}) {
    const OperationPrior prior{.thread_rate = 1e9, .call_seconds = 5e-6, .device_work_min = least};
    const CostCurve serial = prior_curve(prior, Space::serial, 1);
    const CostCurve device = prior_curve(prior, Space::cuda, 1);
    const double start = Impl::start_prior(Space::cuda, 1);
    EXPECT_LT(device.seconds(least) + start, serial.seconds(least));
    EXPECT_GT(device.seconds(0.999 * least) + start, serial.seconds(0.999 * least));
    EXPECT_NEAR(device.seconds(1e12) - device.seconds(0), 10, 1e-9) << "100 times the rate";
  }
  const OperationPrior cheap{.thread_rate = 1e9, .call_seconds = 0, .device_work_min = 1};
  EXPECT_EQ(prior_curve(cheap, Space::cuda, 1).seconds(0), 0) << "an overhead is not negative";
}

TEST(CostCurve, PriorsOfStartsGrowWithTheThreads) {
  EXPECT_EQ(Impl::start_prior(Space::serial, 1), 0);
  EXPECT_EQ(Impl::start_prior(Space::serial, 4), 0);
  EXPECT_EQ(Impl::start_prior(Space::openmp, 1), 0);
  EXPECT_DOUBLE_EQ(Impl::start_prior(Space::openmp, 2), 17e-6);
  EXPECT_DOUBLE_EQ(Impl::start_prior(Space::openmp, 8), 23e-6);
  EXPECT_DOUBLE_EQ(Impl::start_prior(Space::cuda, 1), 1.5e-6);
}

}  // namespace CostCurveTest

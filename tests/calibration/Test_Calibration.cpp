// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Calibration.hpp>

#include <gtest/gtest.h>

#include "ThreadSanitizer.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace CalibrationTest {

using namespace Kindred;

/// The points of every operation on every space, and of `openmp` for every team size.
using Points = std::map<std::tuple<Operation, Space, int>, std::vector<CalibrationPoint>>;

Points calibrated(Context& context, double seconds) {
  Points points;
  calibrate(context, {.seconds = seconds, .on_point = [&](const CalibrationPoint& point) {
                        points[{point.operation, point.space, point.threads}].push_back(point);
                      }});
  return points;
}

ContextOptions host_options() {
  return {.threads = Testing::thread_sanitizer ? 1 : 0, .load_profile = false};
}

TEST(Calibration, GivesTheDispatcherPointsOfEveryOperationOnEverySpaceAtGrowingSizes) {
  Context context(host_options());
  std::size_t usable = 0;
  for (const Space space : all_spaces) {
    if (context.is_usable(space))
      usable += space == Space::openmp ? context.dispatcher().team_sizes().size() : 1;
  }
  // What is measured grows with the spaces and teams.
  const Points points = calibrated(context, std::max(2.0, 0.7 * static_cast<double>(usable)));
  EXPECT_TRUE(context.dispatcher().calibrated());
  EXPECT_EQ(points.size(), engine_operations().size() * usable);
  for (const auto& [key, list] : points) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      EXPECT_GT(list[i].seconds, 0);
      // The work grows less than the number of queries: a search reads its rows once.
      EXPECT_GE(list[i].work, i == 0 ? 0 : list[i - 1].work);
    }
    const CalibrationPoint& last = list.back();
    const auto predicted = context.dispatcher().predict(
        {.operation = last.operation, .items = 1, .work = last.work, .starts = 0});
    const double seconds = predicted[space_index(last.space)];
    if (last.space == Space::openmp) {
      const double divided = predicted[0] / last.threads;
      EXPECT_LE(seconds, std::max(last.seconds, divided) * (1 + 1e-12)) << "by its fastest team";
    } else {
      EXPECT_DOUBLE_EQ(seconds, last.seconds);
    }
  }
}

TEST(Calibration, RejectsAnInvalidTime) {
  Context context(host_options());
  for (const double seconds : {0.0, -1.0, std::nan("")})
    EXPECT_THROW(calibrate(context, {seconds, {}}), InvalidArgument);
  EXPECT_FALSE(context.dispatcher().calibrated());
}

TEST(Calibration, WithoutMemoryIsOutOfMemoryAndChangesNothing) {
  ContextOptions options = host_options();
  options.host_budget = 1;
  Context context(options);
  EXPECT_THROW(calibrate(context, {0.1, {}}), OutOfMemory);
  EXPECT_FALSE(context.dispatcher().calibrated());
}

}  // namespace CalibrationTest

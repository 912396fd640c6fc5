// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Calibration.hpp>
#include <kindred/matcher/SequenceOperationInfo.hpp>
#include <kindred/matcher/VectorOperationInfo.hpp>

#include <gtest/gtest.h>

#include "Support.hpp"
#include "ThreadSanitizer.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace CalibrationTest {

using namespace Kindred;

/// The points of every operation on every space, and of `openmp` for every team size.
using Points = std::map<std::tuple<Operation, Space, int>, std::vector<CalibrationPoint>>;

Points calibrated(Context& context, double seconds) {
  Points points;
  CalibrationOptions options;
  options.seconds = seconds;
  options.on_point = [&](const CalibrationPoint& point) {
    points[{point.operation, point.space, point.threads}].push_back(point);
  };
  calibrate(context, options);
  return points;
}

ContextOptions host_options() {
  ContextOptions options;
  options.load_profile = false;
  if (Testing::thread_sanitizer) options.threads = 1;
  return options;
}

Space chosen(Context& context, Operation operation, double work) {
  return context.dispatcher().decide({operation, 1, work, 0, SpaceSet::host()}).chosen;
}

/// How much longer a fixed amount of work takes on all threads concurrently than on one: near 1 on
/// a quiet machine, 2 or more where other programs use the processors.
double crowding(int threads) {
  const auto work = [] {
    std::uint64_t x = 1;
    for (int i = 0; i < 5'000'000; ++i) x = x * 6364136223846793005ULL + 1442695040888963407ULL;
    return x;
  };
  std::atomic<std::uint64_t> sink{0};
  const auto time = [&](int count) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> running;
    for (int t = 0; t < count; ++t) running.emplace_back([&] { sink += work(); });
    for (auto& thread : running) thread.join();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  double one = time(1);
  for (int i = 0; i < 4; ++i) one = std::min(one, time(1));
  double all = 0;
  for (int i = 0; i < 5; ++i) all = std::max(all, time(threads));
  return all / one;
}

/// Whether the calls of \p before, on one thread, took so much longer than the same on other places
/// that the next sizes may have been left out, as `climb` documents (four times).
bool is_far_behind(const Points& points, Operation operation, const CalibrationPoint& before) {
  constexpr double far = 3;  // the points of other places may have been lowered since
  for (const auto& [key, list] : points) {
    if (std::get<Operation>(key) != operation) continue;
    for (const CalibrationPoint& other : list)
      if (other.work == before.work && before.seconds > far * other.seconds) return true;
  }
  return false;
}

/// What \p points lack that a calibration of a machine without other programs has; empty if
/// nothing.
std::string missing_points(const Points& points) {
  std::string missing;
  for (const auto& [key, list] : points) {
    const std::string name = std::string(to_string(std::get<Operation>(key))) + " on " +
                             std::string(to_string(std::get<Space>(key)));
    if (list.size() < 3) missing += name + ": " + std::to_string(list.size()) + " points; ";
    if (std::get<Space>(key) != Space::serial) continue;
    for (std::size_t i = 1; i < list.size(); ++i) {
      const double growth = list[i].work / list[i - 1].work;
      if (!(growth < 10) && !is_far_behind(points, std::get<Operation>(key), list[i - 1]))
        missing += name + ": work grows by " + std::to_string(growth) + "; ";
    }
  }
  return missing;
}

TEST(Calibration, MeasuresEveryOperationOnEverySpaceAtGrowingSizes) {
  Context context(host_options());
  std::size_t usable = 0;
  for (const Space space : all_spaces) {
    if (context.is_usable(space))
      usable += space == Space::openmp ? context.dispatcher().team_sizes().size() : 1;
  }
  // What is measured grows with the spaces and teams.
  double seconds = std::max(2.0, 0.7 * static_cast<double>(usable));
  // Other programs may use the processors meanwhile, which leaves sizes out: the number of points
  // and their distances are claims about an undisturbed run. Later attempts get more time.
  constexpr int attempts = 5;
  std::string missing;
  double taken = 0;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const auto start = std::chrono::steady_clock::now();
    const Points points = calibrated(context, seconds);
    taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    EXPECT_TRUE(context.dispatcher().calibrated());
    EXPECT_EQ(points.size(), engine_operations().size() * usable);
    for (const auto& [key, list] : points) {
      for (std::size_t i = 0; i < list.size(); ++i) {
        EXPECT_GT(list[i].seconds, 0);
        // The work grows less than the number of queries: a search reads its rows once.
        if (i > 0) {
          EXPECT_GE(list[i].work / list[i - 1].work, 1.0);
        }
      }
    }
    missing = missing_points(points);
    if (HasFailure() || (missing.empty() && taken < 5 * seconds)) return;
    if (Testing::thread_sanitizer) return;
    seconds *= 1.5;
  }
  if (crowding(context.threads()) >= 1.5)
    GTEST_SKIP() << "other programs use the processors: " << missing;
  FAIL() << missing << seconds << " s were requested, the last of " << attempts << " attempts took "
         << taken << " s";
}

TEST(Calibration, GivesTheDispatcherThePointsItMeasured) {
  Context context(host_options());
  const Points points = calibrated(context, 1.0);
  for (const auto& [key, list] : points) {
    const CalibrationPoint& last = list.back();
    Workload workload{last.operation, 1, last.work, 0, SpaceSet::all()};
    workload.starts = 0;
    const auto predicted = context.dispatcher().predict(workload);
    const double seconds = predicted[static_cast<std::size_t>(last.space)];
    if (last.space == Space::openmp) {
      const double divided = predicted[0] / last.threads;
      EXPECT_LE(seconds, std::max(last.seconds, divided) * (1 + 1e-12)) << "by its fastest team";
    } else {
      EXPECT_DOUBLE_EQ(seconds, last.seconds);
    }
  }
}

TEST(Calibration, OneThreadWinsSmallBatchesAndAllThreadsLargeOnes) {
  ContextOptions options = host_options();
  options.threads = static_cast<int>(std::min(std::thread::hardware_concurrency(), 8U));
  if (options.threads < 2 || Testing::thread_sanitizer)
    GTEST_SKIP() << "needs processors at their speed";
  // Other programs may use a processor for a while: the claim is that a quiet run shows the
  // crossover. Large searches are limited by memory bandwidth, which one thread may already
  // saturate, so they may stay on one thread.
  std::string missing;
  bool was_quiet = false;
  for (int attempt = 0; attempt < 6; ++attempt) {
    missing.clear();
    const bool quiet_before = crowding(options.threads) < 1.5;
    Context context(options);
    calibrated(context, 2.0);
    for (const Operation operation :
         {Operations::lcs, Operations::difflib, Operations::search, Operations::score}) {
      if (chosen(context, operation, 64) != Space::serial)
        missing += std::string(to_string(operation)) + " small; ";
    }
    for (const Operation operation : {Operations::lcs, Operations::difflib}) {
      if (chosen(context, operation, 1e10) != Space::openmp)
        missing += std::string(to_string(operation)) + " large; ";
      const double crossover = context.dispatcher().crossover(operation, Space::openmp);
      if (!(crossover > 64 && crossover < 1e10))
        missing += std::string(to_string(operation)) + " crossover; ";
    }
    if (missing.empty()) return;
    was_quiet = was_quiet || (quiet_before && crowding(options.threads) < 1.5);
  }
  if (!was_quiet) GTEST_SKIP() << "other programs use the processors: " << missing;
  FAIL() << missing;
}

TEST(Calibration, IsSavedAndRestored) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("kindred-test-calibration-" + std::to_string(::getpid()) + ".json");
  std::filesystem::remove(path);
  ContextOptions options = host_options();
  options.load_profile = true;
  options.profile = path.string();
  std::string saved;
  {
    Context context(options);
    EXPECT_FALSE(context.dispatcher().calibrated());
    calibrated(context, 0.3);
    context.save_profile();
    saved = context.dispatcher().profile_json();
  }
  const Context again(options);
  std::filesystem::remove(path);
  EXPECT_EQ(again.dispatcher().profile_json(), saved);
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

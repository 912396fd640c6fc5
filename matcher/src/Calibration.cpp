// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Calibration.hpp>

#include "CalibrationTasks.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/memory/Buffer.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace Kindred {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Transfer {
  double bytes_per_second = 0;
  double latency_seconds = 0;

  double seconds(double bytes) const { return latency_seconds + bytes / bytes_per_second; }
};

/// Times of copies of pageable host memory to the device, as the engines make them.
template <class ExecutionSpace>
Transfer measure_transfer(const ExecutionSpace& exec_space, MemoryResource& memory) {
  constexpr std::size_t large = 32 << 20;
  constexpr std::size_t small = 64;
  const Buffer<char, typename ExecutionSpace::memory_space> target(
      memory, "Kindred::Calibration::transfer", large);
  const std::vector<char> source(large, 1);
  const auto measure = [&](std::size_t bytes, int repeats) {
    std::vector<double> times;
    Impl::upload(exec_space, target.view(), source.data(), bytes);
    for (int i = 0; i < repeats; ++i) {
      const auto start = Clock::now();
      Impl::upload(exec_space, target.view(), source.data(), bytes);
      times.push_back(seconds_since(start));
    }
    return median(times);
  };
  const double latency = measure(small, 25);
  const double copy = measure(large, 5);
  return {static_cast<double>(large) / std::max(copy - latency, 1e-9), latency};
}

/// What the rounds of one size gave for one space.
struct Measurement {
  Space space;
  std::vector<double> seconds;
  double work = 0;
  bool running = true;  ///< false from the size on that takes too long there
};

/// \brief Runs \p run on every space in turn, so that a disturbance meets all of them, until the
/// least of them is worth something: what disturbs a call only adds to it. Returns the seconds of
/// one round.
double measure_rounds(const Impl::CalibrationTask::Run& run, const Transfer& transfer,
                      double seconds, std::vector<Measurement>& measurements) {
  constexpr int rounds_min = 3;
  constexpr int rounds_max = 25;
  for (Measurement& measurement : measurements) {
    measurement.seconds.clear();
    if (measurement.running) run(measurement.space);  // the first call allocates, and is cold
  }
  const auto start = Clock::now();
  int rounds = 0;
  while (rounds < rounds_min || (rounds < rounds_max && seconds_since(start) < seconds)) {
    for (Measurement& measurement : measurements) {
      if (!measurement.running) continue;
      const DispatchRecord record = run(measurement.space);
      double taken = record.taken;
      if (measurement.space == Space::cuda) {
        taken = std::max(taken - transfer.seconds(static_cast<double>(record.transfer_bytes)),
                         0.1 * taken);
      }
      measurement.seconds.push_back(std::max(taken, 1e-9));
      measurement.work = record.work;
    }
    ++rounds;
  }
  return seconds_since(start) / rounds;
}

/// Points of one task over sizes that double, within about \p seconds.
std::vector<CalibrationPoint> measure_task(Context& context, Impl::CalibrationTask& task,
                                           const Transfer& transfer, double seconds,
                                           const CalibrationOptions& options) {
  std::vector<Measurement> measurements;
  for (const Space space : all_spaces)
    if (context.is_usable(space)) measurements.push_back({space, {}});

  std::vector<CalibrationPoint> points;
  const auto start = Clock::now();
  for (std::size_t size = 1; size <= task.size_max(); size *= 2) {
    Impl::CalibrationTask::Run run;
    try {
      run = task.prepare(context, size);
      measure_rounds(run, transfer, seconds / 60, measurements);
    } catch (const OutOfMemory&) {
      if (points.empty()) throw;
      break;  // larger sizes are extrapolated
    }
    for (Measurement& measurement : measurements) {
      if (!measurement.running || !(measurement.work > 0)) continue;
      const CalibrationPoint point{
          task.operation(), measurement.space, measurement.work,
          *std::min_element(measurement.seconds.begin(), measurement.seconds.end())};
      points.push_back(point);
      if (options.on_point) options.on_point(point);
      // Twice as much, four times: more than its share of what is left.
      measurement.running = 8 * point.seconds < (seconds - seconds_since(start)) / 2;
    }
    if (std::none_of(measurements.begin(), measurements.end(),
                     [](const Measurement& m) { return m.running; }))
      break;
  }
  return points;
}

/// \brief Bytes of a batch from which on more gain nothing, of \p operation on a device; nothing
/// where there is no time or no memory to find out.
std::optional<std::uint64_t> measure_batch(Context& context, Operation operation, double seconds) {
  constexpr std::size_t arrays = 128;
  constexpr std::uint64_t array_bytes = 1 << 20;
  constexpr double gains_nothing = 1.02;
  std::vector<std::pair<std::uint64_t, double>> found;
  const auto start = Clock::now();
  try {
    const Impl::BatchedRun run = Impl::prepare_batches(context, operation, arrays);
    (void)run(Space::cuda, arrays * array_bytes);  // its room is taken once, for all sizes
    for (std::uint64_t bytes = 4 * array_bytes; bytes <= arrays * array_bytes; bytes *= 2) {
      if (seconds_since(start) > seconds) return {};
      double least = run(Space::cuda, bytes);
      for (int repeat = 0; repeat < 2; ++repeat) least = std::min(least, run(Space::cuda, bytes));
      found.emplace_back(bytes, least);
    }
  } catch (const OutOfMemory&) {
    return {};
  }
  const double best =
      std::ranges::min_element(found, {}, &std::pair<std::uint64_t, double>::second)->second;
  return std::ranges::find_if(found,
                              [&](const auto& one) { return one.second <= gains_nothing * best; })
      ->first;
}

}  // namespace

void calibrate(Context& context, const CalibrationOptions& options) {
  KINDRED_THROW_IF(!(options.seconds > 0.0) || !std::isfinite(options.seconds),
                   "seconds is " + std::to_string(options.seconds) + "; it must be finite and > 0");
  const auto start = Clock::now();
  Transfer transfer{1e10, 1e-5};
  if (context.is_usable(Space::cuda)) {
    transfer = Impl::with_instance(context, Space::cuda, [&](const auto& exec_space) {
      return measure_transfer(exec_space, context.memory(Space::cuda));
    });
  }

  std::vector<std::pair<Operation, std::uint64_t>> batches;
  if (context.is_usable(Space::cuda)) {
    constexpr double share = 0.3;
    for (const Operation operation : batched_operations) {
      const double each = share * options.seconds / batched_operations.size();
      if (const auto bytes = measure_batch(context, operation, each))
        batches.emplace_back(operation, *bytes);
    }
  }

  std::vector<CalibrationPoint> points;
  const auto tasks = Impl::calibration_tasks();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const double left = std::max(options.seconds - seconds_since(start), 0.0);
    const auto measured = measure_task(context, *tasks[i], transfer,
                                       left / static_cast<double>(tasks.size() - i), options);
    points.insert(points.end(), measured.begin(), measured.end());
  }

  Dispatcher& dispatcher = context.dispatcher();
  if (context.is_usable(Space::cuda))
    dispatcher.calibrate_transfer(transfer.bytes_per_second, transfer.latency_seconds);
  for (const auto& [operation, bytes] : batches) dispatcher.calibrate_batch(operation, bytes);
  for (const CalibrationPoint& point : points)
    dispatcher.calibrate(point.operation, point.space, point.work, point.seconds);
}

}  // namespace Kindred

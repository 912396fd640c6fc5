// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/matcher/Calibration.hpp>
#include <kindred/memory/Copies.hpp>

#include "CalibrationTasks.hpp"
#include "SizeLadder.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_now() {
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}
/// In a program there is time between calls, so that the threads of the pool are asleep when a call
/// starts.
void pause() {
  const double end = seconds_now() + 100e-6;
  while (seconds_now() < end) {
  }
}
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

using Impl::median;
using Impl::Place;

/// Every usable space, and `openmp` with every team size.
std::vector<Place> places_of(const Context& context) {
  std::vector<Place> places;
  for (const Space space : all_spaces) {
    if (!context.is_usable(space)) continue;
    if (space != Space::openmp) {
      places.push_back({space});
      continue;
    }
    for (const int threads : context.dispatcher().team_sizes()) places.push_back({space, threads});
  }
  return places;
}

/// The cost of a start.
struct Start {
  Place place;
  double seconds = 0;
};
using Starts = std::vector<Start>;

double start_seconds(const Starts& starts, Place place) {
  const auto found = std::ranges::find(starts, place, &Start::place);
  return found == starts.end() ? 0 : found->seconds;
}

/// Forces the number of threads of calls on `openmp` during its lifetime.
class ForcedThreads {
 public:
  explicit ForcedThreads(Dispatcher& dispatcher) : m_dispatcher(dispatcher) {}
  ~ForcedThreads() { m_dispatcher.force_threads(0); }
  ForcedThreads(const ForcedThreads&) = delete;
  ForcedThreads& operator=(const ForcedThreads&) = delete;
  void set(int threads) { m_dispatcher.force_threads(threads); }

 private:
  Dispatcher& m_dispatcher;
};

struct Transfer {
  double bytes_per_second = 0;
  double latency_seconds = 0;

  double seconds(double bytes) const { return latency_seconds + bytes / bytes_per_second; }
};

/// Measures copies of pageable host memory to the device, as made by the engines.
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

struct Nothing {
  KOKKOS_INLINE_FUNCTION void operator()(int) const {}
};

/// Seconds of an empty parallel region, or of an empty kernel that is queued behind others.
template <class ExecutionSpace>
double measure_start(const ExecutionSpace& exec_space, int threads, bool is_queued, double prior) {
  constexpr double seconds_max = 0.15;
  const double plausible = 20 * prior + 20e-6;
  const int launches = is_queued ? 32 : 1;
  const auto start = [&] {
    for (int i = 0; i < launches; ++i) {
      Launch::for_each_index(exec_space, "Kindred::Calibration::start", threads, Nothing{});
    }
    Arch::fence(exec_space, "Kindred::Calibration::start");
  };
  return Impl::steady_seconds(start, seconds_now, seconds_max, plausible * launches) / launches;
}

/// Measures points of one task at increasing sizes, within about \p seconds.
std::vector<CalibrationPoint> measure_task(Context& context, Impl::CalibrationTask& task,
                                           const Dispatcher& priors, const Transfer& transfer,
                                           const Starts& starts, double seconds) {
  Impl::SizeLadderOptions options;
  options.places = places_of(context);
  options.size_max = task.size_max();
  options.seconds = seconds;
  options.clock = seconds_now;
  options.prior = [&](Place place, double work) {
    Workload workload;
    workload.operation = task.operation();
    workload.work = work;
    return priors.predict(workload)[static_cast<std::size_t>(place.space)];
  };
  ForcedThreads forced(context.dispatcher());
  task.set_up(context);
  bool is_first = true;
  const auto prepare = [&](std::size_t size) -> Impl::Rung {
    Impl::CalibrationTask::Run run;
    try {
      run = task.prepare(context, size);
    } catch (const OutOfMemory&) {
      if (is_first) throw;
      return {};  // larger sizes are extrapolated
    }
    is_first = false;
    return [run, &forced, &transfer, &starts](Place place) -> Impl::TimedCall {
      pause();
      if (place.space == Space::openmp) forced.set(place.threads);
      const DispatchRecord record = run(place.space);
      const double start = start_seconds(starts, place);
      double seconds = record.taken - record.starts * start;
      double least = 1e-9;
      if (place.space == Space::cuda) {
        seconds -= transfer.seconds(static_cast<double>(record.transfer_bytes));
        // A call that counts no start has a launch nevertheless, and waits for its answer.
        least = start + transfer.latency_seconds;
      }
      return {record.work, std::max({seconds, 0.1 * record.taken, least})};
    };
  };
  std::vector<CalibrationPoint> points;
  for (const Impl::SizeLadderPoint& point : Impl::climb(options, prepare))
    points.push_back(
        {task.operation(), point.place.space, point.place.threads, point.work, point.seconds});
  return points;
}

/// \brief The smallest batch size in bytes that is as fast as larger ones, for \p operation on a
/// device. No value if there is not enough time or memory to measure it.
std::optional<std::uint64_t> measure_batch(Context& context, Operation operation, double seconds) {
  constexpr std::size_t arrays = 128;
  constexpr std::uint64_t array_bytes = 1 << 20;
  constexpr double gains_nothing = 1.02;
  std::vector<std::pair<std::uint64_t, double>> found;
  const auto start = Clock::now();
  try {
    const Impl::BatchedRun run = Impl::prepare_batches(context, operation, arrays);
    (void)run(Space::cuda, arrays * array_bytes);  // allocates the memory once, for all sizes
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

std::vector<Operation> engine_operations() try {
  std::vector<Operation> operations;
  for (const auto& task : Impl::calibration_tasks()) operations.push_back(task->operation());
  return operations;
} catch (...) {
  Impl::rethrow_translated("Kindred::engine_operations");
}

void calibrate(Context& context, const CalibrationOptions& options) try {
  KINDRED_THROW_IF(!(options.seconds > 0.0) || !std::isfinite(options.seconds),
                   "seconds is " + std::to_string(options.seconds) + "; it must be finite and > 0");
  const auto start = Clock::now();
  const Dispatcher priors(context.usable(), context.threads(), {});
  // This also lets the threads of the teams settle, each on its own processor.
  Starts starts;
  for (const Place place : places_of(context)) {
    double measured = 0;
    const auto measure = [&] {
      measured = Impl::with_instance(context, place.space, [&](const auto& exec_space) {
        return measure_start(exec_space, place.threads, place.space == Space::cuda,
                             priors.start_seconds(place.space, place.threads));
      });
    };
    if (place.space == Space::openmp) {
      Impl::run_on_team(context, place.threads, measure);
    } else {
      measure();
    }
    starts.push_back({place, measured});
  }
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
    // If an earlier task exceeded its time, the loss is not taken entirely from the remaining
    // tasks.
    const double even = options.seconds / static_cast<double>(tasks.size());
    const double left = options.seconds - seconds_since(start);
    const double share = std::max(left / static_cast<double>(tasks.size() - i), 0.4 * even);
    const auto measured = measure_task(context, *tasks[i], priors, transfer, starts, share);
    points.insert(points.end(), measured.begin(), measured.end());
    if (options.on_point)
      for (const CalibrationPoint& point : measured) options.on_point(point);
  }

  Dispatcher& dispatcher = context.dispatcher();
  if (context.is_usable(Space::cuda))
    dispatcher.calibrate_transfer(transfer.bytes_per_second, transfer.latency_seconds);
  for (const Start& start : starts)
    dispatcher.calibrate_start(start.place.space, start.seconds, start.place.threads);
  for (const auto& [operation, bytes] : batches) dispatcher.calibrate_batch(operation, bytes);
  for (const CalibrationPoint& point : points)
    dispatcher.calibrate(point.operation, point.space, point.work, point.seconds, point.threads);
} catch (...) {
  Impl::rethrow_translated("Kindred::calibrate");
}

}  // namespace Kindred

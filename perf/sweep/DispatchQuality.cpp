// SPDX-License-Identifier: Apache-2.0
#include "sweep/DispatchQuality.hpp"

#include <kindred/matcher/SequenceOperationInfo.hpp>

#include "common/Timing.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace Kindred::Perf {

void DispatchQuality::add(Operation operation, double size,
                          const std::array<double, space_count>& taken, Space chosen) {
  double best = std::numeric_limits<double>::infinity();
  for (const double seconds : taken) best = std::fmin(best, seconds);
  char what[80];
  std::snprintf(what, sizeof(what), "%s %.0f: %s", to_string(operation).data(), size,
                to_string(chosen).data());
  add(what, taken[space_index(chosen)] / best);
}

void DispatchQuality::add(const std::string& what, double ratio) {
  if (std::isnan(ratio)) return;
  ++sizes;
  worst = std::max(worst, ratio);
  if (ratio <= 1.05) {
    ++within;
    return;
  }
  char text[24];
  std::snprintf(text, sizeof(text), ", %.2f x", ratio);
  misses.push_back(what + text);
}

double DispatchQuality::share() const {
  return sizes == 0 ? 0 : static_cast<double>(within) / static_cast<double>(sizes);
}

Json to_json(const DispatchQuality& quality) {
  return {{"sizes", quality.sizes},
          {"within_5_percent", quality.within},
          {"share", quality.share()},
          {"worst_ratio", quality.worst},
          {"misses", quality.misses}};
}

namespace {

/// Calls `call(workload)` with workloads of every size class.
template <class Call>
void call_often(int times, const Call& call) {
  Workload workload;
  workload.operation = Operations::lcs;
  for (int i = 0; i < times; ++i) {
    workload.items = 1U << (i % 24);
    workload.work = static_cast<double>(workload.items) * 100;
    call(workload);
  }
}

}  // namespace

void decide_often(Dispatcher& dispatcher, int times) {
  call_often(times, [&](Workload& workload) {
    workload.resident = dispatcher.usable();
    benchmark::DoNotOptimize(dispatcher.decide(workload));
  });
}

void route_often(Context& context, int times) {
  call_often(times, [&](const Workload& workload) {
    context.run(workload, {}, [](Space space) { benchmark::DoNotOptimize(space); });
  });
}

double seconds_per_decision(Dispatcher& dispatcher) {
  constexpr int decisions = 200'000;
  return timed([&] { decide_often(dispatcher, decisions); }) / decisions;
}

}  // namespace Kindred::Perf

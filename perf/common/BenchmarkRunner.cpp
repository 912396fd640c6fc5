// SPDX-License-Identifier: Apache-2.0
#include "common/BenchmarkRunner.hpp"

#include "common/Timing.hpp"

#include <benchmark/benchmark.h>

#include <iostream>
#include <sstream>
#include <vector>

namespace Kindred::Perf {

/// Records the runs as Google Benchmark's JSON.
class BenchmarkRunner::Collector final : public benchmark::BenchmarkReporter {
 public:
  Collector() {
    m_json.SetOutputStream(&m_text);
    m_json.SetErrorStream(&std::cerr);
  }
  bool ReportContext(const Context& context) override {
    if (m_started) return true;
    m_started = true;
    return m_json.ReportContext(context);
  }
  void ReportRuns(const std::vector<Run>& runs) override { m_json.ReportRuns(runs); }
  Json finish() {
    if (!m_started) return Json{{"context", Json::object()}, {"benchmarks", Json::array()}};
    m_json.Finalize();
    Json out = Json::parse(m_text.str());
    out["context"].erase("host_name");
    out["context"].erase("library_build_type");  // of Google Benchmark, not of Kindred
    out["context"]["executable"] = "kindred-perf";
    return out;
  }

 private:
  benchmark::JSONReporter m_json;
  std::ostringstream m_text;
  bool m_started = false;
};

namespace {

std::vector<double> time_calls(benchmark::State& state, Problem& problem, Space space) {
  std::vector<double> times;
  for ([[maybe_unused]] auto step : state) {
    problem.turn(times.size());
    times.push_back(timed([&] { problem.run(space); }));
    state.SetIterationTime(times.back());
  }
  using benchmark::Counter;
  const auto rate = [&](double amount) {
    return Counter(amount * static_cast<double>(state.iterations()), Counter::kIsRate);
  };
  state.counters["items"] = problem.items;
  state.counters["rate"] = rate(problem.items);
  state.counters["bytes_per_second"] = rate(problem.bytes);
  if (problem.cell_updates > 0) state.counters["cell_updates"] = rate(problem.cell_updates);
  state.counters["median_seconds"] = median(times);
  return times;
}

}  // namespace

BenchmarkRunner::BenchmarkRunner(double min_time) : m_collector(std::make_unique<Collector>()) {
  static char program[] = "kindred-perf";  // Google Benchmark keeps the pointer
  std::string time = "--benchmark_min_time=" + std::to_string(min_time);
  char* arguments[] = {program, time.data(), nullptr};
  int count = 2;
  benchmark::Initialize(&count, arguments);
}
BenchmarkRunner::~BenchmarkRunner() = default;

Json BenchmarkRunner::finish() { return m_collector->finish(); }

std::vector<double> BenchmarkRunner::times(Problem& problem, Space space, const std::string& where,
                                           const std::string& wrong) {
  std::vector<double> times;
  std::vector<std::string> names;
  std::vector<std::int64_t> values;
  for (const auto& [name, value] : problem.arguments) {
    names.push_back(name);
    values.push_back(value);
  }
  const std::string name = problem.name + "<" + where + ">";
  benchmark::RegisterBenchmark(name.c_str(),
                               [&](benchmark::State& state) {
                                 if (wrong.empty()) {
                                   times = time_calls(state, problem, space);
                                 } else {
                                   state.SkipWithError(wrong.c_str());
                                 }
                               })
      ->ArgNames(names)
      ->Args(values)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
  benchmark::RunSpecifiedBenchmarks(m_collector.get());
  benchmark::ClearRegisteredBenchmarks();
  return times;
}

}  // namespace Kindred::Perf

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_COMMON_BENCHMARK_RUNNER_HPP
#define KINDRED_PERF_COMMON_BENCHMARK_RUNNER_HPP

#include "common/JsonOutput.hpp"
#include "common/Problem.hpp"

#include <memory>
#include <string>

namespace Kindred::Perf {

/// \brief Times problems with Google Benchmark; prints every run to standard error and records it.
///
/// At most one object can exist in a process at a time.
class BenchmarkRunner {
 public:
  /// \param min_time seconds for which a benchmark repeats its call
  explicit BenchmarkRunner(double min_time);
  ~BenchmarkRunner();
  BenchmarkRunner(const BenchmarkRunner&) = delete;
  BenchmarkRunner& operator=(const BenchmarkRunner&) = delete;

  /// \brief Median seconds of a call of \p problem on \p space.
  /// \param problem what is measured
  /// \param space where it runs
  /// \param wrong empty, or the error in its answer; the result is then an error and NaN
  double time(Problem& problem, Space space, const std::string& wrong);

  /// All runs as Google Benchmark's JSON: `context` and `benchmarks`.
  Json finish();

 private:
  class Collector;
  std::unique_ptr<Collector> m_collector;
};

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_COMMON_BENCHMARK_RUNNER_HPP

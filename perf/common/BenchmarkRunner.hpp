// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_COMMON_BENCHMARK_RUNNER_HPP
#define KINDRED_PERF_COMMON_BENCHMARK_RUNNER_HPP

#include "common/JsonOutput.hpp"
#include "problems/Problem.hpp"

#include <memory>
#include <string>
#include <vector>

namespace Kindred::Perf {

/// \brief Times problems with Google Benchmark, and records every run.
///
/// At most one object can exist in a process at a time.
class BenchmarkRunner {
 public:
  /// \param min_time seconds for which a benchmark repeats its call
  explicit BenchmarkRunner(double min_time);
  ~BenchmarkRunner();
  BenchmarkRunner(const BenchmarkRunner&) = delete;
  BenchmarkRunner& operator=(const BenchmarkRunner&) = delete;

  /// \brief Seconds of the calls of \p problem on \p space.
  /// \param problem what is measured
  /// \param where name of the space, with the number of threads if it is not the only one
  /// \param wrong empty, or the error in its answer; the record is then an error, and there are no
  /// times
  std::vector<double> times(Problem& problem, Space space, const std::string& where,
                            const std::string& wrong);

  /// All runs as Google Benchmark's JSON: `context` and `benchmarks`.
  Json finish();

 private:
  class Collector;
  std::unique_ptr<Collector> m_collector;
};

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_COMMON_BENCHMARK_RUNNER_HPP

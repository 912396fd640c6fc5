// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_COMMON_BENCHMARKS_HPP
#define KINDRED_PERF_COMMON_BENCHMARKS_HPP

#include "common/Environment.hpp"
#include "common/Problem.hpp"

#include <memory>
#include <string>

namespace Kindred::Perf {

/// \brief Times problems by Google Benchmark: shows every run on standard error and keeps it.
///
/// One at a time in a process.
class Benchmarks {
 public:
  /// \param min_time seconds that a benchmark repeats its call for
  explicit Benchmarks(double min_time);
  ~Benchmarks();
  Benchmarks(const Benchmarks&) = delete;
  Benchmarks& operator=(const Benchmarks&) = delete;

  /// \brief Median seconds of a call of \p problem on \p space.
  /// \param wrong empty, or what is wrong with its answer: it is then an error and NaN, not a time
  double time(Problem& problem, Space space, const std::string& wrong);

  /// Google Benchmark's own JSON of all runs: `context` and `benchmarks`.
  Json finish();

 private:
  class Collector;
  std::unique_ptr<Collector> m_collector;
};

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_COMMON_BENCHMARKS_HPP

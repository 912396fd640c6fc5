// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_COMPARE_COMPARE_BUILDS_HPP
#define KINDRED_PERF_COMPARE_COMPARE_BUILDS_HPP

#include "common/JsonOutput.hpp"
#include "compare/RowComparison.hpp"

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace Kindred::Perf {

struct BuildsOptions {
  std::string before;  ///< programs `kindred-perf`
  std::string after;
  std::vector<std::string> arguments;  ///< options of their command `rows`
  std::vector<std::string> times;      ///< of `call`, `kernels` and `queued`
  Precision precision;
  /// How often both programs are started; 0: so often that the intervals leave out the least and
  /// the greatest value.
  int starts = 0;
  double row_seconds = 0.4;  ///< for which the calls of a row alternate, after each start
  double max_seconds = std::numeric_limits<double>::infinity();  ///< no row begins later
  std::function<bool()> is_interrupted;
  std::function<void(const std::string&)> progress;  ///< given a line of text
};

struct BuildsComparison {
  std::vector<RowComparison> rows;
  Json before;  ///< the context of the program
  Json after;
  int starts = 0;
  bool is_complete = true;  ///< false after an interrupt or `max_seconds`
};

/// \brief Runs the rows of two builds in turns, and compares their times.
///
/// Both programs are started, prepare the same row, and are asked for calls in turn, so that
/// changes of the clock affect both. The ratio of their fastest calls is one value, since other
/// load only lengthens calls. What differs from process to process, such as the places of the data
/// in memory, is the same for all calls of a process; so the programs are started several times,
/// and the interval is that of the values of all starts. \throws Error if a program cannot be run,
/// has no such row or gives a wrong answer
BuildsComparison compare_builds(const BuildsOptions& options);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_COMPARE_COMPARE_BUILDS_HPP

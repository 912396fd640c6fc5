// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_H200_TARGET_ROWS_HPP
#define KINDRED_PERF_H200_TARGET_ROWS_HPP

#include <kindred/backends/Context.hpp>

#include "common/Problem.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace Kindred::Perf {

/// \brief One row of the table of targets.
struct TargetRow {
  std::string name;          ///< such as `lcs-4096`
  std::string work;          ///< human-readable description
  double target = 0;         ///< seconds on an H200; 0: no target
  double of_copy = 0;        ///< alternative target: share of the rate of `make_copy`
  double calls = 1;          ///< divisor of the target and the displayed time, such as query-hops
  bool on_request = false;   ///< runs only if named: takes minutes without tensor cores
  bool compare_bits = true;  ///< also run on all host threads and compare all bits
  std::string kernel = {};   ///< part of the label of a kernel that must have run at scale 1
  int warm = 1;              ///< warm-up calls before the timed ones
  bool queued = false;  ///< the target is the time per call of many calls enqueued before one fence
  std::function<std::unique_ptr<Problem>()> make;
  /// A copy that reads and writes as many bytes in as many calls, using its arrays in turn; null:
  /// none.
  std::function<std::unique_ptr<Problem>()> make_copy = {};
};

/// \brief The rows, ordered such that adjacent rows share their data.
/// \param context where the problems run
/// \param scale size of the data sets; 1 is the size of the table
/// \param seed of the data
std::vector<TargetRow> target_rows(Context& context, double scale, std::uint64_t seed);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_H200_TARGET_ROWS_HPP

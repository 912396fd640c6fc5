// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_SUITE_SUITE_HPP
#define KINDRED_PERF_SUITE_SUITE_HPP

#include <kindred/backends/Context.hpp>

#include "common/Problem.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace Kindred::Perf {

/// \brief One row of the table of targets.
struct SuiteRow {
  std::string name;          ///< `lcs-4096`
  std::string work;          ///< what it is, for the reader
  double target = 0;         ///< seconds on an H200; 0: none
  double of_copy = 0;        ///< instead: this share of the rate of `make_copy`
  double calls = 1;          ///< what the target and the shown time divide by: query-hops
  bool on_request = false;   ///< left out unless named: takes minutes without tensor cores
  bool compare_bits = true;  ///< also run on all host threads and compare every bit
  std::string kernel = {};   ///< what must have run at scale 1, by a part of its label
  int warm = 1;              ///< calls before those that are timed
  bool queued = false;       ///< the target is of a call among many that nobody waits between
  std::function<std::unique_ptr<Problem>()> make;
  /// A copy that reads and writes as many bytes, as often and by turns; null: none.
  std::function<std::unique_ptr<Problem>()> make_copy = {};
};

/// \brief The rows, in an order in which neighbours share their data.
/// \param scale of the corpora: 1 is the table's size
std::vector<SuiteRow> suite_rows(Context& context, double scale, std::uint64_t seed);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_SUITE_SUITE_HPP

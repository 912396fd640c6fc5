// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_ROWS_ROW_RUNNER_HPP
#define KINDRED_PERF_ROWS_ROW_RUNNER_HPP

#include <kindred/backends/Context.hpp>

#include "common/JsonOutput.hpp"
#include "machine/Limits.hpp"
#include "rows/Row.hpp"

#include <vector>

namespace Kindred::Perf {

/// \brief Checks and times rows on one space, and prints a line for each.
class RowRunner {
 public:
  struct Options {
    Space space = Space::serial;
    int repeats = 15;  ///< calls whose median is reported, of rows that name no other number
    /// Whether the sizes are those of the collections, so that targets and kernels are compared.
    bool is_whole = true;
  };

  /// Prints the head of the table.
  RowRunner(Context& context, const Options& options, const std::vector<Limits>& limits);

  /// The record of \p row; `correct` says whether its answer was right.
  Json run(const Row& row);

 private:
  /// Seconds of a call of \p problem.
  std::vector<double> samples_of(Problem& problem, const Row& row,
                                 std::optional<Space> space) const;
  void add_beside(const Row& row, double taken, Json& out) const;
  std::string compare_bits(const Row& row, Problem& problem, std::uint64_t digest) const;

  Context& m_context;
  Options m_options;
  std::vector<Limits> m_limits;
};

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_ROWS_ROW_RUNNER_HPP

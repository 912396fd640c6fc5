// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_COMPARE_COMPARE_RECORDS_HPP
#define KINDRED_PERF_COMPARE_COMPARE_RECORDS_HPP

#include "common/JsonOutput.hpp"
#include "compare/RowComparison.hpp"

#include <string>
#include <vector>

namespace Kindred::Perf {

/// \brief Compares the times of calls of the rows that two records have in common. The interval is
/// that of the quotients of the ends of both medians' intervals, each of half the error: it does
/// not cover what changed on the machine between the records.
/// \param only names of rows; empty: all
/// \throws InvalidArgument if there is no common row, or none of a name
std::vector<RowComparison> compare_records(const Json& before, const Json& after,
                                           const std::vector<std::string>& only,
                                           const Precision& precision);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_COMPARE_COMPARE_RECORDS_HPP

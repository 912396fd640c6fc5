// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_DISPATCH_QUALITY_CHILD_PROCESS_HPP
#define KINDRED_PERF_DISPATCH_QUALITY_CHILD_PROCESS_HPP

#include <string>
#include <vector>

namespace Kindred::Perf {

/// Runs this program with \p arguments and waits for it. Its OpenMP threads use the wait policy of
/// the command, unless the environment sets another one. Returns its duration in seconds.
/// \throws Error if it cannot be started or its exit status is not 0
double run_child(const std::vector<std::string>& arguments);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_DISPATCH_QUALITY_CHILD_PROCESS_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_QUALITY_CHILD_PROCESS_HPP
#define KINDRED_PERF_QUALITY_CHILD_PROCESS_HPP

#include <string>
#include <vector>

namespace Kindred::Perf {

/// Runs this program with \p arguments and waits for it. Its OpenMP threads wait as those of the
/// command do, unless the environment says otherwise. Returns the seconds it took.
/// \throws Error when it cannot be started or its exit status is not 0
double run_child(const std::vector<std::string>& arguments);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_QUALITY_CHILD_PROCESS_HPP

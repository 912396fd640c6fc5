// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_COMMON_KERNELS_OF_HPP
#define KINDRED_PERF_COMMON_KERNELS_OF_HPP

#include <kindred/backends/KernelProfile.hpp>

#include "problems/Problem.hpp"

#include <vector>

namespace Kindred::Perf {

/// The kernels of one call of \p problem on \p space. A profile fences them, so this call is not
/// one of those that are timed.
inline std::vector<KernelTime> kernels_of(Problem& problem, Space space) {
  const KernelProfile profile;
  problem.run(space);
  std::vector<KernelTime> kernels = profile.kernels();
  std::erase_if(kernels,
                [&](const KernelTime& kernel) { return kernel.device != (space == Space::cuda); });
  return kernels;
}

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_COMMON_KERNELS_OF_HPP

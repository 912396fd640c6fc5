// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_IMPL_TEAM_SIZES_HPP
#define KINDRED_BACKENDS_IMPL_TEAM_SIZES_HPP

#include <vector>

namespace Kindred::Impl {

/// The team sizes for \p threads ≥ 1 threads: 2, 4, 8, … and \p threads; only { 1 } for one thread.
inline std::vector<int> team_sizes(int threads) {
  std::vector<int> sizes;
  for (int size = 2; size < threads; size *= 2) sizes.push_back(size);
  sizes.push_back(threads);
  return sizes;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_IMPL_TEAM_SIZES_HPP

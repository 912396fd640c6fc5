// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_REDUCE_MOMENTS_KERNELS_HPP
#define KINDRED_CORE_SEED_IMPL_REDUCE_MOMENTS_KERNELS_HPP

#include <kindred/core/seed/impl/MergeMoments.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// Merges a seed's moments over epochs.
struct ReduceEpochs {
  const SeedMoments* ring;
  std::uint32_t seeds;
  std::uint32_t slots;
  std::uint32_t first_slot;
  std::uint32_t epochs;
  std::uint32_t first_seed;
  SeedMoments* each;

  KOKKOS_FUNCTION void operator()(std::uint32_t seed) const {
    each[seed] = finished(merge_run(epochs, [&](std::uint64_t epoch) {
      return ring[(first_slot + epoch) % slots * seeds + first_seed + seed];
    }));
  }
};

/// Merges all seeds' moments by a team: a run of seeds per thread, then pairs of runs.
struct ReduceSeeds {
  static constexpr unsigned threads_max = 1024;
  static constexpr unsigned teams_at_once = 1;

  const SeedMoments* each;
  std::uint32_t count;
  SeedMoments* whole;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, std::byte* scratch) const {
    const SeedMoments all = merge_by_team(team, reinterpret_cast<SeedMoments*>(scratch), count,
                                          [&](std::uint64_t k) { return each[k]; });
    if (team.thread() == 0) *whole = finished(all);
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_IMPL_REDUCE_MOMENTS_KERNELS_HPP

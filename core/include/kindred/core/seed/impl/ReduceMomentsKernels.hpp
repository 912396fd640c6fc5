// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_REDUCE_MOMENTS_KERNELS_HPP
#define KINDRED_CORE_SEED_IMPL_REDUCE_MOMENTS_KERNELS_HPP

#include <kindred/core/seed/impl/MergeMoments.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// A seed's moments over epochs.
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

/// All seeds' moments, by a team: a run of seeds a thread, then pairs of runs.
struct ReduceSeeds {
  static constexpr unsigned threads_max = 1024;
  static constexpr unsigned teams_at_once = 1;

  const SeedMoments* each;
  std::uint32_t count;
  SeedMoments* whole;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, std::byte* scratch) const {
    std::uint32_t run = 1;
    while (std::uint64_t{run} * team.threads() < count) run *= 2;
    const std::uint64_t first = std::uint64_t{team.thread()} * run;
    std::uint64_t here = 0;
    if (first < count) here = count - first < run ? count - first : run;
    SeedMoments all = merge_run(here, [&](std::uint64_t i) { return each[first + i]; });
    auto* given = reinterpret_cast<SeedMoments*>(scratch);
    given[team.thread()] = all;
    team.barrier();
    for (std::uint32_t step = 1; step < team.threads(); step *= 2) {
      const bool takes = team.thread() % (2 * step) == 0 && team.thread() + step < team.threads();
      if (takes) merge_moments(all, given[team.thread() + step]);
      team.barrier();
      if (takes) given[team.thread()] = all;
      team.barrier();
    }
    if (team.thread() == 0) *whole = finished(all);
  }
};

/// The same by a thread of the host.
struct ReduceSeedsAlone {
  ReduceSeeds seeds;

  KOKKOS_FUNCTION void operator()(std::uint32_t) const {
    *seeds.whole = finished(merge_run(seeds.count, [&](std::uint64_t i) { return seeds.each[i]; }));
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_IMPL_REDUCE_MOMENTS_KERNELS_HPP

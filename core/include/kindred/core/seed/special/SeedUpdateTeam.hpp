// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_SPECIAL_SEED_UPDATE_TEAM_HPP
#define KINDRED_CORE_SEED_SPECIAL_SEED_UPDATE_TEAM_HPP

/// \file
/// A special form for CUDA: 2.3 × on `seed-update`, 2026-11-30, H200. \see SpecialForms.hpp

#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/core/seed/impl/UpdateSeedsKernels.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief A batch in one launch instead of three: the threads of a team stride over it and compare
/// each update with all of the team's.
template <class ExecutionSpace>
struct SeedUpdateTeam {
  static constexpr unsigned updates_each = 8;  ///< per team
  static constexpr unsigned threads_max = 256;
  static constexpr unsigned teams_at_once = 4;
  static constexpr std::size_t scratch_bytes = updates_each * sizeof(std::uint32_t);
  /// Number of updates up to which a batch takes less time than in three launches.
  static constexpr std::size_t updates_max = 4096;

  SeedUpdates<ExecutionSpace> batch;

  std::size_t teams() const { return quotient_up(batch.count, updates_each); }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, std::byte* scratch) const {
    const SeedUpdate* updates = batch.updates;
    const std::uint32_t count = batch.count;
    const SeedStateView<ExecutionSpace>& state = batch.state;
    // For each of the team's updates, the fields of its seed that other updates set; in the upper
    // 16 bits, those that later updates set.
    auto* found = reinterpret_cast<std::uint32_t*>(scratch);
    constexpr std::uint32_t later = 16;
    const std::uint32_t thread = team.thread();
    const std::uint32_t first = team.team() * updates_each;
    if (thread < updates_each) found[thread] = 0;
    team.barrier();
    std::uint32_t seeds[updates_each];
    std::uint32_t fields[updates_each];
    KINDRED_UNROLL
    for (std::uint32_t k = 0; k < updates_each; ++k) {
      seeds[k] = first + k < count ? updates[first + k].seed : no_seed;
      fields[k] = 0;
    }
    const bool writes = thread < updates_each && first + thread < count;
    SeedUpdate mine;
    typename SeedUpdates<ExecutionSpace>::Before before{};
    if (writes) {
      mine = updates[first + thread];
      // Loaded before it is known whether it is needed.
      before = {state.lifecycle(mine.seed), state.cursor(mine.seed), state.transitions(mine.seed)};
    }
    KINDRED_UNROLL_4
    for (std::uint32_t j = thread; j < count; j += threads_max) {
      const std::uint32_t seed = updates[j].seed;
      const std::uint32_t mask = updates[j].mask;
      KINDRED_UNROLL
      for (std::uint32_t k = 0; k < updates_each; ++k) {
        const std::uint32_t same = seed == seeds[k] && j != first + k ? mask : 0;
        fields[k] |= same | (j > first + k ? same << later : 0);
      }
    }
    KINDRED_UNROLL
    for (std::uint32_t k = 0; k < updates_each; ++k) {
      if (fields[k] != 0) Kokkos::atomic_or(found + k, fields[k]);
    }
    team.barrier();
    if (!writes) return;
    const std::uint32_t others = found[thread];
    batch.write(mine, before, mine.mask & ~(others >> later),
                ((mine.mask | others) & seed_epochs) == 0);
  }

 private:
  static constexpr std::uint32_t no_seed = ~std::uint32_t{0};  ///< no seed has this index
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_SPECIAL_SEED_UPDATE_TEAM_HPP

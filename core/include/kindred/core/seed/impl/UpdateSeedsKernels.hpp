// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_UPDATE_SEEDS_KERNELS_HPP
#define KINDRED_CORE_SEED_IMPL_UPDATE_SEEDS_KERNELS_HPP

#include <kindred/core/arch/Flag.hpp>
#include <kindred/core/arch/simd/Lanes.hpp>
#include <kindred/core/arch/simd/Prefetch.hpp>
#include <kindred/core/seed/UpdateSeeds.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief A batch of updates: by one host thread; by device teams, each of which searches for later
/// updates of the same fields; or in three steps, each completed before the next: find the last
/// update of each field, apply it, and clear the entries of the winners.
template <class ExecutionSpace>
struct SeedUpdates {
  static constexpr unsigned updates_each = 8;  ///< per team
  static constexpr unsigned threads_max = 256;
  static constexpr unsigned teams_at_once = 4;

  SeedStateView<ExecutionSpace> state;
  const SeedUpdate* updates;
  std::uint32_t count;
  std::uint32_t* winners;

  KOKKOS_INLINE_FUNCTION void mark(std::uint32_t i) const {
    const SeedUpdate update = updates[i];
    std::uint32_t* places = winners + std::size_t{update.seed} * seed_fields;
    for (std::uint32_t field = 0; field < seed_fields; ++field) {
      if ((update.mask >> field & 1U) != 0) Arch::flag_raise(places + field, i + 1);
    }
  }
  KOKKOS_INLINE_FUNCTION void set(std::uint32_t i) const {
    const SeedUpdate update = updates[i];
    const std::uint32_t seed = update.seed;
    // Loads everything at once, needed or not: one wait instead of many.
    const std::uint32_t* places = winners + std::size_t{seed} * seed_fields;
    std::uint32_t last[seed_fields];
    KINDRED_UNROLL
    for (std::uint32_t field = 0; field < seed_fields; ++field)
      last[field] = Arch::flag_load(places + field);
    const Before before{state.lifecycle(seed), state.cursor(seed), state.transitions(seed)};
    std::uint32_t wins = 0;
    KINDRED_UNROLL
    for (std::uint32_t field = 0; field < seed_fields; ++field)
      wins |= (last[field] == i + 1 ? 1U : 0U) << field;
    write(update, before, wins, last[2] == 0);
  }
  KOKKOS_INLINE_FUNCTION void clear(std::uint32_t i) const {
    const SeedUpdate update = updates[i];
    std::uint32_t* places = winners + std::size_t{update.seed} * seed_fields;
    for (std::uint32_t field = 0; field < seed_fields; ++field) {
      if ((update.mask >> field & 1U) != 0) Arch::flag_store(places + field, 0);
    }
  }

  /// \brief Applies all updates, the last first: the first one that sets a field of a seed wins. A
  /// seed uses one of its entries to record which fields were set; if the seeds ascend, each occurs
  /// only once.
  void all_by_one() const {
    constexpr std::uint32_t ahead = 16;
    const bool ascends = do_ascend();
    for (std::uint32_t i = count; i-- > 0;) {
      if (i >= ahead) ask_for(updates[i - ahead], ascends);
      const SeedUpdate& update = updates[i];
      const std::uint32_t seed = update.seed;
      std::uint32_t later = 0;
      if (!ascends) {
        later = winners[seed];
        winners[seed] = later | update.mask;
      }
      const std::uint32_t wins = update.mask & ~later;
      Before before{static_cast<std::int8_t>(update.lifecycle), 0, 0};
      if ((wins & seed_lifecycle) != 0 && state.lifecycle(seed) != before.lifecycle)
        before = {state.lifecycle(seed), state.cursor(seed), state.transitions(seed)};
      // Epochs that an earlier update sets are written after the reset.
      write(update, before, wins, ((later | update.mask) & seed_epochs) == 0);
    }
    if (ascends) return;
    for (std::uint32_t i = 0; i < count; ++i) winners[updates[i].seed] = 0;
  }

  /// Bytes that a team shares.
  static constexpr std::size_t scratch_bytes() { return updates_each * sizeof(std::uint32_t); }
  std::size_t teams() const { return (count + updates_each - 1) / updates_each; }

  /// The threads of a team stride over the batch and compare each update with all of the team's.
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, std::byte* scratch) const {
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
    Before before{};
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
    write(mine, before, mine.mask & ~(others >> later), ((mine.mask | others) & seed_epochs) == 0);
  }

 private:
  static constexpr std::uint32_t no_seed = ~std::uint32_t{0};  ///< no seed has this index

  bool do_ascend() const {
    for (std::uint32_t i = 1; i < count; ++i) {
      if (updates[i].seed <= updates[i - 1].seed) return false;
    }
    return true;
  }
  /// Prefetches those of a seed's entries, which are far apart, that are nearly always written.
  void ask_for(const SeedUpdate& update, bool ascends) const {
    const std::uint32_t seed = update.seed;
    if (!ascends) Arch::prefetch_to_write(winners + seed);
    if ((update.mask & seed_lifecycle) != 0) Arch::prefetch(state.lifecycle.data() + seed);
    if ((update.mask & seed_epochs) != 0) Arch::prefetch_to_write(state.epochs.data() + seed);
    if ((update.mask & seed_mode) != 0) Arch::prefetch_to_write(state.mode.data() + seed);
    if ((update.mask & seed_alpha) != 0) Arch::prefetch_to_write(state.alpha.data() + seed);
  }

  struct Before {
    std::int8_t lifecycle;
    std::uint8_t cursor;
    std::uint8_t transitions;
  };
  /// Writes the fields \p wins; if \p restarts, a change of the lifecycle sets the epochs to 0.
  KOKKOS_INLINE_FUNCTION void write(const SeedUpdate& update, const Before& before,
                                    std::uint32_t wins, bool restarts) const {
    const std::uint32_t seed = update.seed;
    if ((wins & seed_lifecycle) != 0) change(seed, before, update.lifecycle, restarts);
    if ((wins & seed_blueprint) != 0) state.blueprint(seed) = update.blueprint;
    if ((wins & seed_epochs) != 0) state.epochs(seed) = update.epochs;
    if ((wins & seed_mode) != 0) state.mode(seed) = static_cast<std::int8_t>(update.mode);
    if ((wins & seed_alpha) != 0) state.alpha(seed) = update.alpha;
    if ((wins & seed_schedule) != 0)
      state.schedule(seed) = static_cast<std::int8_t>(update.schedule);
    if ((wins & seed_checkpoint) != 0) state.checkpoint(seed) = update.checkpoint;
    if ((wins & seed_evaluation) != 0) state.evaluation(seed) = update.evaluation;
    if ((wins & seed_errors) != 0) state.errors(seed) = update.errors;
  }
  KOKKOS_INLINE_FUNCTION void change(std::uint32_t seed, const Before& before, Lifecycle to,
                                     bool restarts) const {
    const auto after = static_cast<std::int8_t>(to);
    if (before.lifecycle == after) return;
    state.lifecycle(seed) = after;
    state.parent(seed) = before.lifecycle;
    if (restarts) state.epochs(seed) = 0;
    state.from(std::size_t{seed} * seed_history + before.cursor) = before.lifecycle;
    state.to(std::size_t{seed} * seed_history + before.cursor) = after;
    state.cursor(seed) = static_cast<std::uint8_t>((before.cursor + 1U) % seed_history);
    state.transitions(seed) = static_cast<std::uint8_t>(
        before.transitions < seed_history ? before.transitions + 1U : before.transitions);
  }
};

/// A batch on the host, where one thread writes the arrays as fast as several.
template <class ExecutionSpace>
struct SeedUpdatesByOne {
  SeedUpdates<ExecutionSpace> updates;

  void operator()(std::uint32_t) const { updates.all_by_one(); }
};

/// One step of a batch that is too large for teams to compare.
template <class ExecutionSpace, int step>
struct SeedUpdateStep {
  SeedUpdates<ExecutionSpace> updates;

  KOKKOS_FUNCTION void operator()(std::uint32_t i) const {
    if constexpr (step == 0) updates.mark(i);
    if constexpr (step == 1) updates.set(i);
    if constexpr (step == 2) updates.clear(i);
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_IMPL_UPDATE_SEEDS_KERNELS_HPP

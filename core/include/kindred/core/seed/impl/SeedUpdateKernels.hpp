// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_SEED_UPDATE_KERNELS_HPP
#define KINDRED_CORE_SEED_IMPL_SEED_UPDATE_KERNELS_HPP

#include <kindred/core/arch/Flag.hpp>
#include <kindred/core/arch/Lanes.hpp>
#include <kindred/core/seed/SeedState.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief A batch of updates: by teams, each of which looks for the later ones of some, or in three
/// steps that all take before the next: which update of a field is the last, what it sets, and the
/// winners' places empty again.
template <class ExecutionSpace>
struct SeedUpdates {
  static constexpr unsigned updates_each = 32;  ///< of a team
  static constexpr unsigned threads_max = 256;  ///< eight times as many
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
    // All at once, what is needed or not: one wait instead of many.
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

  /// Bytes that a team shares.
  std::size_t scratch_bytes() const {
    return (2 * std::size_t{count} + 2 * threads_max) * sizeof(std::uint32_t);
  }
  std::size_t teams() const { return (count + updates_each - 1) / updates_each; }

  /// Threads of a team: update by update, eight beside each other, each looks through an eighth of
  /// the batch.
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, std::byte* scratch) const {
    auto* seeds = reinterpret_cast<std::uint32_t*>(scratch);
    auto* masks = seeds + count;
    auto* later = masks + count;
    auto* any = later + threads_max;
    const std::uint32_t thread = team.thread();
    const std::uint32_t i = team.team() * updates_each + thread % updates_each;
    const std::uint32_t part = thread / updates_each;
    const bool writes = part == 0 && i < count;
    KINDRED_UNROLL_4
    for (std::uint32_t j = thread; j < count; j += threads_max) {
      seeds[j] = updates[j].seed;
      masks[j] = updates[j].mask;
    }
    SeedUpdate mine;
    Before before{};
    if (i < count) mine = updates[i];
    // Asked for before it is known whether they are needed.
    if (writes)
      before = {state.lifecycle(mine.seed), state.cursor(mine.seed), state.transitions(mine.seed)};
    team.barrier();
    std::uint32_t of_later = 0;
    std::uint32_t of_any = 0;
    const std::uint32_t step = threads_max / updates_each;
    KINDRED_UNROLL_4
    for (std::uint32_t j = part; j < count; j += step) {
      const std::uint32_t mask = seeds[j] == mine.seed ? masks[j] : 0;
      of_any |= mask;
      of_later |= j > i ? mask : 0;
    }
    later[thread] = of_later;
    any[thread] = of_any;
    team.barrier();
    if (!writes) return;
    for (std::uint32_t p = 1; p < step; ++p) {
      of_later |= later[p * updates_each + thread];
      of_any |= any[p * updates_each + thread];
    }
    write(mine, before, mine.mask & ~of_later, (of_any & seed_epochs) == 0);
  }

 private:
  struct Before {
    std::int8_t lifecycle;
    std::uint8_t cursor;
    std::uint8_t transitions;
  };
  /// The fields \p wins; \p restarts: epochs are 0 where the lifecycle becomes another one.
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

/// A step of a batch that is larger than a team.
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

#endif  // KINDRED_CORE_SEED_IMPL_SEED_UPDATE_KERNELS_HPP

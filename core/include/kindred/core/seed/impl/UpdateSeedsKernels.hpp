// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_UPDATE_SEEDS_KERNELS_HPP
#define KINDRED_CORE_SEED_IMPL_UPDATE_SEEDS_KERNELS_HPP

#include <kindred/core/arch/RelaxedAccess.hpp>
#include <kindred/core/arch/simd/Lanes.hpp>
#include <kindred/core/seed/UpdateSeeds.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief A batch of updates in three steps, each completed before the next: find the last update
/// of each field, apply it, and clear the entries of the winners.
template <class ExecutionSpace>
struct SeedUpdates {
  SeedStateView<ExecutionSpace> state;
  const SeedUpdate* updates;
  std::uint32_t count;
  std::uint32_t* winners;

  KOKKOS_INLINE_FUNCTION void mark(std::uint32_t i) const {
    const SeedUpdate update = updates[i];
    std::uint32_t* places = winners + std::size_t{update.seed} * seed_fields;
    for (std::uint32_t field = 0; field < seed_fields; ++field) {
      if ((update.mask >> field & 1U) != 0) Arch::relaxed_max(places + field, i + 1);
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
      last[field] = Arch::relaxed_load(places + field);
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
      if ((update.mask >> field & 1U) != 0) Arch::relaxed_store(places + field, 0);
    }
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

 private:
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

/// One of the steps.
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

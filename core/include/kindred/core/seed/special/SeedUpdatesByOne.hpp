// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_SPECIAL_SEED_UPDATES_BY_ONE_HPP
#define KINDRED_CORE_SEED_SPECIAL_SEED_UPDATES_BY_ONE_HPP

/// \file
/// A special form for hosts: 2.9 × on `peers/seed-update`, 2026-11-30, Zen 4. \see SpecialForms.hpp

#include <kindred/core/arch/simd/Prefetch.hpp>
#include <kindred/core/seed/impl/UpdateSeedsKernels.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// \brief A batch by one thread, which writes the arrays as fast as several: all updates, the last
/// first, so that the first one that sets a field of a seed wins. A seed uses one of its entries to
/// record which fields were set; if the seeds ascend, each occurs only once.
struct SeedUpdatesByOne {
  SeedUpdates<HostSpace> batch;

  void operator()(std::uint32_t) const {
    constexpr std::uint32_t ahead = 16;
    const SeedUpdate* updates = batch.updates;
    std::uint32_t* winners = batch.winners;
    const SeedStateView<HostSpace>& state = batch.state;
    const bool ascends = do_ascend();
    for (std::uint32_t i = batch.count; i-- > 0;) {
      if (i >= ahead) ask_for(updates[i - ahead], ascends);
      const SeedUpdate& update = updates[i];
      const std::uint32_t seed = update.seed;
      std::uint32_t later = 0;
      if (!ascends) {
        later = winners[seed];
        winners[seed] = later | update.mask;
      }
      const std::uint32_t wins = update.mask & ~later;
      SeedUpdates<HostSpace>::Before before{static_cast<std::int8_t>(update.lifecycle), 0, 0};
      if ((wins & seed_lifecycle) != 0 && state.lifecycle(seed) != before.lifecycle)
        before = {state.lifecycle(seed), state.cursor(seed), state.transitions(seed)};
      // Epochs that an earlier update sets are written after the reset.
      batch.write(update, before, wins, ((later | update.mask) & seed_epochs) == 0);
    }
    if (ascends) return;
    for (std::uint32_t i = 0; i < batch.count; ++i) winners[updates[i].seed] = 0;
  }

 private:
  bool do_ascend() const {
    for (std::uint32_t i = 1; i < batch.count; ++i) {
      if (batch.updates[i].seed <= batch.updates[i - 1].seed) return false;
    }
    return true;
  }
  /// Prefetches those of a seed's entries, which are far apart, that are nearly always written.
  void ask_for(const SeedUpdate& update, bool ascends) const {
    const std::uint32_t seed = update.seed;
    const SeedStateView<HostSpace>& state = batch.state;
    if (!ascends) Arch::prefetch_to_write(batch.winners + seed);
    if ((update.mask & seed_lifecycle) != 0) Arch::prefetch(state.lifecycle.data() + seed);
    if ((update.mask & seed_epochs) != 0) Arch::prefetch_to_write(state.epochs.data() + seed);
    if ((update.mask & seed_mode) != 0) Arch::prefetch_to_write(state.mode.data() + seed);
    if ((update.mask & seed_alpha) != 0) Arch::prefetch_to_write(state.alpha.data() + seed);
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_SPECIAL_SEED_UPDATES_BY_ONE_HPP

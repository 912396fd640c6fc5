// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/seed/UpdateSeeds.hpp>

#include <kindred/core/arch/launch/Launch.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/seed/impl/SeedChecks.hpp>
#include <kindred/core/seed/impl/UpdateSeedsKernels.hpp>

namespace Kindred {

namespace {

template <int step, class ExecutionSpace>
[[maybe_unused]] void launch(const ExecutionSpace& exec_space, const char* label,
                             const Impl::SeedUpdates<ExecutionSpace>& updates) {
  Launch::for_each_index<Launch::Finishing, std::uint32_t>(
      exec_space, label, updates.count, Impl::SeedUpdateStep<ExecutionSpace, step>{updates});
}

/// Maximum number of updates of a batch that teams compare with each other.
[[maybe_unused]] constexpr std::size_t team_updates = 4096;

}  // namespace

template <class ExecutionSpace>
void update_seeds(const ExecutionSpace& exec_space, const SeedStateView<ExecutionSpace>& state,
                  const ArrayView<const SeedUpdate, ExecutionSpace>& updates,
                  const ArrayView<std::uint32_t, ExecutionSpace>& winners) {
  const Impl::ArgumentCheck check("update_seeds");
  const std::uint64_t seeds = state.lifecycle.size();
  check.is_aligned("updates", updates);
  check.is_at_most("the size of updates", updates.size(), 0xFFFFFFFFU);
  check.has("winners", winners, Impl::extent_of(seed_fields, seeds));
  check.has("state.blueprint", state.blueprint, seeds);
  check.has("state.epochs", state.epochs, seeds);
  check.has("state.mode", state.mode, seeds);
  check.has("state.schedule", state.schedule, seeds);
  check.has("state.alpha", state.alpha, seeds);
  check.has("state.parent", state.parent, seeds);
  check.has("state.checkpoint", state.checkpoint, seeds);
  check.has("state.evaluation", state.evaluation, seeds);
  check.has("state.errors", state.errors, seeds);
  check.has("state.from", state.from, Impl::extent_of(seeds, seed_history));
  check.has("state.to", state.to, Impl::extent_of(seeds, seed_history));
  check.has("state.cursor", state.cursor, seeds);
  check.has("state.transitions", state.transitions, seeds);
  if (updates.size() == 0) return;
  const Impl::SeedUpdates<ExecutionSpace> batch{
      state, updates.data(), static_cast<std::uint32_t>(updates.size()), winners.data()};
  if constexpr (Arch::is_device<ExecutionSpace>) {
    if (updates.size() <= team_updates) {
      Arch::launch(exec_space,
                   {.label = "Kindred::Seed::update",
                    .groups = batch.teams(),
                    .scratch_bytes = batch.scratch_bytes()},
                   batch);
      return;
    }
    launch<0>(exec_space, "Kindred::Seed::update::mark", batch);
    launch<1>(exec_space, "Kindred::Seed::update::set", batch);
    launch<2>(exec_space, "Kindred::Seed::update::clear", batch);
  } else {
    Launch::for_each_index<Launch::Finishing, std::uint32_t>(
        exec_space, "Kindred::Seed::update", 1, Impl::SeedUpdatesByOne<ExecutionSpace>{batch});
  }
}

#define KINDRED_INSTANTIATE(SPACE) template decltype(update_seeds<SPACE>) update_seeds<SPACE>;
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred

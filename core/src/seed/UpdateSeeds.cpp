// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/seed/UpdateSeeds.hpp>

#include <kindred/core/arch/Special.hpp>
#include <kindred/core/arch/launch/Launch.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/seed/impl/SeedChecks.hpp>
#include <kindred/core/seed/special/SeedUpdateTeam.hpp>
#include <kindred/core/seed/special/SeedUpdatesByOne.hpp>

namespace Kindred {

namespace {

template <int step, class ExecutionSpace>
void launch(const ExecutionSpace& exec_space, const char* label,
            const Impl::SeedUpdates<ExecutionSpace>& updates) {
  Launch::for_each_index<Launch::Finishing, std::uint32_t>(
      exec_space, label, updates.count, Impl::SeedUpdateStep<ExecutionSpace, step>{updates});
}

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
  using Special::Form;
  if constexpr (Special::is_compiled<Form::seed_updates_by_one, ExecutionSpace>) {
    if (Special::is_used<Form::seed_updates_by_one, ExecutionSpace>())
      return Launch::for_each_index<Launch::Finishing, std::uint32_t>(
          exec_space, "Kindred::Seed::update", 1, Impl::SeedUpdatesByOne{batch});
  }
  if constexpr (Special::is_compiled<Form::seed_update_team, ExecutionSpace>) {
    const Impl::SeedUpdateTeam<ExecutionSpace> team{batch};
    if (updates.size() <= team.updates_max &&
        Special::is_used<Form::seed_update_team, ExecutionSpace>())
      return Arch::launch(exec_space,
                          {.label = "Kindred::Seed::update",
                           .groups = team.teams(),
                           .scratch_bytes = team.scratch_bytes},
                          team);
  }
  launch<0>(exec_space, "Kindred::Seed::update::mark", batch);
  launch<1>(exec_space, "Kindred::Seed::update::set", batch);
  launch<2>(exec_space, "Kindred::Seed::update::clear", batch);
}

KINDRED_INSTANTIATE_FOR_SPACES(update_seeds);

}  // namespace Kindred

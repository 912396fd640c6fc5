// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/seed/UpdateSeeds.hpp>

#include "SeedSupport.hpp"

namespace Kindred::Testing::Seeds::UpdateSeedsTest {

static_assert(from_string<Lifecycle>("fine_tuning") == Lifecycle::fine_tuning &&
              !from_string<Lifecycle>("fine tuning"));
static_assert(to_string(Lifecycle::rolled_back) == "rolled_back");

TEST(UpdateSeeds, BatchesMatchReference) {
  on_spaces([]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    for (const std::size_t seeds : {1UL, 7UL, 300UL}) {
      auto generator = Testing::generator("UpdateSeeds.batches");
      const PlacedState state(exec_space, seeds);
      std::vector<Reference::SeedRecord> records(seeds);
      for (const std::size_t count : {0UL, 1UL, 5UL, 33UL, 1000UL, 1025UL, 5000UL, 20UL, 2UL}) {
        std::vector<SeedUpdate> updates;
        for (std::size_t i = 0; i < count; ++i) updates.push_back(random_update(seeds, generator));
        const auto check = [&](const char* order) {
          Reference::update_seeds(records, updates);
          const auto placed = to_space(exec_space, updates);
          update_seeds<ExecutionSpace>(exec_space, state.view, placed, state.winners);
          exec_space.fence("Kindred::Testing::updates");
          ASSERT_EQ(state.records(exec_space), records) << seeds << " seeds, " << count << order;
        };
        check(" updates in any order");
        // The updates of each seed in their order, then the first of every seed.
        std::ranges::stable_sort(updates, {}, &SeedUpdate::seed);
        check(" updates that do not descend");
        const auto again = std::ranges::unique(updates, {}, &SeedUpdate::seed);
        updates.erase(again.begin(), again.end());
        check(" updates of which those of a seed but the first are gone");
      }
    }
  });
}

}  // namespace Kindred::Testing::Seeds::UpdateSeedsTest

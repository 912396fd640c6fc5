// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/seed/UpdateSeeds.hpp>
#include <kindred/memory/Copies.hpp>

#include <algorithm>

#include "SeedSupport.hpp"

namespace UpdateSeedsTest {

using namespace Kindred;
using namespace Testing::Seeds;

static_assert(from_string<Lifecycle>("fine_tuning") == Lifecycle::fine_tuning &&
              !from_string<Lifecycle>("fine tuning"));
static_assert(to_string(Lifecycle::rolled_back) == "rolled_back");

template <class ExecutionSpace>
void apply(const ExecutionSpace& exec_space, const PlacedState<ExecutionSpace>& state,
           const std::vector<SeedUpdate>& updates) {
  const auto placed = to_space(exec_space, updates);
  update_seeds<ExecutionSpace>(exec_space, state.view, placed, state.winners);
  exec_space.fence("Kindred::Testing::apply");
}

TEST(UpdateSeeds, BatchesMatchReference) {
  on_spaces([](const auto& exec_space) {
    for (const std::size_t seeds : {1UL, 7UL, 300UL}) {
      auto generator = Testing::generator("UpdateSeeds.batches");
      const PlacedState state(exec_space, seeds);
      std::vector<Reference::SeedRecord> records(seeds);
      for (const std::size_t count : {0UL, 1UL, 5UL, 33UL, 1000UL, 1025UL, 5000UL, 20UL, 2UL}) {
        std::vector<SeedUpdate> updates;
        for (std::size_t i = 0; i < count; ++i) updates.push_back(random_update(seeds, generator));
        const auto check = [&](const char* order) {
          Reference::update_seeds(records, updates);
          apply(exec_space, state, updates);
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

TEST(UpdateSeeds, HistoryKeepsTheLastTen) {
  on_spaces([](const auto& exec_space) {
    const PlacedState state(exec_space, 2);
    for (int i = 1; i <= 14; ++i)
      apply(exec_space, state,
            {{.seed = 1, .mask = seed_lifecycle, .lifecycle = static_cast<Lifecycle>(i % 11)}});
    const auto records = state.records(exec_space);
    EXPECT_TRUE(records[0].history.empty());
    ASSERT_EQ(records[1].history.size(), seed_history);
    EXPECT_EQ(records[1].history.front(), std::pair(Lifecycle{4}, Lifecycle{5}));
    EXPECT_EQ(records[1].history.back(), std::pair(Lifecycle{2}, Lifecycle{3}));
  });
}

TEST(UpdateSeeds, EpochsRestartOnlyWhereTheLifecycleChanges) {
  const SeedUpdate germinated{.epochs = 3, .lifecycle = Lifecycle::germinated}, dormant;
  struct Case {
    unsigned mask;
    SeedUpdate update;
    std::int16_t epochs;
    std::size_t changes;
  };
  for (const Case& one :
       {Case{seed_lifecycle, germinated, 0, 1}, Case{seed_lifecycle, dormant, 7, 0},
        Case{seed_lifecycle | seed_epochs, germinated, 3, 1}, Case{seed_alpha, germinated, 7, 0}}) {
    on_spaces([&](const auto& exec_space) {
      const PlacedState state(exec_space, 1);
      apply(exec_space, state, {{.mask = seed_epochs, .epochs = 7}});
      SeedUpdate second = one.update;
      second.mask = static_cast<std::uint16_t>(one.mask);
      apply(exec_space, state, {second});
      const auto records = state.records(exec_space);
      EXPECT_EQ(records[0].epochs, one.epochs);
      EXPECT_EQ(records[0].history.size(), one.changes);
    });
  }
}

}  // namespace UpdateSeedsTest

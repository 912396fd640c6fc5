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
  update_seeds<ExecutionSpace>(exec_space, state.view(), placed, state.winners);
  exec_space.fence("Kindred::Testing::apply");
}

TEST(UpdateSeeds, BatchesMatchReference) {
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
      using exec_type = std::decay_t<decltype(exec_space)>;
      for (const std::size_t seeds : {1UL, 7UL, 300UL}) {
        auto generator = Testing::generator("UpdateSeeds.batches");
        const PlacedState<exec_type> state(exec_space, seeds);
        std::vector<Reference::SeedRecord> records(seeds);
        for (const std::size_t count : {0UL, 1UL, 5UL, 33UL, 1000UL, 1025UL, 5000UL, 20UL, 2UL}) {
          std::vector<SeedUpdate> updates;
          for (std::size_t i = 0; i < count; ++i)
            updates.push_back(random_update(seeds, generator));
          const auto check = [&](const char* order) {
            Reference::update_seeds(records, updates);
            apply(exec_space, state, updates);
            ASSERT_EQ(state.records(exec_space), records)
                << to_string(space) << ", " << seeds << " seeds, " << count << order;
          };
          check(" updates in any order");
          // The updates of each seed in their order, then the first of every seed.
          std::ranges::stable_sort(updates, {}, &SeedUpdate::seed);
          check(" updates that do not descend");
          const auto again =
              std::unique(updates.begin(), updates.end(),
                          [](const auto& a, const auto& b) { return a.seed == b.seed; });
          updates.erase(again, updates.end());
          check(" updates of which those of a seed but the first are gone");
        }
      }
    });
  }
}

TEST(UpdateSeeds, HistoryKeepsTheLastTen) {
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
      using exec_type = std::decay_t<decltype(exec_space)>;
      const PlacedState<exec_type> state(exec_space, 2);
      for (int i = 1; i <= 14; ++i) {
        SeedUpdate update;
        update.seed = 1;
        update.mask = seed_lifecycle;
        update.lifecycle = static_cast<Lifecycle>(i % 11);
        apply(exec_space, state, {update});
      }
      const auto records = state.records(exec_space);
      EXPECT_TRUE(records[0].history.empty());
      ASSERT_EQ(records[1].history.size(), seed_history);
      EXPECT_EQ(records[1].history.front(),
                std::pair(static_cast<Lifecycle>(4), static_cast<Lifecycle>(5)));
      EXPECT_EQ(records[1].history.back(),
                std::pair(static_cast<Lifecycle>(2), static_cast<Lifecycle>(3)));
    });
  }
}

TEST(UpdateSeeds, EpochsRestartOnlyWhereTheLifecycleChanges) {
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
      using exec_type = std::decay_t<decltype(exec_space)>;
      const PlacedState<exec_type> state(exec_space, 4);
      std::vector<SeedUpdate> first(4);
      for (std::uint32_t i = 0; i < 4; ++i) {
        first[i].seed = i;
        first[i].mask = seed_epochs;
        first[i].epochs = 7;
      }
      apply(exec_space, state, first);
      std::vector<SeedUpdate> second = first;
      second[0].mask = seed_lifecycle;
      second[0].lifecycle = Lifecycle::germinated;
      second[1].mask = seed_lifecycle;  // the seed is dormant
      second[2].mask = seed_lifecycle | seed_epochs;
      second[2].lifecycle = Lifecycle::germinated;
      second[2].epochs = 3;
      second[3].mask = seed_alpha;
      apply(exec_space, state, second);
      const auto records = state.records(exec_space);
      EXPECT_EQ(records[0].epochs, 0);
      EXPECT_EQ(records[1].epochs, 7);
      EXPECT_EQ(records[2].epochs, 3);
      EXPECT_EQ(records[3].epochs, 7);
      EXPECT_TRUE(records[1].history.empty());
    });
  }
}

}  // namespace UpdateSeedsTest

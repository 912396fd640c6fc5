// SPDX-License-Identifier: Apache-2.0
// The kernels of the state of seeds. Test_SeedFunctions.cpp has those of passes.
#include <kindred/core/seed/ReduceMoments.hpp>
#include <kindred/core/seed/SeedChunks.hpp>

#include "SeedSupport.hpp"

namespace Kindred::Testing::Seeds::SeedKernelsTest {

static_assert(SeedChunks{103, 10}.begin(1) == 11 && SeedChunks{103, 10}.begin(3) == 33 &&
              SeedChunks{103, 10}.begin(4) == 43 && SeedChunks{103, 10}.begin(10) == 103);
static_assert(SeedChunks{3, 5}.width(2) == 1 && SeedChunks{3, 5}.width(3) == 0);

TEST(SeedChunks, EveryFeatureBelongsToOneSeedOrNone) {
  constexpr std::uint32_t sizes[] = {0, 1, 2, 3, 7, 16, 39, 40, 41, 0xFFFFFFFFU};
  for (std::uint32_t hidden = 0; hidden <= 130; ++hidden) {
    for (std::uint32_t seeds = 0; seeds <= 200; ++seeds) {
      for (const std::uint32_t chunk : sizes) {
        if (chunk == 0 ? seeds == 0 : hidden > 40 || seeds > 45) continue;
        const SeedChunks chunks{hidden, seeds, chunk};
        const auto owner = Reference::seeds_of_features(hidden, seeds, chunk);
        std::uint32_t end = 0;
        for (std::uint32_t seed = 0; seed < seeds; ++seed) {
          ASSERT_EQ(chunks.begin(seed), end);
          end += chunks.width(seed);
          ASSERT_LE(chunks.width(seed), chunks.width_max());
          for (std::uint32_t f = chunks.begin(seed); f < end; ++f) ASSERT_EQ(owner[f], seed);
        }
        for (std::uint32_t f = 0; f < hidden; ++f)
          ASSERT_EQ(std::min(chunks.seed_of(f), seeds), std::min<std::size_t>(owner[f], seeds));
        const SeedChunks covering = chunk == 0 ? chunks : chunks.covering();
        ASSERT_GE(covering.seeds, std::max(seeds, 1U));
        ASSERT_EQ(covering.begin(covering.seeds), hidden);
        ASSERT_TRUE(chunk != 0 || chunks.width_max() == chunks.width(0));
      }
    }
  }
}

static_assert(from_string<Lifecycle>("fine_tuning") == Lifecycle::fine_tuning &&
              !from_string<Lifecycle>("fine tuning"));
static_assert(to_string(Lifecycle::rolled_back) == "rolled_back");

TEST(UpdateSeeds, BatchesMatchReference) {
  on_spaces([]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    for (const std::size_t seeds : {1UL, 7UL, 300UL}) {
      const PlacedState state(exec_space, seeds);
      std::vector<Reference::SeedRecord> records(seeds);
      for (const std::size_t count : {0UL, 1UL, 5UL, 33UL, 1000UL, 1025UL, 5000UL, 20UL, 2UL}) {
        std::vector<SeedUpdate> updates = random_updates(count, seeds);
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

TEST(ReduceMoments, MatchesReferenceOverEpochsAndSeeds) {
  for (const std::uint32_t seeds : {1U, 5U, 700U, 3000U}) {
    const std::uint32_t slots = 6;
    std::vector<SeedMoments> ring = random_moments(slots * seeds);
    // Slot 3 is the last of the six epochs; without it the moments of all seeds are not NaN.
    for (SeedMoments& m : std::span(ring).subspan(3 * seeds, seeds)) {
      if (m.count > 0 && random_below(8) == 0)
        m.mean = m.m2 = std::bit_cast<double>(0x7FF8000000000000U);
    }
    const std::uint32_t first_seed = seeds / 3, count = seeds - first_seed;
    for (const std::uint32_t epochs : {1U, 4U, 6U}) {
      std::vector<SeedMoments> expected;
      for (std::uint32_t seed = first_seed; seed < seeds; ++seed) {
        std::vector<SeedMoments> of_seed;
        for (std::uint32_t e = 0; e < epochs; ++e)
          of_seed.push_back(ring[(4 + e) % slots * seeds + seed]);
        expected.push_back(Reference::merged(of_seed));
      }
      expected.push_back(Reference::merged(expected));
      on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
        const auto placed = to_space(exec_space, ring);
        const auto each = to_space(exec_space, std::vector<SeedMoments>(count));
        const auto all = to_space(exec_space, std::vector<SeedMoments>(1));
        reduce_moments<ExecutionSpace>(exec_space, placed, seeds, slots, 4, epochs, first_seed,
                                       each, all);
        std::vector<SeedMoments> got = to_host(exec_space, each);
        got.push_back(to_host(exec_space, all)[0]);
        EXPECT_TRUE(same_bits(got, expected)) << seeds << " seeds, " << epochs << " epochs";
      });
    }
  }
}

}  // namespace Kindred::Testing::Seeds::SeedKernelsTest

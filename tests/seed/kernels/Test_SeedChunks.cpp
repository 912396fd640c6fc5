// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/seed/SeedChunks.hpp>

#include "SeedSupport.hpp"

namespace Kindred::Testing::Seeds::SeedChunksTest {

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

}  // namespace Kindred::Testing::Seeds::SeedChunksTest

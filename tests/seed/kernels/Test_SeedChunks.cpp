// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/seed/SeedChunks.hpp>
#include <kindred/reference/Reference.hpp>

#include <algorithm>

namespace SeedChunksTest {

using namespace Kindred;

static_assert(SeedChunks{103, 10}.begin(1) == 11 && SeedChunks{103, 10}.begin(3) == 33 &&
              SeedChunks{103, 10}.begin(4) == 43 && SeedChunks{103, 10}.begin(10) == 103);
static_assert(SeedChunks{3, 5}.width(2) == 1 && SeedChunks{3, 5}.width(3) == 0);

TEST(SeedChunks, EveryFeatureBelongsToOneSeed) {
  for (std::uint32_t hidden = 0; hidden <= 130; ++hidden) {
    for (std::uint32_t seeds = 1; seeds <= 200; ++seeds) {
      const SeedChunks chunks{hidden, seeds};
      const auto owner = Reference::seeds_of_features(hidden, seeds);
      ASSERT_EQ(owner.size(), hidden);
      for (std::uint32_t f = 0; f < hidden; ++f) {
        ASSERT_EQ(chunks.seed_of(f), owner[f]);
        ASSERT_LE(chunks.begin(chunks.seed_of(f)), f);
        ASSERT_LT(f, chunks.begin(chunks.seed_of(f)) + chunks.width(chunks.seed_of(f)));
      }
      ASSERT_EQ(chunks.begin(seeds), hidden);
      ASSERT_EQ(chunks.width_max(), chunks.width(0));
    }
  }
}

TEST(SeedChunks, OfAFixedSizeEndWithTheFeatures) {
  for (std::uint32_t hidden = 0; hidden <= 40; ++hidden) {
    for (std::uint32_t seeds = 0; seeds <= 45; ++seeds) {
      for (const std::uint32_t chunk : {1U, 2U, 3U, 7U, 16U, 39U, 40U, 41U, 0xFFFFFFFFU}) {
        const SeedChunks chunks{hidden, seeds, chunk};
        std::uint32_t end = 0;
        for (std::uint32_t seed = 0; seed < seeds; ++seed) {
          ASSERT_EQ(chunks.begin(seed), end);
          end = chunks.begin(seed) + chunks.width(seed);
          ASSERT_LE(chunks.width(seed), chunks.width_max());
          for (std::uint32_t f = chunks.begin(seed); f < end; ++f)
            ASSERT_EQ(chunks.seed_of(f), seed);
        }
        for (std::uint32_t f = end; f < hidden; ++f) ASSERT_GE(chunks.seed_of(f), seeds);
        const SeedChunks covering = chunks.covering();
        ASSERT_GE(covering.seeds, std::max(seeds, 1U));
        ASSERT_EQ(covering.begin(covering.seeds), hidden);
      }
    }
  }
}

}  // namespace SeedChunksTest

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/seed/SeedChunks.hpp>
#include <kindred/reference/Reference.hpp>

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

}  // namespace SeedChunksTest

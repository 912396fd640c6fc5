// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/seed/ReduceMoments.hpp>

#include "SeedSupport.hpp"

namespace Kindred::Testing::Seeds::ReduceMomentsTest {

TEST(ReduceMoments, MatchesReferenceOverEpochsAndSeeds) {
  auto generator = Testing::generator("ReduceMoments");
  for (const std::uint32_t seeds : {1U, 5U, 700U, 3000U}) {
    const std::uint32_t slots = 6;
    std::vector<SeedMoments> ring(slots * seeds);
    for (std::size_t i = 0; i < ring.size(); ++i) {
      SeedMoments& m = ring[i];
      m.count = generator() % 3 == 0 ? 0 : 1 + generator() % 1000;
      if (m.count == 0) continue;
      m.dead = generator() % m.count;
      m.mean = static_cast<double>(generator() % 10000) / 9;
      m.m2 = static_cast<double>(generator() % 10000) / 11;
      m.min = -static_cast<float>(generator() % 100);
      m.max = static_cast<float>(generator() % 100);
      // Slot 3 is the last of the six epochs; without it the moments of all seeds are not NaN.
      if (i / seeds == 3 && generator() % 8 == 0)
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

}  // namespace Kindred::Testing::Seeds::ReduceMomentsTest

// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/launch/ThreadGroup.hpp>

#include <gtest/gtest.h>

#include "Threads.hpp"

namespace Kindred {
namespace ArrivalBarrierTest {

/// \brief Lets \p teams threads wait for each other \p barriers times at \p cell, as the teams of
/// one launch do. Returns how often a thread continued before all others had arrived.
unsigned early_releases(std::atomic<std::uint32_t>& cell, unsigned teams, unsigned barriers) {
  std::vector<std::atomic<unsigned>> arrived(barriers);
  std::atomic<unsigned> early = 0;
  Testing::by_threads(teams, [&](std::size_t team) {
    Arch::ArrivalBarrier arrival(static_cast<unsigned>(team), teams, cell.load());
    for (unsigned barrier = 0; barrier < barriers; ++barrier) {
      ++arrived[barrier];
      cell.fetch_add(arrival.share());
      while (!arrival.is_over(cell.load())) std::this_thread::yield();
      arrival.advance();
      if (arrived[barrier].load() != teams) ++early;
    }
  });
  return early;
}

TEST(ArrivalBarrier, ServesGroupsOfAnySizeInSequence) {
  std::atomic<std::uint32_t> cell = 0;
  // A batch of queries with one team each, then one query that many teams share; odd and even
  // counts.
  for (const unsigned teams : {1U, 7U, 1U, 1U, 2U, 5U, 3U, 8U, 1U, 4U}) {
    for (const unsigned barriers : {1U, 2U, 3U, 7U})
      ASSERT_EQ(early_releases(cell, teams, barriers), 0U) << teams << " " << barriers;
  }
}

TEST(ArrivalBarrier, CountsMoreTeamsThanAnyDeviceRuns) {
  for (const unsigned teams : {1U, 2U, 132U, 4096U, 1U << 20U}) {
    std::uint32_t cell = 0;
    for (int barrier = 0; barrier < 3; ++barrier) {
      const Arch::ArrivalBarrier first(0, teams, cell);
      const Arch::ArrivalBarrier other(1, teams, cell);
      EXPECT_FALSE(first.is_over(cell));
      cell += first.share();
      for (unsigned team = 1; team < teams; ++team) {
        ASSERT_FALSE(first.is_over(cell)) << teams << " " << team;
        cell += other.share();
      }
      EXPECT_TRUE(first.is_over(cell));
      EXPECT_TRUE(other.is_over(cell));
    }
  }
}

}  // namespace ArrivalBarrierTest
}  // namespace Kindred

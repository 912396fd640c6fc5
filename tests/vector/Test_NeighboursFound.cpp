// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/matcher/NeighboursFound.hpp>

#include <vector>

namespace NeighboursFoundTest {

using namespace Kindred;
using Ids = std::vector<std::int64_t>;

TEST(NeighboursFound, CountsPerRowInAnyOrder) {
  const NeighboursFound of = neighbours_found(Ids{3, 1, 9, 2}, Ids{1, 3, 1, 2}, 2);
  EXPECT_EQ(of.found, 3U);
  EXPECT_EQ(of.all, 4U);
  EXPECT_EQ(of.recall(), 0.75);
}

TEST(NeighboursFound, EmptySlotsAreNotNeighbors) {
  const NeighboursFound of = neighbours_found(Ids{3, -1, -1, -1}, Ids{3, -1, -1, 4}, 2);
  EXPECT_EQ(of.found, 1U);
  EXPECT_EQ(of.all, 2U);
}

TEST(NeighboursFound, WithoutNeighborsIsComplete) {
  EXPECT_EQ(neighbours_found({}, {}, 10).recall(), 1.0);
  EXPECT_EQ(neighbours_found({}, {}, 0).recall(), 1.0);
}

TEST(NeighboursFound, RejectsRowsOfDifferentLength) {
  // As for a top that exceeds the number of rows of one of the two indexes.
  EXPECT_THROW(neighbours_found(Ids{3, 1}, Ids{1, 3, 1, 2}, 2), InvalidArgument);
  EXPECT_THROW(neighbours_found(Ids{3, 1, 2}, Ids{1, 3, 1}, 2), InvalidArgument);
}

}  // namespace NeighboursFoundTest

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/matcher/Recall.hpp>

#include <vector>

namespace RecallOfTest {

using namespace Kindred;
using Ids = std::vector<std::int64_t>;

TEST(RecallOf, CountsPerRowInAnyOrder) {
  const Recall of = recall_of(Ids{3, 1, 9, 2}, Ids{1, 3, 1, 2}, 2);
  EXPECT_EQ(of.found, 3U);
  EXPECT_EQ(of.all, 4U);
  EXPECT_EQ(of.share(), 0.75);
}

TEST(RecallOf, EmptySlotsAreNotNeighbors) {
  const Recall of = recall_of(Ids{3, -1, -1, -1}, Ids{3, -1, -1, 4}, 2);
  EXPECT_EQ(of.found, 1U);
  EXPECT_EQ(of.all, 2U);
}

TEST(RecallOf, WithoutNeighborsIsComplete) {
  EXPECT_EQ(recall_of({}, {}, 10).share(), 1.0);
  EXPECT_EQ(recall_of({}, {}, 0).share(), 1.0);
}

TEST(RecallOf, RejectsRowsOfDifferentLength) {
  // As for a top that exceeds the number of rows of one of the two indexes.
  EXPECT_THROW(recall_of(Ids{3, 1}, Ids{1, 3, 1, 2}, 2), InvalidArgument);
  EXPECT_THROW(recall_of(Ids{3, 1, 2}, Ids{1, 3, 1}, 2), InvalidArgument);
}

}  // namespace RecallOfTest

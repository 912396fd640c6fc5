// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/Workload.hpp>
#include <kindred/matcher/GraphOperationInfo.hpp>
#include <kindred/matcher/SequenceOperationInfo.hpp>

#include <gtest/gtest.h>

namespace CallHistoryTest {

using namespace Kindred;

TEST(CallHistory, ACallIsFirstWhereNoneOfItsSizeOrLargerHasRun) {
  CallHistory history;
  EXPECT_TRUE(history.add(Operations::lcs, Space::openmp, 1000));
  EXPECT_FALSE(history.add(Operations::lcs, Space::openmp, 1000));
  EXPECT_FALSE(history.add(Operations::lcs, Space::openmp, 7)) << "the workspace is large enough";
  EXPECT_TRUE(history.add(Operations::lcs, Space::openmp, 1e9)) << "it grows";
  EXPECT_FALSE(history.add(Operations::lcs, Space::openmp, 1e8));
  EXPECT_TRUE(history.add(Operations::lcs, Space::serial, 1000));
  EXPECT_TRUE(history.add(Operations::difflib, Space::openmp, 1000));
  EXPECT_TRUE(history.add(Operations::spread, Space::serial, 0))
      << "a call without work has a size too";
  EXPECT_FALSE(history.add(Operations::spread, Space::serial, 0));
  EXPECT_TRUE(history.add(Operations::spread, Space::serial, 2)) << "which is the smallest";
}

}  // namespace CallHistoryTest

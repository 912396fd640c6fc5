// SPDX-License-Identifier: Apache-2.0
#include "kit/StreamWorkspaces.hpp"

#include <gtest/gtest.h>

#include <array>

namespace StreamWorkspacesTest {

using namespace Kindred;

/// Counts those that were destroyed.
struct Workspace {
  Workspace(int& destroyed_, int number_) : destroyed(&destroyed_), number(number_) {}
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() { ++*destroyed; }

  int* destroyed;
  int number;
};

TEST(StreamWorkspaces, KeepOneForEachOfThe64StreamsUsedLast) {
  constexpr int count = 66;
  std::array<char, count> handles{};
  const auto stream = [&](int i) { return Stream::cuda(&handles.at(static_cast<std::size_t>(i))); };
  int destroyed = 0;
  {
    Impl::StreamWorkspaces<Workspace> workspaces;
    const Workspace* const of_default = &workspaces.of(Stream::cuda(nullptr), destroyed, -1);
    EXPECT_EQ(&workspaces.of(Stream::cuda(nullptr), destroyed, 7), of_default);
    EXPECT_EQ(of_default->number, -1);
    for (int i = 0; i < 63; ++i) EXPECT_EQ(workspaces.of(stream(i), destroyed, i).number, i);
    EXPECT_EQ(&workspaces.of(Stream::cuda(nullptr), destroyed, 8), of_default);
    EXPECT_EQ(destroyed, 0);
    for (int i = 63; i < count; ++i) EXPECT_EQ(workspaces.of(stream(i), destroyed, i).number, i);
    EXPECT_EQ(destroyed, 3);
    EXPECT_EQ(&workspaces.of(Stream::cuda(nullptr), destroyed, 9), of_default) << "it was used";
    EXPECT_EQ(workspaces.of(stream(3), destroyed, 100).number, 3) << "it is still kept";
    EXPECT_EQ(workspaces.of(stream(2), destroyed, 100).number, 100) << "it is made again";
  }
  EXPECT_EQ(destroyed, 68);
}

}  // namespace StreamWorkspacesTest

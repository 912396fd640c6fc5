// SPDX-License-Identifier: Apache-2.0
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/LimitAdaptor.hpp>
#include <kindred/memory/SpaceResource.hpp>
#include <kindred/memory/WorkspaceCache.hpp>

#include <gtest/gtest.h>

#include "Support.hpp"

#include <stdexcept>

namespace WorkspaceCacheTest {

using namespace Kindred;

/// Counts the workspaces that were constructed.
int constructed = 0;

template <class ExecutionSpace>
struct Workspace {
  Workspace(MemoryResource& memory, int given)
      : threads(given), buffer(memory, "Kindred::Test::workspace", 0) {
    ++constructed;
  }

  int threads;
  Buffer<char, typename ExecutionSpace::memory_space> buffer;
};

class WorkspaceCacheOnHost : public testing::Test {
 protected:
  WorkspaceCacheOnHost() : limit(space, 1000) {
    Testing::context();
    constructed = 0;
  }

  template <class Body>
  void lend(int threads, const Body& body) {
    cache.lend(exec_space, limit, threads, 0, body);
  }

  SpaceResource<Kokkos::HostSpace> space;
  LimitAdaptor limit;
  HostSpace exec_space;
  Impl::WorkspaceCache<Workspace> cache{"Kindred::Test::failed"};
};

TEST_F(WorkspaceCacheOnHost, KeepsOneWorkspaceForOneThreadAndOneForMany) {
  for (int i = 0; i < 3; ++i) {
    for (const int threads : {1, 4}) {
      lend(threads, [&](auto& workspace) {
        EXPECT_EQ(workspace.threads, threads);
        EXPECT_EQ(workspace.buffer.size(), i == 0 ? 0U : 100U) << "kept from the call before";
        workspace.buffer.resize_discarding(100);
      });
    }
  }
  EXPECT_EQ(constructed, 2);
  EXPECT_EQ(cache.device_bytes(), 0U) << "counts workspaces on a device only";
}

TEST_F(WorkspaceCacheOnHost, ReleasesAKeptWorkspaceAndRepeatsACallThatRanOutOfMemory) {
  lend(1, [](auto& workspace) { workspace.buffer.resize_discarding(600); });
  int calls = 0;
  lend(1, [&](auto& workspace) {
    ++calls;
    workspace.buffer.resize_discarding(700);  // does not fit next to the 600
  });
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(constructed, 2);
  EXPECT_EQ(limit.used(), 700U);
}

TEST_F(WorkspaceCacheOnHost, PassesOnWhatARepetitionCannotPrevent) {
  int calls = 0;
  const auto too_large = [&](auto& workspace) {
    ++calls;
    workspace.buffer.resize_discarding(1001);
  };
  EXPECT_THROW(lend(1, too_large), OutOfMemory);
  EXPECT_EQ(calls, 1) << "a new workspace is not made twice";
  lend(1, [](auto& workspace) { workspace.buffer.resize_discarding(10); });
  EXPECT_THROW(lend(1, too_large), OutOfMemory);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(limit.used(), 0U);
}

TEST_F(WorkspaceCacheOnHost, KeepsTheWorkspaceAfterOtherErrors) {
  lend(1, [](auto& workspace) { workspace.buffer.resize_discarding(10); });
  EXPECT_THROW(lend(1, [](auto&) { throw std::runtime_error("of the body"); }), std::runtime_error);
  lend(1, [](auto& workspace) { EXPECT_EQ(workspace.buffer.size(), 10U); });
  EXPECT_EQ(constructed, 1);
}

}  // namespace WorkspaceCacheTest

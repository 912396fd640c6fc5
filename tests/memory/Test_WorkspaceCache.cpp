// SPDX-License-Identifier: Apache-2.0
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/LimitAdaptor.hpp>
#include <kindred/memory/SpaceResource.hpp>
#include <kindred/memory/WorkspaceCache.hpp>

#include <gtest/gtest.h>

#include "Support.hpp"
#include "Threads.hpp"

namespace WorkspaceCacheTest {

using namespace Kindred;

/// Counts the workspaces that were constructed.
std::atomic<int> constructed = 0;

struct Workspace {
  explicit Workspace(MemoryResource& memory) : buffer(memory, "Kindred::Test::workspace", 0) {
    ++constructed;
  }

  Buffer<char, Kokkos::HostSpace> buffer;
};

class WorkspaceCacheOnHost : public testing::Test {
 protected:
  WorkspaceCacheOnHost() : limit(space, 1000) {
    Testing::context();
    constructed = 0;
  }

  template <class Body>
  void lend(const Body& body) {
    cache.lend([&] { return std::make_unique<Workspace>(limit); }, exec_space,
               "Kindred::Test::failed", 0, body);
  }

  SpaceResource<Kokkos::HostSpace> space;
  LimitAdaptor limit;
  HostSpace exec_space;
  Impl::WorkspaceCache<Workspace> cache;
};

TEST_F(WorkspaceCacheOnHost, KeepsTheWorkspaceOfCallsThatFollowEachOther) {
  for (int call = 0; call < 3; ++call) {
    lend([&](Workspace& workspace) {
      EXPECT_EQ(workspace.buffer.size(), call == 0 ? 0U : 100U) << "kept from the call before";
      workspace.buffer.resize_discarding(100);
    });
  }
  EXPECT_EQ(constructed, 1);
  EXPECT_TRUE(cache.release());
  EXPECT_EQ(limit.used(), 0U);
  EXPECT_FALSE(cache.release());
}

TEST_F(WorkspaceCacheOnHost, CallsAtTheSameTimeHaveWorkspacesOfTheirOwn) {
  bool ran = false;
  lend([&](Workspace& outer) {
    std::thread([&] {
      lend([&](Workspace& inner) {
        EXPECT_NE(&inner, &outer);
        ran = true;
      });
    }).join();
  });
  EXPECT_TRUE(ran);
  EXPECT_EQ(constructed, 2);
}

TEST_F(WorkspaceCacheOnHost, ACallThatRunsOutOfMemoryBesideOthersIsRepeatedAlone) {
  std::atomic<int> attempts{0};
  std::atomic<bool> is_large{false};
  std::thread second;
  lend([&](Workspace& workspace) {
    workspace.buffer.resize_discarding(600);
    second = std::thread([&] {
      lend([&](Workspace& other) {
        ++attempts;
        other.buffer.resize_discarding(700);  // does not fit next to the 600
        is_large = true;
      });
    });
    while (attempts == 0) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_FALSE(is_large) << "it waits for this call";
  });
  second.join();
  EXPECT_TRUE(is_large);
  EXPECT_EQ(attempts, 2);
  EXPECT_EQ(limit.used(), 700U) << "the workspace of the first call was released";
}

TEST_F(WorkspaceCacheOnHost, ManyCallsUnderABudgetForOneAllSucceed) {
  std::atomic<int> calls{0};
  Testing::by_threads(6, [&](std::size_t) {
    for (int call = 0; call < 50; ++call) {
      lend([](Workspace& workspace) { workspace.buffer.resize_discarding(600); });
      ++calls;
    }
  });
  EXPECT_EQ(calls, 300);
}

TEST_F(WorkspaceCacheOnHost, ReleasesAKeptWorkspaceAndRepeatsACallThatRanOutOfMemory) {
  lend([](Workspace& workspace) { workspace.buffer.resize_discarding(600); });
  int calls = 0;
  lend([&](Workspace& workspace) {
    ++calls;
    workspace.buffer.resize_discarding(700);  // does not fit next to the 600
  });
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(constructed, 2);
  EXPECT_EQ(limit.used(), 700U);
}

TEST_F(WorkspaceCacheOnHost, PassesOnWhatARepetitionCannotPrevent) {
  int calls = 0;
  const auto too_large = [&](Workspace& workspace) {
    ++calls;
    workspace.buffer.resize_discarding(1001);
  };
  EXPECT_THROW(lend(too_large), OutOfMemory);
  EXPECT_EQ(calls, 1) << "a new workspace is not made twice";
  lend([](Workspace& workspace) { workspace.buffer.resize_discarding(10); });
  EXPECT_THROW(lend(too_large), OutOfMemory);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(limit.used(), 0U);
}

TEST_F(WorkspaceCacheOnHost, ReleasesTheIncompleteWorkspaceOfACallThatFailed) {
  const auto grow = [](Workspace& workspace) { workspace.buffer.resize_discarding(10); };
  lend(grow);
  EXPECT_THROW(lend([](Workspace&) { throw std::runtime_error("of the body"); }),
               std::runtime_error);
  EXPECT_EQ(limit.used(), 0U);
  lend([](Workspace& workspace) { EXPECT_EQ(workspace.buffer.size(), 0U); });
  EXPECT_EQ(constructed, 2);
}

TEST_F(WorkspaceCacheOnHost, KeepsTheWorkspaceOfARefusedCall) {
  lend([](Workspace& workspace) { workspace.buffer.resize_discarding(10); });
  EXPECT_THROW(lend([](Workspace&) { throw InvalidArgument("of the body"); }), InvalidArgument);
  lend([](Workspace& workspace) { EXPECT_EQ(workspace.buffer.size(), 10U); });
  EXPECT_EQ(constructed, 1);
}

TEST_F(WorkspaceCacheOnHost, RepeatsACallWhoseContainersRanOutOfMemory) {
  lend([](Workspace& workspace) { workspace.buffer.resize_discarding(10); });
  int calls = 0;
  const auto fail_once = [&](Workspace& workspace) {
    if (++calls == 1) throw std::bad_alloc();
    EXPECT_EQ(workspace.buffer.size(), 0U);
  };
  lend(fail_once);
  EXPECT_EQ(calls, 2);
  EXPECT_THROW(lend([](Workspace&) { throw std::bad_alloc(); }), OutOfMemory);
}

}  // namespace WorkspaceCacheTest

// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/LeasePool.hpp>
#include <kindred/core/common/ThreadSlots.hpp>

#include <set>

#include "OneThread.hpp"

namespace LeasePoolTest {

using namespace Kindred;
using namespace Testing;

struct Object {
  std::atomic<int> holders{0};
};
using Pool = Impl::LeasePool<Object>;
using Lease = Pool::Lease;

std::unique_ptr<Object> make() { return std::make_unique<Object>(); }

TEST(LeasePool, LendsEachObjectToOneCallerAtATime) {
  Pool pool;
  std::atomic<int> made{0};
  constexpr std::size_t callers = 8;
  by_threads(callers, [&](std::size_t) {
    for (int call = 0; call < 2000; ++call) {
      const Lease lease = pool.take([&] {
        ++made;
        return make();
      });
      EXPECT_EQ(++lease->holders, 1);
      if (call % 16 == 0) std::this_thread::yield();
      --lease->holders;
    }
  });
  EXPECT_GE(made, 1);
  EXPECT_LE(made, 4 * static_cast<int>(callers)) << "objects are kept";
}

TEST(LeasePool, NoCallerWaitsForAnother) {
  Pool pool;
  std::vector<Lease> held;
  std::set<const Object*> seen;
  for (int i = 0; i < 200; ++i) seen.insert(&*held.emplace_back(pool.take(make)));
  EXPECT_EQ(seen.size(), held.size());
  held.clear();
  EXPECT_TRUE(pool.release_idle());
  EXPECT_FALSE(pool.release_idle());
}

TEST(LeasePool, CallersThatFollowEachOtherShareOneObject) {
  Pool pool;
  const Object* const first = &*pool.take(make);
  for (int thread = 0; thread < 100; ++thread) {
    std::thread([&] {
      const Lease lease = pool.take(make);
      EXPECT_EQ(&*lease, first);
      EXPECT_TRUE(lease.is_kept());
    }).join();
  }
}

/// Runs \p function in a thread whose slot among 16 is not in \p used, and adds the slot.
template <class Function>
void in_another_slot(std::set<std::size_t>& used, const Function& function) {
  for (bool has_run = false; !has_run;)
    std::thread([&] {
      if (!used.insert(Kindred::Impl::thread_number() % 16).second) return;
      has_run = true;
      function();
    }).join();
}

TEST(LeasePool, AThreadThatCallsBesideOthersGetsAnObjectOfItsOwn) {
  Pool pool(16);
  const Lease in_use = pool.take(make);
  std::set<std::size_t> used{Kindred::Impl::thread_number() % 16};
  const Object* of_second = nullptr;
  in_another_slot(used, [&] { of_second = &*pool.take(make); });
  EXPECT_NE(of_second, &*in_use);
  in_another_slot(used, [&] {
    int borrowed = 0;
    for (; borrowed < 100; ++borrowed)
      if (&*pool.take(make) != of_second) break;
    EXPECT_GT(borrowed, 0) << "an idle object is used first";
    EXPECT_LT(borrowed, 20);
    const Object* const own = &*pool.take(make);
    EXPECT_NE(own, of_second);
    for (int call = 0; call < 20; ++call) EXPECT_EQ(&*pool.take(make), own);
  });
}

TEST(LeasePool, ADroppedObjectIsReplaced) {
  Pool pool;
  {
    Lease lease = pool.take(make);
    EXPECT_FALSE(lease.is_kept());
    lease.drop();
  }
  EXPECT_FALSE(pool.take(make).is_kept());
  EXPECT_TRUE(pool.take(make).is_kept());
}

TEST(LeasePool, AFailedConstructionLeavesThePoolUsable) {
  Pool pool(1);
  const auto fail = []() -> std::unique_ptr<Object> { throw std::runtime_error("made"); };
  EXPECT_THROW(pool.take(fail), std::runtime_error);
  EXPECT_THROW(pool.take_alone(fail), std::runtime_error);
  EXPECT_FALSE(pool.take(make).is_kept());
}

TEST(LeasePool, BeyondALimitCallersWaitUntilAnObjectIsReturned) {
  Pool pool(2);
  std::atomic<int> together{0};
  std::atomic<int> most{0};
  by_threads(6, [&](std::size_t) {
    for (int call = 0; call < 300; ++call) {
      const Lease lease = pool.take(make);
      const int now = ++together;
      for (int before = most; before < now && !most.compare_exchange_weak(before, now);) {
      }
      std::this_thread::yield();
      --together;
    }
  });
  EXPECT_LE(most, 2);
}

TEST(LeasePool, AWaitForTheLimitCanBeCancelled) {
  Pool pool(1);
  const Lease lease = pool.take(make);
  std::thread([&] {
    expect_cancelled_meanwhile([&] { (void)pool.take(make); });
    expect_cancelled_meanwhile([&] { (void)pool.take_alone(make); });
  }).join();
}

TEST(LeasePool, ALeaseThatIsAloneKeepsOthersOut) {
  Pool pool;
  std::atomic<int> together{0};
  by_threads(6, [&](std::size_t caller) {
    for (int call = 0; call < 300; ++call) {
      if (caller == 0 && call % 10 == 0) {
        const Lease lease = pool.take_alone(make);
        EXPECT_EQ(together.fetch_add(1), 0);
        std::this_thread::yield();
        EXPECT_EQ(together.fetch_sub(1), 1);
      } else {
        const Lease lease = pool.take(make);
        ++together;
        --together;
      }
    }
  });
}

TEST(LeasePool, ACancelledWaitToBeAloneLetsOthersIn) {
  Pool pool;
  const Lease held = pool.take(make);
  std::thread([&] {
    expect_cancelled_meanwhile([&] { (void)pool.take_alone(make); });
    EXPECT_FALSE(pool.take(make).is_kept());
  }).join();
}

}  // namespace LeasePoolTest

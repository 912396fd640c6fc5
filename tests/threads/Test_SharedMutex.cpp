// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/SharedMutex.hpp>

#include "OneThread.hpp"

namespace SharedMutexTest {

using namespace Kindred;
using Impl::SharedMutex;

/// Whether `lock()` would have to wait.
template <class Lock>
bool waits(const Lock& lock) {
  Cancellation cancellation;
  cancellation.cancel();
  const Cancellation::Scope scope(cancellation);
  try {
    return !lock().owns_lock();
  } catch (const Cancelled&) {
    return true;
  }
}
bool keeps_readers_out(SharedMutex& mutex) {
  return waits([&] { return Impl::cancellable_shared_lock(mutex); });
}
bool keeps_writers_of_other_threads_out(SharedMutex& mutex) {
  const auto lock = [&] { return Impl::cancellable_lock(mutex); };
  return std::async(std::launch::async, [&] { return waits(lock); }).get();
}

TEST(SharedMutex, LetsReadersInTogether) {
  SharedMutex mutex;
  const std::shared_lock first(mutex);
  EXPECT_FALSE(keeps_readers_out(mutex));
  std::thread([&] { const std::shared_lock second(mutex); }).join();
}

TEST(SharedMutex, AWriterThatWaitsKeepsLaterReadersOutAndIsNext) {
  SharedMutex mutex;
  std::vector<int> order;
  std::thread writer;
  std::thread reader;
  {
    const std::shared_lock earlier(mutex);
    writer = std::thread([&] {
      const std::unique_lock lock(mutex);
      order.push_back(1);
    });
    while (!keeps_readers_out(mutex)) std::this_thread::yield();
    reader = std::thread([&] {
      const std::shared_lock lock(mutex);
      order.push_back(2);
    });
  }
  writer.join();
  reader.join();
  EXPECT_EQ(order, (std::vector{1, 2}));
  EXPECT_FALSE(keeps_readers_out(mutex));
}

TEST(SharedMutex, ACancelledWriterLetsReadersInAgain) {
  SharedMutex mutex;
  const std::shared_lock reader(mutex);
  Cancellation cancellation;
  std::thread writer([&] {
    const Cancellation::Scope scope(cancellation);
    EXPECT_THROW(Impl::cancellable_lock(mutex), Cancelled);
  });
  while (!keeps_readers_out(mutex)) std::this_thread::yield();
  cancellation.cancel();
  writer.join();
  EXPECT_FALSE(keeps_readers_out(mutex));
}

TEST(SharedMutex, AChangeIsPreparedWhileOthersRead) {
  SharedMutex mutex;
  {
    Impl::PreparedChange change(mutex);
    EXPECT_TRUE(keeps_writers_of_other_threads_out(mutex));
    {
      const std::shared_lock reader(mutex);
      Testing::expect_cancelled([&] { change.begin(); });
    }
    EXPECT_FALSE(keeps_readers_out(mutex)) << "a change that did not begin lets readers in again";
    EXPECT_TRUE(keeps_writers_of_other_threads_out(mutex));
    change.begin();
    EXPECT_TRUE(keeps_readers_out(mutex));
  }
  EXPECT_FALSE(keeps_readers_out(mutex));
  EXPECT_FALSE(keeps_writers_of_other_threads_out(mutex));
  { const Impl::PreparedChange without_a_change(mutex); }
  EXPECT_FALSE(keeps_writers_of_other_threads_out(mutex));
}

TEST(SharedMutex, ReadersAreNotLeftBehindByWriters) {
  SharedMutex mutex;
  std::atomic<int> writes{0};
  const std::function<void()> write = [&] {
    const std::unique_lock lock(mutex);
    ++writes;
    std::this_thread::sleep_for(std::chrono::milliseconds(25));
  };
  int writes_meanwhile = 0;
  Testing::beside({write, write, write}, [&] {
    while (writes < 4) std::this_thread::yield();
    // With a scope, a reader wakes up from time to time.
    Cancellation cancellation;
    const Cancellation::Scope scope(cancellation);
    const int before = writes;
    for (int i = 0; i < 10; ++i) (void)Impl::cancellable_shared_lock(mutex);
    writes_meanwhile = writes - before;
  });
  EXPECT_LE(writes_meanwhile, 10 * 6) << "each may wait for a few writers";
}

}  // namespace SharedMutexTest

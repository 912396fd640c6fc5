// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/SharedMutex.hpp>
#include <kindred/matcher/KeyedVectorIndex.hpp>
#include <kindred/matcher/PatternMemory.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <random>
#include <shared_mutex>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "OneThread.hpp"

namespace SharedMutexTest {

using namespace Kindred;
using Impl::SharedMutex;
using Testing::one_thread;

/// Whether a reader would have to wait.
bool keeps_readers_out(SharedMutex& mutex) {
  Cancellation cancellation;
  cancellation.cancel();
  const Cancellation::Scope scope(cancellation);
  try {
    return !Impl::cancellable_shared_lock(mutex).owns_lock();
  } catch (const Cancelled&) {
    return true;
  }
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
  const auto keeps_writers_out = [&] {
    Cancellation cancellation;
    cancellation.cancel();
    const Cancellation::Scope scope(cancellation);
    bool is_out = false;
    std::thread([&] {
      const Cancellation::Scope inner(cancellation);
      try {
        (void)Impl::cancellable_lock(mutex);
      } catch (const Cancelled&) {
        is_out = true;
      }
    }).join();
    return is_out;
  };
  {
    Impl::PreparedChange change(mutex);
    EXPECT_TRUE(keeps_writers_out());
    {
      const std::shared_lock reader(mutex);
      Cancellation cancellation;
      cancellation.cancel();
      const Cancellation::Scope scope(cancellation);
      EXPECT_THROW(change.begin(), Cancelled);
    }
    EXPECT_FALSE(keeps_readers_out(mutex)) << "a change that did not begin lets readers in again";
    EXPECT_TRUE(keeps_writers_out());
    change.begin();
    EXPECT_TRUE(keeps_readers_out(mutex));
  }
  EXPECT_FALSE(keeps_readers_out(mutex));
  EXPECT_FALSE(keeps_writers_out());
  { const Impl::PreparedChange without_a_change(mutex); }
  EXPECT_FALSE(keeps_writers_out());
}

TEST(SharedMutex, ReadersAreNotLeftBehindByWriters) {
  SharedMutex mutex;
  std::atomic<bool> is_done{false};
  std::atomic<int> writes{0};
  std::vector<std::thread> writers;
  for (int i = 0; i < 3; ++i) {
    writers.emplace_back([&] {
      while (!is_done) {
        const std::unique_lock lock(mutex);
        ++writes;
        std::this_thread::sleep_for(std::chrono::milliseconds(25));
      }
    });
  }
  while (writes < 4) std::this_thread::yield();
  // With a scope, a reader wakes up from time to time.
  Cancellation cancellation;
  const Cancellation::Scope scope(cancellation);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 10; ++i) (void)Impl::cancellable_shared_lock(mutex);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  is_done = true;
  for (std::thread& writer : writers) writer.join();
  EXPECT_LT(taken.count(), 5.0) << "each may wait for a few writers";
}

/// \brief `change()` ends while other threads call `read()` without a pause, so that one of them is
/// always reading.
template <class Read, class Change>
void change_while_reading(const Read& read, const Change& change) {
  std::atomic<bool> is_done{false};
  std::atomic<int> started{0};
  Testing::by_threads(5, [&](std::size_t caller) {
    if (caller > 0) {
      while (!is_done) {
        read();
        ++started;
      }
      return;
    }
    while (started < 8) std::this_thread::yield();
    for (int i = 0; i < 30; ++i) change();
    is_done = true;
  });
}

/// Rows, keys and patterns that the tests below read and change.
struct ChangesWhileReading : testing::Test {
  static constexpr std::size_t dimension = 8;
  static constexpr std::size_t count = 500;

  std::mt19937_64 generator = Testing::generator("changed while reading");
  std::vector<float> rows = Testing::random_values(generator, count* dimension);
  VectorSpan all{rows, dimension};
  std::vector<std::uint64_t> ids{0, 1};
};

TEST_F(ChangesWhileReading, EndForVectors) {
  VectorIndex index(one_thread(), all, {});
  change_while_reading(
      [&] {
        std::vector<float> values(ids.size() * dimension);
        index.search(rows);
        index.rows(ids, values);
        (void)(index.ids().size() + index.statistics().rows + index.to_bytes().size());
        (void)(index.size() + index.end_id() + index.bytes(Space::serial));
      },
      [&] {
        const std::uint64_t first = index.add(all.rows(0, 2));
        index.remove(std::vector<std::uint64_t>{first, first + 1});
      });
  EXPECT_EQ(index.size(), count);
}

TEST_F(ChangesWhileReading, EndForKeyedVectors) {
  std::vector<std::uint64_t> keys(count);
  std::iota(keys.begin(), keys.end(), std::uint64_t{0});
  const std::span<const std::uint64_t> known = keys;
  const std::vector<std::uint64_t> others{1000, 1001};
  KeyedVectorIndex index(one_thread(), known, all, {});
  change_while_reading(
      [&] {
        index.search(rows);
        (void)(index.find(known).size() + index.to_bytes().size());
        (void)(index.size() + index.key_bytes() + index.vectors().end_id());
      },
      [&] {
        index.upsert(std::span<const std::uint64_t>(others), all.rows(0, 2));
        index.remove(std::span<const std::uint64_t>(others));
      });
  EXPECT_EQ(index.size(), count);
}

TEST_F(ChangesWhileReading, EndForPatterns) {
  PatternMemory memory(one_thread());
  using Texts = std::vector<std::string_view>;
  Ragged<std::string_view> events;
  events.push_row(Texts{"a", "b"});
  events.push_row(Texts{"c"});
  Ragged<std::string_view> others;
  others.push_row(Texts{"d", "e"});
  memory.learn(events, "first");
  change_while_reading(
      [&] {
        Ragged<Symbol> queries;
        memory.encode(events, queries);
        (void)memory.match(queries, {});
        (void)memory.predict(events, {}, {});
        (void)(memory.size() + memory.frequency(0) + memory.statistics().patterns);
        (void)(memory.find("first").has_value() && memory.find(events).has_value());
        (void)(memory.pattern(0).frequency + memory.names(std::vector<std::uint64_t>{0}).size());
        (void)(memory.symbol_frequencies().size() + memory.to_bytes().size());
      },
      [&] {
        memory.learn(others, "second");
        memory.forget(std::string_view("second"));
        memory.sync();
      });
  EXPECT_EQ(memory.size(), 1U);
}

}  // namespace SharedMutexTest

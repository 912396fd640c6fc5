// SPDX-License-Identifier: Apache-2.0
#include <kindred/memory/CallbackAdaptor.hpp>
#include <kindred/memory/LimitAdaptor.hpp>
#include <kindred/memory/StatisticsAdaptor.hpp>

#include <gmock/gmock.h>

#include "UpstreamMemory.hpp"

#include <limits>

namespace AdaptorsTest {

using namespace Kindred;

using Testing::UpstreamMemory;

TEST(LimitAdaptor, AllowsExactlyTheLimit) {
  UpstreamMemory upstream;
  LimitAdaptor limit(upstream, 1000);
  EXPECT_THROW(limit.allocate(1001, "x"), OutOfMemory);
  EXPECT_EQ(limit.used(), 0U);
  void* a = limit.allocate(999, "x");
  EXPECT_THROW(limit.allocate(2, "x"), OutOfMemory);
  void* b = limit.allocate(1, "x");
  EXPECT_EQ(limit.used(), 1000U);
  EXPECT_THROW(limit.allocate(1, "x"), OutOfMemory);
  EXPECT_EQ(limit.allocate(0, "x"), nullptr) << "0 bytes are always available";
  limit.deallocate(b, 1);
  limit.deallocate(a, 999);
  EXPECT_EQ(limit.used(), 0U);
  limit.deallocate(limit.allocate(1000, "x"), 1000);
}

TEST(LimitAdaptor, DoesNotOverflow) {
  UpstreamMemory upstream;
  LimitAdaptor limit(upstream, 1000);
  void* a = limit.allocate(600, "x");
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  for (const std::size_t bytes : {most, most - 599, most - 600, most - 601, most / 2 + 1})
    EXPECT_THROW(limit.allocate(bytes, "x"), OutOfMemory) << bytes;
  EXPECT_EQ(limit.used(), 600U);
  limit.deallocate(a, 600);
  LimitAdaptor unlimited(upstream, std::numeric_limits<std::uint64_t>::max());
  unlimited.deallocate(unlimited.allocate(8, "x"), 8);
  LimitAdaptor nothing(upstream, 0);
  EXPECT_THROW(nothing.allocate(1, "x"), OutOfMemory);
}

TEST(Adaptors, ShareABudgetAndItsCountsAcrossResources) {
  UpstreamMemory plain;
  UpstreamMemory pinned;
  StatisticsAdaptor counts(plain);
  LimitAdaptor limit(counts, 1000);
  StatisticsAdaptor pinned_counts(pinned, counts);
  LimitAdaptor pinned_limit(pinned_counts, limit);
  void* a = limit.allocate(600, "a");
  EXPECT_THROW(pinned_limit.allocate(401, "b"), OutOfMemory);
  void* b = pinned_limit.allocate(400, "b");
  EXPECT_THROW(limit.allocate(1, "a"), OutOfMemory);
  EXPECT_EQ(plain.held, 600U);
  EXPECT_EQ(pinned.held, 400U);
  EXPECT_EQ(limit.used(), 1000U);
  EXPECT_EQ(counts.statistics().bytes_in_use, 1000U);
  EXPECT_EQ(counts.statistics().bytes_peak, 1000U);
  limit.deallocate(a, 600);
  pinned_limit.deallocate(b, 400);
  EXPECT_EQ(limit.used(), 0U);
  EXPECT_EQ(counts.statistics().bytes_in_use, 0U);
}

TEST(LimitAdaptor, ReportsTheRequestedAndTheRemainingBytes) {
  UpstreamMemory upstream;
  LimitAdaptor limit(upstream, 1000);
  void* a = limit.allocate(600, "a");
  try {
    limit.allocate(500, "Kindred::Test::view");
    FAIL();
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.bytes(), 500U);
    EXPECT_EQ(error.label(), "Kindred::Test::view");
    EXPECT_EQ(error.space(), "host");
    EXPECT_THAT(error.what(),
                testing::AllOf(testing::HasSubstr("1000"), testing::HasSubstr("600")));
  }
  limit.deallocate(a, 600);
}

TEST(Adaptors, LeaveNothingReservedWhenTheResourceBelowFails) {
  UpstreamMemory upstream;
  StatisticsAdaptor statistics(upstream);
  LimitAdaptor limit(statistics, 1000);
  upstream.fails = true;
  for (int i = 0; i < 3; ++i) EXPECT_THROW(limit.allocate(700, "x"), OutOfMemory);
  EXPECT_EQ(limit.used(), 0U);
  EXPECT_EQ(statistics.statistics(), (MemoryStatistics{.failures = 3}));
  upstream.fails = false;
  void* a = limit.allocate(1000, "x");
  EXPECT_EQ(limit.used(), 1000U);
  limit.deallocate(a, 1000);
}

TEST(StatisticsAdaptor, CountsExactly) {
  UpstreamMemory upstream;
  StatisticsAdaptor statistics(upstream);
  void* a = statistics.allocate(100, "a");
  void* b = statistics.allocate(50, "b");
  statistics.deallocate(a, 100);
  void* c = statistics.allocate(20, "c");
  EXPECT_EQ(statistics.statistics(), (MemoryStatistics{70, 150, 170, 2, 3, 0}));
  EXPECT_EQ(statistics.allocate(0, "d"), nullptr);
  statistics.deallocate(nullptr, 0);
  EXPECT_EQ(statistics.statistics(), (MemoryStatistics{70, 150, 170, 2, 3, 0}));
  statistics.deallocate(b, 50);
  statistics.deallocate(c, 20);
  EXPECT_EQ(statistics.statistics(), (MemoryStatistics{0, 150, 170, 0, 3, 0}));
}

TEST(CallbackAdaptor, IsCalledForEveryAllocationAndMayRejectIt) {
  UpstreamMemory upstream;
  std::size_t calls = 0;
  CallbackAdaptor callback(
      upstream, [&](std::string_view space, std::size_t bytes, const std::string& label) {
        ++calls;
        EXPECT_EQ(space, "host");
        if (label == "no") throw OutOfMemory("host", bytes, label, "not this one");
      });
  void* data = callback.allocate(8, "yes");
  EXPECT_THROW(callback.allocate(8, "no"), OutOfMemory);
  EXPECT_EQ(callback.allocate(0, "no"), nullptr);
  EXPECT_EQ(calls, 2U);
  EXPECT_EQ(upstream.held, 8U);
  callback.deallocate(data, 8);
}

}  // namespace AdaptorsTest

// SPDX-License-Identifier: Apache-2.0
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/LimitAdaptor.hpp>
#include <kindred/memory/SpaceResource.hpp>
#include <kindred/memory/StatisticsAdaptor.hpp>

#include <gtest/gtest.h>

#include "Support.hpp"

namespace BufferTest {

using namespace Kindred;
using HostBuffer = Buffer<double, Kokkos::HostSpace>;

class BufferOnHost : public testing::Test {
 protected:
  BufferOnHost() : statistics(space), limit(statistics, 8000) { Testing::context(); }
  ~BufferOnHost() override { EXPECT_EQ(limit.used(), 0U) << "leaked"; }

  SpaceResource<Kokkos::HostSpace> space;
  StatisticsAdaptor statistics;
  LimitAdaptor limit;
};

TEST_F(BufferOnHost, AccountsItsCapacityAndReleasesIt) {
  {
    HostBuffer buffer(limit, "Kindred::Test::buffer", 100);
    EXPECT_EQ(limit.used(), 800U);
    EXPECT_EQ(buffer.view().extent(0), 100U);
    buffer.resize_discarding(10);
    EXPECT_EQ(buffer.size(), 10U);
    EXPECT_EQ(buffer.bytes(), 800U);
    buffer.resize_discarding(100);
    EXPECT_EQ(statistics.statistics().allocations_total, 1U)
        << "without growth there must be no allocation";
    buffer.resize_discarding(101);
    EXPECT_EQ(limit.used(), 808U);
  }
  EXPECT_EQ(statistics.statistics().allocations_in_use, 0U);
}

TEST_F(BufferOnHost, IsUnchangedWhenItCannotGrow) {
  HostBuffer buffer(limit, "Kindred::Test::buffer", 3);
  for (int i = 0; i < 3; ++i) buffer.data()[i] = i;
  double* const data = buffer.data();
  EXPECT_THROW(buffer.resize_discarding(998), OutOfMemory)
      << "the old and the new buffer exist together";
  EXPECT_THROW(buffer.resize_discarding(std::numeric_limits<std::size_t>::max()), OutOfMemory);
  EXPECT_THROW(buffer.resize_discarding(std::numeric_limits<std::size_t>::max() / 8 + 2),
               OutOfMemory)
      << "the size in bytes overflows to a small number";
  EXPECT_EQ(buffer.data(), data);
  EXPECT_EQ(buffer.size(), 3U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(buffer.data()[i], i);
  EXPECT_EQ(limit.used(), 24U);
}

TEST_F(BufferOnHost, MovesWithoutAllocating) {
  HostBuffer a(limit, "Kindred::Test::a", 10);
  double* const data = a.data();
  HostBuffer b(std::move(a));
  EXPECT_EQ(b.data(), data);
  HostBuffer c(limit, "Kindred::Test::c", 5);
  c = std::move(b);
  EXPECT_EQ(c.data(), data);
  EXPECT_EQ(c.size(), 10U);
  EXPECT_EQ(limit.used(), 80U);
  HostBuffer& same = c;
  c = std::move(same);
  EXPECT_EQ(c.data(), data);
}

TEST_F(BufferOnHost, OfSizeZeroAllocatesNothing) {
  const HostBuffer buffer(limit, "Kindred::Test::buffer", 0);
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_EQ(buffer.view().extent(0), 0U);
  EXPECT_EQ(statistics.statistics(), MemoryStatistics{});
}

TEST_F(BufferOnHost, IsAligned) {
  for (const std::size_t size : Testing::edge_sizes) {
    const Buffer<char, Kokkos::HostSpace> buffer(limit, "Kindred::Test::buffer", size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0U);
  }
}

TEST_F(BufferOnHost, LargerThanTheMachinesMemoryIsOutOfMemory) {
  EXPECT_THROW(space.allocate(std::size_t{1} << 62, "Kindred::Test::huge"), OutOfMemory);
}

}  // namespace BufferTest

// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>

#include "DeviceCopy.hpp"
#include "KokkosEvents.hpp"
#include "OnSpaces.hpp"
#include "ToHost.hpp"
#include "kit/CallOrder.hpp"

#include <numeric>

namespace CallOrderTest {

using namespace Kindred;

constexpr const char* label = "Kindred::Testing::call_order";

/// Calls `body(exec_space, order)` on every space.
template <class Body>
void on_spaces(const Body& body) {
  Testing::on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    Impl::CallOrder<ExecutionSpace> order;
    body(exec_space, order);
  });
}

TEST(CallOrder, KeepsWhatCallsReadUntilTheyHaveEnded) {
  on_spaces([](const auto& exec_space, auto& order) {
    const auto first = std::make_shared<int>(1);
    const auto second = std::make_shared<int>(2);
    order.run(exec_space, label, first, [] {});
    order.run(exec_space, label, first, [] {});
    EXPECT_EQ(first.use_count(), 2);
    order.run(exec_space, label, second, [] {});
    Arch::fence(exec_space, label);
    // While many processes share a device, an event may be complete some milliseconds after the
    // work before it.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (first.use_count() > 1 && std::chrono::steady_clock::now() < end)
      order.run(exec_space, label, second, [] {});
    EXPECT_EQ(first.use_count(), 1) << "the calls that read it have ended";
    EXPECT_EQ(second.use_count(), 2);
    order.wait();
    EXPECT_EQ(second.use_count(), 1);
    order.wait();
    order.run(exec_space, label, first, [] {});
    order.run(exec_space, label, second, [] {});
    order.wait();
    EXPECT_EQ(first.use_count(), 1) << "all calls have ended";
  });
}

TEST(CallOrder, CanBeWaitedForWithinACall) {
  on_spaces([](const auto& exec_space, auto& order) {
    const std::shared_ptr<const void> read = std::make_shared<int>(1);
    for (int call = 0; call < 3; ++call) {
      order.run(exec_space, label, read, [&] {
        order.wait();
        EXPECT_EQ(read.use_count(), 1);
      });
      EXPECT_EQ(read.use_count(), 2);
    }
  });
}

TEST(CallOrder, FailuresArePassedOn) {
  on_spaces([](const auto& exec_space, auto& order) {
    const auto read = std::make_shared<int>(1);
    const auto fail = [] { throw std::runtime_error("no"); };
    {
      const Testing::KokkosEvents events;
      EXPECT_THROW(order.run(exec_space, label, read, fail), std::runtime_error);
      EXPECT_EQ(events.fence_count, 1);
    }
    EXPECT_EQ(read.use_count(), 1) << "nothing runs that reads it";
    order.run(exec_space, label, read, [] {});
    EXPECT_THROW(order.run(exec_space, label, nullptr, fail), std::runtime_error);
    EXPECT_EQ(read.use_count(), 2);
    order.wait();
  });
}

/// Copies an array through others, one call per copy, each on the next of two streams.
TEST(CallOrder, CallsOnSeveralStreamsRunOneAfterTheOther) {
  const Context& context = Testing::context();
  constexpr std::size_t size = std::size_t{1} << 22U;
  constexpr std::size_t copies = 9;
  std::vector<std::uint32_t> values(size);
  std::iota(values.begin(), values.end(), 1U);
  Testing::on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& own, Space space) {
    std::vector<Testing::DeviceStream> streams;
    for (int i = 0; space == Space::cuda && i < 2; ++i) streams.emplace_back(context);
    std::vector<Buffer<std::uint32_t, typename ExecutionSpace::memory_space>> arrays;
    for (std::size_t i = 0; i <= copies; ++i) {
      arrays.emplace_back(Testing::context().memory(space), label, size);
      Impl::upload(own, arrays.back().view(), std::vector<std::uint32_t>(size).data(), size);
    }
    Impl::upload(own, arrays[0].view(), values.data(), size);
    Impl::CallOrder<ExecutionSpace> order;
    for (std::size_t i = 0; i < copies; ++i) {
      std::optional<Stream> stream;
      if (!streams.empty()) stream = streams[i % 2].stream();
      const auto& exec_space = Impl::call_instance(context, own, stream);
      order.run(exec_space, label, nullptr, [&] {
        Arch::start_copy(exec_space, label, arrays[i + 1].data(), arrays[i].data(),
                         size * sizeof(std::uint32_t));
      });
    }
    order.wait();
    EXPECT_EQ(Testing::to_host(own, arrays[copies].view()), values);
  });
}

}  // namespace CallOrderTest

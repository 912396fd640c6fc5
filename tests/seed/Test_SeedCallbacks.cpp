// SPDX-License-Identifier: Apache-2.0
#include "LayerSupport.hpp"
#include "seed/StreamInstances.hpp"

#include <chrono>
#include <future>

namespace Kindred::Testing::Seeds::SeedCallbacksTest {

constexpr std::uint32_t hidden = 64, seeds = 4;

/// A context whose callbacks are set later.
struct Hooked {
  std::function<void()> before_allocation, on_dispatch;
  Context context{{
      .threads = 2,
      .load_profile = false,
      .on_dispatch =
          [this](const auto&) {
            if (const auto call = std::exchange(on_dispatch, {})) call();
          },
      .before_allocation =
          [this](auto&&...) {
            if (const auto call = std::exchange(before_allocation, {})) call();
          },
  }};
  SeedLayer layer = uniform_layer(context, hidden, seeds, Lifecycle::grafting);
  std::vector<float> x = std::vector<float>(std::size_t{8} * hidden, 1.0F);
  std::vector<float> y = std::vector<float>(x.size());
};

TEST(SeedCallbacks, ReadersDoNotWaitForAPass) {
  Hooked hooked;
  std::future<void> reader;
  bool has_run = false;
  hooked.before_allocation = [&] {  // the pass has its turn here
    has_run = true;
    reader = std::async(std::launch::async, [&layer = hooked.layer] {
      EXPECT_EQ(layer.epoch(), 0U);
      EXPECT_EQ(layer.state().seeds(), seeds);
      EXPECT_EQ(layer.blueprints().size(), 1U);
      EXPECT_EQ(layer.device_trouble(), "");
    });
    EXPECT_EQ(reader.wait_for(std::chrono::seconds(10)), std::future_status::ready)
        << "a reader waits for the pass";
  };
  hooked.layer.forward(hooked.x, hooked.y, on(Space::serial));
  EXPECT_TRUE(has_run);
  reader.get();
}

TEST(SeedCallbacks, MayUseTheLayerWhoseCallTheyBelongTo) {
  Hooked hooked;
  on_hosts([&](const auto&, Space space) {
    const std::uint64_t before = hooked.layer.epoch();
    int calls = 0;
    hooked.on_dispatch = [&] {
      ++calls;
      std::vector<float> own(hooked.y.size());
      hooked.layer.step();
      hooked.layer.forward(hooked.x, own, on(space));
      EXPECT_EQ(hooked.layer.epoch(), before + 1);
    };
    hooked.layer.forward(hooked.x, hooked.y, on(space));
    EXPECT_EQ(calls, 1);
  });
}

TEST(SeedCallbacks, TheStreamsOfALayerAreBounded) {
  using Streams = Impl::StreamInstances<HostSpace>;
  const HostSpace& exec_space = Impl::host_instance(context(), Space::serial);
  MemoryResource& memory = context().memory(Space::serial);
  std::vector<char> handles(1000);
  const auto stream = [&](std::size_t i) { return Stream::cuda(&handles[i]); };
  const auto in_use = [&] { return context().memory_statistics(Space::serial).bytes_in_use; };
  const std::uint64_t before = in_use();
  {
    Streams streams;
    for (std::size_t i = 0; i < handles.size(); ++i) {
      streams.on(exec_space, stream(i));
      streams.workspace(exec_space, stream(i)) =
          Streams::Workspace(memory, "Kindred::Testing::workspace", 4096);
    }
    EXPECT_EQ(streams.size(), Streams::kept_max);
    EXPECT_LE(in_use() - before, Streams::kept_max * 8192);
    // The last ones are still there, with their workspaces.
    for (std::size_t i = handles.size() - Streams::kept_max; i < handles.size(); ++i)
      EXPECT_EQ(streams.workspace(exec_space, stream(i)).size(), 4096U);
    // Pinned ones stay, until they are unpinned.
    std::vector<std::shared_ptr<const void>> pins;
    for (std::size_t i = 0; i < 40; ++i) pins.push_back(streams.pin(exec_space, stream(i)));
    pins.push_back(streams.pin(exec_space, stream(0)));
    EXPECT_EQ(streams.size(), 40U);
    for (std::size_t i = 100; i < 200; ++i) streams.on(exec_space, stream(i));
    EXPECT_EQ(streams.size(), 41U) << "the newest and the pinned ones";
    pins.clear();
    streams.on(exec_space, stream(300));
    EXPECT_EQ(streams.size(), Streams::kept_max);
    streams.wait();
  }
  EXPECT_EQ(in_use(), before);
}

}  // namespace Kindred::Testing::Seeds::SeedCallbacksTest

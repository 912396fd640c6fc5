// SPDX-License-Identifier: Apache-2.0
#include "LayerSupport.hpp"

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

}  // namespace Kindred::Testing::Seeds::SeedCallbacksTest

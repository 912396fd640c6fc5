// SPDX-License-Identifier: Apache-2.0
// The cost of forward passes, rows on a device, and failures of a space.
#include "KokkosEvents.hpp"
#include "LayerSupport.hpp"

#include <atomic>

namespace Kindred::Testing::Seeds::SeedCallsTest {

TEST(SeedCalls, AForwardNeitherCopiesNorAllocatesNorFencesInternally) {
  const Reference::SeedLayer target = served_layer(256, 100, 3);
  const Reference::SeedRows x = random_rows(float32, 32, 256);
  on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space, Space space) {
    SeedLayer layer = engine_of(context(), target);
    const bool device = Arch::is_device<ExecutionSpace>;
    const auto of_x = placed_rows(exec_space, x, 256), of_y = placed_rows(exec_space, x, 256);
    SeedSequence sequence(context(), space);
    for (int i = 0; i < 3; ++i) sequence.add(layer, of_x, of_y);
    EXPECT_EQ(sequence.size(), 3U);
    // The first calls may use another number of threads, which is another plan.
    for (int i = 0; i < 20; ++i) layer.forward(of_x, of_y, on(space));
    const auto run = [&] {
      sequence.run();
      sequence.wait();
      return of_y.bytes();
    };
    run();
    for (const bool is_recorded : {false, true}) {
      const KokkosEvents events;
      for (int i = 0; i < 5; ++i)
        is_recorded ? sequence.run() : void(layer.forward(of_x, of_y, on(space)));
      EXPECT_EQ(events.copy_count, 0);
      EXPECT_EQ(events.allocation_count, 0);
      // Rows in host memory are complete when the call returns, as documented.
      EXPECT_EQ(events.fence_count, device || is_recorded ? 0 : 5);
      if (is_recorded) continue;
      EXPECT_GE(events.kernel_count, 5);
      EXPECT_TRUE(!device || events.kernel_count == 5)
          << "a forward pass is one launch on a device";
    }
    EXPECT_TRUE(run() == packed_forward(target, x));
    // A change takes effect even after recording.
    SeedState state = layer.state();
    state.lifecycle.assign(100, Lifecycle::dormant);
    layer.set_state(state);
    EXPECT_TRUE(run() == packed(x, 256));
    layer.step();
    EXPECT_FALSE(layer.has_telemetry());
    sequence.run();
    EXPECT_TRUE(layer.has_telemetry());
    // One transfer per epoch, however often it is requested.
    const KokkosEvents events;
    layer.start_telemetry();
    layer.start_telemetry();
    EXPECT_EQ(layer.telemetry(), layer.telemetry());
    EXPECT_EQ(events.copy_count, device ? 1 : 0);
  });
}

TEST(SeedCalls, AcceptsDeviceRowsOnAnyStream) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  Reference::SeedLayer target = served_layer(64, 9, 3);
  const Reference::SeedRows x = random_rows(bfloat16, 40, 64);
  const auto expected = [&] { return packed_forward(target, x); };
  on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    if constexpr (Arch::is_device<ExecutionSpace>) {
      const ExecutionSpace own = Impl::instance_beside(exec_space);  // outlives the layer
      SeedLayer layer = engine_of(context(), target);
      const auto rows = placed_rows(own, x, 64);
      const SeedForwardOptions options{.stream = Stream::cuda(own.cuda_stream())};
      layer.forward(rows, rows, options);
      EXPECT_TRUE(rows.bytes() == expected());
      // Waits for pending work of the stream.
      rows.set(packed(x, 64));
      layer.forward(rows, rows, options);
      layer.step();
      EXPECT_TRUE(layer.has_telemetry(1));
      EXPECT_EQ(layer.telemetry(1)[0].count, 40U * 8U);
      SeedSequence sequence(context(), Space::cuda, options.stream);
      sequence.add(layer, rows, rows);
      rows.set(packed(x, 64));
      sequence.run();
      sequence.wait();
      // `step` changed the alphas of grafting seeds, so the outputs differ from before.
      const SeedState state = layer.state();
      for (std::size_t i = 0; i < target.seeds.size(); ++i) target.seeds[i].alpha = state.alpha[i];
      EXPECT_TRUE(rows.bytes() == expected());
    }
  });
}

TEST(SeedCalls, FallsBackToTheHostWithDeviceRows) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  const Reference::SeedLayer target = served_layer(64, 20, 4);
  const Reference::SeedRows x = random_rows(float32, 33, 64);
  Impl::with_instance(context(), Space::cuda, [&](const auto& exec_space) {
    // Memory for one blueprint on the device, while four are in use.
    SeedLayer layer = engine_of(context(), target, {.blueprint_bytes = 64 * sizeof(float)});
    EXPECT_THAT(layer.device_trouble(), HasSubstr("raise blueprint_bytes"));
    const auto of_x = placed_rows(exec_space, x, 64), of_y = placed_rows(exec_space, x, 64);
    EXPECT_NE(layer.forward(of_x, of_y).chosen, Space::cuda);
    EXPECT_TRUE(of_y.bytes() == packed_forward(target, x));
    EXPECT_THROW(layer.forward(of_x, of_y, on(Space::cuda)), OutOfMemory);
    SeedState state = layer.state();
    state.blueprint.assign(20, 2);
    layer.set_state(state);
    EXPECT_EQ(layer.device_trouble(), "");
    EXPECT_EQ(layer.forward(of_x, of_y).chosen, Space::cuda);
  });
}

TEST(SeedCalls, ContinuesElsewhereWithTheSameBitsWhenMemoryIsExhausted) {
  const Reference::SeedLayer target = served_layer(96, 40, 3);
  const Reference::SeedRows x = random_rows(float16, 20, 96);
  const auto expected = packed_forward(target, x);
  std::atomic<int> to_refuse{0};
  const auto refuse = [&](std::string_view space, std::size_t bytes, const std::string& label) {
    if (label == "Kindred::SeedLayer::workspace" && to_refuse-- > 0)
      throw OutOfMemory(std::string(space), bytes, label, "refused by the test");
  };
  Context failing({.load_profile = false, .before_allocation = refuse});
  SeedLayer layer = engine_of(failing, target);
  const HostSpace& host = Impl::host_instance(context(), Space::serial);
  const auto of_x = placed_rows(host, x, 96), of_y = placed_like(host, x, 96);
  const auto forward = [&] {
    layer.forward(of_x, of_y);
    EXPECT_TRUE(of_y.bytes() == expected);
  };
  to_refuse = 1;
  forward();
  EXPECT_LE(to_refuse, 0) << "no allocation was refused";
  const SeedState before = layer.state();
  const auto other = placed_rows(host, random_rows(x.element, 10, 96), 96);
  to_refuse = 100;
  EXPECT_THROW(layer.forward(other, other, on(Space::serial)), OutOfMemory);
  to_refuse = 0;
  EXPECT_EQ(layer.state(), before);
  forward();
}

}  // namespace Kindred::Testing::Seeds::SeedCallsTest

// SPDX-License-Identifier: Apache-2.0
// The cost of forward passes, rows on a device, and failures of a space.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kindred/core/common/Error.hpp>
#include <kindred/memory/Copies.hpp>

#include "LayerSupport.hpp"

#include <atomic>
#include <string_view>

namespace SeedCallsTest {

using namespace Kindred;
using namespace Kindred::Testing::Seeds;
using Testing::context;
using ::testing::HasSubstr;
namespace Tools = Kokkos::Tools::Experimental;

/// What Kokkos Tools observe during a call.
struct Seen {
  std::atomic<int> copies{0};
  std::atomic<int> allocations{0};
  std::atomic<int> fences{0};
  std::atomic<int> kernels{0};
};
Seen* seen = nullptr;

class Listener {
 public:
  Listener() : m_before(Tools::get_callbacks()) {
    seen = &m_seen;
    Tools::set_begin_deep_copy_callback([](Kokkos_Profiling_SpaceHandle, const char*, const void*,
                                           Kokkos_Profiling_SpaceHandle, const char*, const void*,
                                           std::uint64_t) { ++seen->copies; });
    Tools::set_allocate_data_callback(
        [](Kokkos_Profiling_SpaceHandle, const char*, const void*, std::uint64_t bytes) {
          if (bytes > 0) ++seen->allocations;
        });
    Tools::set_begin_fence_callback([](const char* label, std::uint32_t, std::uint64_t*) {
      // Kokkos itself fences when it reports certain events to a tool.
      if (!std::string_view(label).starts_with("Kokkos::Tools::")) ++seen->fences;
    });
    const auto on_kernel = [](const char*, std::uint32_t, std::uint64_t*) { ++seen->kernels; };
    Tools::set_begin_parallel_for_callback(on_kernel);
    Tools::set_begin_parallel_reduce_callback(on_kernel);
    Tools::set_begin_parallel_scan_callback(on_kernel);
  }
  ~Listener() { Tools::set_callbacks(m_before); }
  const Seen* operator->() const { return &m_seen; }

 private:
  Seen m_seen;
  Tools::EventSet m_before;
};

TEST(SeedCalls, AForwardNeitherCopiesNorAllocatesNorFencesInternally) {
  auto generator = Testing::generator("SeedCalls.Costs");
  Reference::SeedLayer target = served_layer(256, 100, 3, generator);
  const Reference::SeedRows x =
      random_rows(DataType::float32, 32, 256, Values::ordinary, generator);
  const auto expected = bytes_of(Reference::seed_forward(target, x, DataType::float32));
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(context(), space, [&]<class ExecutionSpace>(const ExecutionSpace& exec) {
      SeedLayer layer = engine_of(context(), target);
      const bool device = Arch::is_device<ExecutionSpace>;
      const RowBytes<ExecutionSpace> from("Kindred::Testing::x", expected.size());
      const RowBytes<ExecutionSpace> to("Kindred::Testing::y", expected.size());
      Impl::upload(exec, from, bytes_of(x).data(), expected.size());
      const RowShape shape{DataType::float32, 32, 256};
      const Kindred::Array x_of = shape.on<ExecutionSpace>(from);
      const Kindred::Array y_of = shape.on<ExecutionSpace>(to);
      SeedSequence sequence(context(), space);
      for (int i = 0; i < 3; ++i) sequence.add(layer, x_of, y_of);
      EXPECT_EQ(sequence.size(), 3U);
      // The first calls may use another number of threads, which is another plan.
      for (int i = 0; i < 20; ++i) layer.forward(x_of, y_of, on(space));
      sequence.run();
      sequence.wait();
      {
        const Listener listener;
        for (int i = 0; i < 5; ++i) layer.forward(x_of, y_of, on(space));
        EXPECT_EQ(listener->copies, 0);
        EXPECT_EQ(listener->allocations, 0);
        // Rows in host memory are complete when the call returns, as documented.
        EXPECT_EQ(listener->fences, device ? 0 : 5);
        EXPECT_GE(listener->kernels, 5);
        EXPECT_TRUE(!device || listener->kernels == 5)
            << "a forward pass is one launch on a device";
      }
      {
        const Listener listener;
        for (int i = 0; i < 5; ++i) sequence.run();
        EXPECT_EQ(listener->copies, 0);
        EXPECT_EQ(listener->allocations, 0);
        EXPECT_EQ(listener->fences, 0);
      }
      sequence.wait();
      std::vector<std::byte> y(expected.size());
      Impl::download(exec, y.data(), to, y.size());
      EXPECT_TRUE(y == expected);
      // A change takes effect even after recording.
      SeedState state = layer.state();
      state.lifecycle.assign(100, Lifecycle::dormant);
      layer.set_state(state);
      sequence.run();
      sequence.wait();
      Impl::download(exec, y.data(), to, y.size());
      EXPECT_TRUE(y == bytes_of(x));
      layer.step();
      EXPECT_FALSE(layer.has_telemetry());
      sequence.run();
      EXPECT_TRUE(layer.has_telemetry());
      {
        // One transfer per epoch, however often it is requested.
        const Listener listener;
        layer.start_telemetry();
        layer.start_telemetry();
        EXPECT_EQ(layer.telemetry(), layer.telemetry());
        EXPECT_EQ(listener->copies, device ? 1 : 0);
      }
    });
  }
}

TEST(SeedCalls, AcceptsDeviceRowsOnAnyStream) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  auto generator = Testing::generator("SeedCalls.Streams");
  Reference::SeedLayer target = served_layer(64, 9, 3, generator);
  const Reference::SeedRows x =
      random_rows(DataType::bfloat16, 40, 64, Values::ordinary, generator);
  const auto expected = bytes_of(Reference::seed_forward(target, x, DataType::bfloat16));
  Impl::with_instance(
      context(), Space::cuda, [&]<class ExecutionSpace>(const ExecutionSpace& exec) {
        if constexpr (Arch::is_device<ExecutionSpace>) {
          const ExecutionSpace own = Impl::instance_beside(exec);  // outlives the layer
          SeedLayer layer = engine_of(context(), target);
          const RowBytes<ExecutionSpace> rows("Kindred::Testing::rows", expected.size());
          const Kindred::Array in_place =
              RowShape{DataType::bfloat16, 40, 64}.on<ExecutionSpace>(rows);
          SeedForwardOptions options;
          options.stream = Stream::cuda(own.cuda_stream());
          std::vector<std::byte> y(expected.size());
          Impl::upload(own, rows, bytes_of(x).data(), y.size());
          layer.forward(in_place, in_place, options);
          Impl::download(own, y.data(), rows, y.size());
          EXPECT_TRUE(y == expected);
          // Waits for pending work of the stream.
          Impl::upload(own, rows, bytes_of(x).data(), y.size());
          layer.forward(in_place, in_place, options);
          layer.step();
          EXPECT_TRUE(layer.has_telemetry(1));
          EXPECT_EQ(layer.telemetry(1)[0].count, 40U * 8U);
          SeedSequence sequence(context(), Space::cuda, Stream::cuda(own.cuda_stream()));
          sequence.add(layer, in_place, in_place);
          Impl::upload(own, rows, bytes_of(x).data(), y.size());
          sequence.run();
          sequence.wait();
          Impl::download(own, y.data(), rows, y.size());
          // `step` changed the alphas of grafting seeds, so the outputs differ from before.
          const SeedState state = layer.state();
          for (std::size_t i = 0; i < target.seeds.size(); ++i)
            target.seeds[i].alpha = state.alpha[i];
          EXPECT_TRUE(y == bytes_of(Reference::seed_forward(target, x, DataType::bfloat16)));
        }
      });
}

TEST(SeedCalls, FallsBackToTheHostWithDeviceRows) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  auto generator = Testing::generator("SeedCalls.DeviceFallback");
  Reference::SeedLayer target = served_layer(64, 20, 4, generator);
  const Reference::SeedRows x = random_rows(DataType::float32, 33, 64, Values::ordinary, generator);
  const auto expected = bytes_of(Reference::seed_forward(target, x, DataType::float32));
  Impl::with_instance(
      context(), Space::cuda, [&]<class ExecutionSpace>(const ExecutionSpace& exec) {
        // Memory for one blueprint on the device, while four are in use.
        SeedLayerOptions options = options_of(64, 20);
        options.blueprint_bytes = 64 * sizeof(float);
        SeedLayer layer(context(), options);
        for (std::size_t i = 0; i < 4; ++i)
          layer.add_blueprint(std::to_string(i), std::span(target.weights).subspan(i * 64, 64));
        SeedState state(20);
        for (std::size_t i = 0; i < 20; ++i) {
          state.lifecycle[i] = target.seeds[i].lifecycle;
          state.mode[i] = target.seeds[i].mode;
          state.alpha[i] = target.seeds[i].alpha;
          state.blueprint[i] = target.seeds[i].blueprint;
        }
        layer.set_state(state);
        EXPECT_THAT(layer.device_trouble(), HasSubstr("raise blueprint_bytes"));
        const RowBytes<ExecutionSpace> from("Kindred::Testing::x", expected.size());
        const RowBytes<ExecutionSpace> to("Kindred::Testing::y", expected.size());
        Impl::upload(exec, from, bytes_of(x).data(), expected.size());
        const RowShape shape{DataType::float32, 33, 64};
        const Kindred::Array x_of = shape.on<ExecutionSpace>(from);
        const Kindred::Array y_of = shape.on<ExecutionSpace>(to);
        const DispatchRecord record = layer.forward(x_of, y_of);
        EXPECT_NE(record.chosen, Space::cuda);
        std::vector<std::byte> y(expected.size());
        Impl::download(exec, y.data(), to, y.size());
        const auto again = bytes_of(Reference::seed_forward(target, x, DataType::float32));
        EXPECT_TRUE(y == again);
        EXPECT_THROW(layer.forward(x_of, y_of, on(Space::cuda)), OutOfMemory);
        state.blueprint.assign(20, 2);
        layer.set_state(state);
        EXPECT_EQ(layer.device_trouble(), "");
        EXPECT_EQ(layer.forward(x_of, y_of).chosen, Space::cuda);
      });
}

TEST(SeedCalls, ContinuesElsewhereWithTheSameBitsWhenMemoryIsExhausted) {
  auto generator = Testing::generator("SeedCalls.Fallback");
  Reference::SeedLayer target = served_layer(96, 40, 3, generator);
  const Reference::SeedRows x = random_rows(DataType::float16, 20, 96, Values::ordinary, generator);
  const auto expected = bytes_of(Reference::seed_forward(target, x, DataType::float16));
  std::atomic<int> to_refuse{0};
  ContextOptions options;
  options.load_profile = false;
  options.before_allocation = [&](std::string_view space, std::size_t bytes,
                                  const std::string& label) {
    if (label == "Kindred::SeedLayer::workspace" && to_refuse-- > 0)
      throw OutOfMemory(std::string(space), bytes, label, "refused by the test");
  };
  Context failing(options);
  SeedLayer layer = engine_of(failing, target);
  const RowShape shape{DataType::float16, 20, 96};
  const std::vector<std::byte> bytes = bytes_of(x);
  std::vector<std::byte> y(expected.size());
  to_refuse = 1;
  layer.forward(shape.in(bytes.data()), shape.out(y.data()));
  EXPECT_LE(to_refuse, 0) << "no allocation was refused";
  EXPECT_TRUE(y == expected);
  const SeedState before = layer.state();
  to_refuse = 100;
  const RowShape other{DataType::float16, 10, 96};
  EXPECT_THROW(layer.forward(other.in(bytes.data()), other.out(y.data()), on(Space::serial)),
               OutOfMemory);
  to_refuse = 0;
  EXPECT_EQ(layer.state(), before);
  layer.forward(shape.in(bytes.data()), shape.out(y.data()));
  EXPECT_TRUE(y == expected);
}

}  // namespace SeedCallsTest

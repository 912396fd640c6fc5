// SPDX-License-Identifier: Apache-2.0
// The telemetry ring, the cost of calls, and failures of a space.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kindred/core/common/Error.hpp>
#include <kindred/memory/Copies.hpp>

#include "LayerSupport.hpp"
#include "MessageOf.hpp"
#include "seed/BlueprintCache.hpp"
#include "seed/SequenceCall.hpp"

#include <atomic>
#include <mutex>

namespace SeedRingTest {

using namespace Kindred;
using namespace Kindred::Testing::Seeds;
using Testing::context;
using ::testing::HasSubstr;
namespace Tools = Kokkos::Tools::Experimental;

std::vector<float> values(std::size_t count, std::mt19937_64& generator) {
  std::normal_distribution<float> normal(1, 2);
  std::vector<float> out(count);
  for (float& value : out) value = normal(generator);
  return out;
}

std::vector<SeedMoments> moments_of(std::uint32_t hidden, std::uint32_t seeds,
                                    const std::vector<float>& x) {
  Reference::SeedRows rows{VectorElement::float32, x.size() / hidden, {}};
  for (const float value : x) rows.bits.push_back(std::bit_cast<std::uint32_t>(value));
  return Reference::seed_moments(hidden, seeds, rows);
}

TEST(SeedRing, KeepsTheLastEpochsAndMergesThem) {
  auto generator = Testing::generator("SeedRing.Epochs");
  constexpr std::uint32_t hidden = 20, seeds = 7, kept = 3;
  for (const Space space : Testing::spaces()) {
    SeedLayer layer(context(), options_of(hidden, seeds, kept));
    EXPECT_FALSE(layer.has_telemetry());
    EXPECT_THROW(layer.telemetry(), NotFound);
    std::vector<std::vector<SeedMoments>> seen;
    for (int epoch = 0; epoch < 8; ++epoch) {
      if (epoch > 0) layer.step();
      EXPECT_THROW(layer.telemetry(), NotFound) << "before the first forward pass";
      const auto x = values((1 + epoch % 3) * 30 * hidden, generator);
      std::vector<float> y(x.size());
      layer.forward(x, y, on(space));
      seen.push_back(moments_of(hidden, seeds, x));
      for (std::uint32_t age = 0; age < kept; ++age) {
        EXPECT_EQ(layer.has_telemetry(age), static_cast<int>(age) <= epoch);
        if (static_cast<int>(age) > epoch) continue;
        layer.start_telemetry(age);
        const auto returned = layer.telemetry(age);
        for (std::uint32_t i = 0; i < seeds; ++i)
          EXPECT_EQ(returned[i], Kindred::telemetry_of(seen[seen.size() - 1 - age][i]));
      }
    }
    EXPECT_THROW(layer.telemetry(kept), NotFound);
    EXPECT_THROW(layer.start_telemetry(kept), NotFound);
    EXPECT_FALSE(layer.has_telemetry(kept));
    const auto reduced = layer.reduce_telemetry(kept, 2, 4);
    std::vector<SeedMoments> each;
    for (std::uint32_t seed = 2; seed < 6; ++seed) {
      const std::vector<SeedMoments> epochs{seen[5][seed], seen[6][seed], seen[7][seed]};
      each.push_back(Reference::merged(epochs));
      EXPECT_EQ(reduced.each[seed - 2], Kindred::telemetry_of(each.back()));
    }
    EXPECT_EQ(reduced.whole, Kindred::telemetry_of(Reference::merged(each)));
    EXPECT_THROW(layer.reduce_telemetry(0, 0, 1), InvalidArgument);
    EXPECT_THROW(layer.reduce_telemetry(kept + 1, 0, 1), InvalidArgument);
    EXPECT_THROW(layer.reduce_telemetry(1, 7, 1), InvalidArgument);
    EXPECT_THROW(layer.reduce_telemetry(1, 8, 0), InvalidArgument);
    layer.step();
    EXPECT_EQ(layer.reduce_telemetry(1, 0, seeds).whole.count, 0U) << "an epoch without forwards";
  }
}

TEST(SeedRing, MergesTheForwardsOfAnEpochIfRequested) {
  auto generator = Testing::generator("SeedRing.Merged");
  constexpr std::uint32_t hidden = 12, seeds = 5;
  SeedLayer layer(context(), options_of(hidden, seeds, 2));
  for (int epoch = 0; epoch < 3; ++epoch) {
    std::vector<SeedMoments> expected(seeds);
    for (int batch = 0; batch < 3; ++batch) {
      // Each forward pass runs on another space: the slot migrates.
      SeedForwardOptions options =
          on(Testing::spaces()[(epoch + batch) % Testing::spaces().size()]);
      options.telemetry = SeedTelemetryUse::merged;
      const auto x = values(70 * hidden, generator);
      std::vector<float> y(x.size());
      layer.forward(x, y, options);
      const auto own = moments_of(hidden, seeds, x);
      for (std::uint32_t i = 0; i < seeds; ++i)
        expected[i] =
            batch == 0 ? own[i] : Reference::merged(std::vector<SeedMoments>{expected[i], own[i]});
    }
    const auto returned = layer.telemetry();
    for (std::uint32_t i = 0; i < seeds; ++i)
      EXPECT_EQ(returned[i], Kindred::telemetry_of(expected[i]));
    SeedForwardOptions none = on(Space::serial);
    none.telemetry = SeedTelemetryUse::none;
    const auto x = values(hidden, generator);
    std::vector<float> y(x.size());
    layer.forward(x, y, none);
    EXPECT_EQ(layer.telemetry(), returned);
    layer.step();
  }
  SeedLayer without(context(), options_of(hidden, seeds, 0));
  const auto x = values(hidden, generator);
  std::vector<float> y(x.size());
  without.forward(x, y);
  EXPECT_THROW(without.telemetry(), NotFound);
}

// --- the cost of a call, as seen by Kokkos Tools

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

/// Rows in memory that \p space can access.
template <class ExecutionSpace>
using Rows = Kokkos::View<std::byte*, typename ExecutionSpace::memory_space>;

template <class ExecutionSpace>
std::span<std::byte> span_of(const Rows<ExecutionSpace>& rows) {
  return {rows.data(), rows.size()};
}

TEST(SeedRing, AForwardNeitherCopiesNorAllocatesNorFencesInternally) {
  auto generator = Testing::generator("SeedRing.Costs");
  Reference::SeedLayer target = served_layer(256, 100, 3, generator);
  const Reference::SeedRows x =
      random_rows(VectorElement::float32, 32, 256, Values::ordinary, generator);
  const auto expected = bytes_of(Reference::seed_forward(target, x, VectorElement::float32));
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(context(), space, [&]<class ExecutionSpace>(const ExecutionSpace& exec) {
      SeedLayer layer = engine_of(context(), target);
      const bool device = Arch::is_device<ExecutionSpace>;
      const Rows<ExecutionSpace> from("Kindred::Testing::x", expected.size());
      const Rows<ExecutionSpace> to("Kindred::Testing::y", expected.size());
      Impl::upload(exec, from, bytes_of(x).data(), expected.size());
      SeedBatch batch;
      batch.rows = 32;
      batch.memory = device ? SeedMemory::device : SeedMemory::host;
      SeedSequence sequence(context(), space);
      for (int i = 0; i < 3; ++i)
        sequence.add(layer, span_of<ExecutionSpace>(from), span_of<ExecutionSpace>(to), batch);
      EXPECT_EQ(sequence.size(), 3U);
      layer.forward(span_of<ExecutionSpace>(from), span_of<ExecutionSpace>(to), batch, on(space));
      sequence.run();
      sequence.wait();
      {
        const Listener listener;
        for (int i = 0; i < 5; ++i)
          layer.forward(span_of<ExecutionSpace>(from), span_of<ExecutionSpace>(to), batch,
                        on(space));
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

TEST(SeedRing, AcceptsDeviceRowsOnAnyStream) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  auto generator = Testing::generator("SeedRing.Streams");
  Reference::SeedLayer target = served_layer(64, 9, 3, generator);
  const Reference::SeedRows x =
      random_rows(VectorElement::bfloat16, 40, 64, Values::ordinary, generator);
  const auto expected = bytes_of(Reference::seed_forward(target, x, VectorElement::bfloat16));
  Impl::with_instance(
      context(), Space::cuda, [&]<class ExecutionSpace>(const ExecutionSpace& exec) {
        if constexpr (Arch::is_device<ExecutionSpace>) {
          const ExecutionSpace own = Impl::instance_beside(exec);  // outlives the layer
          SeedLayer layer = engine_of(context(), target);
          const Rows<ExecutionSpace> rows("Kindred::Testing::rows", expected.size());
          SeedBatch batch;
          batch.rows = 40;
          batch.input = batch.output = VectorElement::bfloat16;
          batch.memory = SeedMemory::device;
          SeedForwardOptions options;
          options.stream = own.cuda_stream();
          std::vector<std::byte> y(expected.size());
          Impl::upload(own, rows, bytes_of(x).data(), y.size());
          layer.forward(span_of<ExecutionSpace>(rows), span_of<ExecutionSpace>(rows), batch,
                        options);
          Impl::download(own, y.data(), rows, y.size());
          EXPECT_TRUE(y == expected);
          // Waits for pending work of the stream.
          Impl::upload(own, rows, bytes_of(x).data(), y.size());
          layer.forward(span_of<ExecutionSpace>(rows), span_of<ExecutionSpace>(rows), batch,
                        options);
          layer.step();
          EXPECT_TRUE(layer.has_telemetry(1));
          EXPECT_EQ(layer.telemetry(1)[0].count, 40U * 8U);
          SeedSequence sequence(context(), Space::cuda, own.cuda_stream());
          sequence.add(layer, span_of<ExecutionSpace>(rows), span_of<ExecutionSpace>(rows), batch);
          Impl::upload(own, rows, bytes_of(x).data(), y.size());
          sequence.run();
          sequence.wait();
          Impl::download(own, y.data(), rows, y.size());
          // `step` changed the alphas of grafting seeds, so the outputs differ from before.
          const SeedState state = layer.state();
          for (std::size_t i = 0; i < target.seeds.size(); ++i)
            target.seeds[i].alpha = state.alpha[i];
          EXPECT_TRUE(y == bytes_of(Reference::seed_forward(target, x, VectorElement::bfloat16)));
        }
      });
}

TEST(SeedRing, FallsBackToTheHostWithDeviceRows) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  auto generator = Testing::generator("SeedRing.DeviceFallback");
  Reference::SeedLayer target = served_layer(64, 20, 4, generator);
  const Reference::SeedRows x =
      random_rows(VectorElement::float32, 33, 64, Values::ordinary, generator);
  const auto expected = bytes_of(Reference::seed_forward(target, x, VectorElement::float32));
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
        const Rows<ExecutionSpace> from("Kindred::Testing::x", expected.size());
        const Rows<ExecutionSpace> to("Kindred::Testing::y", expected.size());
        Impl::upload(exec, from, bytes_of(x).data(), expected.size());
        SeedBatch batch;
        batch.rows = 33;
        batch.memory = SeedMemory::device;
        const DispatchRecord record =
            layer.forward(span_of<ExecutionSpace>(from), span_of<ExecutionSpace>(to), batch);
        EXPECT_NE(record.chosen, Space::cuda);
        std::vector<std::byte> y(expected.size());
        Impl::download(exec, y.data(), to, y.size());
        const auto again = bytes_of(Reference::seed_forward(target, x, VectorElement::float32));
        EXPECT_TRUE(y == again);
        EXPECT_THROW(layer.forward(span_of<ExecutionSpace>(from), span_of<ExecutionSpace>(to),
                                   batch, on(Space::cuda)),
                     OutOfMemory);
        state.blueprint.assign(20, 2);
        layer.set_state(state);
        EXPECT_EQ(layer.device_trouble(), "");
        EXPECT_EQ(
            layer.forward(span_of<ExecutionSpace>(from), span_of<ExecutionSpace>(to), batch).chosen,
            Space::cuda);
      });
}

TEST(SeedRing, SequencesRejectDataInAnotherMemorySpace) {
  SeedLayer layer =
      uniform_layer(context(), 8, 2, Lifecycle::grafting, ApplyMode::linear, 0.5F, 3.0F);
  std::vector<std::byte> x(64), y(64);
  SeedBatch batch;
  batch.rows = 2;
  SeedSequence sequence(context(), Space::serial);
  EXPECT_THROW(sequence.add(layer, std::span(x).first(60), y, batch), InvalidArgument);
  batch.memory = SeedMemory::device;
  EXPECT_THROW(sequence.add(layer, x, y, batch), InvalidArgument);
  EXPECT_EQ(sequence.size(), 0U);
  sequence.run();
  int stream = 0;
  EXPECT_THROW(SeedSequence(context(), Space::serial, &stream), InvalidArgument);
  if (context().is_usable(Space::cuda)) return;
  EXPECT_THROW(SeedSequence(context(), Space::cuda), SpaceUnavailable);
}

TEST(SeedRing, CallsOfASequenceOverlapWhereTheirRowsAllowIt) {
  std::vector<std::byte> memory(60);
  const auto rows = [&](std::size_t which) { return std::span(memory).subspan(10 * which, 10); };
  std::vector<Impl::SequenceCall> calls;
  const auto add = [&](std::size_t x, std::size_t y, std::size_t count = 1) {
    Impl::SequenceCall call;
    call.x = rows(x);
    call.y = rows(y);
    call.batch.rows = count;
    call.overlap = Impl::overlap_of(calls, call);
    calls.push_back(call);
    return calls.back().overlap;
  };
  EXPECT_EQ(add(0, 1), SeedOverlap::none);  // any work may precede it
  EXPECT_EQ(add(2, 3), SeedOverlap::rows);
  EXPECT_EQ(add(2, 1), SeedOverlap::rows);    // both read x; y belongs to a call that has finished
  EXPECT_EQ(add(0, 1), SeedOverlap::launch);  // y is the previous call's y
  EXPECT_EQ(add(4, 0), SeedOverlap::launch);  // y is the previous call's x
  EXPECT_EQ(add(0, 5), SeedOverlap::launch);  // x is the previous call's y
  EXPECT_EQ(add(3, 4), SeedOverlap::launch);  // x was written by an earlier call
  EXPECT_EQ(add(2, 2), SeedOverlap::rows);    // in place
  EXPECT_EQ(add(2, 3, 0), SeedOverlap::none);
  EXPECT_EQ(add(4, 5), SeedOverlap::none);  // the previous call was not a forward pass
}

TEST(SeedRing, SeveralLayersCanRunInSequence) {
  auto generator = Testing::generator("SeedRing.Layers");
  constexpr std::size_t count = 40;
  constexpr std::size_t arrays = 5;
  std::vector<Reference::SeedLayer> target;
  std::vector<SeedLayer> layers;
  for (int i = 0; i < 3; ++i) {
    target.push_back(served_layer(64, 5 + 20 * i, 2, generator));
    layers.push_back(engine_of(context(), target.back()));
  }
  SeedBatch batch;
  batch.rows = count;
  std::vector<Reference::SeedRows> first;
  for (std::size_t i = 0; i < arrays; ++i)
    first.push_back(random_rows(VectorElement::float32, count, 64, Values::ordinary, generator));
  // Calls that depend on an earlier call's output, overwrite its input, or are independent of it.
  struct Step {
    std::size_t layer, x, y;
  };
  std::vector<Step> steps;
  for (int i = 0; i < 30; ++i)
    steps.push_back({generator() % 3, generator() % arrays, generator() % arrays});
  std::vector<Reference::SeedRows> expected = first;
  for (int run = 0; run < 2; ++run) {
    for (const Step& step : steps)
      expected[step.y] =
          Reference::seed_forward(target[step.layer], expected[step.x], VectorElement::float32);
  }
  for (const Space space : Testing::spaces()) {
    batch.memory = space == Space::cuda ? SeedMemory::device : SeedMemory::host;
    Impl::with_instance(context(), space, [&]<class ExecutionSpace>(const ExecutionSpace& exec) {
      std::vector<Rows<ExecutionSpace>> rows;
      for (const Reference::SeedRows& one : first) {
        rows.emplace_back("Kindred::Testing::rows", count * 64 * sizeof(float));
        Impl::upload(exec, rows.back(), bytes_of(one).data(), rows.back().size());
      }
      SeedSequence sequence(context(), space);
      for (const Step& step : steps)
        sequence.add(layers[step.layer], span_of<ExecutionSpace>(rows[step.x]),
                     span_of<ExecutionSpace>(rows[step.y]), batch);
      sequence.run();
      sequence.run();
      sequence.wait();
      for (std::size_t i = 0; i < arrays; ++i) {
        std::vector<std::byte> y(rows[i].size());
        Impl::download(exec, y.data(), rows[i], y.size());
        EXPECT_TRUE(y == bytes_of(expected[i])) << to_string(space) << ", rows " << i;
      }
    });
  }
}

// --- failures of a space

TEST(SeedRing, ContinuesElsewhereWithTheSameBitsWhenMemoryIsExhausted) {
  auto generator = Testing::generator("SeedRing.Fallback");
  Reference::SeedLayer target = served_layer(96, 40, 3, generator);
  const Reference::SeedRows x =
      random_rows(VectorElement::float16, 20, 96, Values::ordinary, generator);
  const auto expected = bytes_of(Reference::seed_forward(target, x, VectorElement::float16));
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
  SeedBatch batch;
  batch.rows = 20;
  batch.input = batch.output = VectorElement::float16;
  std::vector<std::byte> y(expected.size());
  to_refuse = 1;
  layer.forward(bytes_of(x), y, batch);
  EXPECT_LE(to_refuse, 0) << "no allocation was refused";
  EXPECT_TRUE(y == expected);
  const SeedState before = layer.state();
  to_refuse = 100;
  SeedBatch other = batch;
  other.rows = 10;
  EXPECT_THROW(layer.forward(std::span<const std::byte>(bytes_of(x)).first(10 * 96 * 2),
                             std::span(y).first(10 * 96 * 2), other, on(Space::serial)),
               OutOfMemory);
  to_refuse = 0;
  EXPECT_EQ(layer.state(), before);
  layer.forward(bytes_of(x), y, batch);
  EXPECT_TRUE(y == expected);
}

// --- the cache of blueprints

TEST(BlueprintCache, EvictsTheLeastRecentlyUsedThatIsNotNeeded) {
  BlueprintRegistry registry;
  for (int i = 0; i < 6; ++i)
    registry.add(std::to_string(i), std::vector<float>(4, static_cast<float>(i)));
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(context(), space, [&]<class ExecutionSpace>(const ExecutionSpace& exec) {
      Impl::BlueprintCache<ExecutionSpace> cache;
      cache.bind(context().memory(space), 4, 3 * 4 * sizeof(float));
      const auto serve = [&](const std::vector<std::int32_t>& ids) {
        cache.serve(exec, registry, ids);
      };
      const auto check = [&](std::int32_t id) {
        const auto view = cache.view();
        std::vector<std::int32_t> slots(view.slots.size());
        std::vector<float> rows(view.values.size());
        Impl::download(exec, slots.data(), view.slots, slots.size());
        Impl::download(exec, rows.data(), view.values, rows.size());
        const std::int32_t slot = slots[static_cast<std::size_t>(id)];
        ASSERT_EQ(slot >= 0, cache.is_resident(id));
        if (slot < 0) return;
        for (std::size_t i = 0; i < 4; ++i)
          EXPECT_EQ(rows[static_cast<std::size_t>(slot) * view.stride + i],
                    registry.weights(id)[i]);
      };
      serve({});
      serve({0});
      serve({1});
      serve({2});
      EXPECT_EQ(cache.resident(), 3U);
      serve({0});
      serve({3});  // replaces blueprint 1
      for (std::int32_t id = 0; id < 6; ++id) {
        EXPECT_EQ(cache.is_resident(id), id == 0 || id == 2 || id == 3) << id;
        check(id);
      }
      serve({2, 4, 5});
      for (std::int32_t id = 0; id < 6; ++id) {
        EXPECT_EQ(cache.is_resident(id), id == 2 || id > 3) << id;
        check(id);
      }
      const std::string why = Testing::message_of<OutOfMemory>([&] { serve({0, 1, 2, 3}); });
      EXPECT_THAT(why, HasSubstr("4 blueprints are in use and there is room for 3"));
      for (std::int32_t id = 0; id < 6; ++id) check(id);
      EXPECT_TRUE(cache.is_resident(5));
      cache.clear();
      EXPECT_EQ(cache.resident(), 0U);
      serve({1, 5});
      for (std::int32_t id = 0; id < 6; ++id) check(id);
    });
  }
}

}  // namespace SeedRingTest

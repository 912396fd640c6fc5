// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/matcher/SeedLayer.hpp>

#include "OneThread.hpp"

namespace SeedThreadsTest {

using namespace Kindred;
using Testing::beside;
using Testing::one_thread;

TEST(SeedThreads, CallersSeeConsistentStates) {
  SeedLayer layer(one_thread(), {.hidden = 64, .seeds = 16});
  layer.add_blueprint("one", std::vector<float>(64, 1.0F));
  SeedState state(16);
  state.lifecycle.assign(16, Lifecycle::stabilization);
  state.mode.assign(16, ApplyMode::additive);
  state.blueprint.assign(16, 0);
  layer.set_state(state);
  std::atomic<int> forwards{0};
  const std::function<void()> forward = [&] {
    const std::vector<float> x(128, 2.0F);
    std::vector<float> y(128);
    layer.forward(std::span(x), std::span(y));
    ++forwards;
    // Seeds change together: a whole row must come from one state.
    for (const float value : y) {
      EXPECT_EQ(value, y[0]);
      EXPECT_TRUE(value == 2.0F || value == 3.0F);
    }
    if (layer.has_telemetry(0)) static_cast<void>(layer.state().history(3));
  };
  beside({forward, forward}, [&] {
    std::vector<SeedUpdate> updates(16);
    for (int i = 0; i < 200 || forwards < 200; ++i) {
      const Lifecycle lifecycle = i % 2 == 0 ? Lifecycle::dormant : Lifecycle::stabilization;
      for (std::uint32_t seed = 0; seed < 16; ++seed)
        updates[seed] = {.seed = seed, .mask = seed_lifecycle, .lifecycle = lifecycle};
      layer.update(updates);
      if (i < 200 && i % 10 == 0) layer.step();
    }
  });
  EXPECT_EQ(layer.epoch(), 20U);
}

TEST(SeedThreads, LayersMayBeCalledWhileASequenceRuns) {
  SeedLayer layer(one_thread(), {.hidden = 64, .seeds = 4});
  const std::vector<float> x(128, 2.0F);
  std::vector<float> y(128);
  SeedSequence sequence(one_thread(), Space::serial);
  sequence.add(layer, std::span(x), std::span(y));
  sequence.run();
  const std::vector<float> other(192, 3.0F);
  std::vector<float> out(192);
  beside({[&] { sequence.run(); }}, [&] {
    for (int i = 0; i < 200; ++i) {
      layer.forward(std::span(other), std::span(out));
      EXPECT_TRUE(layer.has_telemetry(0));
      // A forward pass sees 2 rows of the sequence or 3 rows of its own, each with 16 elements per
      // seed.
      const std::vector<SeedTelemetry> telemetry = layer.telemetry(0);
      for (const SeedTelemetry& seed : telemetry) {
        EXPECT_EQ(seed.count, telemetry[0].count);
        EXPECT_TRUE(seed.count == 32 || seed.count == 48) << seed.count;
      }
    }
  });
  EXPECT_EQ(out, other);
  EXPECT_EQ(y, x);
}

TEST(SeedThreads, CallbacksMayCallTheLayer) {
  SeedLayerOptions options{.hidden = 4, .seeds = 2};
  SeedLayer* self = nullptr;
  int reported = 0;
  options.on_transition = [&](std::uint32_t seed, SeedChange change) {
    ++reported;
    EXPECT_EQ(self->state().lifecycle[seed], change.to);
    if (change.to == Lifecycle::germinated) self->request(seed, Lifecycle::cancelled);
  };
  SeedLayer layer(one_thread(), options);
  self = &layer;
  EXPECT_TRUE(layer.request(1, Lifecycle::germinated).accepted);
  EXPECT_EQ(reported, 2);
  EXPECT_EQ(layer.state().lifecycle[1], Lifecycle::cancelled);
}

}  // namespace SeedThreadsTest

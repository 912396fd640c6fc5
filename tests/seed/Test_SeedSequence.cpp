// SPDX-License-Identifier: Apache-2.0
#include "LayerSupport.hpp"
#include "seed/SeedSequenceCall.hpp"

namespace Kindred::Testing::Seeds::SeedSequenceTest {

TEST(SeedSequence, RejectsDataInAnotherMemorySpace) {
  SeedLayer layer = uniform_layer(context(), 8, 2, Lifecycle::grafting);
  std::vector<float> x(16), y(16);
  SeedSequence sequence(context(), Space::serial);
  EXPECT_THROW(sequence.add(layer, std::span(x).first(15), std::span(y)), InvalidArgument);
  const auto on_device = [&](std::vector<float>& values) {
    return shaped(values, {2, 8}, float32, {}, ArrayMemory::device);
  };
  EXPECT_THROW(sequence.add(layer, on_device(x), on_device(y)), InvalidArgument);
  EXPECT_EQ(sequence.size(), 0U);
  sequence.run();
  int stream = 0;
  EXPECT_THROW(SeedSequence(context(), Space::serial, Stream::cuda(&stream)), InvalidArgument);
  if (context().is_usable(Space::cuda)) return;
  EXPECT_THROW(SeedSequence(context(), Space::cuda), SpaceUnavailable);
}

TEST(SeedSequence, CallsOverlapWhereTheirRowsAllowIt) {
  std::vector<std::byte> memory(60);
  const auto rows = [&](std::size_t which) { return memory.data() + 10 * which; };
  std::vector<Impl::SeedSequenceCall> calls;
  const auto add = [&](std::size_t x, std::size_t y, std::size_t count = 1) {
    Impl::SeedSequenceCall call;
    call.x = rows(x);
    call.y = rows(y);
    call.of_x.bytes = call.of_y.bytes = 10 * count;
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

TEST(SeedSequence, FollowsLayersThatAreMoved) {
  std::vector<SeedLayer> layers;
  std::vector<float> x(16), y(16);
  layers.push_back(uniform_layer(context(), 8, 2, Lifecycle::grafting));
  SeedSequence sequence(context(), Space::serial);
  sequence.add(layers[0], std::span(x), std::span(y));
  sequence.run();
  for (int i = 0; i < 20; ++i) layers.push_back(uniform_layer(context(), 8, 2, Lifecycle::dormant));
  sequence.run();
  layers[0].step();
  sequence.run();
  EXPECT_TRUE(layers[0].has_telemetry());
}

TEST(SeedSequence, MayConsistOfSeveralLayers) {
  constexpr std::size_t count = 40;
  constexpr std::size_t arrays = 5;
  std::vector<Reference::SeedLayer> target;
  std::vector<SeedLayer> layers;
  for (int i = 0; i < 3; ++i) {
    target.push_back(served_layer(64, 5 + 20 * i, 2));
    layers.push_back(engine_of(context(), target.back()));
  }
  std::vector<Reference::SeedRows> first;
  for (std::size_t i = 0; i < arrays; ++i) first.push_back(random_rows(float32, count, 64));
  // Calls that depend on an earlier call's output, overwrite its input, or are independent of it.
  struct Step {
    std::size_t layer, x, y;
  };
  std::vector<Step> steps;
  for (int i = 0; i < 30; ++i)
    steps.push_back({random_below(3), random_below(arrays), random_below(arrays)});
  std::vector<Reference::SeedRows> expected = first;
  for (int run = 0; run < 2; ++run) {
    for (const Step& step : steps)
      expected[step.y] = Reference::seed_forward(target[step.layer], expected[step.x], float32);
  }
  on_spaces([&](const auto& exec_space, Space space) {
    std::vector<Placed<std::decay_t<decltype(exec_space)>>> rows;
    for (const Reference::SeedRows& one : first) rows.push_back(placed_rows(exec_space, one, 64));
    SeedSequence sequence(context(), space);
    for (const Step& step : steps) sequence.add(layers[step.layer], rows[step.x], rows[step.y]);
    sequence.run();
    sequence.run();
    sequence.wait();
    for (std::size_t i = 0; i < arrays; ++i)
      EXPECT_TRUE(rows[i].bytes() == packed(expected[i], 64)) << "rows " << i;
  });
}

}  // namespace Kindred::Testing::Seeds::SeedSequenceTest

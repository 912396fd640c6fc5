// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/CudaGraph.hpp>
#include <kindred/core/arch/Specialized.hpp>

#include "SeedFunctionsSupport.hpp"

namespace Kindred::Testing::Seeds::SeedFunctionCallsTest {

TEST(SeedFunctionCalls, RecordedCallsReadTheArraysAtEveryRun) {
  const std::size_t hidden = 96, rows = 40;
  auto layer = random_layer(hidden, 20, 3);
  layer.chunk = 5;
  const auto x = random_rows(bfloat16, rows, hidden);
  on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space, Space space) {
    const ExecutionSpace own = Impl::instance_beside(exec_space);
    const PlacedSeeds<ExecutionSpace> placed(own, layer);
    const auto of_x = placed_rows(own, x, hidden);
    const auto y = placed_like(own, x, hidden);
    const auto count = placed_output(own, float32, {20});
    const auto dalpha = placed_output(own, float32, {20});
    const SeedSums sums{{}, {}, count};
    const auto workspace =
        workspace_for(own, std::max(forward_seeds_workspace(context(), placed.seeds, of_x, sums),
                                    backward_seeds_workspace(context(), placed.seeds, of_x)));
    SeedPassOptions options{space, {}, workspace};
    if constexpr (Arch::is_device<ExecutionSpace>) options.stream = Stream::cuda(own.cuda_stream());
    Impl::CudaGraph<ExecutionSpace> graph;
    graph.capture(own, [&] {
      forward_seeds(context(), placed.seeds, of_x, y, sums, options);
      backward_seeds(context(), placed.seeds, of_x, y, y, {}, dalpha, options);
    });
    // Without specialised forms nothing is recorded.
    EXPECT_EQ(graph.is_recorded(),
              Arch::is_device<ExecutionSpace> && KINDRED_ENABLE_SPECIALIZED != 0);
    auto changed = layer;
    for (int run = 0; run < 3; ++run) {
      for (Reference::Seed& seed : changed.seeds) seed.alpha = static_cast<float>(run) / 4;
      std::rotate(changed.seeds.begin(), changed.seeds.begin() + 1, changed.seeds.end());
      for (float& weight : changed.weights) weight += 0.5F;
      const PlacedSeeds<ExecutionSpace> other(own, changed);
      using Arrays = PlacedSeeds<ExecutionSpace>;
      for (const auto field : {&Arrays::lifecycle, &Arrays::mode, &Arrays::blueprint,
                               &Arrays::alpha, &Arrays::weights})
        (placed.*field).set((other.*field).bytes());
      graph.replay(own);
      const auto forward = Reference::seed_forward(changed, x, x.element);
      const auto expected = Reference::seed_backward(changed, x, forward);
      EXPECT_TRUE(y.bytes() == packed(expected.dx, hidden));
      EXPECT_TRUE(dalpha.bytes() == bytes_as(float32, expected.dalpha));
      std::vector<float> counts(20, 200.0F);
      counts[19] = 40;  // a narrower chunk
      EXPECT_TRUE(count.bytes() == bytes_as(float32, counts));
    }
  });
}

/// Host arrays of a small call.
struct Small {
  std::vector<std::int32_t> lifecycle{3, 0}, blueprint{0, 0}, mode{0, 0};
  std::vector<float> alpha{0.5F, 0.5F}, weights = std::vector<float>(12, 2.0F);
  std::vector<float> x = std::vector<float>(12, 1.0F), y = std::vector<float>(12, 7.0F);
  std::vector<double> numbers = std::vector<double>(4);

  SeedArrays seeds() { return {lifecycle, blueprint, mode, alpha, shaped(weights, {3, 4})}; }
};

TEST(SeedFunctionCalls, RefuseWhatDoesNotFit) {
  Small small;
  const auto call = [](const SeedArrays& seeds, const ConstArray& x, const Array& y,
                       const SeedSums& sums = {}, const SeedPassOptions& options = {}) {
    return [=] { forward_seeds(context(), seeds, x, y, sums, options); };
  };
  const SeedArrays seeds = small.seeds();
  const auto x = shaped(small.x, {3, 4}), y = shaped(small.y, {3, 4});
  const auto with = [&](auto member, const ConstArray& array) {
    SeedArrays changed = seeds;
    changed.*member = array;
    return call(changed, x, y);
  };
  std::vector<std::int64_t> longs(2);
  std::vector<float> three(3);
  std::vector<std::int32_t> one(1);
  const std::span numbers(small.numbers);
  const Array odd(reinterpret_cast<std::byte*>(small.y.data()) + 1, float16, Extents{3, 4});
  expect_refused(
      {{with(&SeedArrays::lifecycle, longs),
        "lifecycle is int64 [2]; its elements must be int32 or int8 or uint8"},
       {with(&SeedArrays::mode, three), "mode is float32"},
       {with(&SeedArrays::mode, one), "mode is int32 [1]; it must be int32 [2]"},
       {with(&SeedArrays::blueprint, longs), "blueprint is int64 [2]"},
       {with(&SeedArrays::alpha, three), "alpha is float32 [3]; it must be float32 [2]"},
       {with(&SeedArrays::weights, three), "weights is float32 [3]"},
       {with(&SeedArrays::weights, shaped(small.weights, {4, 3})), "must be float32 [any, 4]"},
       {with(&SeedArrays::lifecycle, shaped(small.lifecycle, {2}, int32, {0})), "consecutive"},
       {call(seeds, small.x, y), "x is float32 [12]"},
       {call(seeds, shaped(small.numbers, {1, 4}), y), "must be float32, float16 or bfloat16"},
       {call(seeds, x, shaped(small.y, {4, 3})), "y is float32 [4, 3]; it must be float32 [3, 4]"},
       {call(seeds, x, shaped(small.y, {3, 4}, float32, {3, 1})), "without overlap"},
       {call(seeds, x, odd), "not aligned"},
       {call(seeds, shaped(small.x, {2, 4}), matrix_array(std::span(small.x).subspan(4), 2, 4)),
        "y and x overlap"},
       {call(seeds, x, shaped(small.weights, {3, 4})), "overlap"},
       {call(seeds, x, y, {numbers.first(3), {}, {}}),
        "the telemetry's sum is float64 [3]; it must be float64 [2]"},
       {call(seeds, x, y, {numbers.first(2), numbers.subspan(1, 2), {}}), "overlap"},
       {call(seeds, x, y, {small.lifecycle, {}, {}}), "must be float32 or float64"},
       {call(seeds, x, y, {}, {.stream = Stream::cuda(nullptr)}),
        "a stream is given, and the arrays lie in host memory"},
       {call(seeds, x, y, {}, {.space = Space::cuda}), "seeds run where"}});
  EXPECT_EQ(small.y, std::vector<float>(12, 7.0F));
  if (context().is_usable(Space::cuda)) return;
  EXPECT_THROW(call(seeds, shaped(small.x, {3, 4}, float32, {}, ArrayMemory::device), y)(), Error);
}

TEST(SeedFunctionCalls, RefuseGradientsThatDoNotFit) {
  Small small;
  std::vector<float> dx(12), table(12), two(2), g(12, 1.0F);
  const auto call = [&](const ConstArray& gradient, const Array& to, const Array& dweights = {},
                        const Array& dalpha = {}) {
    return [=, x = shaped(small.x, {3, 4}), seeds = small.seeds()] {
      backward_seeds(context(), seeds, x, gradient, to, dweights, dalpha);
    };
  };
  const auto gradient = shaped(g, {3, 4}), to = shaped(dx, {3, 4});
  const auto dweights = shaped(table, {3, 4});
  expect_refused(
      {{call(shaped(g, {4, 3}), to), "the gradient is"},
       {call(shaped(g, {3, 4}, float16), to), "its elements must be float32"},
       {call(gradient, to, shaped(table, {2, 4})),
        "dweights is float32 [2, 4]; it must be float32 [3, 4]"},
       {call(gradient, to, dweights, std::span(table).first(1)), "dalpha is float32 [1]"},
       {call(gradient, shaped(small.x, {3, 4})), "dx and x overlap"},
       {call(gradient, to, to), "overlap"}});
  EXPECT_EQ(dx, std::vector<float>(12));
  call(gradient, to, dweights, two)();
  EXPECT_EQ(dx[0], 1.5F);
  EXPECT_EQ(table[0], 1.5F);
  EXPECT_EQ(two[0], 6.0F);  // (2 − 1) · 3 rows · 2 features
}

TEST(SeedFunctionCalls, RefuseAWorkspaceThatIsTooSmallOnADevice) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  const auto layer = random_layer(64, 4, 1);
  const auto x = random_rows(float32, 5, 64);
  Impl::with_instance(
      context(), Space::cuda, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
        const PlacedSeeds<ExecutionSpace> placed(exec_space, layer);
        const auto of_x = placed_rows(exec_space, x, 64), y = placed_rows(exec_space, x, 64);
        const auto sum = placed_output(exec_space, float32, {4});
        const SeedSums sums{sum, {}, {}};
        const std::size_t bytes = forward_seeds_workspace(context(), placed.seeds, of_x, sums);
        EXPECT_GT(bytes, 0U);
        EXPECT_EQ(forward_seeds_workspace(context(), placed.seeds, of_x), 0U);
        const auto small = workspace_for(exec_space, bytes - 1);
        const auto call = [&](const SeedPassOptions& options) {
          return [&, options] { forward_seeds(context(), placed.seeds, of_x, y, sums, options); };
        };
        expect_refused({{call({Space::cuda, {}, small}), "this call needs"},
                        {call({}), "the workspace"},
                        {call({.space = Space::serial}), "seeds run where"}});
        forward_seeds(context(), placed.seeds, of_x, y);  // without telemetry
      });
}

}  // namespace Kindred::Testing::Seeds::SeedFunctionCallsTest

// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/matcher/SeedFunctions.hpp>

#include <kindred/backends/impl/CudaGraph.hpp>
#include <kindred/core/arch/Specialized.hpp>

#include <algorithm>

#include "MessageOf.hpp"
#include "SeedFunctionsSupport.hpp"

namespace SeedFunctionCallsTest {

using namespace Kindred;
using namespace Testing::Seeds::OfCaller;
using namespace Testing::Seeds;
using Testing::context;
using ::testing::HasSubstr;

TEST(SeedFunctionCalls, RecordedCallsReadTheArraysAtEveryRun) {
  auto generator = Testing::generator("SeedFunctions.recorded");
  const std::size_t hidden = 96, rows = 40;
  auto layer = random_layer(hidden, 20, 3, generator);
  layer.chunk = 5;
  const auto x = random_rows(DataType::bfloat16, rows, hidden, Values::ordinary, generator);
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(context(), space, [&]<class ExecutionSpace>(const ExecutionSpace& exec) {
      const ExecutionSpace own = Impl::instance_beside(exec);
      const PlacedSeeds<ExecutionSpace> placed(own, layer);
      const auto of_x = placed_rows(own, x, hidden, {0, hidden});
      const auto y =
          placed_rows(own, Reference::SeedRows{x.element, rows, {}}, hidden, {0, hidden});
      const Placed<ExecutionSpace> count(own, std::vector<std::byte>(80), DataType::float32, {20});
      const Placed<ExecutionSpace> dalpha(own, std::vector<std::byte>(80), DataType::float32, {20});
      const SeedSums sums{{}, {}, count};
      const auto workspace =
          workspace_for(own, std::max(forward_seeds_workspace(context(), placed.seeds, of_x, sums),
                                      backward_seeds_workspace(context(), placed.seeds, of_x)));
      auto options = options_for(space, workspace);
      if constexpr (Arch::is_device<ExecutionSpace>)
        options.stream = Stream::cuda(own.cuda_stream());
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
        placed.lifecycle.set(other.lifecycle.bytes());
        placed.mode.set(other.mode.bytes());
        placed.blueprint.set(other.blueprint.bytes());
        placed.alpha.set(other.alpha.bytes());
        placed.weights.set(other.weights.bytes());
        graph.replay(own);
        const auto forward = Reference::seed_forward(changed, x, x.element);
        const auto expected = Reference::seed_backward(changed, x, forward);
        bool kept = true;
        EXPECT_EQ(unpacked(y.bytes(), x.element, rows, hidden, {0, hidden}, kept).bits,
                  expected.dx.bits);
        EXPECT_EQ(dalpha.template values<std::uint32_t>(), bits(expected.dalpha));
        EXPECT_EQ(count.template values<float>()[0], 200.0F);
        EXPECT_EQ(count.template values<float>()[19], 40.0F);
      }
    });
  }
}

/// Host arrays of a small call.
struct Small {
  std::vector<std::int32_t> lifecycle{3, 0}, blueprint{0, 0}, mode{0, 0};
  std::vector<float> alpha{0.5F, 0.5F}, weights = std::vector<float>(12, 2.0F);
  std::vector<float> x = std::vector<float>(12, 1.0F), y = std::vector<float>(12, 7.0F);
  std::vector<double> numbers = std::vector<double>(4);

  SeedArrays seeds() {
    return {std::span<const std::int32_t>(lifecycle), std::span<const std::int32_t>(blueprint),
            std::span<const std::int32_t>(mode), std::span<const float>(alpha),
            ConstArray(weights.data(), DataType::float32, Extents{3, 4})};
  }
  static ConstArray in(const std::vector<float>& values, Extents shape = {3, 4}) {
    return ConstArray(values.data(), DataType::float32, shape);
  }
  static Kindred::Array out(std::vector<float>& values, Extents shape = {3, 4}) {
    return Kindred::Array(values.data(), DataType::float32, shape);
  }
};

TEST(SeedFunctionCalls, RefuseWhatDoesNotFit) {
  Small small;
  const std::vector<float> before = small.y;
  const auto message = [&](const SeedArrays& seeds, const ConstArray& x, const Kindred::Array& y,
                           const SeedSums& sums = {}, const SeedPassOptions& options = {}) {
    return Testing::message_of<InvalidArgument>(
        [&] { forward_seeds(context(), seeds, x, y, sums, options); });
  };
  const ConstArray x = Small::in(small.x);
  const Kindred::Array y = Small::out(small.y);
  const auto with = [&](auto member, const ConstArray& array) {
    SeedArrays seeds = small.seeds();
    seeds.*member = array;
    return message(seeds, x, y);
  };
  const std::vector<std::int64_t> longs(2);
  const std::vector<float> three(3);
  const std::vector<std::int32_t> one(1);
  EXPECT_THAT(with(&SeedArrays::lifecycle, std::span<const std::int64_t>(longs)),
              HasSubstr("lifecycle is int64 [2]; its elements must be int32 or int8 or uint8"));
  EXPECT_THAT(with(&SeedArrays::mode, std::span<const float>(three)), HasSubstr("mode is float32"));
  EXPECT_THAT(with(&SeedArrays::mode, std::span<const std::int32_t>(one)),
              HasSubstr("mode is int32 [1]; it must be int32 [2]"));
  EXPECT_THAT(with(&SeedArrays::blueprint, std::span<const std::int64_t>(longs)),
              HasSubstr("blueprint is int64 [2]"));
  EXPECT_THAT(with(&SeedArrays::alpha, std::span<const float>(three)),
              HasSubstr("alpha is float32 [3]; it must be float32 [2]"));
  EXPECT_THAT(with(&SeedArrays::weights, std::span<const float>(three)),
              HasSubstr("weights is float32 [3]"));
  EXPECT_THAT(with(&SeedArrays::weights, Small::in(small.weights, {4, 3})),
              HasSubstr("it must be float32 [any, 4]"));
  EXPECT_THAT(with(&SeedArrays::lifecycle,
                   ConstArray(small.lifecycle.data(), DataType::int32, Extents{2}, Extents{0})),
              HasSubstr("consecutive"));
  EXPECT_THAT(message(small.seeds(), std::span<const float>(small.x), y),
              HasSubstr("x is float32 [12]"));
  EXPECT_THAT(
      message(small.seeds(), ConstArray(small.numbers.data(), DataType::float64, Extents{1, 4}), y),
      HasSubstr("must be float32, float16 or bfloat16"));
  EXPECT_THAT(message(small.seeds(), x, Small::out(small.y, {4, 3})),
              HasSubstr("y is float32 [4, 3]; it must be float32 [3, 4]"));
  EXPECT_THAT(
      message(small.seeds(), x,
              Kindred::Array(small.y.data(), DataType::float32, Extents{3, 4}, Extents{3, 1})),
      HasSubstr("without overlap"));
  EXPECT_THAT(message(small.seeds(), x,
                      Kindred::Array(reinterpret_cast<std::byte*>(small.y.data()) + 1,
                                     DataType::float16, Extents{3, 4})),
              HasSubstr("not aligned"));
  EXPECT_THAT(message(small.seeds(), Small::in(small.x, {2, 4}),
                      Kindred::Array(small.x.data() + 4, DataType::float32, Extents{2, 4})),
              HasSubstr("y and x overlap"));
  EXPECT_THAT(message(small.seeds(), x, Small::out(small.weights)), HasSubstr("overlap"));
  EXPECT_THAT(message(small.seeds(), x, y, {std::span(small.numbers).first(3), {}, {}}),
              HasSubstr("the telemetry's sum is float64 [3]; it must be float64 [2]"));
  EXPECT_THAT(
      message(small.seeds(), x, y,
              {std::span(small.numbers).first(2), std::span(small.numbers).subspan(1, 2), {}}),
      HasSubstr("overlap"));
  EXPECT_THAT(message(small.seeds(), x, y, {std::span(small.lifecycle), {}, {}}),
              HasSubstr("must be float32 or float64"));
  SeedPassOptions options;
  options.stream = Stream::cuda(nullptr);
  EXPECT_THAT(message(small.seeds(), x, y, {}, options),
              HasSubstr("a stream is given, and the arrays lie in host memory"));
  options = {};
  options.space = Space::cuda;
  EXPECT_THAT(message(small.seeds(), x, y, {}, options), HasSubstr("seeds run where"));
  EXPECT_EQ(small.y, before);
  if (!context().is_usable(Space::cuda)) {
    EXPECT_THROW(forward_seeds(context(), small.seeds(),
                               ConstArray(small.x.data(), DataType::float32, Extents{3, 4}, {},
                                          ArrayMemory::device),
                               y),
                 Error);
  }
}

TEST(SeedFunctionCalls, RefuseGradientsThatDoNotFit) {
  Small small;
  std::vector<float> dx(12), table(12), two(2);
  const std::vector<float> g(12, 1.0F);
  const auto message = [&](const ConstArray& gradient, const Kindred::Array& to,
                           const Kindred::Array& dweights, const Kindred::Array& dalpha) {
    return Testing::message_of<InvalidArgument>([&] {
      backward_seeds(context(), small.seeds(), Small::in(small.x), gradient, to, dweights, dalpha);
    });
  };
  const auto to = Small::out(dx);
  EXPECT_THAT(message(Small::in(g, {4, 3}), to, {}, {}), HasSubstr("the gradient is"));
  EXPECT_THAT(message(ConstArray(g.data(), DataType::float16, Extents{3, 4}), to, {}, {}),
              HasSubstr("its elements must be float32"));
  EXPECT_THAT(message(Small::in(g), to, Small::out(table, {2, 4}), {}),
              HasSubstr("dweights is float32 [2, 4]; it must be float32 [3, 4]"));
  EXPECT_THAT(message(Small::in(g), to, Small::out(table), std::span(table).first(1)),
              HasSubstr("dalpha is float32 [1]"));
  EXPECT_THAT(message(Small::in(g), Small::out(small.x), {}, {}), HasSubstr("dx and x overlap"));
  EXPECT_THAT(message(Small::in(g), to, to, {}), HasSubstr("overlap"));
  EXPECT_EQ(dx, std::vector<float>(12));
  backward_seeds(context(), small.seeds(), Small::in(small.x), Small::in(g), to, Small::out(table),
                 std::span(two));
  EXPECT_EQ(dx[0], 1.5F);
  EXPECT_EQ(table[0], 1.5F);
  EXPECT_EQ(two[0], 6.0F);  // (2 − 1) · 3 rows · 2 features
}

TEST(SeedFunctionCalls, RefuseAWorkspaceThatIsTooSmallOnADevice) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  auto generator = Testing::generator("SeedFunctions.workspace");
  const auto layer = random_layer(64, 4, 1, generator);
  const auto x = random_rows(DataType::float32, 5, 64, Values::ordinary, generator);
  Impl::with_instance(
      context(), Space::cuda, [&]<class ExecutionSpace>(const ExecutionSpace& exec) {
        const PlacedSeeds<ExecutionSpace> placed(exec, layer);
        const auto of_x = placed_rows(exec, x, 64, {0, 64});
        const auto y = placed_rows(exec, x, 64, {0, 64});
        const Placed<ExecutionSpace> sum(exec, std::vector<std::byte>(16), DataType::float32, {4});
        const SeedSums sums{sum, {}, {}};
        const std::size_t bytes = forward_seeds_workspace(context(), placed.seeds, of_x, sums);
        EXPECT_GT(bytes, 0U);
        EXPECT_EQ(forward_seeds_workspace(context(), placed.seeds, of_x), 0U);
        const auto small = workspace_for(exec, bytes - 1);
        const auto call = [&](const SeedPassOptions& options) {
          return Testing::message_of<InvalidArgument>(
              [&] { forward_seeds(context(), placed.seeds, of_x, y, sums, options); });
        };
        EXPECT_THAT(call(options_for(Space::cuda, small)), HasSubstr("this call needs"));
        EXPECT_THAT(call({}), HasSubstr("the workspace"));
        SeedPassOptions options;
        options.space = Space::serial;
        EXPECT_THAT(call(options), HasSubstr("seeds run where"));
        forward_seeds(context(), placed.seeds, of_x, y);  // without telemetry
      });
}

}  // namespace SeedFunctionCallsTest

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/matcher/SeedFunctions.hpp>
#include <kindred/matcher/SeedLayer.hpp>

#include <cmath>
#include <limits>

#include "LayerSupport.hpp"
#include "SeedFunctionsSupport.hpp"

namespace SeedFunctionsTest {

using namespace Kindred;
using namespace Testing::Seeds::OfCaller;
using namespace Testing::Seeds;
using Testing::context;
using Testing::Seeds::OfCaller::Forward;
using Testing::Seeds::OfCaller::forward;

std::vector<std::byte> numbers_of(const std::vector<double>& values, DataType type) {
  switch (type) {
    case DataType::float32:
      return bytes_as<float>(values);
    case DataType::int32:
      return bytes_as<std::int32_t>(values);
    case DataType::int64:
      return bytes_as<std::int64_t>(values);
    default:
      return bytes_as<double>(values);
  }
}

struct Sums {
  std::vector<double> sum, sum_of_squares, count;
};
Sums sums_of(const std::vector<SeedMoments>& moments) {
  Sums out;
  for (const SeedMoments& one : moments) {
    const double sum = static_cast<double>(one.count) * one.mean;
    out.sum.push_back(sum);
    const double of_mean = one.mean * sum;
    out.sum_of_squares.push_back(one.m2 + of_mean);
    out.count.push_back(static_cast<double>(one.count));
  }
  return out;
}

struct Shape {
  std::size_t hidden, seeds, rows, chunk;
};
const std::vector<Shape> shapes{
    {1, 1, 1, 0},     {1, 1, 1, 1},     {7, 3, 31, 0},     {7, 3, 31, 2},      {7, 3, 33, 100},
    {33, 40, 32, 0},  {33, 40, 32, 1},  {64, 11, 200, 7},  {64, 3, 200, 16},   {130, 44, 65, 3},
    {130, 4, 65, 33}, {300, 0, 40, 0},  {300, 0, 40, 64},  {512, 100, 32, 64}, {20, 11, 4097, 2},
    {20, 2, 600, 9},  {9, 5, 12500, 4}, {12, 3, 0, 5},     {12, 3, 0, 0},      {3, 2, 2, 2},
    {257, 2, 3, 127}, {2, 70, 129, 1},  {1000, 3, 10, 400}};

std::string described(const Shape& shape, DataType type, Space space) {
  return "hidden " + std::to_string(shape.hidden) + ", seeds " + std::to_string(shape.seeds) +
         ", rows " + std::to_string(shape.rows) + ", chunk " + std::to_string(shape.chunk) + ", " +
         std::string(to_string(type)) + " on " + std::string(to_string(space));
}

TEST(SeedFunctions, ForwardMatchesReferenceForEveryChunkSize) {
  auto generator = Testing::generator("SeedFunctions.forward");
  constexpr DataType sum_types[] = {DataType::float64, DataType::float32};
  constexpr DataType count_types[] = {DataType::int64, DataType::float32, DataType::int32,
                                      DataType::float64};
  for (const Shape& shape : shapes) {
    for (const DataType type : elements) {
      auto layer = random_layer(shape.hidden, shape.seeds, 1 + generator() % 3, generator);
      layer.chunk = shape.chunk;
      layer.fossilized_applies = generator() % 2 == 0;
      const auto x = random_rows(type, shape.rows, shape.hidden,
                                 generator() % 2 == 0 ? Values::ordinary : Values::all, generator);
      Given given;
      given.in_place = generator() % 3 == 0;
      given.output = given.in_place || generator() % 2 == 0 ? type : elements[generator() % 3];
      given.in = {generator() % 3, shape.hidden + generator() % 5};
      given.out = {generator() % 3, shape.hidden + generator() % 5};
      given.codes = code_types[generator() % 3];
      given.sums = sum_types[generator() % 2];
      given.counts = count_types[generator() % 4];
      const auto y = Reference::seed_forward(layer, x, given.output);
      const Sums sums = sums_of(Reference::seed_moments(shape.hidden, shape.seeds, x, shape.chunk));
      for (const Space space : Testing::spaces()) {
        Impl::with_instance(context(), space, [&](const auto& exec_space) {
          const Forward got = forward(exec_space, space, layer, x, given);
          const std::string where = described(shape, type, space);
          ASSERT_EQ(got.y.bits, y.bits) << where;
          ASSERT_TRUE(got.kept_rest) << where << ": wrote between the rows";
          ASSERT_TRUE(got.count == numbers_of(sums.count, given.counts)) << where;
          ASSERT_TRUE(got.sum == numbers_of(sums.sum, given.sums)) << where;
          ASSERT_TRUE(got.sum_of_squares == numbers_of(sums.sum_of_squares, given.sums)) << where;
        });
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(SeedFunctions, BackwardMatchesReferenceForEveryChunkSize) {
  auto generator = Testing::generator("SeedFunctions.backward");
  for (const Shape& shape : shapes) {
    for (const DataType type : elements) {
      auto layer = random_layer(shape.hidden, shape.seeds, 1 + generator() % 3, generator);
      layer.chunk = shape.chunk;
      layer.fossilized_applies = generator() % 2 == 0;
      const Values values = generator() % 2 == 0 ? Values::ordinary : Values::all;
      const auto x = random_rows(type, shape.rows, shape.hidden, values, generator);
      const auto g = random_rows(type, shape.rows, shape.hidden, values, generator);
      Given given;
      given.in_place = generator() % 3 == 0;
      given.in = {generator() % 3, shape.hidden + generator() % 5};
      given.out = {generator() % 3, shape.hidden + generator() % 5};
      given.codes = code_types[generator() % 3];
      const auto expected = Reference::seed_backward(layer, x, g);
      for (const Space space : Testing::spaces()) {
        Impl::with_instance(context(), space, [&](const auto& exec_space) {
          const Backward got = backward(exec_space, space, layer, x, g, given);
          const std::string where = described(shape, type, space);
          ASSERT_EQ(got.dx.bits, expected.dx.bits) << where;
          ASSERT_TRUE(got.kept_rest) << where << ": wrote between the rows";
          ASSERT_EQ(got.table, bits(expected.table)) << where;
          ASSERT_EQ(got.dalpha, bits(expected.dalpha)) << where;
        });
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(SeedFunctions, ComputeTheBitsOfALayer) {
  auto generator = Testing::generator("SeedFunctions.layer");
  const std::size_t hidden = 103, seeds = 10, rows = 70;
  const auto owner = Reference::seeds_of_features(hidden, seeds);
  for (const DataType type : elements) {
    const auto target = served_layer(hidden, seeds, 3, generator);
    const auto x = random_rows(type, rows, hidden, Values::all, generator);
    const auto g = random_rows(type, rows, hidden, Values::all, generator);
    SeedLayer layer = engine_of(context(), target);
    const RowShape shape{type, rows, hidden};
    Given given;
    given.output = type;
    given.in = given.out = {0, hidden};
    for (const Space space : Testing::spaces()) {
      std::vector<std::byte> y(rows * hidden * size_of(type)), dx(y.size());
      std::vector<float> dw(hidden);
      layer.forward(shape.in(bytes_of(x).data()), shape.out(y.data()), on(space));
      layer.backward(shape.in(bytes_of(x).data()), shape.in(bytes_of(g).data()),
                     shape.out(dx.data()), std::span(dw), on(space));
      const auto telemetry = layer.telemetry();
      Impl::with_instance(context(), space, [&](const auto& exec_space) {
        const Forward got = forward(exec_space, space, target, x, given);
        EXPECT_TRUE(bytes_of(got.y) == y);
        for (std::size_t seed = 0; seed < seeds; ++seed) {
          double sum = 0;
          std::memcpy(&sum, got.sum.data() + seed * sizeof sum, sizeof sum);
          const double mean = telemetry[seed].mean;
          const double expected = static_cast<double>(telemetry[seed].count) * mean;
          EXPECT_TRUE(sum == expected || (std::isnan(sum) && std::isnan(mean)));
        }
        const Backward back = backward(exec_space, space, target, x, g, given);
        EXPECT_TRUE(bytes_of(back.dx) == dx);
        for (std::size_t f = 0; f < hidden; ++f) {
          const Reference::Seed& seed = target.seeds[owner[f]];
          for (std::size_t b = 0; b < 3; ++b) {
            const bool uses =
                applies_blueprint(seed.lifecycle) && seed.blueprint == static_cast<std::int32_t>(b);
            EXPECT_EQ(back.table[b * hidden + f],
                      std::bit_cast<std::uint32_t>(uses ? dw[f] : 0.0F));
          }
        }
      });
    }
  }
}

TEST(SeedFunctions, AlphaGradientAgreesWithFiniteDifferences) {
  auto generator = Testing::generator("SeedFunctions.alpha");
  const std::size_t hidden = 80, rows = 6;
  auto layer = random_layer(hidden, 11, 2, generator);
  layer.chunk = 7;
  for (std::size_t i = 0; i < 11; ++i)
    layer.seeds[i] = {static_cast<Lifecycle>(i), ApplyMode::linear, 0.3F, static_cast<int>(i % 2)};
  const auto x = random_rows(DataType::float32, rows, hidden, Values::ordinary, generator);
  const auto g = random_rows(DataType::float32, rows, hidden, Values::ordinary, generator);
  Given given;
  given.in = given.out = {0, hidden};
  const auto value = [](std::uint32_t element) {
    return static_cast<double>(std::bit_cast<float>(element));
  };
  // The loss is Σ g·y; it is linear in alpha, so that any step is exact.
  const auto loss = [&](std::size_t seed, double a) {
    double out = 0;
    for (std::size_t i = 0; i < rows * hidden; ++i) {
      const std::size_t f = i % hidden;
      if (f / 7 != seed) continue;
      const double w = layer.weights[seed % 2 * hidden + f];
      out += value(g.bits[i]) * (a * w + (1 - a)) * value(x.bits[i]);
    }
    return out;
  };
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(context(), space, [&](const auto& exec_space) {
      const Backward got = backward(exec_space, space, layer, x, g, given);
      for (std::size_t seed = 0; seed < 11; ++seed) {
        const bool has_alpha = seed >= 3 && seed <= 6;
        const double expected = has_alpha ? (loss(seed, 0.8) - loss(seed, 0.3)) / 0.5 : 0.0;
        EXPECT_NEAR(value(got.dalpha[seed]), expected, 1e-5 * (1 + std::abs(expected))) << seed;
      }
    });
  }
}

TEST(SeedFunctions, SeedsWithInvalidValuesCopyTheirFeatures) {
  auto generator = Testing::generator("SeedFunctions.invalid");
  struct Invalid {
    std::int32_t lifecycle, mode, blueprint;
  };
  // Codes whose low byte is valid are among them.
  const std::vector<Invalid> invalid{
      {3, 0, -1},  {3, 0, 2},       {3, 0, std::numeric_limits<std::int32_t>::min()},
      {11, 0, 0},  {-1, 0, 0},      {3, 0, std::numeric_limits<std::int32_t>::max()},
      {259, 0, 0}, {3 - 256, 0, 0}, {std::numeric_limits<std::int32_t>::max(), 0, 0},
      {3, 4, 0},   {3, -1, 0},      {3, 256, 0},
      {7, 0, 5},   {3, 0x10000, 0}, {3, std::numeric_limits<std::int32_t>::min(), 0}};
  const std::size_t hidden = 4 * invalid.size(), rows = 3;
  Reference::SeedLayer layer = random_layer(hidden, invalid.size(), 2, generator);
  const auto x = random_rows(DataType::float16, rows, hidden, Values::all, generator);
  const auto g = random_rows(DataType::float16, rows, hidden, Values::all, generator);
  std::vector<std::int32_t> lifecycle, mode, blueprint;
  for (const Invalid& one : invalid) {
    lifecycle.push_back(one.lifecycle);
    mode.push_back(one.mode);
    blueprint.push_back(one.blueprint);
  }
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(context(), space, [&]<class ExecutionSpace>(const ExecutionSpace& exec) {
      PlacedSeeds<ExecutionSpace> placed(exec, layer);
      placed.lifecycle.set(bytes_as<std::int32_t>(lifecycle));
      placed.mode.set(bytes_as<std::int32_t>(mode));
      placed.blueprint.set(bytes_as<std::int32_t>(blueprint));
      const auto of_x = placed_rows(exec, x, hidden, {0, hidden});
      const auto of_g = placed_rows(exec, g, hidden, {0, hidden});
      const auto y =
          placed_rows(exec, Reference::SeedRows{x.element, rows, {}}, hidden, {0, hidden});
      const Placed<ExecutionSpace> table(
          exec, std::vector<std::byte>(2 * hidden * sizeof(float), untouched), DataType::float32,
          {2, static_cast<std::int64_t>(hidden)});
      const auto workspace =
          workspace_for(exec, backward_seeds_workspace(context(), placed.seeds, of_x));
      const auto options = options_for(space, workspace);
      bool kept = true;
      forward_seeds(context(), placed.seeds, of_x, y, {}, options);
      EXPECT_EQ(unpacked(y.bytes(), x.element, rows, hidden, {0, hidden}, kept).bits, x.bits);
      backward_seeds(context(), placed.seeds, of_x, of_g, y, table, {}, options);
      EXPECT_EQ(unpacked(y.bytes(), x.element, rows, hidden, {0, hidden}, kept).bits, g.bits);
      EXPECT_TRUE(table.bytes() == std::vector<std::byte>(2 * hidden * sizeof(float)));
    });
  }
}

TEST(SeedFunctions, ModeCodesOfKasminaAreTranslated) {
  // w = 3, alpha = 0.5, x = 2: linear 4, multiplicative 6, additive 5, mixed 2.5.
  const std::vector<std::int32_t> codes{0, 1, 2, 3, 4, -1, 1000};
  struct Expected {
    SeedModeCodes codes;
    std::vector<float> y;
  };
  for (const Expected& expected :
       {Expected{SeedModeCodes::kindred, {4, 6, 5, 2.5F, 2, 2, 2}},
        Expected{SeedModeCodes::kasmina_v2, {4, 6, 5, 5, 5, 5, 5}},
        Expected{SeedModeCodes::kasmina_simple, {6, 5, 2.5F, 2.5F, 2.5F, 2.5F, 2.5F}}}) {
    for (const Space space : Testing::spaces()) {
      if (space == Space::cuda) continue;  // the arrays of this test lie on the host
      for (const bool applies : {true, false}) {
        std::vector<std::int32_t> lifecycle(7, applies ? 6 : 7);
        const std::vector<std::int32_t> blueprint(7, 0);
        const std::vector<float> alpha(7, 0.5F), weights(7, 3.0F), x(7, 2.0F);
        std::vector<float> y(7);
        SeedArrays seeds{std::span<const std::int32_t>(lifecycle),
                         std::span<const std::int32_t>(blueprint),
                         std::span<const std::int32_t>(codes), std::span<const float>(alpha),
                         ConstArray(weights.data(), DataType::float32, Extents{1, 7})};
        seeds.mode_codes = expected.codes;
        seeds.fossilized_applies = false;
        SeedPassOptions options;
        options.space = space;
        forward_seeds(context(), seeds, ConstArray(x.data(), DataType::float32, Extents{1, 7}),
                      Kindred::Array(y.data(), DataType::float32, Extents{1, 7}), {}, options);
        EXPECT_EQ(y, applies ? expected.y : x);
      }
    }
  }
}

}  // namespace SeedFunctionsTest

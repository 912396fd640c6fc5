// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/matcher/SeedFunctions.hpp>

#include <cmath>
#include <limits>

#include "SeedFunctionsSupport.hpp"
#include "SeedPasses.hpp"

namespace SeedFunctionsTest {

using namespace Kindred;
using namespace Testing::Seeds;

/// The element types of the arrays of a call.
struct Types {
  DataType codes, sums, counts;
};

/// Calls both functions and compares all that they write. With \p sums, the forward pass also
/// writes the telemetry.
template <class ExecutionSpace>
void expect_reference(const ExecutionSpace& exec_space, Space space, const Passes& given,
                      const Types& types, bool sums) {
  const PlacedSeeds<ExecutionSpace> seeds(exec_space, given.layer, types.codes);
  const PlacedPasses<ExecutionSpace> rows(exec_space, given);
  const auto count = static_cast<std::int64_t>(given.layer.seeds.size());
  const auto table = placed_output(exec_space, float32, seeds.shape_of_weights(given.layer));
  const auto dalpha = placed_output(exec_space, float32, {count});
  const auto workspace =
      workspace_for(exec_space, backward_seeds_workspace(context(), seeds.seeds, rows.x));
  EXPECT_EQ(backward_seeds(context(), seeds.seeds, rows.x, rows.gradient, rows.dx, table, dalpha,
                           options_for(space, workspace))
                .chosen,
            space);
  rows.expect_dx(given);
  const auto of_floats = [](const std::vector<float>& values) { return bytes_as(float32, values); };
  EXPECT_TRUE(table.bytes() == of_floats(given.gradients.table)) << given.name << ": dweights";
  EXPECT_TRUE(dalpha.bytes() == of_floats(given.gradients.dalpha)) << given.name << ": dalpha";

  const auto sum = placed_output(exec_space, types.sums, {count});
  const auto sum_of_squares = placed_output(exec_space, types.sums, {count});
  const auto counts = placed_output(exec_space, types.counts, {count});
  SeedSums telemetry;
  if (sums) telemetry = {sum, sum_of_squares, counts};
  const auto other =
      workspace_for(exec_space, forward_seeds_workspace(context(), seeds.seeds, rows.x, telemetry));
  // Called twice where the result is the same: the workspace has any contents.
  for (int i = 0; i < (given.in_place ? 1 : 2); ++i)
    EXPECT_EQ(
        forward_seeds(context(), seeds.seeds, rows.x, rows.y, telemetry, options_for(space, other))
            .chosen,
        space);
  rows.expect_y(given);
  if (!sums) return;
  std::vector<double> expected[3];
  for (const SeedMoments& one : given.moments) {
    expected[0].push_back(static_cast<double>(one.count) * one.mean);
    const double of_mean = one.mean * expected[0].back();
    expected[1].push_back(one.m2 + of_mean);
    expected[2].push_back(static_cast<double>(one.count));
  }
  EXPECT_TRUE(sum.bytes() == bytes_as(types.sums, expected[0])) << given.name;
  EXPECT_TRUE(sum_of_squares.bytes() == bytes_as(types.sums, expected[1])) << given.name;
  EXPECT_TRUE(counts.bytes() == bytes_as(types.counts, expected[2])) << given.name;
}

TEST(SeedFunctions, MatchReferenceForEveryChunkSize) {
  auto generator = Testing::generator("SeedFunctions");
  std::vector<Shape> shapes{
      {1, 1, 1, 1},       {7, 3, 31, 2},    {7, 3, 33, 100},    {33, 40, 32, 1}, {64, 11, 200, 7},
      {64, 3, 200, 16},   {130, 44, 65, 3}, {130, 4, 65, 33},   {300, 0, 40},    {300, 0, 40, 64},
      {512, 100, 32, 64}, {20, 11, 4097},   {20, 11, 4097, 2},  {20, 2, 600, 9}, {9, 5, 12500},
      {9, 5, 12500, 4},   {12, 3, 0},       {12, 3, 0, 5},      {3, 2, 2, 2},    {257, 2, 3, 127},
      {2, 70, 129, 1},    {256, 60, 64},    {1000, 3, 10, 400}, {512, 3, 600},   {384, 1, 1100},
      {96, 96, 2500},     {1000, 7, 260},   {260, 130, 4200},   {4, 9, 9000}};
  constexpr std::size_t rows_of[] = {1, 2, 7, 8, 9, 31, 63, 64, 65, 130};
  for (std::size_t hidden = 1; hidden <= 130; ++hidden)
    shapes.push_back({hidden, generator() % 201, rows_of[generator() % std::size(rows_of)]});
  constexpr DataType code_types[] = {int32, int8, uint8};
  constexpr DataType sum_types[] = {float64, float32};
  constexpr DataType count_types[] = {int64, float32, int32, float64};
  for (const Shape& shape : shapes) {
    for (const DataType type : elements) {
      for (const bool aligned : {true, false}) {
        auto layer = random_layer(shape.hidden, shape.seeds, 1 + generator() % 3, generator);
        layer.chunk = shape.chunk;
        layer.fossilized_applies = generator() % 2 == 0;
        const Passes given(layer, shape.rows, type, aligned, generator);
        const Types types{code_types[generator() % 3], sum_types[generator() % 2],
                          count_types[generator() % 4]};
        const bool sums = generator() % 4 != 0;
        on_spaces([&](const auto& exec_space, Space space) {
          expect_reference(exec_space, space, given, types, sums);
        });
        if (HasFailure()) return;
      }
    }
  }
}

/// y for one element in double.
double applied(const Reference::Seed& seed, double alpha, double w, double x) {
  const double a = seed.lifecycle == Lifecycle::fossilized ? 1 : alpha;
  if (!applies_blueprint(seed.lifecycle)) return x;
  switch (seed.mode) {
    case ApplyMode::linear:
      return a * w * x + (1 - a) * x;
    case ApplyMode::multiplicative:
      return w * x;
    case ApplyMode::additive:
      return x + w;
    case ApplyMode::mixed:
      break;
  }
  return 0.5 * x + 0.5 * w;
}

TEST(SeedFunctions, GradientsAgreeWithFiniteDifferencesInDouble) {
  auto generator = Testing::generator("SeedFunctions.differences");
  // One seed per state and mode.
  const std::size_t seeds = 44, width = 3, hidden = seeds * width, rows = 5;
  auto layer = random_layer(hidden, seeds, 1, generator);
  for (std::size_t i = 0; i < seeds; ++i)
    layer.seeds[i] = {static_cast<Lifecycle>(i % 11), static_cast<ApplyMode>(i / 11), 0.3F, 0};
  const auto x = random_rows(float32, rows, hidden, Values::ordinary, generator);
  const auto g = random_rows(float32, rows, hidden, Values::ordinary, generator);
  const auto value = [](std::uint32_t element) {
    return static_cast<double>(std::bit_cast<float>(element));
  };
  on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space, Space space) {
    const PlacedSeeds<ExecutionSpace> placed(exec_space, layer);
    const auto of_x = placed_rows(exec_space, x, hidden), dx = placed_rows(exec_space, g, hidden);
    const auto dw = placed_output(exec_space, float32, {1, hidden});
    const auto dalpha = placed_output(exec_space, float32, {seeds});
    const auto workspace =
        workspace_for(exec_space, backward_seeds_workspace(context(), placed.seeds, of_x));
    backward_seeds(context(), placed.seeds, of_x, dx, dx, dw, dalpha,
                   options_for(space, workspace));
    const auto expect_near = [&](double got, double expected, const Reference::Seed& seed) {
      EXPECT_NEAR(got, expected, 1e-5 * (1 + std::abs(expected)))
          << to_string(seed.lifecycle) << " " << to_string(seed.mode);
    };
    constexpr double h = 1e-4;
    std::vector<double> of_alpha(seeds);
    for (std::size_t f = 0; f < hidden; ++f) {
      const Reference::Seed& seed = layer.seeds[f / width];
      const double w = layer.weights[f], a = double{seed.alpha};
      double of_w = 0;
      for (std::size_t i = f; i < rows * hidden; i += hidden) {
        const double at = value(x.bits[i]);
        const double upper = value(g.bits[i]) / (2 * h);  // the loss is Σ g·y
        expect_near(dx.template values<float>()[i],
                    upper * (applied(seed, a, w, at + h) - applied(seed, a, w, at - h)), seed);
        of_w += upper * (applied(seed, a, w + h, at) - applied(seed, a, w - h, at));
        of_alpha[f / width] += upper * (applied(seed, a + h, w, at) - applied(seed, a - h, w, at));
      }
      expect_near(dw.template values<float>()[f], of_w, seed);
    }
    for (std::size_t seed = 0; seed < seeds; ++seed)
      expect_near(dalpha.template values<float>()[seed], of_alpha[seed], layer.seeds[seed]);
  });
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
  const auto x = random_rows(float16, rows, hidden, Values::all, generator);
  const auto g = random_rows(float16, rows, hidden, Values::all, generator);
  std::vector<std::int32_t> lifecycle, mode, blueprint;
  for (const Invalid& one : invalid) {
    lifecycle.push_back(one.lifecycle);
    mode.push_back(one.mode);
    blueprint.push_back(one.blueprint);
  }
  on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space, Space space) {
    const PlacedSeeds<ExecutionSpace> placed(exec_space, layer);
    placed.lifecycle.set(bytes_as(int32, lifecycle));
    placed.mode.set(bytes_as(int32, mode));
    placed.blueprint.set(bytes_as(int32, blueprint));
    const auto of_x = placed_rows(exec_space, x, hidden), of_g = placed_rows(exec_space, g, hidden);
    const auto y = placed_rows(exec_space, {x.element, rows, {}}, hidden);
    const auto table = placed_output(exec_space, float32, placed.shape_of_weights(layer));
    const auto workspace =
        workspace_for(exec_space, backward_seeds_workspace(context(), placed.seeds, of_x));
    const auto options = options_for(space, workspace);
    forward_seeds(context(), placed.seeds, of_x, y, {}, options);
    EXPECT_TRUE(y.bytes() == of_x.bytes());
    backward_seeds(context(), placed.seeds, of_x, of_g, y, table, {}, options);
    EXPECT_TRUE(y.bytes() == of_g.bytes());
    EXPECT_TRUE(table.bytes() == std::vector<std::byte>(2 * hidden * sizeof(float)));
  });
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
        const std::vector<std::int32_t> lifecycle(7, applies ? 6 : 7), blueprint(7, 0);
        const std::vector<float> alpha(7, 0.5F), weights(7, 3.0F), x(7, 2.0F);
        std::vector<float> y(7);
        SeedArrays seeds{lifecycle, blueprint, codes, alpha, matrix_array(weights, 1, 7)};
        seeds.mode_codes = expected.codes;
        seeds.fossilized_applies = false;
        forward_seeds(context(), seeds, matrix_array(x, 1, 7), matrix_array(y, 1, 7), {},
                      {.space = space});
        EXPECT_EQ(y, applies ? expected.y : x);
      }
    }
  }
}

}  // namespace SeedFunctionsTest

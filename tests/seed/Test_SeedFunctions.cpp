// SPDX-License-Identifier: Apache-2.0
#include "SeedFunctionsSupport.hpp"
#include "SeedPasses.hpp"

namespace Kindred::Testing::Seeds::SeedFunctionsTest {

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
                           {space, {}, workspace})
                .chosen,
            space);
  rows.expect_dx(given);
  const auto expect_same = [&](const auto& placed, DataType type, const auto& expected,
                               const char* name) {
    EXPECT_TRUE(placed.bytes() == bytes_as(type, expected)) << given.name << ": " << name;
  };
  expect_same(table, float32, given.gradients.table, "dweights");
  expect_same(dalpha, float32, given.gradients.dalpha, "dalpha");

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
        forward_seeds(context(), seeds.seeds, rows.x, rows.y, telemetry, {space, {}, other}).chosen,
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
  expect_same(sum, types.sums, expected[0], "sum");
  expect_same(sum_of_squares, types.sums, expected[1], "sum of squares");
  expect_same(counts, types.counts, expected[2], "count");
}

TEST(SeedFunctions, MatchReferenceForEveryChunkSize) {
  std::vector<Shape> shapes{
      {1, 1, 1, 1},       {7, 3, 31, 2},    {7, 3, 33, 100},    {33, 40, 32, 1}, {64, 11, 200, 7},
      {64, 3, 200, 16},   {130, 44, 65, 3}, {130, 4, 65, 33},   {300, 0, 40},    {300, 0, 40, 64},
      {512, 100, 32, 64}, {20, 11, 4097},   {20, 11, 4097, 2},  {20, 2, 600, 9}, {9, 5, 12500},
      {9, 5, 12500, 4},   {12, 3, 0},       {12, 3, 0, 5},      {3, 2, 2, 2},    {257, 2, 3, 127},
      {2, 70, 129, 1},    {256, 60, 64},    {1000, 3, 10, 400}, {512, 3, 600},   {384, 1, 1100},
      {96, 96, 2500},     {1000, 7, 260},   {260, 130, 4200},   {4, 9, 9000}};
  constexpr std::size_t rows_of[] = {1, 2, 7, 8, 9, 31, 63, 64, 65, 130};
  for (std::size_t hidden = 1; hidden <= 130; ++hidden)
    shapes.push_back({hidden, random_below(201), rows_of[random_below(std::size(rows_of))]});
  const auto one_of = [&]<std::size_t n>(const DataType(&types)[n]) {
    return types[random_below(n)];
  };
  for (const Shape& shape : shapes) {
    for (const DataType type : elements) {
      for (const bool aligned : {true, false}) {
        auto layer = random_layer(shape.hidden, shape.seeds, 1 + random_below(3));
        layer.chunk = shape.chunk;
        layer.fossilized_applies = random_below(2) == 0;
        const Passes given(layer, shape.rows, type, aligned);
        const Types types{one_of({int32, int8, uint8}), one_of({float64, float32}),
                          one_of({int64, float32, int32, float64})};
        const bool sums = random_below(4) != 0;
        on_spaces([&](const auto& exec_space, Space space) {
          expect_reference(exec_space, space, given, types, sums);
        });
        if (HasFailure()) return;
      }
    }
  }
}

TEST(SeedFunctions, SeedsWithInvalidValuesCopyTheirFeatures) {
  constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min(), most = ~least;
  // The lifecycles, modes and blueprints. Codes whose low byte is valid are among them.
  const std::vector<std::int32_t> invalid[]{
      {3, 3, 3, 3, 11, -1, 259, 3 - 256, most, 3, 3, 3, 7, 3, 3},
      {0, 0, 0, 0, 0, 0, 0, 0, 0, 4, -1, 256, 0, 0x10000, least},
      {-1, 2, least, most, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0}};
  const std::size_t seeds = invalid[0].size(), hidden = 4 * seeds, rows = 3;
  const Reference::SeedLayer layer = random_layer(hidden, seeds, 2);
  const auto x = random_rows(float16, rows, hidden, Values::all);
  const auto g = random_rows(float16, rows, hidden, Values::all);
  on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space, Space space) {
    const PlacedSeeds<ExecutionSpace> placed(exec_space, layer);
    placed.lifecycle.set(bytes_as(int32, invalid[0]));
    placed.mode.set(bytes_as(int32, invalid[1]));
    placed.blueprint.set(bytes_as(int32, invalid[2]));
    const auto of_x = placed_rows(exec_space, x, hidden), of_g = placed_rows(exec_space, g, hidden);
    const auto y = placed_like(exec_space, x, hidden);
    const auto table = placed_output(exec_space, float32, placed.shape_of_weights(layer));
    const auto workspace =
        workspace_for(exec_space, backward_seeds_workspace(context(), placed.seeds, of_x));
    const SeedPassOptions options{space, {}, workspace};
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
    on_hosts([&](const auto&, Space space) {
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
    });
  }
}

}  // namespace Kindred::Testing::Seeds::SeedFunctionsTest

// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/core/graph/RowPlan.hpp>

#include <cstdint>
#include <vector>

#include "Support.hpp"

namespace RowPlanTest {

using namespace Kindred;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::uint64_t> offsets_of(const std::vector<std::uint64_t>& lengths) {
  std::vector<std::uint64_t> offsets{0};
  for (const std::uint64_t length : lengths) offsets.push_back(offsets.back() + length);
  return offsets;
}

TEST(RowPlan, LongRowsAreSplitIntoBlocksBetweenTiles) {
  const RowPlan plan = plan_rows(offsets_of({10, 4096, 4097, 5, 12289}), 4096, 2048);
  EXPECT_THAT(plan.tiles, ElementsAre(0, 1, 1, 2, 3, 4));
  EXPECT_THAT(plan.long_rows, ElementsAre(2, 4));
  EXPECT_THAT(plan.long_first, ElementsAre(0, 2, 6));
  EXPECT_THAT(plan.block_long_row, ElementsAre(0, 0, 1, 1, 1, 1));
}

TEST(RowPlan, OfNoRowsIsEmpty) {
  const RowPlan plan = plan_rows(offsets_of({}), 4096, 2048);
  EXPECT_THAT(plan.tiles, IsEmpty());
  EXPECT_THAT(plan.long_first, ElementsAre(0));
}

TEST(RowPlan, EveryShortRowIsInOneTile) {
  auto generator = Testing::generator("RowPlan.cover");
  std::vector<std::uint64_t> lengths(3000);
  for (std::uint64_t& length : lengths)
    length = generator() % 50 == 0 ? generator() % 6000 : generator() % 20;
  const std::vector<std::uint64_t> offsets = offsets_of(lengths);
  const RowPlan plan = plan_rows(offsets, 4096, 2048);
  std::vector<int> seen(lengths.size());
  for (std::size_t i = 0; i < plan.tiles.size(); i += 2) {
    for (std::uint32_t row = plan.tiles[i]; row < plan.tiles[i + 1]; ++row) ++seen[row];
    EXPECT_LE(offsets[plan.tiles[i + 1]] - offsets[plan.tiles[i]], 4096U);
  }
  for (const std::uint32_t row : plan.long_rows) ++seen[row];
  EXPECT_THAT(seen, ::testing::Each(1));
}

}  // namespace RowPlanTest

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "HnswSupport.hpp"

#include <kindred/core/arch/simd/FloatDistance.hpp>

#include <bit>
#include <vector>

namespace HnswDistancesTest {

using namespace Kindred;

TEST(FloatDistance, MatchesScalarImplementationBitForBit) {
  auto generator = Testing::generator("floats");
  for (const std::size_t chunks : {0, 1, 2, 3, 8, 48}) {
    const auto query = Testing::clustered(generator, 1, chunks * 16 + 1, 1);
    const auto rows = Testing::clustered(generator, 4, chunks * 16 + 1, 1);
    const float* const places[4] = {rows.data(), rows.data() + chunks * 16,
                                    rows.data() + chunks * 32, rows.data() + chunks * 48};
    float expected[4];
    float sums[4];
    Arch::ScalarFloatDistance::dot(query.data(), places, chunks, expected);
    Arch::FloatDistance::dot(query.data(), places, chunks, sums);
    for (int r = 0; r < 4; ++r)
      EXPECT_EQ(std::bit_cast<std::uint32_t>(sums[r]), std::bit_cast<std::uint32_t>(expected[r]));
    Arch::ScalarFloatDistance::squared(query.data(), places, chunks, 0.25F, expected);
    Arch::FloatDistance::squared(query.data(), places, chunks, 0.25F, sums);
    for (int r = 0; r < 4; ++r)
      EXPECT_EQ(std::bit_cast<std::uint32_t>(sums[r]), std::bit_cast<std::uint32_t>(expected[r]));
  }
}

}  // namespace HnswDistancesTest

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "HnswSupport.hpp"

#include <kindred/core/arch/simd/CodeDot.hpp>
#include <kindred/core/arch/simd/FloatDistance.hpp>

#include <bit>
#include <vector>

namespace HnswDistancesTest {

using namespace Kindred;

TEST(CodeDot, MatchesScalarImplementation) {
  auto generator = Testing::generator("codes");
  for (const std::size_t chunks : {0, 1, 2, 5, 33}) {
    std::vector<std::int8_t> query(chunks * 64);
    std::vector<std::uint8_t> rows(4 * chunks * 64);
    for (auto& code : query) code = static_cast<std::int8_t>(generator());
    for (auto& code : rows) code = static_cast<std::uint8_t>(generator());
    const std::uint8_t* const places[4] = {rows.data(), rows.data() + chunks * 64,
                                           rows.data() + chunks * 128, rows.data() + chunks * 192};
    std::int32_t expected[4];
    std::int32_t sums[4];
    Arch::ScalarCodeDot::four(query.data(), places, chunks, expected);
    Arch::CodeDot::four(query.data(), places, chunks, sums);
    for (int r = 0; r < 4; ++r) EXPECT_EQ(sums[r], expected[r]);
  }
}

TEST(CodeDot, RepresentsTheLargestSums) {
  const std::size_t chunks = Arch::code_count_max / 64;
  const std::vector<std::int8_t> query(Arch::code_count_max, -127);
  const std::vector<std::uint8_t> row(Arch::code_count_max, 255);
  const std::uint8_t* const places[4] = {row.data(), row.data(), row.data(), row.data()};
  std::int32_t sums[4];
  Arch::CodeDot::four(query.data(), places, chunks, sums);
  EXPECT_EQ(sums[3], -127 * 255 * 65536);
}

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

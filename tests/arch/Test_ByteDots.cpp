// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/simd/CodeDot.hpp>
#include <kindred/core/arch/simd/Int8Dot.hpp>

#include <gtest/gtest.h>

#include "Generator.hpp"

#include <vector>

namespace ByteDotsTest {

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
  Arch::ScalarCodeDot::four(query.data(), places, chunks, sums);
  EXPECT_EQ(sums[3], -127 * 255 * 65536);
  Arch::CodeDot::four(query.data(), places, chunks, sums);
  EXPECT_EQ(sums[3], -127 * 255 * 65536);
}

TEST(Int8Dots, MatchScalarLoops) {
  auto generator = Testing::generator("int8 dots");
  constexpr int ratio = 254;
  for (const std::size_t dimension : {1UL, 15UL, 16UL, 63UL, 64UL, 65UL, 130UL, 70000UL}) {
    const std::size_t stride = (dimension + 63) / 64 * 64;
    std::vector<std::int8_t> row(dimension);
    for (auto& value : row) value = static_cast<std::int8_t>(generator() % 256);
    std::vector<std::int8_t> planes(4 * 2 * stride, 0);
    double offsets[4] = {};
    for (std::size_t q = 0; q < 4; ++q) {
      for (std::size_t plane = 0; plane < 2; ++plane) {
        for (std::size_t i = 0; i < dimension; ++i) {
          const int value = static_cast<int>(generator() % 255) - 127;
          planes[(2 * q + plane) * stride + i] = static_cast<std::int8_t>(value);
          offsets[q] += 128.0 * value * (plane == 0 ? ratio : 1);
        }
      }
    }
    double plain[4];
    double packs[4];
    Arch::ScalarInt8Dots<ratio>::dots(row.data(), planes.data(), stride, dimension, offsets, 1,
                                      plain);
    Arch::BaselineInt8Dots<ratio>::dots(row.data(), planes.data(), stride, dimension, offsets, 1,
                                        packs);
    for (int q = 0; q < 4; ++q) ASSERT_EQ(plain[q], packs[q]) << dimension << ", baseline";
    if (!Arch::has_extension<Arch::ByteProducts>()) continue;
    Arch::HostInt8Dots<ratio>::dots(row.data(), planes.data(), stride, dimension, offsets, 1,
                                    packs);
    for (int q = 0; q < 4; ++q) ASSERT_EQ(plain[q], packs[q]) << dimension;
  }
}

}  // namespace ByteDotsTest

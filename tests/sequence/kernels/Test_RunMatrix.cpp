// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/impl/RunMatrix.hpp>

#include <gtest/gtest.h>

#include "Support.hpp"

#include <vector>

namespace RunMatrixTest {

using namespace Kindred;

TEST(RunMatrix, FindTheFirstRowAndBitOfARange) {
  auto generator = Testing::generator("rows");
  constexpr std::uint32_t rows = 50;
  constexpr std::uint32_t words = 3;
  std::vector<std::uint64_t> data((rows + 16) * words, 0);
  const Impl::RunMatrix matrix{data.data() + 8, rows + 16};
  for (int i = 0; i < 60; ++i) {
    const std::uint64_t bit = generator() % (64 * words);
    matrix.words[bit / 64 * matrix.stride + generator() % rows] |= std::uint64_t{1} << (bit % 64);
  }
  const auto has = [&](std::uint32_t i, std::uint32_t j) {
    return (matrix.words[j / 64 * matrix.stride + i] >> (j % 64) & 1U) != 0;
  };
  for (int repeat = 0; repeat < 3000; ++repeat) {
    const auto row_begin = static_cast<std::uint32_t>(generator() % rows);
    const auto row_end =
        row_begin + 1 + static_cast<std::uint32_t>(generator() % (rows - row_begin));
    const auto begin = static_cast<std::uint32_t>(generator() % (64 * words));
    const auto end = begin + 1 + static_cast<std::uint32_t>(generator() % (64 * words - begin));
    std::uint32_t expected = row_end;
    std::uint32_t expected_bit = end;
    for (std::uint32_t i = row_end; i-- > row_begin;) {
      for (std::uint32_t j = end; j-- > begin;) {
        if (has(i, j)) {
          expected = i;
          expected_bit = j;
        }
      }
    }
    ASSERT_EQ(Impl::first_row(matrix, row_begin, row_end, begin, end), expected);
    if (expected < row_end) {
      ASSERT_EQ(Impl::first_bit(matrix, expected, begin, end), expected_bit);
    }
  }
}

}  // namespace RunMatrixTest

// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/HostWords.hpp>
#include <kindred/core/arch/RunRows.hpp>

#include <gtest/gtest.h>

#include "Support.hpp"

#include <vector>

namespace {

using namespace Kindred;

/// A word's table with \p places symbols, whose codes are scattered unless they are places.
WordTable random_table(std::mt19937_64& generator, unsigned places, bool scattered) {
  WordTable table{};
  std::fill_n(table.place, 256, no_code);
  for (unsigned p = 0; p < places; ++p) {
    table.place[scattered ? (p * 37 + 11) % 255 : p] = static_cast<std::uint8_t>(p);
    table.masks[p] = generator();
    for (unsigned b = 0; b < 8; ++b) {
      table.planes[b][p] = static_cast<std::uint8_t>(table.masks[p] >> (8 * b));
    }
  }
  return table;
}

template <class Words>
std::vector<std::uint64_t> lanes(const Words& words) {
  std::vector<std::uint64_t> result;
  for (unsigned l = 0; l < Words::size; ++l) result.push_back(words.lane(l));
  return result;
}

/// Rows of the recurrence over random codes: every state and carry on the way.
template <class Words, bool Recode>
std::vector<std::uint64_t> trace(std::mt19937_64 generator, unsigned places) {
  const WordTable table = random_table(generator, places, Recode);
  const typename Words::template Lookup<Recode> lookup(table);
  Words plain = Words::ones();
  Words carried = Words::ones();
  std::vector<std::uint64_t> result;
  for (int row = 0; row < 200; ++row) {
    alignas(64) std::uint8_t codes[64];
    for (auto& code : codes) {
      code = generator() % 4 == 0
                 ? no_code
                 : static_cast<std::uint8_t>(generator() % (Recode ? 256 : places));
    }
    const Words mask = lookup(codes);
    for (unsigned l = 0; l < Words::size; ++l) {
      EXPECT_EQ(mask.lane(l), codes[l] == no_code ? 0 : table.mask(codes[l]));
    }
    plain = Words::step(plain, mask);
    std::uint64_t carry = generator();
    carried = Words::step(carried, mask, carry);
    result.push_back(carry);
    for (const auto lane : lanes(plain)) result.push_back(lane);
    for (const auto lane : lanes(carried)) result.push_back(lane);
  }
  const Words both[2] = {plain, carried};
  result.push_back(Words::most_zeros(both, 2));
  std::uint32_t counts[64] = {};
  plain.add_zeros(counts);
  carried.add_zeros(counts);
  result.insert(result.end(), counts, counts + 64);
  return result;
}

TEST(HostWords, VectorFormEqualsThePortableOne) {
  for (const unsigned places : {1U, 2U, 63U, 64U}) {
    const auto generator = Testing::generator("words" + std::to_string(places));
    EXPECT_EQ((trace<Arch::HostWords, false>(generator, places)),
              (trace<Arch::PortableWords, false>(generator, places)));
    EXPECT_EQ((trace<Arch::HostWords, true>(generator, places)),
              (trace<Arch::PortableWords, true>(generator, places)));
  }
}

TEST(HostWords, CarriesLikeAWiderNumber) {
  // 128-bit S = (S + (S & M)) | (S & ~M) in two words against one of twice the width.
  auto generator = Testing::generator("carry");
  __extension__ using Wide = unsigned __int128;
  WordTable low{};
  WordTable high{};
  std::fill_n(low.place, 256, no_code);
  std::fill_n(high.place, 256, no_code);
  low.place[0] = high.place[0] = 0;
  Wide s = ~Wide{0};
  Arch::HostWords low_word = Arch::HostWords::ones();
  Arch::HostWords high_word = Arch::HostWords::ones();
  alignas(64) const std::uint8_t codes[64] = {};
  for (int row = 0; row < 500; ++row) {
    low.masks[0] = generator() & generator();
    high.masks[0] = generator() & generator();
    for (unsigned b = 0; b < 8; ++b) {
      low.planes[b][0] = static_cast<std::uint8_t>(low.masks[0] >> (8 * b));
      high.planes[b][0] = static_cast<std::uint8_t>(high.masks[0] >> (8 * b));
    }
    const Wide mask = Wide{high.masks[0]} << 64U | low.masks[0];
    s = (s + (s & mask)) | (s & ~mask);
    std::uint64_t carry = 0;
    low_word = Arch::HostWords::step(low_word, Arch::HostWords::Lookup<false>(low)(codes), carry);
    high_word =
        Arch::HostWords::step(high_word, Arch::HostWords::Lookup<false>(high)(codes), carry);
    EXPECT_EQ(low_word.lane(17), static_cast<std::uint64_t>(s));
    EXPECT_EQ(high_word.lane(17), static_cast<std::uint64_t>(s >> 64U));
  }
}

TEST(HostWords, TranslatesTwoRowsInOrder) {
  auto generator = Testing::generator("translate");
  std::uint8_t table[256];
  std::uint8_t first[32];
  std::uint8_t second[32];
  for (auto& code : table) code = static_cast<std::uint8_t>(generator());
  for (auto& symbol : first) symbol = static_cast<std::uint8_t>(generator());
  for (auto& symbol : second) symbol = static_cast<std::uint8_t>(generator());
  alignas(64) std::uint8_t codes[64];
  Arch::HostWords::translate(table, first, second, codes);
  for (unsigned l = 0; l < 32; ++l) {
    EXPECT_EQ(codes[l], table[first[l]]);
    EXPECT_EQ(codes[32 + l], table[second[l]]);
  }
}

TEST(RunRows, FindTheFirstRowAndBitOfARange) {
  auto generator = Testing::generator("rows");
  constexpr std::uint32_t rows = 50;
  constexpr std::uint32_t words = 3;
  std::vector<std::uint64_t> data((rows + 16) * words, 0);
  const Arch::RunRows matrix{data.data() + 8, rows + 16};
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
    ASSERT_EQ(Arch::first_row(matrix, row_begin, row_end, begin, end), expected);
    if (expected < row_end) {
      ASSERT_EQ(Arch::first_bit(matrix, expected, begin, end), expected_bit);
    }
  }
}

}  // namespace

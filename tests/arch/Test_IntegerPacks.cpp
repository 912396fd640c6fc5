// SPDX-License-Identifier: Apache-2.0
// Packs of integers and their dot products have the bits of their scalar implementations.
#include <kindred/core/arch/simd/Bytes64.hpp>
#include <kindred/core/arch/simd/CodeDot.hpp>
#include <kindred/core/arch/simd/Int8Dot.hpp>
#include <kindred/core/arch/simd/NarrowLookups64.hpp>
#include <kindred/core/arch/simd/WordLanes.hpp>

#include <gtest/gtest.h>

#include "Generator.hpp"
#include "PackResults.hpp"

#include <array>
#include <vector>

namespace IntegerPacksTest {

using namespace Kindred;
using Testing::PackResults;
using Bytes = std::vector<std::uint8_t>;

/// Requires of both implementations what `results<Pack>(random)` returns.
template <class Pack, class Scalar, class Results>
void expect_same(const Results& results) {
  if constexpr (std::is_same_v<Pack, Scalar>)
    GTEST_SKIP() << "this build has only the scalar implementation";
  auto generator = Testing::generator("IntegerPacks");
  for (int round = 0; round < 500; ++round) {
    const std::mt19937_64 same(generator());
    ASSERT_EQ(results.template operator()<Pack>(same), results.template operator()<Scalar>(same));
  }
}

Bytes random_bytes(std::mt19937_64& generator, std::size_t count) {
  Bytes bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(generator());
  return bytes;
}

/// The results of all operations in order.
template <class Pack>
PackResults results_of_bytes(std::mt19937_64 generator) {
  PackResults out;
  const auto keep = [&](const auto&... packs) { out.keep_packs<std::uint8_t, 64>(packs...); };
  const auto next = [&] { return Pack::load(random_bytes(generator, 64).data()); };
  const Pack a = next();
  const Pack b = next();
  const Pack c = next();
  const Bytes halves = random_bytes(generator, 96);
  keep(Pack::all(0xA5), Pack::load(halves.data(), halves.data() + 61), a & b, a + b, a - b, a | b,
       Pack::and_not(a, b), Pack::xor_or(a, b, c), Pack::or_nor(a, b, c), Pack::select(a, b, c),
       Pack::or_and_not(a, b, c), a.plus_bits(generator()), a.high_bits());
  out.keep(std::uint64_t{a.sign_bits()});
  keep(a.zeros(0xFF), a.zeros(0x1F), Pack::lookup(a, b), Pack::lookup(a, b, Pack::all(0x40)),
       Pack::lookup(a, b, Pack::all(0)),
       a.replaced_where_equal(b & Pack::all(3), c & Pack::all(3), b));
  alignas(64) std::array<std::uint16_t, 64> counts{};
  for (auto& count : counts) count = static_cast<std::uint16_t>(generator());
  a.add_to(counts.data());
  out.keep_all(counts);
  const Bytes table = random_bytes(generator, 256);
  keep(typename Pack::Table(table.data())[a]);
  std::array<std::uint16_t, 64> numbers{};
  for (auto& number : numbers) number = static_cast<std::uint16_t>(generator());
  Pack low = a;
  Pack high = a;
  Pack::multiply(numbers.data(), numbers.data() + 32, static_cast<std::uint16_t>(generator()), low,
                 high);
  keep(low, high);
  return out;
}

TEST(Bytes64, MatchScalarImplementationBitForBit) {
  if (!Arch::Bytes64::is_usable()) GTEST_SKIP() << "this processor cannot execute the other one";
  expect_same<Arch::Bytes64, Arch::ScalarBytes64>(
      []<class Pack>(const std::mt19937_64& random) { return results_of_bytes<Pack>(random); });
}

template <class Pack>
void expect_lookups_by_the_last_six_bits() {
  std::uint8_t table[64];
  std::uint8_t index[64];
  for (unsigned i = 0; i < 64; ++i) {
    table[i] = static_cast<std::uint8_t>(100 + i);
    index[i] = static_cast<std::uint8_t>(64 + 63 - i);
  }
  alignas(64) std::uint8_t found[64];
  Pack::lookup(Pack::load(table), Pack::load(index)).store(found);
  for (unsigned i = 0; i < 64; ++i) ASSERT_EQ(found[i], 163 - i);
  Pack::lookup(Pack::load(table), Pack::load(index), Pack::all(0x40)).store(found);
  for (unsigned i = 0; i < 64; ++i) ASSERT_EQ(found[i], 0);
}

TEST(Bytes64, LooksUpByTheLastSixBitsOfAnIndex) {
  expect_lookups_by_the_last_six_bits<Arch::ScalarBytes64>();
  if (Arch::Bytes64::is_usable()) expect_lookups_by_the_last_six_bits<Arch::Bytes64>();
}

/// The operations that bytes and words have.
template <class Pack, class Keep>
void keep_shared(const Pack& a, const Pack& b, const Keep& keep) {
  keep(a, a & b, a | b, a ^ b, a + b, a - b, Pack::and_not(a, b), a.top_set());
}

/// The results of all operations in order.
template <class Pack>
PackResults results_of_lookups(std::mt19937_64 generator) {
  PackResults out;
  const auto keep = [&](const auto&... packs) { out.keep_packs<std::uint8_t, 64>(packs...); };
  std::array<std::uint8_t, 100> given{};
  const auto next = [&] {
    for (auto& byte : given) byte = static_cast<std::uint8_t>(generator());
    return Pack::load(given.data(), given.data() + 61);
  };
  const Pack a = next();
  const Pack b = next();
  keep(Pack::all(0xA5));
  keep_shared(a, b, keep);
  keep((a & Pack::all(3)).zeros(), a.ones());
  for (unsigned group = 0; group < 16; ++group) keep(Pack::lookup(given.data(), a.in_group(group)));
  keep(Pack::lookup(given.data(), b));
  return out;
}

TEST(NarrowLookups64, MatchScalarImplementationBitForBit) {
  expect_same<Arch::NarrowLookups64, Arch::ScalarNarrowLookups64>(
      []<class Pack>(const std::mt19937_64& random) { return results_of_lookups<Pack>(random); });
}

template <class Pack>
void expect_a_byte_in_one_group() {
  std::array<std::uint8_t, 16> table{};
  for (unsigned i = 0; i < 16; ++i) table[i] = static_cast<std::uint8_t>(100 + i);
  for (unsigned byte = 0; byte < 256; ++byte) {
    const Pack bytes = Pack::all(static_cast<std::uint8_t>(byte));
    for (unsigned group = 0; group < 16; ++group) {
      std::array<std::uint8_t, 64> found{};
      Pack::lookup(table.data(), bytes.in_group(group)).store(found.data());
      ASSERT_EQ(found[group], byte / 16 == group ? 100 + byte % 16 : 0);
    }
  }
}

TEST(NarrowLookups64, FindAByteInItsGroupOfSixteenOnly) {
  expect_a_byte_in_one_group<Arch::ScalarNarrowLookups64>();
  expect_a_byte_in_one_group<Arch::NarrowLookups64>();
}

/// The results of all operations in order.
template <class Word, class Lanes>
PackResults results_of_words(std::mt19937_64 generator) {
  PackResults out;
  const auto keep = [&](const auto&... packs) { out.keep_packs<Word, Lanes::size>(packs...); };
  Word given[Lanes::size];
  const auto next = [&] {
    for (Word& word : given) word = static_cast<Word>(generator());
    return Lanes::of([&](unsigned i) { return given[i]; });
  };
  const Lanes a = next();
  const Lanes b = next();
  keep_shared(a, b, keep);
  keep(Lanes::all(Word{0x5A}), ~a, (a & Lanes::all(1)).zeros(), Lanes::load(given));
  return out;
}

template <class Word>
void expect_same_words() {
  using Lanes = Arch::WordLanes<Word>;
  using Scalar = Arch::ScalarWordLanes<Word>;
  static_assert(Lanes::size == Scalar::size);
  expect_same<Lanes, Scalar>([]<class Pack>(const std::mt19937_64& random) {
    return results_of_words<Word, Pack>(random);
  });
}

TEST(WordLanes, MatchScalarImplementationBitForBit) {
  expect_same_words<std::uint8_t>();
  expect_same_words<std::uint16_t>();
  expect_same_words<std::uint32_t>();
  expect_same_words<std::uint64_t>();
}

TEST(SimdPack, FindsTheElementsThatAreNotZero) {
  using Words = Arch::SimdPack<std::uint64_t, 8, Arch::float_register_bytes>;
  auto generator = Testing::generator("nonzero");
  for (int round = 0; round < 500; ++round) {
    std::uint64_t words[8];
    unsigned expected = 0;
    for (unsigned i = 0; i < 8; ++i) {
      words[i] = generator() % 2 == 0 ? 0 : std::uint64_t{1} << generator() % 64;
      expected |= (words[i] != 0 ? 1U : 0U) << i;
    }
    ASSERT_EQ(Words::load(words).nonzero(), expected);
  }
}

/// The products of \p query and four of \p rows, each of which begins \p step behind the last.
template <class Dot>
std::array<std::int32_t, 4> code_dots(const std::vector<std::int8_t>& query, const Bytes& rows,
                                      std::size_t step) {
  const std::uint8_t* const places[4] = {rows.data(), rows.data() + step, rows.data() + 2 * step,
                                         rows.data() + 3 * step};
  std::int32_t sums[4];
  Dot::four(query.data(), places, query.size() / 64, sums);
  return std::to_array(sums);
}

TEST(CodeDot, MatchesScalarImplementation) {
  auto generator = Testing::generator("codes");
  for (const std::size_t chunks : {0, 1, 2, 5, 33}) {
    std::vector<std::int8_t> query(chunks * 64);
    for (auto& code : query) code = static_cast<std::int8_t>(generator());
    const Bytes rows = random_bytes(generator, 4 * chunks * 64);
    EXPECT_EQ(code_dots<Arch::CodeDot>(query, rows, chunks * 64),
              code_dots<Arch::ScalarCodeDot>(query, rows, chunks * 64));
  }
}

TEST(CodeDot, RepresentsTheLargestSums) {
  const std::vector<std::int8_t> query(Arch::code_count_max, -127);
  const Bytes row(Arch::code_count_max, 255);
  EXPECT_EQ(code_dots<Arch::ScalarCodeDot>(query, row, 0)[3], -127 * 255 * 65536);
  EXPECT_EQ(code_dots<Arch::CodeDot>(query, row, 0)[3], -127 * 255 * 65536);
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
    const auto dots_of = [&]<class Dots>(Dots) {
      double dots[4];
      Dots::dots(row.data(), planes.data(), stride, dimension, offsets, 1, dots);
      return std::to_array(dots);
    };
    const auto plain = dots_of(Arch::ScalarInt8Dots<ratio>());
    ASSERT_EQ(dots_of(Arch::BaselineInt8Dots<ratio>()), plain) << dimension << ", baseline";
    if (Arch::has_extension<Arch::ByteProducts>()) {
      ASSERT_EQ(dots_of(Arch::HostInt8Dots<ratio>()), plain) << dimension;
    }
  }
}

}  // namespace IntegerPacksTest

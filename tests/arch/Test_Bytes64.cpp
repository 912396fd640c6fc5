// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/simd/Bytes64.hpp>

#include <gtest/gtest.h>

#include "Generator.hpp"

#include <array>
#include <vector>

namespace Bytes64Test {

using namespace Kindred;
using Bytes = std::vector<std::uint8_t>;

Bytes random_bytes(std::mt19937_64& generator, std::size_t count) {
  Bytes bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(generator());
  return bytes;
}

/// Applies every operation and returns the results in order.
template <class Pack>
std::vector<std::uint64_t> every_operation(std::mt19937_64 generator) {
  std::vector<std::uint64_t> out;
  const auto keep = [&](const Pack& pack) {
    alignas(64) std::uint8_t bytes[64];
    pack.store(bytes);
    out.insert(out.end(), bytes, bytes + 64);
  };
  const auto next = [&] { return Pack::load(random_bytes(generator, 64).data()); };
  const Pack a = next();
  const Pack b = next();
  const Pack c = next();
  keep(Pack::all(0xA5));
  const Bytes halves = random_bytes(generator, 96);
  keep(Pack::load(halves.data(), halves.data() + 61));
  keep(a & b);
  keep(a + b);
  keep(a - b);
  keep(a | b);
  keep(Pack::and_not(a, b));
  keep(Pack::xor_or(a, b, c));
  keep(Pack::or_nor(a, b, c));
  keep(Pack::select(a, b, c));
  keep(Pack::or_and_not(a, b, c));
  keep(a.plus_bits(generator()));
  keep(a.high_bits());
  out.push_back(a.sign_bits());
  keep(a.zeros(0xFF));
  keep(a.zeros(0x1F));
  keep(Pack::lookup(a, b));
  keep(Pack::lookup(a, b, Pack::all(0x40)));
  keep(Pack::lookup(a, b, Pack::all(0)));
  keep(a.replaced_where_equal(b & Pack::all(3), c & Pack::all(3), b));
  alignas(64) std::array<std::uint16_t, 64> counts{};
  for (auto& count : counts) count = static_cast<std::uint16_t>(generator());
  a.add_to(counts.data());
  out.insert(out.end(), counts.begin(), counts.end());
  const Bytes table = random_bytes(generator, 256);
  keep(typename Pack::Table(table.data())[a]);
  std::array<std::uint16_t, 64> numbers{};
  for (auto& number : numbers) number = static_cast<std::uint16_t>(generator());
  Pack low = a;
  Pack high = a;
  Pack::multiply(numbers.data(), numbers.data() + 32, static_cast<std::uint16_t>(generator()), low,
                 high);
  keep(low);
  keep(high);
  return out;
}

TEST(Bytes64, MatchScalarImplementationBitForBit) {
  if constexpr (std::is_same_v<Arch::Bytes64, Arch::ScalarBytes64>)
    GTEST_SKIP() << "this build has only the scalar implementation";
  if (!Arch::Bytes64::is_usable()) GTEST_SKIP() << "this processor cannot execute the other one";
  auto generator = Testing::generator("Bytes64");
  for (int round = 0; round < 500; ++round) {
    const std::mt19937_64 same(generator());
    ASSERT_EQ(every_operation<Arch::Bytes64>(same), every_operation<Arch::ScalarBytes64>(same));
  }
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

}  // namespace Bytes64Test

// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/simd/NarrowLookups64.hpp>

#include <gtest/gtest.h>

#include "Generator.hpp"

#include <array>
#include <vector>

namespace NarrowLookups64Test {

using namespace Kindred;

/// Applies every operation and returns the results in order.
template <class Pack>
std::vector<std::uint64_t> every_operation(std::mt19937_64 generator) {
  std::vector<std::uint64_t> out;
  const auto keep = [&](const Pack& pack) {
    std::array<std::uint8_t, 64> bytes{};
    pack.store(bytes.data());
    for (const std::uint8_t byte : bytes) out.push_back(byte);
  };
  std::array<std::uint8_t, 100> given{};
  const auto next = [&] {
    for (auto& byte : given) byte = static_cast<std::uint8_t>(generator());
    return Pack::load(given.data(), given.data() + 61);
  };
  const Pack a = next();
  const Pack b = next();
  keep(Pack::all(0xA5));
  keep(a);
  keep(a & b);
  keep(a | b);
  keep(a ^ b);
  keep(a + b);
  keep(a - b);
  keep(Pack::and_not(a, b));
  keep(a.top_set());
  keep((a & Pack::all(3)).zeros());
  keep(a.ones());
  for (unsigned group = 0; group < 16; ++group) keep(Pack::lookup(given.data(), a.in_group(group)));
  keep(Pack::lookup(given.data(), b));
  return out;
}

TEST(NarrowLookups64, MatchScalarImplementationBitForBit) {
  if constexpr (std::is_same_v<Arch::NarrowLookups64, Arch::ScalarNarrowLookups64>)
    GTEST_SKIP() << "this build has only the scalar implementation";
  auto generator = Testing::generator("NarrowLookups64");
  for (int round = 0; round < 500; ++round) {
    const std::mt19937_64 same(generator());
    ASSERT_EQ(every_operation<Arch::NarrowLookups64>(same),
              every_operation<Arch::ScalarNarrowLookups64>(same));
  }
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

}  // namespace NarrowLookups64Test

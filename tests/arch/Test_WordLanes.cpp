// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/simd/WordLanes.hpp>

#include <gtest/gtest.h>

#include "Generator.hpp"

#include <vector>

namespace WordLanesTest {

using namespace Kindred;

/// Applies every operation and returns the results in order.
template <class Word, class Lanes>
std::vector<Word> every_operation(std::mt19937_64 generator) {
  std::vector<Word> out;
  const auto keep = [&](const Lanes& lanes) {
    Word words[Lanes::size];
    lanes.store(words);
    out.insert(out.end(), words, words + Lanes::size);
  };
  Word given[Lanes::size];
  const auto next = [&] {
    for (Word& word : given) word = static_cast<Word>(generator());
    return Lanes::of([&](unsigned i) { return given[i]; });
  };
  const Lanes a = next();
  const Lanes b = next();
  keep(Lanes::all(Word{0x5A}));
  keep(a);
  keep(a & b);
  keep(a | b);
  keep(a ^ b);
  keep(a + b);
  keep(a - b);
  keep(~a);
  keep((a & Lanes::all(1)).zeros());
  keep(Lanes::load(given));
  keep(Lanes::and_not(a, b));
  keep(a.top_set());
  return out;
}

template <class Word>
void match() {
  using Lanes = Arch::WordLanes<Word>;
  using Scalar = Arch::ScalarWordLanes<Word>;
  static_assert(Lanes::size == Scalar::size);
  auto generator = Testing::generator("WordLanes");
  for (int round = 0; round < 500; ++round) {
    const std::mt19937_64 same(generator());
    ASSERT_EQ((every_operation<Word, Lanes>(same)), (every_operation<Word, Scalar>(same)));
  }
}

TEST(WordLanes, MatchScalarImplementationBitForBit) {
  if constexpr (std::is_same_v<Arch::WordLanes<std::uint32_t>,
                               Arch::ScalarWordLanes<std::uint32_t>>)
    GTEST_SKIP() << "this build has only the scalar implementation";
  match<std::uint8_t>();
  match<std::uint16_t>();
  match<std::uint32_t>();
  match<std::uint64_t>();
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

}  // namespace WordLanesTest

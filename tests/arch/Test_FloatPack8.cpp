// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/arch/simd/FloatPack8.hpp>

#include <bit>
#include <memory>
#include <vector>

namespace FloatPack8Test {

using namespace Kindred;

template <class Pack>
std::vector<std::uint64_t> loaded_below(const double* from, std::uint32_t first,
                                        std::uint32_t count) {
  double values[8];
  Pack::Doubles::load_below(from, first, count).store(values);
  std::vector<std::uint64_t> words;
  for (const double value : values) words.push_back(std::bit_cast<std::uint64_t>(value));
  return words;
}

TEST(FloatPack8, ElementsBeyondTheCountAreZeroAndNotAccessed) {
  for (std::uint32_t count = 0; count <= 32; ++count) {
    // Sanitizers find accesses beyond the end.
    const auto values = std::make_unique<double[]>(count);
    for (std::uint32_t i = 0; i < count; ++i) values[i] = -1.0 / (i + 1);
    for (std::uint32_t first = 0; first < 32; first += 8) {
      const double* from = values.get() + std::min(first, count);
      const auto words = loaded_below<Arch::HostFloatPack8>(from, first, count);
      EXPECT_EQ(words, loaded_below<Arch::ScalarFloatPack8>(from, first, count));
      for (std::uint32_t i = 0; i < 8; ++i) {
        const double expected = first + i < count ? values[first + i] : 0.0;
        EXPECT_EQ(words[i], std::bit_cast<std::uint64_t>(expected)) << first << ", " << count;
      }
    }
  }
}

TEST(FloatPack8, GathersTheIndexedElements) {
  std::vector<float> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0F / static_cast<float>(i + 1);
  std::uint32_t index[8];
  for (std::uint32_t first = 0; first < 1000; ++first) {
    for (std::uint32_t i = 0; i < 8; ++i) index[i] = (first * 617 + i * 389) % 1000;
    float found[8];
    Arch::HostFloatPack8::gather(values.data(), index).store(found);
    for (int i = 0; i < 8; ++i) EXPECT_EQ(found[i], values[index[i]]) << first;
  }
}

}  // namespace FloatPack8Test

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/math/ReproducibleSum.hpp>
#include <kindred/reference/Reference.hpp>

#include <bit>
#include <cmath>

#include "PackResults.hpp"
#include "Support.hpp"
#include "VectorValues.hpp"

namespace LanesTest {

using namespace Kindred;
using Testing::PackResults;

/// Random bit patterns without NaN (whose payload no operation guarantees), with ±0, denormals and
/// ±inf.
std::vector<float> patterns(std::mt19937_64& generator, std::size_t size) {
  std::vector<float> out;
  while (out.size() < size) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(generator()));
    if (value == value) out.push_back(generator() % 16 == 0 ? value * 0.0F : value);
  }
  for (float& value : out) {
    if (value != value) value = -0.0F;
  }
  return out;
}

template <class LaneSet>
std::vector<double> lanes_of(const LaneSet& lanes, const typename LaneSet::F64& value) {
  std::vector<double> out(32);
  lanes.store(out.data(), value, 32);
  return out;
}

/// Applies every operation and returns the results in order.
template <class LaneSet>
PackResults every_operation(const LaneSet& lanes, const std::vector<float>& a,
                            const std::vector<float>& b, const std::vector<double>& sum,
                            int count) {
  PackResults out;
  const auto keep = [&](const auto&... values) { (out.keep_all(lanes_of(lanes, values)), ...); };
  const auto x = lanes.load(a.data());
  const auto y = lanes.load(b.data());
  const auto s = lanes.load(sum.data());
  const auto wide = lanes.widen(x);
  keep(lanes.zero(), wide, lanes.widen(lanes.load(a.data(), count)), lanes.load(sum.data(), count),
       lanes.multiply_add(x, y, s), lanes.multiply_add(wide, lanes.widen(y), s),
       lanes.widen(lanes.load(a.data(), count, b[0])), lanes.add_difference(x, y, s),
       lanes.add_squared_difference(x, y, s), lanes.add_squared_difference(wide, lanes.widen(y), s),
       lanes.add(s, wide), lanes.multiply(s, wide));
  out.keep(lanes.tree_sum(s));
  std::vector<double> part(32, 7.0);
  lanes.store(part.data(), s, count);
  out.keep_all(part);
  lanes.store(part.data(), lanes.add(s, s));
  out.keep_all(part);
  return out;
}

TEST(Lanes, MatchScalarImplementationBitForBit) {
  if constexpr (std::is_same_v<Arch::HostLanes, Arch::ScalarLanes>)
    GTEST_SKIP() << "this build has only the scalar implementation";
  auto generator = Testing::generator("Lanes");
  for (int round = 0; round < 2000; ++round) {
    const std::vector<float> a = patterns(generator, 64);
    const std::vector<float> b = patterns(generator, 32);
    std::vector<double> sum(32);
    for (std::size_t l = 0; l < 32; ++l) sum[l] = static_cast<double>(b[31 - l]) * a[l];
    const int count = round % 33;
    ASSERT_EQ(every_operation(Arch::HostLanes(), a, b, sum, count),
              every_operation(Arch::ScalarLanes(), a, b, sum, count));
  }
}

TEST(Lanes, LoadStoredElementsLikeScalarImplementation) {
  if constexpr (std::is_same_v<Arch::HostLanes, Arch::ScalarLanes>)
    GTEST_SKIP() << "this build has only the scalar implementation";
  auto generator = Testing::generator("Lanes elements");
  const Arch::Lanes<HostSpace> lanes(0);
  const Arch::ScalarLanes twin;
  const auto loaded = [](const auto& by, const auto& values) {
    PackResults out;
    for (int count = 0; count <= 32; ++count)
      out.keep_all(lanes_of(by, by.widen(by.load(values.data(), count))));
    out.keep_all(lanes_of(by, by.widen(by.multiply(by.load(values.data()), 0.3F))));
    return out;
  };
  const auto expect_equal = [&](const auto& values) {
    ASSERT_EQ(loaded(lanes, values), loaded(twin, values));
  };
  for (std::uint32_t first = 0; first < 0x10000U; first += 32) {  // every 16-bit pattern
    std::vector<Arch::Float16> halves;
    std::vector<Arch::BFloat16> brains;
    std::vector<std::int8_t> bytes;
    for (std::uint32_t i = first; i < first + 32; ++i) {
      halves.push_back({static_cast<std::uint16_t>(i)});
      brains.push_back({static_cast<std::uint16_t>(i)});
      bytes.push_back(static_cast<std::int8_t>(generator()));
    }
    expect_equal(halves);
    expect_equal(brains);
    expect_equal(bytes);
  }
}

TEST(Elements, WidenAsDefined) {
  const auto half = [](std::uint16_t value) { return Arch::to_float(Arch::Float16{value}); };
  EXPECT_EQ(half(0x3C00), 1.0F);
  EXPECT_EQ(half(0xC000), -2.0F);
  EXPECT_EQ(half(0x7BFF), 65504.0F);
  EXPECT_EQ(half(0x0001), 0x1p-24F);
  EXPECT_EQ(half(0x03FF), 0x3FFp-24F);
  EXPECT_EQ(half(0x0400), 0x1p-14F);
  EXPECT_TRUE(std::signbit(half(0x8000)));
  EXPECT_EQ(half(0xFC00), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(half(0x7C01)));
  EXPECT_EQ(Arch::to_float(Arch::BFloat16{0x3F80}), 1.0F);
  EXPECT_EQ(Arch::to_float(Arch::BFloat16{0x0001}), 0x1p-133F);
  EXPECT_EQ(Arch::to_float(std::int8_t{-128}), -128.0F);
}

TEST(ReproducibleSum, MatchesReferenceAtEveryKindOfLength) {
  auto generator = Testing::generator("ReproducibleSum");
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  const Arch::Lanes<HostSpace> lanes(0);
  std::vector<std::size_t> sizes = Testing::edge_sizes;
  sizes.insert(sizes.end(), {768, 4095, 4096, 4097, 8192, 8193, 10000, 12288, 20481, 100000});
  for (const std::size_t size : sizes) {
    const auto a = Testing::normal_values(generator, size);
    const auto b = Testing::normal_values(generator, size);
    const double dot =
        reproducible_sum(lanes, size, [&](std::uint64_t i, int count, const auto& sum) {
          return lanes.multiply_add(lanes.load(a.data() + i, count),
                                    lanes.load(b.data() + i, count), sum);
        });
    const double squares =
        reproducible_sum(lanes, size, [&](std::uint64_t i, int count, const auto& sum) {
          return lanes.add_squared_difference(lanes.load(a.data() + i, count),
                                              lanes.load(b.data() + i, count), sum);
        });
    EXPECT_EQ(bits(dot), bits(Reference::dot(a, b))) << size;
    EXPECT_EQ(bits(squares), bits(Reference::squared_difference(a, b))) << size;
  }
}

}  // namespace LanesTest

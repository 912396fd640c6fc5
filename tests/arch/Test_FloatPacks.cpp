// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/arch/simd/CacheLines.hpp>
#include <kindred/core/arch/simd/FloatPack8.hpp>
#include <kindred/core/math/Gelu.hpp>

#include <bit>
#include <vector>

#include "Generator.hpp"
#include "PackResults.hpp"

namespace FloatPacksTest {

using namespace Kindred;
using Arch::BFloat16;
using Arch::CacheLineExtremes;
using Arch::Float16;
using Testing::PackResults;

/// Random bit patterns with more zeros, denormals, infinities and NaN than they would have by
/// chance.
template <class Element>
std::vector<Element> any_elements(std::mt19937_64& generator, std::size_t count) {
  constexpr std::uint32_t special[] = {0,           1,           0x7F800000U,
                                       0x7F800001U, 0x7FC12345U, 0x322BCC77U,
                                       0x322BCC78U, 0x00400000U, 0x33800000U};
  constexpr std::uint32_t special_halves[] = {0,       1,       0x7C00U, 0x7C01U, 0x7E45U,
                                              0x03FFU, 0x0400U, 0x7BFFU, 0x3C00U};
  std::vector<Element> out(count);
  for (Element& element : out) {
    auto bits = static_cast<std::uint32_t>(generator());
    if (generator() % 4 == 0) {
      if constexpr (std::is_same_v<Element, Float16>)
        bits = special_halves[generator() % 9] | (bits & 0x8000U);
      else
        bits = special[generator() % 9] | (bits & 0x80000000U);
    }
    if constexpr (std::is_same_v<Element, BFloat16>) bits >>= 16U;
    element = std::bit_cast<Element>(static_cast<Arch::element_bits<Element>>(bits));
  }
  return out;
}
std::vector<double> any_doubles(std::mt19937_64& generator) {
  std::vector<double> out(16);
  for (double& value : out) value = std::bit_cast<double>(generator());
  return out;
}

/// Keeps stored elements bit for bit.
template <class Element, std::size_t size>
void keep_bits(PackResults& out, const Element (&elements)[size]) {
  for (const Element element : elements) out.keep(Arch::bits_of(element));
}

/// Applies every operation on packs of 16.
template <class S, class Element>
PackResults of_packs(const std::vector<Element>& elements, const std::vector<float>& floats,
                     const std::vector<double>& doubles, unsigned count, std::uint16_t mask) {
  using Floats = typename S::Floats;
  using Doubles = typename S::Doubles;
  PackResults out;
  const auto raw = S::load(elements.data());
  const auto part = S::load(elements.data(), count);
  Element stored[16] = {};
  const auto keep_stored = [&](const auto& pack, unsigned size) {
    S::store(stored, pack, size);
    keep_bits(out, stored);
  };
  keep_stored(raw, 16);
  keep_stored(part, count);
  keep_stored(S::choose(mask, raw, part), 16);
  const auto a = Floats::load(floats.data());
  const auto b = Floats::load(floats.data() + 16);
  const auto c = Floats::load(floats.data() + 32);
  out.keep_packs<float, 16>(S::template widen<Element>(raw), S::template widen<Element>(part),
                            a * b, a + b, S::choose(mask, a, b), S::magnitude(a), S::fused(a, b, c),
                            S::subtract(a, b), S::negative(a), S::if_less(a, b, c, S::all(3)),
                            S::raised(a, b), Impl::gelu_of<S>(a));
  const auto d = Doubles::load(doubles.data());
  const auto wide = a.template to<double>();
  out.keep_packs<double, 16>(d, Doubles::all(0.0), Doubles::all(-0.0), d - wide, d + wide,
                             Doubles::fused(wide, b.template to<double>(), d));
  keep_stored(S::template round<Element>(a), 16);
  return out;
}

/// Applies every operation on cache lines.
template <class S, class Element>
PackResults of_lines(const std::vector<Element>& elements, const std::vector<float>& floats,
                     unsigned begin, unsigned end, std::uint32_t mask) {
  constexpr unsigned size = Arch::line_elements<Element>;
  PackResults out;
  alignas(64) Element stored[size] = {};
  const auto line = S::load_line(elements.data());
  const auto part = S::load_line(elements.data() + size, begin, end);
  S::store_line(stored, line);
  keep_bits(out, stored);
  S::store_line(stored, part, begin, end);
  keep_bits(out, stored);
  S::store_line(stored, S::template choose_line<Element>(mask, line, part));
  keep_bits(out, stored);
  S::stream_line(stored, line);
  S::end_streams();
  keep_bits(out, stored);
  typename S::Floats packs[size / 16];
  for (unsigned p = 0; p < size / 16; ++p) {
    out.keep_packs<float, 16>(S::template widen_line<Element>(line, p));
    packs[p] = S::Floats::load(floats.data() + 16 * p);
  }
  S::store_line(stored, S::template round_line<Element>(packs));
  keep_bits(out, stored);
  CacheLineExtremes<Element> extremes;
  extremes.clear();
  auto kept = S::load_extremes(extremes);
  for (std::size_t i = 0; i + size <= elements.size(); i += size)
    S::template add_extremes<Element>(kept, S::load_line(elements.data() + i));
  S::store_extremes(extremes, kept);
  for (unsigned i = 0; i < size; ++i) {
    out.keep(extremes.min(i));
    out.keep(extremes.max(i));
    out.keep(static_cast<float>(extremes.dead[i]));
  }
  return out;
}

template <class Element>
class FloatPack16 : public ::testing::Test {};
using Elements = ::testing::Types<float, Float16, BFloat16>;
TYPED_TEST_SUITE(FloatPack16, Elements);

TYPED_TEST(FloatPack16, MatchesScalarImplementationInEveryOperation) {
  if constexpr (std::is_same_v<Arch::HostCacheLines, Arch::ScalarCacheLines>)
    GTEST_SKIP() << "this build has only the scalar implementation";
  auto generator = Testing::generator("Sixteen");
  for (int round = 0; round < 3000; ++round) {
    const auto elements = any_elements<TypeParam>(generator, 32 * (1 + generator() % 4));
    const auto wide = any_elements<TypeParam>(generator, 64);
    auto floats = any_elements<float>(generator, 48);
    for (float& value : floats) {  // partly as large as activations are
      if (generator() % 2 == 0) value = static_cast<float>(generator() % 4001) / 100 - 20;
    }
    const auto doubles = any_doubles(generator);
    const auto mask = static_cast<std::uint32_t>(generator());
    const unsigned count = static_cast<unsigned>(generator() % 17);
    ASSERT_EQ((of_packs<Arch::HostCacheLines>(elements, floats, doubles, count,
                                              static_cast<std::uint16_t>(mask))),
              (of_packs<Arch::ScalarCacheLines>(elements, floats, doubles, count,
                                                static_cast<std::uint16_t>(mask))));
    const unsigned end = static_cast<unsigned>(generator() % (Arch::line_elements<TypeParam> + 1));
    const unsigned begin = static_cast<unsigned>(generator() % (end + 1));
    const auto lines = of_lines<Arch::ScalarCacheLines>(wide, floats, begin, end, mask);
    ASSERT_EQ((of_lines<Arch::HostCacheLines>(wide, floats, begin, end, mask)), lines);
    if (Arch::has_extension<Arch::Bfloat16Rounding>()) {
      ASSERT_EQ((of_lines<Arch::Bfloat16CacheLines>(wide, floats, begin, end, mask)), lines);
    }
  }
}

TYPED_TEST(FloatPack16, ExtremesIgnoreNaN) {
  const auto of = [](std::vector<float> values) {
    CacheLineExtremes<TypeParam> extremes;
    extremes.clear();
    auto kept = Arch::HostCacheLines::load_extremes(extremes);
    for (const float value : values) {
      const std::vector<TypeParam> line(Arch::line_elements<TypeParam>,
                                        Arch::round_canonical<TypeParam>(value));
      Arch::HostCacheLines::add_extremes<TypeParam>(kept,
                                                    Arch::HostCacheLines::load_line(line.data()));
    }
    Arch::HostCacheLines::store_extremes(extremes, kept);
    return std::tuple(extremes.min(3), extremes.max(3), extremes.dead[3]);
  };
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(of({}), std::tuple(inf, -inf, 0U));
  EXPECT_EQ(of({nan, nan}), std::tuple(inf, -inf, 0U));
  EXPECT_EQ(of({nan, 2, 0.5F}), std::tuple(0.5F, 2.0F, 0U));
  EXPECT_EQ(of({-2, -0.5F, nan}), std::tuple(-2.0F, -0.5F, 0U));
  EXPECT_EQ(of({-2, 0, -0.0F, 4}), std::tuple(-2.0F, 4.0F, 2U));
  EXPECT_EQ(of({-inf, 1}), std::tuple(-inf, 1.0F, 0U));
  EXPECT_EQ(of({inf, inf}), std::tuple(inf, inf, 0U));
  EXPECT_EQ(of({-inf}), std::tuple(-inf, -inf, 0U));
}

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

}  // namespace FloatPacksTest

// SPDX-License-Identifier: Apache-2.0
#include "RefusedCalls.hpp"
#include "TempFolder.hpp"
#include "TestGenerator.hpp"
#include "VectorFileBytes.hpp"

#include <kindred/core/arch/Elements.hpp>
#include <kindred/matcher/VectorArray.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace VectorArrayTest {

using namespace Kindred;
using namespace Testing;
using ::testing::ElementsAre;

const float nan = std::numeric_limits<float>::quiet_NaN();

/// Rows of an element, with their scales if it is int8.
struct Encoded {
  std::vector<std::byte> bytes;
  std::vector<float> scales;

  template <class T>
  std::vector<T> as() const {
    std::vector<T> out(bytes.size() / sizeof(T));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
  }
};

Encoded encode(const std::vector<float>& floats, std::size_t dimension, DataType element) {
  Encoded out{std::vector<std::byte>(floats.size() * size_of(element)),
              std::vector<float>(element == DataType::int8 ? floats.size() / dimension : 0)};
  encode_rows(floats, dimension, element, out.bytes, out.scales);
  return out;
}

/// The 16-bit pattern whose finite value by \p decode is nearest to \p x, ties to even.
template <class Decode>
std::uint16_t nearest(float x, std::uint16_t infinity, const Decode& decode) {
  std::uint16_t best = 0;
  for (std::uint32_t bits = 1; bits < infinity; ++bits) {
    const double to_bits = std::fabs(double{decode(bits)} - std::fabs(double{x}));
    const double to_best = std::fabs(double{decode(best)} - std::fabs(double{x}));
    if (to_bits < to_best || (to_bits == to_best && bits % 2 == 0))
      best = static_cast<std::uint16_t>(bits);
  }
  return std::signbit(x) ? best | 0x8000U : best;
}

TEST(EncodeRows, RoundsToTheNearestHalf) {
  const auto half = [](std::uint32_t bits) {
    return Arch::to_float(Arch::Float16{static_cast<std::uint16_t>(bits)});
  };
  const auto brain = [](std::uint32_t bits) {
    return Arch::to_float(Arch::BFloat16{static_cast<std::uint16_t>(bits)});
  };
  std::vector<float> floats{0.0F,       -0.0F,     1.0F,         65504.0F,        -65519.0F,
                            0x1p-24F,   0x1p-25F,  0x1.8p-25F,   0x1.000001p-25F, 0x1.002p0F,
                            0x1.006p0F, 0x1p-14F,  0x1.ffcp-15F, 0x1.fffp-15F,    0x1.01p0F,
                            0x1.03p0F,  0x1p-133F, 0x1.8p-133F};
  for (int i = 0; i < 30; ++i) {
    const auto exponent = static_cast<int>(random_below(40)) - 26;
    floats.push_back(std::ldexp(1.0F + static_cast<float>(random_below(4096)) / 4096, exponent));
    if (std::fabs(floats.back()) > 65504) floats.pop_back();
  }
  const auto halves = encode(floats, floats.size(), DataType::float16).as<std::uint16_t>();
  const auto brains = encode(floats, floats.size(), DataType::bfloat16).as<std::uint16_t>();
  for (std::size_t i = 0; i < floats.size(); ++i) {
    EXPECT_EQ(halves[i], nearest(floats[i], 0x7C00U, half)) << floats[i];
    EXPECT_EQ(brains[i], nearest(floats[i], 0x7F80U, brain)) << floats[i];
  }
}

TEST(EncodeRows, PreservesEveryHalf) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    const float half = Arch::to_float(Arch::Float16{pattern});
    const float brain = Arch::to_float(Arch::BFloat16{pattern});
    const auto halves = encode({half}, 1, DataType::float16).as<std::uint16_t>();
    const auto brains = encode({brain}, 1, DataType::bfloat16).as<std::uint16_t>();
    ASSERT_TRUE(halves[0] == pattern || (std::isnan(half) && (halves[0] & 0x7FFFU) > 0x7C00U));
    ASSERT_TRUE(brains[0] == pattern || (std::isnan(brain) && (brains[0] & 0x7FFFU) > 0x7F80U));
  }
}

TEST(EncodeRows, ScalesARowOfInt8ByItsLargestMagnitude) {
  const Encoded rows =
      encode({254, -127, 1, 3, 0, 0, 0, 0, 0x1p-149F, 0, 0, 0, 3e38F, -3e38F, 0, 1e38F}, 4,
             DataType::int8);
  EXPECT_THAT(rows.scales, ElementsAre(2.0F, 0.0F, 0.0F, 3e38F / 127));
  EXPECT_THAT(rows.as<std::int8_t>(),
              ElementsAre(127, -64, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 127, -127, 0, 42));
}

TEST(EncodeRows, RejectsValuesThatAnElementCannotRepresent) {
  const auto encoding = [](const std::vector<float>& floats, DataType element) {
    return [=] { encode(floats, 2, element); };
  };
  expect_refused({
      {encoding({1, 2, 3, 65520}, DataType::float16),
       "row 1, place 1: 65520.000000 exceeds the float16 limit"},
      {encoding({1, -3.4e38F}, DataType::bfloat16), "exceeds the bfloat16 limit"},
      {encoding({nan, 1}, DataType::int8), "row 0, place 0: nan is not finite"},
      {encoding({1, -HUGE_VALF}, DataType::int8), "-inf is not finite"},
      {encoding({1, 2, 3}, DataType::float32), "do not match"},
  });
  EXPECT_NO_THROW(encode({nan, -HUGE_VALF}, 2, DataType::float16));
  EXPECT_NO_THROW(encode({nan, -HUGE_VALF}, 2, DataType::bfloat16));
}

TEST(DecodeRows, RestoresEncodedRows) {
  const std::vector<float> rows{1, -2, 0.5F, 3, 254, -127, 2, 0};
  std::vector<float> decoded(rows.size());
  for (const DataType element : {DataType::float32, DataType::float16, DataType::bfloat16}) {
    const Encoded stored = encode(rows, 4, element);
    decode_rows(VectorSpan(element, stored.bytes, 4), decoded);
    EXPECT_EQ(decoded, rows) << to_string(element);
  }
  const Encoded bytes = encode(rows, 4, DataType::int8);
  const VectorSpan span(DataType::int8, bytes.bytes, 4, bytes.scales);
  decode_rows(span, decoded);
  EXPECT_THAT(std::vector<float>(decoded.begin() + 4, decoded.end()), ElementsAre(254, -128, 2, 0));
  EXPECT_THROW(decode_rows(span, std::span(decoded).first(7)), InvalidArgument);
  EXPECT_THROW(decode_rows(VectorSpan(DataType::int8, bytes.bytes, 4), decoded), InvalidArgument);
}

TEST(VectorArray, RejectsMoreThan64BitsOfBytes) {
  constexpr std::uint64_t large = std::uint64_t{1} << 62U;
  std::vector<std::byte> bytes(16);
  std::vector<float> floats(4);
  const VectorSpan wide(DataType::float32, bytes, large);
  const VectorSpan wider(DataType::float32, bytes, large + 1);
  expect_refused({
      {[] { VectorArray(DataType::float32, 1, 0); }, ""},
      {[] { VectorArray(DataType::float32, 1ULL << 40U, 1ULL << 40U); }, ""},
      {[] { VectorArray(DataType::float32, large, 1); }, ""},
      {[] { VectorArray(DataType::float32, 1, large + 1); }, ""},
      {[] { VectorArray(DataType::int8, large, 4); }, ""},
      {[] { encode_rows({}, large, DataType::float32, {}, {}); }, ""},
      {[&] { (void)wide.count(); }, ""},
      {[&] { (void)wider.count(); }, ""},
      {[&] { decode_rows(wide, floats); }, ""},
      {[&] { decode_rows(wider, floats); }, ""},
  });
}

TEST(ReadRows, PreservesTheNumbersOfAFile) {
  const TempFolder folder;
  const auto read = [&](const std::string& name, const std::string& bytes) {
    const VectorFile file(folder.write(name, bytes));
    return read_rows(file, natural_element(file.type()));
  };
  const auto floats = read("x.fvecs", vecs<float>({{1, nan}, {3, -0.0F}}));
  EXPECT_EQ(floats.span().element, DataType::float32);
  EXPECT_EQ(floats.span().count(), 2U);
  const std::array<std::uint32_t, 4> given{std::bit_cast<std::uint32_t>(1.0F),
                                           std::bit_cast<std::uint32_t>(nan),
                                           std::bit_cast<std::uint32_t>(3.0F), 0x80000000U};
  ASSERT_EQ(floats.span().values.size(), sizeof(given));
  EXPECT_EQ(std::memcmp(floats.span().values.data(), given.data(), sizeof(given)), 0);
  const auto bytes = read("x.bvecs", vecs<std::uint8_t>({{0, 255}, {7, 128}}));
  EXPECT_EQ(bytes.span().element, DataType::float16);
  std::vector<std::uint16_t> halves(4);
  std::memcpy(halves.data(), bytes.span().values.data(), 8);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(Arch::to_float(Arch::Float16{halves[i]}), (std::array{0, 255, 7, 128})[i]);
  const auto codes = read("x.i8bin", bin<std::int8_t>(2, 2, {-128, 127, 0, 1}));
  EXPECT_EQ(codes.span().element, DataType::int8);
  EXPECT_THAT(codes.span().scales, ElementsAre(1, 1));
  const std::array<std::int8_t, 4> numbers{-128, 127, 0, 1};
  EXPECT_EQ(std::memcmp(codes.span().values.data(), numbers.data(), sizeof(numbers)), 0);
}

TEST(ReadRows, GivesTheSameRowsInPiecesAsInOneCall) {
  const TempFolder folder;
  std::vector<std::vector<std::uint8_t>> rows(9000, std::vector<std::uint8_t>(300));
  std::vector<float> expected;
  for (auto& row : rows)
    for (auto& value : row)
      expected.push_back(value = static_cast<std::uint8_t>(random_below(256)));
  const VectorFile file(folder.write("x.bvecs", vecs(rows)));
  for (const DataType element : {DataType::float32, DataType::bfloat16, DataType::int8}) {
    const VectorArray all = read_rows(file, element);
    if (element == DataType::float32) {
      EXPECT_EQ(std::memcmp(all.span().values.data(), expected.data(), 4 * expected.size()), 0);
    }
    VectorArray part(element, 300, 300);
    read_rows(file, 2600, 300, element, part.values(), part.scales());
    EXPECT_TRUE(std::ranges::equal(part.span().values, all.span().rows(2600, 300).values));
    EXPECT_TRUE(std::ranges::equal(part.span().scales, all.span().rows(2600, 300).scales));
    EXPECT_THROW(read_rows(file, 0, 299, element, part.values(), part.scales()), InvalidArgument);
    // 2⁶² rows of 300 numbers overflow to 0 bytes in 64 bits.
    EXPECT_THROW(read_rows(file, 0, std::uint64_t{1} << 62U, element, {}, {}), InvalidArgument);
  }
}

}  // namespace VectorArrayTest

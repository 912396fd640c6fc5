// SPDX-License-Identifier: Apache-2.0
#include "ReferenceSupport.hpp"

namespace Kindred::Testing::BulkTest {

// The known answers of Random123 1.14 (kat_vectors).
TEST(ReferenceBulk, PhiloxMatchesItsKnownAnswers) {
  using Words = std::array<std::uint32_t, 4>;
  EXPECT_EQ(Reference::philox({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(Reference::philox({ones, ones, ones, ones}, {ones, ones}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      Reference::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
      (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(ReferenceBulk, RandomNumbersArePartsOfWords) {
  EXPECT_EQ(Reference::random_byte(0, 0), 0xd5);
  EXPECT_EQ(Reference::random_byte(0, 1), 0xe8);
  EXPECT_EQ(Reference::random_byte(0, 15), 0x9b);
  EXPECT_EQ(Reference::random_float(0, 1), 0x1p-24F * 0xe169c5);
  EXPECT_EQ(Reference::random_double(0, 0), 0x1p-53 * 0x1c2d38b1acc4fd);  // e169c58d6627e8d5 >> 11
}

TEST(ReferenceBulk, ReductionsByHand) {
  const std::vector<double> x{2, -0.0, 4, 0.0};
  EXPECT_EQ(Reference::reduced(Reduction::sum, x), 6);
  EXPECT_EQ(Reference::reduced(Reduction::mean, x), 1.5);
  EXPECT_TRUE(std::signbit(Reference::reduced(Reduction::min, x)));
  EXPECT_EQ(Reference::reduced(Reduction::max, x), 4);
  EXPECT_EQ(Reference::reduced(Reduction::deviation, std::vector<double>{1, 3, 1, 3}), 1);
  const auto y = Reference::normalised(std::vector<double>{1, 3});
  EXPECT_NEAR(y[0], -1, 2e-8);
  EXPECT_NEAR(y[1], 1, 2e-8);
}

TEST(ReferenceBulk, IntegersByHand) {
  EXPECT_EQ(
      Reference::element_wise(ElementWise::multiply, std::uint64_t{200}, std::uint64_t{3}) & 0xFFU,
      88U);
  const std::vector<std::int64_t> x{-7, 3, 9};
  EXPECT_EQ(Reference::reduced(Reduction::sum, x), 5);
  EXPECT_EQ(Reference::reduced(Reduction::min, x), -7);
  EXPECT_EQ(Reference::reduced(Reduction::max, x), 9);
  EXPECT_EQ(Reference::integer_mean(x), 5.0 / 3);
  constexpr std::uint64_t most = ~std::uint64_t{0};
  const std::vector<std::uint64_t> y{most, most, 5};
  EXPECT_EQ(Reference::reduced(Reduction::sum, y), 3U);
  EXPECT_EQ(Reference::integer_mean(y), 0x1.5555555555555p+63);
  // 2⁵³ + 1 is a tie, which goes to the even neighbour; 2⁵³ + 1⅓ does not.
  constexpr std::int64_t tie = (std::int64_t{1} << 53U) + 1;
  EXPECT_EQ(Reference::integer_mean(std::vector<std::int64_t>{tie}), 0x1p53);
  EXPECT_EQ(Reference::integer_mean(std::vector<std::int64_t>{tie, tie, tie + 1}), 0x1p53 + 2);
}

TEST(ReferenceBulk, ProductByHand) {
  const std::vector<float> a{1, 2, 3, 4, 5, 6};
  const std::vector<float> b{1, 0, 0, 1, 2, 2};
  EXPECT_EQ(Reference::matrix_product(a, b, 2, 2, 3), (std::vector<float>{7, 8, 16, 17}));
  EXPECT_EQ(Reference::matrix_product(std::span<const float>(), {}, 1, 2, 0),
            (std::vector<float>{0, 0}));
}

}  // namespace Kindred::Testing::BulkTest

// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <kindred/core/common/ArgumentCheck.hpp>
#include <kindred/core/common/Quotes.hpp>

#include <vector>

#include "MessageOf.hpp"

namespace ArgumentCheckTest {

using namespace Kindred;
using Impl::extent_of;
using Impl::extent_of_rows;
using Impl::extent_overflow;
using Impl::extent_sum;

constexpr Impl::ArgumentCheck check("scale");

template <class Body>
std::string message(const Body& body) {
  return Testing::message_of<InvalidArgument>(body);
}

TEST(ArgumentCheck, ExtentsAreExactUpTo64Bits) {
  constexpr std::uint64_t half = std::uint64_t{1} << 32U;
  EXPECT_EQ(extent_of(3, 5U, std::size_t{7}), 105U);
  EXPECT_EQ(extent_of(half, half - 1), half * (half - 1));
  EXPECT_EQ(extent_of(half, half), extent_overflow);
  EXPECT_EQ(extent_of(half, half, half), extent_overflow);
  EXPECT_EQ(extent_of(half, 0, half), 0U);
  EXPECT_EQ(extent_of(half, half, 0), 0U);
  EXPECT_EQ(extent_of(extent_overflow, 2), extent_overflow);
  EXPECT_EQ(extent_of(extent_overflow, 1), extent_overflow);
  EXPECT_EQ(extent_sum(extent_overflow - 2, 1), extent_overflow - 1);
  EXPECT_EQ(extent_sum(extent_overflow, 1), extent_overflow);
}

TEST(ArgumentCheck, RowsEndWithTheirLastElement) {
  EXPECT_EQ(extent_of_rows(3, 5, 7), 2 * 7 + 5U);
  EXPECT_EQ(extent_of_rows(0, 5, 7), 0U);
  EXPECT_EQ(extent_of_rows(3, 0, 7), 0U);
  EXPECT_EQ(extent_of_rows(3, 5, 0), 5U);
  EXPECT_EQ(extent_of_rows(3, 1, extent_overflow / 2), extent_overflow);
}

TEST(ArgumentCheck, MessagesNameTheFunctionTheArgumentTheValueAndTheLimit) {
  const std::vector<float> five(5);
  const std::span<const float> view(five);
  EXPECT_NO_THROW(check.has("x", view, 5));
  EXPECT_EQ(message([&] { check.has("x", view, 6); }),
            "Kindred::scale: x has 5 elements; the other arguments need at least 6, so pass a "
            "longer View");
  EXPECT_EQ(message([&] { check.has("x", view, extent_overflow); }),
            "Kindred::scale: x needs more elements than 64 bits can count; pass smaller sizes");
  EXPECT_NO_THROW(check.has_exactly("x", view, 5));
  EXPECT_EQ(message([&] { check.has_exactly("x", view.first(1), 4); }),
            "Kindred::scale: x has 1 element; the other arguments need exactly 4, so pass a View "
            "of that size");
  EXPECT_NO_THROW(check.has_if_given("x", view.first(0), 6));
  EXPECT_THROW(check.has_if_given("x", view.first(1), 6), InvalidArgument);
  EXPECT_NO_THROW(check.is_at_least("k", 3, 3));
  EXPECT_EQ(message([] { check.is_at_least("k", 2, 3); }),
            "Kindred::scale: k is 2; it must be at least 3");
  EXPECT_NO_THROW(check.is_at_most("k", 3, 3));
  EXPECT_EQ(message([] { check.is_at_most("k", 4, 3); }),
            "Kindred::scale: k is 4; it must be at most 3");
  EXPECT_NO_THROW(check.is_multiple("k", 0, 4));
  EXPECT_EQ(message([] { check.is_multiple("k", 6, 4); }),
            "Kindred::scale: k is 6; it must be a multiple of 4");
}

TEST(ArgumentCheck, PointersExistAndAreAligned) {
  alignas(64) std::byte bytes[64] = {};
  EXPECT_NO_THROW(check.is_aligned("x", bytes, 64));
  EXPECT_EQ(message([&] { check.is_aligned("x", bytes + 20, 16); }),
            "Kindred::scale: x begins 4 bytes behind a multiple of 16; it must be aligned to 16 "
            "bytes");
  EXPECT_NO_THROW(check.is_array("x", static_cast<const float*>(nullptr), 0));
  EXPECT_EQ(message([] { check.is_array("x", static_cast<const float*>(nullptr), 3); }),
            "Kindred::scale: x is null; pass a pointer to 3 elements");
  EXPECT_THROW(check.is_array("x", bytes + 2, 1, alignof(float)), InvalidArgument);
}

TEST(ArgumentCheck, ViewsAreAlignedToTheirElements) {
  alignas(8) std::byte bytes[64] = {};
  const std::span<const float> skewed(reinterpret_cast<const float*>(bytes + 2), 4);
  EXPECT_THROW(check.has("x", skewed, 4), InvalidArgument);
  EXPECT_THROW(check.is_aligned("x", skewed), InvalidArgument);
  EXPECT_NO_THROW(check.has_if_given("x", skewed.first(0), 4));
}

TEST(InQuotes, HidesControlBytesAndCutsBetweenCodePoints) {
  EXPECT_EQ(in_quotes("a\n\x7f"), "'a\\x0a\\x7f'");
  const std::string text = std::string(59, 'a') + "é" + "b";
  EXPECT_EQ(in_quotes(text), "'" + std::string(59, 'a') + "é…'");
}

}  // namespace ArgumentCheckTest

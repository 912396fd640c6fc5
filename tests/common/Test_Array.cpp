// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Stream.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace ArrayTest {

using namespace Kindred;
using shape_type = std::vector<std::int64_t>;

TEST(Array, NamesAndSizesAreThoseOfNumPy) {
  using enum DataType;
  struct Type {
    DataType type;
    std::size_t size;
    std::string_view name;
  };
  const Type types[] = {{boolean, 1, "bool"},    {int8, 1, "int8"},         {int16, 2, "int16"},
                        {int32, 4, "int32"},     {int64, 8, "int64"},       {uint8, 1, "uint8"},
                        {uint16, 2, "uint16"},   {uint32, 4, "uint32"},     {uint64, 8, "uint64"},
                        {float16, 2, "float16"}, {bfloat16, 2, "bfloat16"}, {float32, 4, "float32"},
                        {float64, 8, "float64"}};
  static_assert(std::size(types) == data_type_count);
  for (const auto& [type, size, name] : types) {
    EXPECT_EQ(to_string(type), name);
    EXPECT_EQ(size_of(type), size) << name;
  }
  static_assert(data_type_of<bool> == DataType::boolean);
  static_assert(data_type_of<float> == DataType::float32);
  static_assert(data_type_of<double> == DataType::float64);
  static_assert(data_type_of<std::int8_t> == DataType::int8);
  static_assert(data_type_of<std::uint64_t> == DataType::uint64);
}

TEST(Array, OfASpanIsContiguousInHostMemory) {
  const std::vector<float> values{1, 2, 3};
  const ConstArray array(std::span<const float>{values});
  EXPECT_EQ(array.rank(), 1U);
  EXPECT_EQ(array.size(), 3U);
  EXPECT_TRUE(array.is_contiguous());
  EXPECT_FALSE(array.on_device());
  EXPECT_EQ(array.host_values<float>().data(), values.data());
  EXPECT_THROW(array.host_values<double>(), InvalidArgument);
}

template <class From, class To>
constexpr bool converts = std::is_convertible_v<From, To>;

TEST(Array, RefersToNothingThatEndsBeforeIt) {
  static_assert(converts<std::vector<float>&, ConstArray> && converts<std::vector<float>&, Array>);
  static_assert(converts<const std::vector<float>&, ConstArray>);
  static_assert(converts<std::span<const float>, ConstArray>);
  static_assert(converts<std::span<float>, Array> && converts<const std::span<float>, Array>);
  static_assert(converts<float(&)[3], Array> && converts<std::array<float, 3>&, Array>);
  static_assert(!converts<std::vector<float>, ConstArray> && !converts<std::vector<float>, Array>);
  static_assert(!converts<const std::vector<float>, ConstArray>);
  static_assert(!converts<std::array<float, 3>, ConstArray>);
  static_assert(!converts<std::span<const float>, Array>);
  static_assert(!converts<const std::vector<float>&, Array>);
}

TEST(Array, HasNumbersAsElements) {
  static_assert(converts<std::span<const bool>, ConstArray>);
  static_assert(converts<std::span<signed char>, Array> &&
                converts<std::span<unsigned char>, Array>);
  static_assert(converts<std::span<long long>, Array> && converts<std::span<double>, Array>);
  static_assert(!converts<std::span<char>, Array> && !converts<std::string_view, ConstArray>);
  static_assert(!converts<std::span<wchar_t>, Array> && !converts<std::span<char8_t>, Array>);
  static_assert(!converts<std::span<char16_t>, Array> && !converts<std::span<char32_t>, Array>);
  static_assert(!converts<std::span<long double>, Array>);
  static_assert(!converts<std::span<std::string>, Array>);
}

TEST(Array, RowsWithGapsAreNotContiguous) {
  std::vector<float> values(20);
  const Array whole(values.data(), DataType::float32, shape_type{4, 5});
  EXPECT_TRUE(whole.is_contiguous());
  EXPECT_EQ(whole.stride(0), 5);
  const Array part(values.data(), DataType::float32, shape_type{4, 3}, shape_type{5, 1});
  EXPECT_FALSE(part.is_contiguous());
  EXPECT_THROW(part.host_values<float>(), InvalidArgument);
  EXPECT_EQ(to_string(ConstArray(part)), "float32 [4, 3] with the strides [5, 1]");
  // The stride of a dimension of one element is never used.
  const Array row(values.data(), DataType::float32, shape_type{1, 5}, shape_type{99, 1});
  EXPECT_TRUE(row.is_contiguous());
}

TEST(Array, OnADeviceIsNamedSo) {
  float value = 0;
  const ConstArray array(&value, DataType::bfloat16, shape_type{1}, {}, ArrayMemory::device, 3);
  EXPECT_EQ(to_string(array), "bfloat16 [1] on device 3");
  EXPECT_THROW(array.host_values<float>(), InvalidArgument);
}

TEST(Array, MayBeEmptyOrAScalar) {
  const ConstArray none(nullptr, DataType::int32, shape_type{0, 7});
  EXPECT_EQ(none.size(), 0U);
  EXPECT_TRUE(none.is_contiguous());
  int value = 1;
  const ConstArray scalar(&value, DataType::int32, shape_type{});
  EXPECT_EQ(scalar.size(), 1U);
  EXPECT_EQ(ConstArray().size(), 0U);
}

TEST(Array, RefusesWhatIsNoArray) {
  constexpr std::int64_t large = std::numeric_limits<std::int64_t>::max();
  float value = 0;
  const auto make = [&](const shape_type& shape, const shape_type& strides, int device = 0) {
    return ConstArray(&value, DataType::float32, shape, strides, ArrayMemory::device, device);
  };
  EXPECT_THROW(make({1, 1, 1, 1, 1}, {}), InvalidArgument);
  EXPECT_THROW(make({1, 1}, {1}), InvalidArgument);
  EXPECT_THROW(make({1, -1}, {}), InvalidArgument);
  EXPECT_THROW(make({large, 2}, {}), InvalidArgument);
  EXPECT_THROW(make({large}, {}), InvalidArgument);
  EXPECT_THROW(make({1}, {}, -1), InvalidArgument);
  EXPECT_THROW(ConstArray(nullptr, DataType::float32, shape_type{1}), InvalidArgument);
  // Whether a product is too large does not depend on where a 0 stands.
  EXPECT_THROW(make({large, large, 0}, {}), InvalidArgument);
}

TEST(Stream, IsTheHandleOfTheCaller) {
  int queue = 0;
  EXPECT_EQ(Stream::cuda(&queue).handle(), &queue);
  EXPECT_EQ(Stream::cuda(nullptr), Stream::cuda(nullptr));
  EXPECT_NE(Stream::cuda(nullptr), Stream::cuda(&queue));
}

}  // namespace ArrayTest

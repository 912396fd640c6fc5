// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "MessageOf.hpp"
#include "Support.hpp"
#include "kit/CallerArrays.hpp"

namespace CallerArraysTest {

using namespace Kindred;
using Impl::any_extent;
using testing::HasSubstr;
using shape_type = std::vector<std::int64_t>;

ConstArray of(const std::vector<float>& values, const shape_type& shape,
              const shape_type& strides = {}, ArrayMemory memory = ArrayMemory::host,
              int device = 0) {
  return {values.data(), DataType::float32, shape, strides, memory, device};
}

TEST(CallerArrays, OfTheRequiredTypeAndShapeAreAccepted) {
  const std::vector<float> values(20);
  EXPECT_NO_THROW(
      Impl::require_array({"rows", of(values, {4, 5})}, DataType::float32, {any_extent, 5}));
  EXPECT_NO_THROW(
      Impl::require_array({"rows", of(values, {4, 3}, {5, 1})}, DataType::float32, {4, 3}));
  EXPECT_EQ(Impl::row_stride({"rows", of(values, {4, 3}, {5, 1})}), 5U);
  EXPECT_EQ(Impl::row_stride({"rows", of(values, {1, 3}, {0, 1})}), 3U);
}

TEST(CallerArrays, AreRefusedWithTheNameOfTheArgument) {
  const std::vector<float> values(20);
  const auto message = [&](const ConstArray& array, DataType type) {
    return Testing::message_of<InvalidArgument>([&] {
      Impl::require_array({"rows", array}, type, {any_extent, 5});
    });
  };
  EXPECT_THAT(message(of(values, {5, 4}), DataType::float32),
              HasSubstr("rows is float32 [5, 4]; it must be float32 [any, 5]"));
  EXPECT_THAT(message(of(values, {4, 5}), DataType::int32), HasSubstr("it must be int32 [any, 5]"));
  EXPECT_THAT(message(of(values, {5}), DataType::float32), HasSubstr("float32 [5]"));
  EXPECT_THAT(message(of(values, {2, 5}, {10, 2}), DataType::float32),
              HasSubstr("must be consecutive"));
  const auto* const odd = reinterpret_cast<const std::byte*>(values.data()) + 1;
  EXPECT_THAT(message({odd, DataType::float32, shape_type{3, 5}}, DataType::float32),
              HasSubstr("rows is not aligned to its elements of 4 bytes"));
  EXPECT_THROW(Impl::row_stride({"rows", of(values, {4, 5}, {4, 1})}), InvalidArgument);
  EXPECT_THROW(Impl::row_stride({"rows", of(values, {4, 5}, {-5, 1})}), InvalidArgument);
}

TEST(CallerArrays, InHostMemoryLeaveTheChoiceOfASpace) {
  Context& context = Testing::context();
  const std::vector<float> values(20);
  EXPECT_FALSE(Impl::space_of(context, {{"x", of(values, {4})}, {"y", of(values, {5})}}));
}

TEST(CallerArrays, OnADeviceRunThereOrAreRefused) {
  Context& context = Testing::context();
  const std::vector<float> values(20);
  const SpaceInfo& cuda = context.info(Space::cuda);
  const ConstArray there = of(values, {4}, {}, ArrayMemory::device, cuda.device_index);
  EXPECT_THROW(Impl::space_of(context, {{"x", there}, {"y", of(values, {5})}}), InvalidArgument);
  // Where an array without elements lies does not matter.
  const ConstArray none = of(values, {0});
  if (cuda.usable) {
    EXPECT_EQ(Impl::space_of(context, {{"x", there}, {"y", none}}), Space::cuda);
    const ConstArray other = of(values, {4}, {}, ArrayMemory::device, cuda.device_index + 1);
    EXPECT_THROW(Impl::space_of(context, {{"x", other}}), SpaceUnavailable);
  } else {
    EXPECT_THROW(Impl::space_of(context, {{"x", there}, {"y", none}}), SpaceUnavailable);
  }
}

}  // namespace CallerArraysTest

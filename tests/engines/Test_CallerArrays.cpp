// SPDX-License-Identifier: Apache-2.0
#include "RefusedCalls.hpp"
#include "Support.hpp"
#include "kit/CallerArrays.hpp"

namespace CallerArraysTest {

using namespace Kindred;
using Impl::any_extent;
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
  const auto* const odd = reinterpret_cast<const std::byte*>(values.data()) + 1;
  const auto requiring = [](const ConstArray& array, DataType type = DataType::float32) {
    return [=] { Impl::require_array({"rows", array}, type, {any_extent, 5}); };
  };
  const auto stride = [](const ConstArray& array) {
    return [=] { Impl::row_stride({"rows", array}); };
  };
  Testing::expect_refused(
      {{requiring(of(values, {5, 4})), "rows is float32 [5, 4]; it must be float32 [any, 5]"},
       {requiring(of(values, {4, 5}), DataType::int32), "it must be int32 [any, 5]"},
       {requiring(of(values, {5})), "float32 [5]"},
       {requiring(of(values, {2, 5}, {10, 2})), "must be consecutive"},
       {requiring({odd, DataType::float32, shape_type{3, 5}}),
        "rows is not aligned to its elements of 4 bytes"},
       {stride(of(values, {4, 5}, {4, 1})), ""},
       {stride(of(values, {4, 5}, {-5, 1})), ""}});
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

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

/// An address between two of the values.
const void* odd(const std::vector<float>& values) {
  return reinterpret_cast<const std::byte*>(values.data()) + 1;
}

TEST(CallerArrays, OfTheRequiredTypeAndShapeAreAccepted) {
  const std::vector<float> values(20);
  EXPECT_NO_THROW(
      Impl::require_array({"rows", of(values, {4, 5})}, DataType::float32, {any_extent, 5}));
  EXPECT_NO_THROW(
      Impl::require_array({"rows", of(values, {4, 3}, {5, 1})}, DataType::float32, {4, 3}));
  // Strides along a single element and addresses of no elements are not used.
  EXPECT_NO_THROW(
      Impl::require_array({"rows", of(values, {4, 1}, {5, 5})}, DataType::float32, {4, 1}));
  EXPECT_NO_THROW(
      Impl::require_array({"rows", of(values, {0, 3}, {6, 2})}, DataType::float32, {0, 3}));
  EXPECT_NO_THROW(Impl::require_array({"rows", {odd(values), DataType::float32, shape_type{0, 3}}},
                                      DataType::float32, {0, 3}));
  EXPECT_EQ(Impl::row_stride({"rows", of(values, {4, 3}, {5, 1})}), 5U);
  EXPECT_EQ(Impl::row_stride({"rows", of(values, {1, 3}, {0, 1})}), 3U);
}

TEST(CallerArrays, AreRefusedWithTheNameOfTheArgument) {
  const std::vector<float> values(20);
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
       {requiring({odd(values), DataType::float32, shape_type{3, 5}}),
        "rows is not aligned to its elements of 4 bytes"},
       {stride(of(values, {4, 5}, {4, 1})), ""},
       {stride(of(values, {4, 5}, {-5, 1})), ""}});
}

TEST(CallerArrays, ThatOverlapAreRefusedAlsoWithoutDimensions) {
  const std::vector<float> values(20);
  const ConstArray scalar = of(values, {});
  EXPECT_THROW(Impl::require_apart({"x", scalar}, {"y", of(values, {20})}), InvalidArgument);
  EXPECT_NO_THROW(
      Impl::require_apart({"x", scalar}, {"y", ConstArray(std::span(values).subspan(1))}));
}

TEST(CallerArrays, InOtherMemoryThanTheCallUsesAreRefused) {
  const std::vector<float> values(2);
  const auto host = [&](std::int64_t size) {
    return [&values, size] {
      Impl::require_host({"x", of(values, {size}, {}, ArrayMemory::device)});
    };
  };
  EXPECT_NO_THROW(host(0)());
  const auto memory = [&] { Impl::require_memory("x", values.data(), Space::cuda); };
  Testing::expect_refused(
      {{host(1), "x is float32 [1] on device 0; this call takes arrays in host"},
       {memory, "x is not in device memory"}});
  for (const Space space : {Space::serial, Space::openmp})
    EXPECT_NO_THROW(Impl::require_memory("x", values.data(), space));
}

TEST(CallerArrays, OfOffsetsAreNonnegativeIntegersInHostMemory) {
  const std::vector<std::int64_t> values{0, 3, -1, 7};
  const auto offsets = [&](const shape_type& shape, DataType type = DataType::int64,
                           ArrayMemory memory = ArrayMemory::host) {
    const ConstArray array(values.data(), type, shape, {}, memory);
    return [array] { return Impl::host_offsets({"offsets", array}); };
  };
  EXPECT_EQ(offsets({2})().back(), 3U);
  Testing::expect_refused(
      {{offsets({4}), "offsets[2] is -1; it must not be negative"},
       {offsets({1, 2}), "offsets is int64 [1, 2]; it must be int64 [any]"},
       {offsets({2}, DataType::int32), "offsets is int32 [2]; it must be int64 [any]"},
       {offsets({2}, DataType::int64, ArrayMemory::device),
        "offsets is int64 [2] on device 0; this call takes arrays in host memory"}});
}

TEST(CallerArrays, InHostMemoryLeaveTheChoiceOfASpace) {
  Context& context = Testing::context();
  const std::vector<float> values(20);
  EXPECT_FALSE(Impl::space_of(context, {{"x", of(values, {4})}, {"y", of(values, {5})}}));
  // An array without elements lies nowhere.
  const ConstArray none = of(values, {0}, {}, ArrayMemory::device);
  EXPECT_FALSE(Impl::space_of(context, {{"x", of(values, {4})}, {"y", none}}));
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
    // An array on the device asks for it also if no array of the call has elements.
    const ConstArray none_there = of(values, {0}, {}, ArrayMemory::device);
    const auto asking = [&](const ConstArray& x, const ConstArray& y) {
      return [&context, x, y] { (void)Impl::space_of(context, {{"x", x}, {"y", y}}); };
    };
    Testing::expect_refused<SpaceUnavailable>({{asking(there, none), "x lies on a device"},
                                               {asking(there, none_there), "x lies on a device"},
                                               {asking(none, none_there), "y lies on a device"}});
  }
}

}  // namespace CallerArraysTest

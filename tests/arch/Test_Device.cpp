// SPDX-License-Identifier: Apache-2.0
// What is known of a device: its failures, and the code that runs on it.
#include <kindred/core/arch/launch/DeviceStatus.hpp>
#include <kindred/core/arch/launch/KernelCode.hpp>
#include <kindred/core/common/Error.hpp>

#include <gtest/gtest.h>

namespace DeviceTest {

using namespace Kindred;
using Arch::DeviceFailure;
using Arch::KernelCode;

TEST(DeviceStatus, MapsAStatusAndKokkosReportOfItToTheSameFailure) {
  const std::pair<const char*, DeviceFailure> cases[] = {
      {"cudaSuccess", DeviceFailure::none},
      {"cudaErrorMemoryAllocation", DeviceFailure::memory},
      {"cudaErrorNoKernelImageForDevice", DeviceFailure::unavailable},
      {"cudaErrorCooperativeLaunchTooLarge", DeviceFailure::unavailable},
      {"cudaErrorIllegalAddress", DeviceFailure::lost},
      {"cudaErrorECCUncorrectable", DeviceFailure::lost},
      {"cudaErrorOfAVersionToCome", DeviceFailure::lost}};
  for (const auto& [name, meaning] : cases) {
    EXPECT_EQ(Arch::device_failure(name), meaning) << name;
    const std::string report = std::string("cudaMalloc(&p, n) error( ") + name + "): text f.cpp:3";
    EXPECT_EQ(Arch::device_failure_in(report), meaning) << report;
  }
}

TEST(DeviceStatus, OtherMessagesAreNotDeviceFailures) {
  for (const char* message :
       {"", "error(", "cuda", "error( other): cuda", "an error of cudaMalloc"})
    EXPECT_EQ(Arch::device_failure_in(message), DeviceFailure::none) << message;
  EXPECT_EQ(Arch::device_failure_in("HostSpace failed to allocate 3 B"), DeviceFailure::memory);
}

TEST(DeviceStatus, OtherMessagesDoNotBreakTheContext) {
  for (const char* message : {"", "error( cudaErrorMemoryAllocation): x", "error( other): x"}) {
    Arch::record_device_failure(message);
    EXPECT_FALSE(Arch::device_is_lost()) << message;
  }
}

TEST(DeviceStatus, ThrowsTheExceptionTypeOfTheFailure) {
  EXPECT_THROW(Arch::throw_device_failure(DeviceFailure::memory, "x"), OutOfMemory);
  EXPECT_THROW(Arch::throw_device_failure(DeviceFailure::unavailable, "x"), SpaceUnavailable);
  EXPECT_THROW(Arch::throw_device_failure(DeviceFailure::lost, "x"), DeviceLost);
}

/// Without specialised forms, none is used on any device.
constexpr bool is_specialized = KINDRED_ENABLE_SPECIALIZED != 0;

TEST(KernelCode, UsesNoImplementationNewerThanItsCode) {
  for (const int compiled_for : {75, 80, 86, 89, 90}) {
    for (const int device : {compiled_for, 90, 100, 120}) {
      SCOPED_TRACE(std::to_string(compiled_for) + " on " + std::to_string(device));
      const KernelCode code{compiled_for, device, device};
      const bool is_new = compiled_for == 90 && is_specialized;
      EXPECT_EQ(code.has_clusters(), is_new);
      EXPECT_EQ(code.waits_for_previous_launch(), is_new);
      EXPECT_FALSE(code.has_warpgroup_products());
    }
  }
  EXPECT_FALSE(KernelCode{}.has_clusters());
}

TEST(KernelCode, UsesWarpgroupProductsOnlyOnHopper) {
  EXPECT_EQ((KernelCode{90, 90, 90, true}.has_warpgroup_products()), is_specialized);
  EXPECT_FALSE((KernelCode{90, 100, 100, true}.has_warpgroup_products()));
  EXPECT_FALSE((KernelCode{80, 90, 90, true}.has_warpgroup_products()));
  EXPECT_FALSE((KernelCode{0, 120, 0, true}.has_warpgroup_products()));
}

TEST(KernelCode, DistinguishesCodeCompiledByTheDriver) {
  EXPECT_TRUE((KernelCode{80, 90, 90}.is_from_ptx()));
  EXPECT_FALSE((KernelCode{90, 90, 90}.is_from_ptx()));
  EXPECT_FALSE((KernelCode{80, 86, 80}.is_from_ptx())) << "machine code of the same generation";
  EXPECT_FALSE((KernelCode{0, 90, 0}.is_from_ptx()));
}

}  // namespace DeviceTest

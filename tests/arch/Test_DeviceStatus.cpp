// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/launch/DeviceStatus.hpp>
#include <kindred/core/common/Error.hpp>

#include <gtest/gtest.h>

namespace DeviceStatusTest {

using namespace Kindred;
using Arch::DeviceFailure;

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

}  // namespace DeviceStatusTest

// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/launch/DeviceStatus.hpp>
#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <atomic>
#include <span>

namespace Kindred::Arch {

namespace {

/// The build does not support the device, or there is no device.
constexpr std::string_view of_unavailability[] = {"cudaErrorNoDevice",
                                                  "cudaErrorInvalidDevice",
                                                  "cudaErrorInsufficientDriver",
                                                  "cudaErrorSystemDriverMismatch",
                                                  "cudaErrorCompatNotSupportedOnDevice",
                                                  "cudaErrorNoKernelImageForDevice",
                                                  "cudaErrorInvalidKernelImage",
                                                  "cudaErrorInvalidDeviceFunction",
                                                  "cudaErrorUnsupportedPtxVersion",
                                                  "cudaErrorInvalidPtx",
                                                  "cudaErrorJitCompilerNotFound",
                                                  "cudaErrorCooperativeLaunchTooLarge",
                                                  "cudaErrorLaunchOutOfResources",
                                                  "cudaErrorNotSupported"};

/// According to CUDA's documentation, these break the CUDA context of the process.
constexpr std::string_view of_broken_context[] = {
    "cudaErrorIllegalAddress",     "cudaErrorLaunchFailure",       "cudaErrorLaunchTimeout",
    "cudaErrorIllegalInstruction", "cudaErrorMisalignedAddress",   "cudaErrorInvalidAddressSpace",
    "cudaErrorInvalidPc",          "cudaErrorHardwareStackError",  "cudaErrorAssert",
    "cudaErrorECCUncorrectable",   "cudaErrorNvlinkUncorrectable", "cudaErrorExternalDevice"};

bool contains(std::span<const std::string_view> names, std::string_view name) noexcept {
  return std::ranges::find(names, name) != names.end();
}

/// The name of the CUDA status in a message of Kokkos; empty if there is none.
std::string_view status_name_in(std::string_view message) noexcept {
  // Kokkos writes "call error( cudaErrorName): text".
  constexpr std::string_view before = "error( ";
  const std::size_t error = message.find(before);
  if (error == std::string_view::npos) return {};
  const std::string_view rest = message.substr(error + before.size());
  if (!rest.starts_with("cuda")) return {};
  return rest.substr(0, rest.find(')'));
}

std::atomic<bool> broken{false};

}  // namespace

DeviceFailure device_failure(std::string_view status_name) noexcept {
  if (status_name == "cudaSuccess") return DeviceFailure::none;
  if (status_name == "cudaErrorMemoryAllocation") return DeviceFailure::memory;
  if (contains(of_unavailability, status_name)) return DeviceFailure::unavailable;
  return DeviceFailure::lost;
}

DeviceFailure device_failure_in(std::string_view message) noexcept {
  if (message.find("failed to allocate") != std::string_view::npos) return DeviceFailure::memory;
  const std::string_view name = status_name_in(message);
  return name.empty() ? DeviceFailure::none : device_failure(name);
}

void record_device_failure(std::string_view message) noexcept {
  if (contains(of_broken_context, status_name_in(message))) broken = true;
}

void throw_device_failure(DeviceFailure failure, const std::string& what) {
  switch (failure) {
    case DeviceFailure::memory:
      throw OutOfMemory("cuda", 0, what, "the device has no memory left; use smaller batches");
    case DeviceFailure::unavailable:
      throw SpaceUnavailable(what + "; use another space, or a build for this device");
    default:
      throw DeviceLost(what + "; restart the program or use another space");
  }
}

bool device_is_lost() noexcept { return broken.load(std::memory_order_relaxed); }

#if KINDRED_HAS_DEVICE

void require(cudaError_t status, std::string_view what) {
  if (status == cudaSuccess) return;
  const std::string_view name = cudaGetErrorName(status);
  if (contains(of_broken_context, name)) broken = true;
  // Clears an error that is not sticky, so that the caller's next CUDA call does not report it.
  (void)cudaGetLastError();
  throw_device_failure(device_failure(name), std::string(what) + " failed: " + std::string(name) +
                                                 " (" + cudaGetErrorString(status) + ")");
}

#endif

}  // namespace Kindred::Arch

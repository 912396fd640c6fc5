// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_DEVICE_STATUS_HPP
#define KINDRED_CORE_ARCH_LAUNCH_DEVICE_STATUS_HPP

#include <kindred/core/arch/Spaces.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace Kindred::Arch {

/// What a device failure means to the caller.
enum class DeviceFailure : std::uint8_t {
  none,         ///< no device failure
  memory,       ///< its memory is exhausted: `OutOfMemory`
  unavailable,  ///< this device or build does not support the operation: `SpaceUnavailable`
  lost          ///< the device's data and results are lost: `DeviceLost`
};

/// \brief Classifies a CUDA status by its name (`cudaErrorIllegalAddress`); the only such mapping
/// in the project. Unknown failures are `lost`, since the state of the device is then unknown.
DeviceFailure device_failure(std::string_view status_name) noexcept;
/// \brief Classifies a message in which Kokkos reports a failed CUDA call or allocation.
DeviceFailure device_failure_in(std::string_view message) noexcept;

/// \brief Records a broken context if \p message, in which Kokkos reports a failed CUDA call, names
/// one. \see device_is_lost
void record_device_failure(std::string_view message) noexcept;

/// Throws the error for \p failure, which must not be `none`. \param what what failed, and why
[[noreturn]] void throw_device_failure(DeviceFailure failure, const std::string& what);

/// \brief Whether this process has seen its CUDA context break (by an illegal address, a failed
/// launch …): every later CUDA call fails, and Kokkos aborts when it sees such a failure.
/// Thread-safe.
bool device_is_lost() noexcept;

#if KINDRED_HAS_DEVICE
/// \brief Returns if \p status is success. \throws OutOfMemory, SpaceUnavailable or DeviceLost with
/// the message that \p what failed with \p status. Records a broken context, \see device_is_lost.
void require(cudaError_t status, std::string_view what);
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LAUNCH_DEVICE_STATUS_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_DEVICE_STATUS_HPP
#define KINDRED_CORE_ARCH_DEVICE_STATUS_HPP

#include <kindred/core/arch/Spaces.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace Kindred::Arch {

/// What a failure of a device means to a caller.
enum class DeviceFailure : std::uint8_t {
  none,         ///< no failure of a device
  memory,       ///< its memory is exhausted: `OutOfMemory`
  unavailable,  ///< this device or build cannot do what was asked: `SpaceUnavailable`
  lost          ///< what the device held or computed is gone: `DeviceLost`
};

/// \brief The meaning of a CUDA status by its name (`cudaErrorIllegalAddress`), the one mapping of
/// the project. Unknown failures are `lost`: nothing can be said of what the device computed.
DeviceFailure device_failure(std::string_view status_name) noexcept;
/// \brief The meaning of a message in which Kokkos reports a failed CUDA call or allocation.
DeviceFailure device_failure_in(std::string_view message) noexcept;

/// Throws the error of \p failure, which is not `none`. \param what what failed, and why
[[noreturn]] void throw_device_failure(DeviceFailure failure, const std::string& what);

/// \brief Whether this process has seen its CUDA context break (an illegal address, a failed
/// launch …): every later call of CUDA fails, and Kokkos aborts where it sees such a failure.
bool device_is_lost() noexcept;

#if KINDRED_HAS_DEVICE
/// \brief Returns on success. \throws OutOfMemory, SpaceUnavailable or DeviceLost, saying that
/// \p what failed with \p status. Remembers a broken context. \see device_is_lost
void require(cudaError_t status, std::string_view what);

/// \brief Makes the device of an instance the calling thread's while it lives: the runtime launches
/// on, and allocates from, the current device, which is device 0 in every new thread.
class CurrentDevice {
 public:
  explicit CurrentDevice(const DeviceSpace& exec_space);
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int m_before = 0;
  bool m_changed = false;
};
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_DEVICE_STATUS_HPP

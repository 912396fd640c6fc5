// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_CURRENT_DEVICE_HPP
#define KINDRED_CORE_ARCH_LAUNCH_CURRENT_DEVICE_HPP

#include <kindred/core/arch/Spaces.hpp>

namespace Kindred::Arch {

/// \brief Restores the current device of the calling thread when it is destroyed: Kokkos changes it
/// where it allocates, frees and fences. Does nothing in a host build.
class KeepCurrentDevice {
 public:
  KeepCurrentDevice() noexcept;
  ~KeepCurrentDevice();
  /// The current device when this was constructed; −1: unknown.
  int before() const noexcept { return m_before; }
  KeepCurrentDevice(const KeepCurrentDevice&) = delete;
  KeepCurrentDevice& operator=(const KeepCurrentDevice&) = delete;

 private:
  int m_before = -1;
};

#if KINDRED_HAS_DEVICE
/// \brief While it exists, makes a device the current one of the calling thread. The CUDA runtime
/// launches and allocates on the current device, which is device 0 in every new thread.
class CurrentDevice {
 public:
  explicit CurrentDevice(const DeviceSpace& exec_space);
  explicit CurrentDevice(int device);

 private:
  KeepCurrentDevice m_keep;
};

/// A new instance on \p device, with a stream of its own. \throws OutOfMemory, DeviceLost
DeviceSpace new_device_instance(int device);

/// The memory of the device of \p exec_space.
DeviceSpace::memory_space memory_of(const DeviceSpace& exec_space);
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LAUNCH_CURRENT_DEVICE_HPP

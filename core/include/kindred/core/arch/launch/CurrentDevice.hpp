// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_CURRENT_DEVICE_HPP
#define KINDRED_CORE_ARCH_LAUNCH_CURRENT_DEVICE_HPP

#include <kindred/core/arch/Spaces.hpp>

namespace Kindred::Arch {

#if KINDRED_HAS_DEVICE
/// \brief While it exists, makes the device of an instance the current device of the calling
/// thread. The CUDA runtime launches and allocates on the current device, which is device 0 in
/// every new thread.
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

#endif  // KINDRED_CORE_ARCH_LAUNCH_CURRENT_DEVICE_HPP

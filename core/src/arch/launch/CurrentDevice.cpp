// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/launch/CurrentDevice.hpp>
#include <kindred/core/arch/launch/DeviceStatus.hpp>

namespace Kindred::Arch {

#if KINDRED_HAS_DEVICE

CurrentDevice::CurrentDevice(const DeviceSpace& exec_space) {
  require(cudaGetDevice(&m_before), "getting the current device");
  if (m_before == exec_space.cuda_device()) return;
  require(cudaSetDevice(exec_space.cuda_device()), "setting the current device");
  m_changed = true;
}

CurrentDevice::~CurrentDevice() {
  if (m_changed) (void)cudaSetDevice(m_before);
}

#endif

}  // namespace Kindred::Arch

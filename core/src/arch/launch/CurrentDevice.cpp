// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/launch/CurrentDevice.hpp>
#include <kindred/core/common/Error.hpp>

#include <string>

namespace Kindred::Arch {

#if KINDRED_HAS_DEVICE

KeepCurrentDevice::KeepCurrentDevice() noexcept {
  if (cudaGetDevice(&m_before) == cudaSuccess) return;
  (void)cudaGetLastError();
  m_before = -1;
}

KeepCurrentDevice::~KeepCurrentDevice() {
  int now = m_before;
  if (m_before >= 0 && cudaGetDevice(&now) == cudaSuccess && now != m_before)
    (void)cudaSetDevice(m_before);
}

CurrentDevice::CurrentDevice(const DeviceSpace& exec_space)
    : CurrentDevice(exec_space.cuda_device()) {}

CurrentDevice::CurrentDevice(int device) {
  if (m_keep.before() != device) require(cudaSetDevice(device), "setting the current device");
}

DeviceSpace new_device_instance(int device) {
  if (device >= devices_max)
    throw SpaceUnavailable("device " + std::to_string(device) + " cannot be used: at most " +
                           std::to_string(devices_max) + " devices of a process are supported");
  const CurrentDevice current(device);
  if (device == DeviceSpace().cuda_device())
    return Kokkos::Experimental::partition_space(DeviceSpace(), 1)[0];
  cudaStream_t stream = nullptr;
  require(cudaStreamCreate(&stream), "creating a stream");
  try {
    return DeviceSpace(stream, Kokkos::Impl::ManageStream::yes);
  } catch (...) {
    cudaStreamDestroy(stream);
    throw;
  }
}

DeviceSpace::memory_space memory_of(const DeviceSpace& exec_space) {
  return DeviceSpace::memory_space::impl_create(exec_space.cuda_device(), exec_space.cuda_stream());
}

#else

KeepCurrentDevice::KeepCurrentDevice() noexcept = default;
KeepCurrentDevice::~KeepCurrentDevice() = default;

#endif

}  // namespace Kindred::Arch

// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/launch/CurrentDevice.hpp>
#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/Error.hpp>

#include <cstddef>
#include <string>

namespace Kindred::Arch {

#if KINDRED_HAS_DEVICE

namespace {

/// Kokkos aborts where it cannot allocate the reference count of an instance.
void require_memory_for_instance() {
  constexpr std::size_t more_than_an_instance = std::size_t{64} << 10U;
  require_host_memory(more_than_an_instance);
}

}  // namespace

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
  require_memory_for_instance();
  cudaStream_t stream = nullptr;
  require(cudaStreamCreate(&stream), "creating a stream");
  return DeviceSpace(stream, Kokkos::Impl::ManageStream::yes);  // destroys it, also if this fails
}

DeviceSpace instance_on_stream(cudaStream_t stream) {
  // Kokkos would end the process.
  if (device_is_lost())
    throw DeviceLost("no instance on a stream: the device was lost; restart the program");
  require_memory_for_instance();
  return DeviceSpace(stream);
}

DeviceSpace::memory_space memory_of(const DeviceSpace& exec_space) {
  return DeviceSpace::memory_space::impl_create(exec_space.cuda_device(), exec_space.cuda_stream());
}

#else

KeepCurrentDevice::KeepCurrentDevice() noexcept = default;
KeepCurrentDevice::~KeepCurrentDevice() = default;

#endif

}  // namespace Kindred::Arch

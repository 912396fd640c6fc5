// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_CURRENT_DEVICE_HPP
#define KINDRED_CORE_ARCH_LAUNCH_CURRENT_DEVICE_HPP

#include <kindred/core/arch/Process.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/launch/DeviceStatus.hpp>

#include <array>
#include <cstddef>
#include <mutex>

namespace Kindred::Arch {

/// Devices of a process.
inline constexpr int devices_max = 64;

/// \brief Restores the current device of the calling thread when it is destroyed: Kokkos changes it
/// where it allocates, frees and fences. Does nothing in a host build.
class KeepCurrentDevice {
 public:
  KeepCurrentDevice() noexcept;
  ~KeepCurrentDevice();  // NOLINT(performance-trivially-destructible): only in a host build
  /// The current device when this was constructed; −1: unknown.
  int before() const noexcept { return m_before; }
  KeepCurrentDevice(const KeepCurrentDevice&) = delete;
  KeepCurrentDevice& operator=(const KeepCurrentDevice&) = delete;

 private:
  int m_before = -1;
};

#if KINDRED_HAS_DEVICE
/// \brief While it exists, makes a device the current one of the calling thread. The CUDA runtime
/// launches and allocates on the current device, which is device 0 in every new thread. It is a
/// \ref DeviceUse. \throws SpaceUnavailable if the process is ending
class CurrentDevice {
 public:
  explicit CurrentDevice(const DeviceSpace& exec_space);
  explicit CurrentDevice(int device);

 private:
  DeviceUse m_use;
  KeepCurrentDevice m_keep;
};

/// \brief A new instance on \p device, with a stream of its own. \throws OutOfMemory, DeviceLost,
/// std::bad_alloc
DeviceSpace new_device_instance(int device);
/// A new instance on \p stream, which must outlive it. \throws as `new_device_instance`
DeviceSpace instance_on_stream(cudaStream_t stream);

/// The memory of the device of \p exec_space.
DeviceSpace::memory_space memory_of(const DeviceSpace& exec_space);

/// \brief A value per device, made when it is first needed. Attributes of kernels are set for each
/// device. Thread-safe.
template <class T>
class OnEachDevice {
 public:
  /// \brief The value of the current device. \param make called once per device with the value
  template <class Make>
  T& here(const Make& make) {
    int device = 0;
    require(cudaGetDevice(&device), "getting the current device");
    Entry& entry = m_entries[static_cast<std::size_t>(device)];
    std::call_once(entry.once, [&] { make(entry.value); });
    return entry.value;
  }

 private:
  struct Entry {
    std::once_flag once;
    T value{};
  };
  std::array<Entry, devices_max> m_entries;
};
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LAUNCH_CURRENT_DEVICE_HPP

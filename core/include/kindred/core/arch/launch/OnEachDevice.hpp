// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_ON_EACH_DEVICE_HPP
#define KINDRED_CORE_ARCH_LAUNCH_ON_EACH_DEVICE_HPP

#include <kindred/core/arch/launch/DeviceStatus.hpp>

#include <array>
#include <cstddef>
#include <mutex>

namespace Kindred::Arch {

/// Devices of a process.
inline constexpr int devices_max = 64;

#if KINDRED_HAS_DEVICE
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

#endif  // KINDRED_CORE_ARCH_LAUNCH_ON_EACH_DEVICE_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_PROCESS_HPP
#define KINDRED_CORE_ARCH_PROCESS_HPP

namespace Kindred::Arch {

/// From here on, a child process that is made by `fork` knows that it is one. Thread-safe.
void watch_forks() noexcept;

/// \brief Whether this process was forked from one that had called `watch_forks`: of its threads,
/// only the one that called `fork` exists, and CUDA does not work.
bool is_forked() noexcept;

/// \brief The process is ending: from here on, no object releases what it holds, and no \ref
/// DeviceUse begins. Waits for those of other threads, for a second at most.
void start_ending() noexcept;

/// \brief Begins a use of a device by the calling thread, which `end_device_use` ends. CUDA ends
/// with the process, and Kokkos aborts where a call of CUDA fails: the end of the process waits.
/// May be nested. Returns false, without beginning, if the process is ending.
bool begin_device_use() noexcept;
void end_device_use() noexcept;

/// While it exists, the calling thread uses a device.
class DeviceUse {
 public:
  /// \throws SpaceUnavailable if the process is ending
  DeviceUse();
  ~DeviceUse() { end_device_use(); }
  DeviceUse(const DeviceUse&) = delete;
  DeviceUse& operator=(const DeviceUse&) = delete;
};

/// The process is ending, and Kokkos will not be finalised: it then prints nothing about that.
void abandon_kokkos() noexcept;

/// \throws SpaceUnavailable in a forked process, and once Kokkos was finalised, with what to do
/// instead; Busy within the check of a `Cancellation`
void require_usable_process();

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_PROCESS_HPP

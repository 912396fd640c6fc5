// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_FENCE_HPP
#define KINDRED_CORE_ARCH_FENCE_HPP

#include <kindred/core/arch/launch/DeviceStatus.hpp>

#include <cstdint>
#include <new>
#include <string>

namespace Kindred::Arch {

/// The label of a fence, which only profiling tools read: empty while none is loaded, and a short
/// one, which is not allocated, where there is no memory. A fence after a failure, or in a
/// destructor, must not fail itself.
inline std::string fence_label(const char* label) noexcept {
  if (!Kokkos::Tools::profileLibraryLoaded()) return {};
  try {
    return label;
  } catch (const std::bad_alloc&) {
    return "Kindred::fence";
  }
}

/// \brief Waits for \p exec_space. Kokkos' own fence aborts the process after an illegal access or
/// a failed launch; this one throws. \throws DeviceLost, and the other errors of `require`
inline void fence(const HostSpace& exec_space, const char* label) {
  exec_space.fence(fence_label(label));
}

#if KINDRED_HAS_DEVICE
inline void fence(const DeviceSpace& exec_space, const char* label) {
  std::uint64_t id = 0;
  const bool profiled = Kokkos::Tools::profileLibraryLoaded();
  if (profiled)
    Kokkos::Tools::beginFence(fence_label(label),
                              Kokkos::Tools::Experimental::device_id(exec_space), &id);
  const cudaError_t status = cudaStreamSynchronize(exec_space.cuda_stream());
  if (profiled) Kokkos::Tools::endFence(id);
  require(status, label);
}
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_FENCE_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_FENCE_HPP
#define KINDRED_CORE_ARCH_FENCE_HPP

#include <kindred/core/arch/launch/DeviceStatus.hpp>

#include <cstdint>
#include <string>

namespace Kindred::Arch {

/// \brief Waits for \p exec_space. Kokkos' own fence aborts the process after an illegal access or
/// a failed launch; this one throws. \throws DeviceLost, and the other errors of `require`
inline void fence(const HostSpace& exec_space, const std::string& label) {
  exec_space.fence(label);
}

#if KINDRED_HAS_DEVICE
inline void fence(const DeviceSpace& exec_space, const std::string& label) {
  std::uint64_t id = 0;
  const bool profiled = Kokkos::Tools::profileLibraryLoaded();
  if (profiled)
    Kokkos::Tools::beginFence(label, Kokkos::Tools::Experimental::device_id(exec_space), &id);
  const cudaError_t status = cudaStreamSynchronize(exec_space.cuda_stream());
  if (profiled) Kokkos::Tools::endFence(id);
  require(status, label);
}
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_FENCE_HPP

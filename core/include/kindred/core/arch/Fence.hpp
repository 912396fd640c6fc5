// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_FENCE_HPP
#define KINDRED_CORE_ARCH_FENCE_HPP

#include <kindred/core/arch/launch/DeviceStatus.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace Kindred::Arch {

/// \brief Waits for \p exec_space. Kokkos' own fence aborts the process after an illegal access or
/// a failed launch; this one throws. \throws DeviceLost, and the other errors of `require`
inline void fence(const HostSpace& exec_space, const std::string& label) {
  exec_space.fence(label);
}

/// \brief Starts a copy of \p bytes on \p exec_space between any two memories. Does not fence.
/// \throws DeviceLost, and the other errors of `require`
inline void start_copy(const HostSpace& exec_space, const std::string&, void* to, const void* from,
                       std::size_t bytes) {
  using Bytes =
      Kokkos::View<std::byte*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using ConstBytes =
      Kokkos::View<const std::byte*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(exec_space, Bytes(static_cast<std::byte*>(to), bytes),
                    ConstBytes(static_cast<const std::byte*>(from), bytes));
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

inline void start_copy(const DeviceSpace& exec_space, const std::string& label, void* to,
                       const void* from, std::size_t bytes) {
  const bool profiled = Kokkos::Tools::profileLibraryLoaded();
  if (profiled) {
    const auto space = Kokkos::Tools::make_space_handle("Cuda");
    Kokkos::Tools::beginDeepCopy(space, label, to, space, label, from, bytes);
  }
  const cudaError_t status =
      cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, exec_space.cuda_stream());
  if (profiled) Kokkos::Tools::endDeepCopy();
  require(status, label);
}
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_FENCE_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LARGE_SCRATCH_HPP
#define KINDRED_CORE_ARCH_LARGE_SCRATCH_HPP

#include <kindred/core/arch/DeviceStatus.hpp>
#include <kindred/core/arch/Spaces.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace Kindred::Arch {

/// Bytes of scratch that a team of \p ExecutionSpace can request with `launch_with_scratch`; 0 on
/// the host, which has caches.
template <class ExecutionSpace>
std::size_t large_scratch_max(const ExecutionSpace&) {
  return 0;
}

/// The number of multiprocessors (SMs); 1 on the host.
template <class ExecutionSpace>
std::uint64_t multiprocessors(const ExecutionSpace&) {
  return 1;
}

#if KINDRED_HAS_DEVICE
inline std::uint64_t multiprocessors(const DeviceSpace& exec_space) {
  return static_cast<std::uint64_t>(exec_space.cuda_device_prop().multiProcessorCount);
}
inline std::size_t large_scratch_max(const DeviceSpace& exec_space) {
  return exec_space.cuda_device_prop().sharedMemPerBlockOptin;
}

#if defined(__CUDACC__)
template <class Functor>
__global__ void __launch_bounds__(Functor::threads, Functor::teams_at_once)
    large_scratch_kernel(const Functor functor) {
  extern __shared__ float4 kindred_large_scratch[];
  functor(blockIdx.x, reinterpret_cast<float*>(kindred_large_scratch));
}

/// \brief Calls `functor(team, scratch)` in `Functor::threads` threads of each of \p teams, with
/// `functor.scratch_bytes` of scratch, which may exceed the 48 KB that Kokkos provides. Does not
/// fence.
template <class Functor>
void launch_with_scratch(const std::string& label, const DeviceSpace& exec_space, std::size_t teams,
                         const Functor& functor) {
  if (teams == 0) return;
  require(cudaFuncSetAttribute(large_scratch_kernel<Functor>,
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(functor.scratch_bytes)),
          label);
  std::uint64_t id = 0;
  if (Kokkos::Tools::profileLibraryLoaded())
    Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec_space), &id);
  large_scratch_kernel<Functor><<<static_cast<unsigned>(teams), Functor::threads,
                                  functor.scratch_bytes, exec_space.cuda_stream()>>>(functor);
  if (Kokkos::Tools::profileLibraryLoaded()) Kokkos::Tools::endParallelFor(id);
  require(cudaGetLastError(), label);
}
#endif
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LARGE_SCRATCH_HPP

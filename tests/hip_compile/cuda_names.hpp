// SPDX-License-Identifier: Apache-2.0
// Included before everything else: what the device code of core takes from CUDA and Kokkos::Cuda,
// made of HIP and Kokkos::HIP.
#ifndef KINDRED_TESTS_HIP_COMPILE_CUDA_NAMES_HPP
#define KINDRED_TESTS_HIP_COMPILE_CUDA_NAMES_HPP

#include <Kokkos_Core.hpp>

#define cudaDevAttrComputeCapabilityMajor hipDeviceAttributeComputeCapabilityMajor
#define cudaDevAttrComputeCapabilityMinor hipDeviceAttributeComputeCapabilityMinor
#define cudaDeviceGetAttribute hipDeviceGetAttribute
#define cudaError_t hipError_t
#define cudaFuncAttributes hipFuncAttributes
#define cudaFuncGetAttributes hipFuncGetAttributes
#define cudaGetDevice hipGetDevice
#define cudaGetLastError hipGetLastError
#define cudaMemcpyAsync hipMemcpyAsync
#define cudaMemcpyDefault hipMemcpyDefault
#define cudaStreamSynchronize hipStreamSynchronize
#define cudaSuccess hipSuccess
#define cuda_device_prop hip_device_prop
#define cuda_stream hip_stream

/// The threads of a wavefront run in lockstep.
__device__ inline void __syncwarp() {
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_wave_barrier();
}

namespace Kokkos {
using Cuda = HIP;
}

namespace Kindred::Arch {
/// As in Warp.hpp, for forms without device instructions.
__device__ inline unsigned device_thread() { return threadIdx.y * blockDim.x + threadIdx.x; }
}  // namespace Kindred::Arch

// Kokkos has been read, so only our headers see this.
#define KOKKOS_ENABLE_CUDA

#endif  // KINDRED_TESTS_HIP_COMPILE_CUDA_NAMES_HPP

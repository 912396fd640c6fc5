// SPDX-License-Identifier: Apache-2.0
// CUDA 13 changed three signatures that Kokkos 4.6 and 4.7.0 still call in their old form.
// This header is force-included and provides overloads with the old signatures, so that an
// unmodified Kokkos of those releases can be used. Versions of Kokkos that support CUDA 13 never
// call them.
#ifndef KINDRED_KOKKOS_CUDA13_HPP
#define KINDRED_KOKKOS_CUDA13_HPP

#if defined(__cplusplus) && defined(__CUDACC__)
#include <cuda_runtime.h>
#if CUDART_VERSION >= 13000

inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                            const cudaGraphNode_t* to, std::size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}

inline cudaMemLocation kindred_location_of_device(int device) {
  cudaMemLocation location{};
  location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = device == cudaCpuDeviceId ? 0 : device;
  return location;
}

inline cudaError_t cudaMemAdvise(const void* data, std::size_t bytes, cudaMemoryAdvise advice,
                                 int device) {
  return cudaMemAdvise(data, bytes, advice, kindred_location_of_device(device));
}

inline cudaError_t cudaMemPrefetchAsync(const void* data, std::size_t bytes, int device,
                                        cudaStream_t stream = nullptr) {
  return cudaMemPrefetchAsync(data, bytes, kindred_location_of_device(device), 0, stream);
}

#endif
#endif
#endif  // KINDRED_KOKKOS_CUDA13_HPP

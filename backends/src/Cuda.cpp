// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/Device.hpp>
#include <kindred/core/arch/Spaces.hpp>

namespace Kindred::Impl {

#if KINDRED_HAS_DEVICE

SpaceInfo query_device() {
  SpaceInfo info;
  info.space = Space::cuda;
  info.compiled = true;
  int count = 0;
  cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    (void)cudaGetLastError();
    info.why_not = status == cudaSuccess ? "no CUDA device"
                                         : std::string("CUDA says: ") + cudaGetErrorString(status);
    return info;
  }
  cudaDeviceProp properties{};
  std::size_t free = 0;
  std::size_t total = 0;
  int device = 0;
  status = cudaGetDevice(&device);
  if (status == cudaSuccess) status = cudaGetDeviceProperties(&properties, device);
  if (status == cudaSuccess) status = cudaMemGetInfo(&free, &total);
  if (status != cudaSuccess) {
    info.why_not = std::string("CUDA says: ") + cudaGetErrorString(status);
    return info;
  }
  info.usable = true;
  info.device = properties.name;
  info.concurrency = properties.multiProcessorCount;
  info.compute_capability = properties.major + properties.minor / 10.0;
  info.memory_total = total;
  info.memory_free = free;
  return info;
}

namespace {

cudaPointerAttributes attributes_of(const void* data) noexcept {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, data) != cudaSuccess) {
    (void)cudaGetLastError();
    return {};
  }
  return attributes;
}

}  // namespace

bool device_reaches(const void* data) noexcept {
  return attributes_of(data).devicePointer != nullptr;
}

bool is_on_device_only(const void* data) noexcept {
  return attributes_of(data).type == cudaMemoryTypeDevice;
}

void synchronize_device() noexcept {
  // An error of the kernel stays for the fence of whoever launched it.
  (void)cudaDeviceSynchronize();
}

#else

SpaceInfo query_device() {
  SpaceInfo info;
  info.space = Space::cuda;
  info.why_not =
      "not compiled in: this is a host build (a Kokkos with CUDA makes the other kind: ./run build "
      "cuda)";
  return info;
}

bool device_reaches(const void*) noexcept { return false; }

bool is_on_device_only(const void*) noexcept { return false; }

void synchronize_device() noexcept {}

#endif

}  // namespace Kindred::Impl

// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/Device.hpp>
#include <kindred/core/arch/Spaces.hpp>

namespace Kindred::Impl {

#if KINDRED_HAS_DEVICE

SpaceInfo query_devices() {
  SpaceInfo info;
  info.space = Space::cuda;
  info.compiled = true;
  const cudaError_t status = cudaGetDeviceCount(&info.device_count);
  if (status != cudaSuccess || info.device_count == 0) {
    (void)cudaGetLastError();
    info.device_count = 0;
    info.why_not = status == cudaSuccess ? "no CUDA device"
                                         : std::string("CUDA says: ") + cudaGetErrorString(status);
    return info;
  }
  info.usable = true;
  return info;
}

SpaceInfo query_device(int index) {
  SpaceInfo info = query_devices();
  if (!info.usable) return info;
  cudaDeviceProp properties{};
  std::size_t free = 0;
  std::size_t total = 0;
  int before = 0;
  cudaError_t status = cudaGetDevice(&before);
  if (status == cudaSuccess) status = cudaSetDevice(index);
  if (status == cudaSuccess) status = cudaGetDeviceProperties(&properties, index);
  if (status == cudaSuccess) status = cudaMemGetInfo(&free, &total);
  if (before != index) (void)cudaSetDevice(before);
  if (status != cudaSuccess) {
    (void)cudaGetLastError();
    info.usable = false;
    info.why_not = std::string("CUDA says: ") + cudaGetErrorString(status);
    return info;
  }
  info.device = properties.name;
  info.device_index = index;
  info.concurrency = properties.multiProcessorCount;
  info.compute_capability = properties.major + properties.minor / 10.0;
  info.memory_total = total;
  info.memory_free = free;
  return info;
}

int device_of_kokkos() { return DeviceSpace().cuda_device(); }

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
  const cudaPointerAttributes attributes = attributes_of(data);
  return attributes.devicePointer != nullptr &&
         (attributes.type != cudaMemoryTypeDevice || attributes.device == device_of_kokkos());
}

bool is_on_device_only(const void* data) noexcept {
  return attributes_of(data).type == cudaMemoryTypeDevice;
}

void synchronize_device() noexcept {
  // An error of the kernel stays for the fence of whoever launched it.
  (void)cudaDeviceSynchronize();
}

#else

SpaceInfo query_devices() {
  SpaceInfo info;
  info.space = Space::cuda;
  info.why_not =
      "not compiled in: this is a host build (a Kokkos with CUDA makes the other kind: ./run build "
      "cuda)";
  return info;
}

SpaceInfo query_device(int) { return query_devices(); }

int device_of_kokkos() { return 0; }

bool device_reaches(const void*) noexcept { return false; }

bool is_on_device_only(const void*) noexcept { return false; }

void synchronize_device() noexcept {}

#endif

}  // namespace Kindred::Impl

// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/Device.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/launch/KernelCode.hpp>

#include <algorithm>
#include <string>

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

namespace {

/// Compiled like all other kernels of the build.
__global__ void any_kernel() {}

std::string shown(int architecture) {
  return std::to_string(architecture / 10) + '.' + std::to_string(architecture % 10);
}

}  // namespace

std::string why_kernels_cannot_run(int index) {
  int major = 0;
  int minor = 0;
  if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, index) != cudaSuccess ||
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, index) != cudaSuccess) {
    return std::string("CUDA says: ") + cudaGetErrorString(cudaGetLastError());
  }
  const int built_for = std::min({__CUDA_ARCH_LIST__}) / 10;
  if (10 * major + minor >= built_for) return {};
  return "it has compute capability " + shown(10 * major + minor) + ", and the kernels are for " +
         shown(built_for) + " and newer ones";
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
  const Arch::KernelCode code = Arch::code_of(any_kernel);
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
  info.kernels_for = code.compiled_for / 10.0;
  info.kernels_from_ptx = code.is_from_ptx();
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
  int current = 0;
  return attributes.devicePointer != nullptr && cudaGetDevice(&current) == cudaSuccess &&
         (attributes.type != cudaMemoryTypeDevice || attributes.device == current);
}

bool is_on_device_only(const void* data) noexcept {
  return attributes_of(data).type == cudaMemoryTypeDevice;
}

bool is_captured(const Stream& stream) noexcept {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(static_cast<cudaStream_t>(stream.handle()), &status) != cudaSuccess) {
    (void)cudaGetLastError();
    return false;
  }
  return status == cudaStreamCaptureStatusActive;
}

void synchronize_device() noexcept {
  // An error of a kernel is reported by the fence of the caller that launched it.
  (void)cudaDeviceSynchronize();
}

#else

SpaceInfo query_devices() {
  SpaceInfo info;
  info.space = Space::cuda;
  info.why_not = "not compiled in: this is a host build; ./run build cuda makes one for CUDA";
  return info;
}

SpaceInfo query_device(int) { return query_devices(); }

std::string why_kernels_cannot_run(int) { return {}; }

int device_of_kokkos() { return 0; }

bool device_reaches(const void*) noexcept { return false; }

bool is_on_device_only(const void*) noexcept { return false; }

bool is_captured(const Stream&) noexcept { return false; }

void synchronize_device() noexcept {}

#endif

}  // namespace Kindred::Impl

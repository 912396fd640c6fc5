// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_IMPL_DEVICE_HPP
#define KINDRED_BACKENDS_IMPL_DEVICE_HPP

#include <kindred/backends/Space.hpp>
#include <kindred/core/common/Stream.hpp>

#include <string>

namespace Kindred::Impl {

/// Queries the CUDA runtime for devices and their number, before Kokkos is initialised. Does not
/// throw if there is none.
SpaceInfo query_devices();
/// The reason why the kernels of this build cannot run on the existing device \p index; empty if
/// they can. Called before Kokkos is initialised; creates no CUDA context.
std::string why_kernels_cannot_run(int index);
/// Properties of the existing device \p index. Keeps the calling thread's current device.
SpaceInfo query_device(int index);
/// The device on which Kokkos was initialised; 0 in a host build.
int device_of_kokkos();

/// Whether kernels on the current device can access \p data: its own memory or registered host
/// memory. False in a host build, and for memory of another device.
bool device_reaches(const void* data) noexcept;
/// Whether \p data is device memory that the host cannot access.
bool is_on_device_only(const void* data) noexcept;
/// Whether work on \p stream is captured in a CUDA graph now. False in a host build.
bool is_captured(const Stream& stream) noexcept;

/// Waits for all work on the device; only for timing kernels. Does nothing in a host build.
void synchronize_device() noexcept;

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_IMPL_DEVICE_HPP

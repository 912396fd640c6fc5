// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_IMPL_DEVICE_HPP
#define KINDRED_BACKENDS_IMPL_DEVICE_HPP

#include <kindred/backends/Space.hpp>

#include <string>

namespace Kindred::Impl {

/// Whether the CUDA runtime finds devices, and how many: asked before Kokkos is initialised. Never
/// throws for a missing one.
SpaceInfo query_devices();
/// Why this build's kernels cannot run on device \p index, which exists; empty where they can.
/// Asked before Kokkos is initialised; creates no CUDA context.
std::string why_kernels_cannot_run(int index);
/// What the runtime says of device \p index, which exists. The device of the calling thread stays.
SpaceInfo query_device(int index);
/// The device on which Kokkos was initialised; 0 in a host build.
int device_of_kokkos();

/// Whether kernels of the device of Kokkos reach \p data: its memory, or the host's that was
/// registered. False in a host build, and for memory of another device.
bool device_reaches(const void* data) noexcept;
/// Whether \p data is memory of a device that the host does not reach.
bool is_on_device_only(const void* data) noexcept;

/// Waits for everything on the device; for times of kernels only. Does nothing in a host build.
void synchronize_device() noexcept;

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_IMPL_DEVICE_HPP

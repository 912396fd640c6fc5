// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_IMPL_DEVICE_CHOICE_HPP
#define KINDRED_BACKENDS_IMPL_DEVICE_CHOICE_HPP

#include <kindred/backends/impl/ThreadCount.hpp>

#include <optional>

namespace Kindred::Impl {

/// The device on which Kokkos is initialised.
struct DeviceChoice {
  int device = 0;     ///< CUDA device index
  int kokkos_id = 0;  ///< Kokkos device index, among `KOKKOS_VISIBLE_DEVICES`

  friend bool operator==(const DeviceChoice&, const DeviceChoice&) = default;
};

/// \brief Chooses one of \p count CUDA devices: \p requested, otherwise the one that Kokkos would
/// select.
///
/// Kokkos (4.6 and 4.7) selects, in this order: `KOKKOS_DEVICE_ID`; with
/// `KOKKOS_MAP_DEVICE_ID_BY=random`, a device derived from \p process_id; in an MPI or Slurm job,
/// the device that CTest reserved for the local rank, or else the local rank modulo the number of
/// devices; the first device. All of these except the CTest reservation are indices into
/// `KOKKOS_VISIBLE_DEVICES`.
/// \throws InvalidArgument for a variable that names no device (Kokkos would abort)
/// \throws SpaceUnavailable if `KOKKOS_VISIBLE_DEVICES` does not contain the device
DeviceChoice choose_device(int count, std::optional<int> requested, const Environment& environment,
                           unsigned process_id);

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_IMPL_DEVICE_CHOICE_HPP

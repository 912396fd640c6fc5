// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_IMPL_DEVICE_CHOICE_HPP
#define KINDRED_BACKENDS_IMPL_DEVICE_CHOICE_HPP

#include <functional>
#include <optional>

namespace Kindred::Impl {

/// The value of a variable, or null where it is not set.
using Environment = std::function<const char*(const char* name)>;

/// The device that Kokkos is initialised on.
struct DeviceChoice {
  int device = 0;     ///< as CUDA counts
  int kokkos_id = 0;  ///< as Kokkos counts: among `KOKKOS_VISIBLE_DEVICES`

  friend bool operator==(const DeviceChoice&, const DeviceChoice&) = default;
};

/// \brief The device to use of the \p count that CUDA finds: \p requested, else the one that Kokkos
/// would choose itself.
///
/// Kokkos (4.6 and 4.7) takes `KOKKOS_DEVICE_ID`; else, with `KOKKOS_MAP_DEVICE_ID_BY=random`, one
/// that follows from \p process_id; else the one that CTest reserved for the local rank of an MPI
/// or Slurm job, or the one of that rank in turn; else the first. All but CTest's number counts
/// among `KOKKOS_VISIBLE_DEVICES`.
/// \throws InvalidArgument for a variable that names no device, for which Kokkos aborts
/// \throws SpaceUnavailable where `KOKKOS_VISIBLE_DEVICES` leaves out the device
DeviceChoice choose_device(int count, std::optional<int> requested, const Environment& environment,
                           unsigned process_id);

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_IMPL_DEVICE_CHOICE_HPP

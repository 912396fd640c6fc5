// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_RESIDENCY_HPP
#define KINDRED_MATCHER_RESIDENCY_HPP

#include <kindred/backends/Dispatcher.hpp>

#include <cstdint>

namespace Kindred {

/// \brief Where a store keeps its data. A host copy, or the file it is mapped from, always stays
/// behind what is on the device.
enum class Residency : std::uint8_t {
  automatic,  ///< both where the context can use a device and the data fits there, else host
  host,       ///< host only; calls on `cuda` are refused
  both,       ///< host and device; \throws SpaceUnavailable or OutOfMemory where that cannot be
  device      ///< the same, and calls run on the device alone: on the host they are refused
};

/// Whether data that is not on a device is an error.
constexpr bool needs_device(Residency residency) noexcept {
  return residency == Residency::both || residency == Residency::device;
}

/// The spaces that run calls over data which is \p on_device, or only on the host.
constexpr SpaceSet reachable(Residency residency, bool on_device) noexcept {
  if (!on_device) return SpaceSet::host();
  return residency == Residency::device ? SpaceSet().with(Space::cuda) : SpaceSet::all();
}

}  // namespace Kindred

#endif  // KINDRED_MATCHER_RESIDENCY_HPP

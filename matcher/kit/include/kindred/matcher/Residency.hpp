// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_RESIDENCY_HPP
#define KINDRED_MATCHER_RESIDENCY_HPP

#include <kindred/backends/Dispatcher.hpp>
#include <kindred/core/common/Names.hpp>
#include <kindred/core/common/Public.hpp>

#include <cstdint>
#include <string_view>

namespace KINDRED_PUBLIC Kindred {

/// \brief Where a store keeps its data. Data on the device always has a host copy or a mapped file
/// behind it.
enum class Residency : std::uint8_t {
  automatic,  ///< `both` if the context can use a device and the data fits there, otherwise `host`
  host,       ///< host only; calls on `cuda` are rejected
  both,       ///< host and device; \throws SpaceUnavailable or OutOfMemory if that is not possible
  device      ///< like `both`, but calls run on the device only; calls on the host are rejected
};
template <>
inline constexpr auto enum_names<Residency> = std::to_array<std::string_view>({"automatic", "host",
                                                                               "both", "device"});

/// Whether it is an error if the data cannot be placed on a device.
constexpr bool needs_device(Residency residency) noexcept {
  return residency == Residency::both || residency == Residency::device;
}

/// The spaces that can execute calls on the data; \p on_device says whether it is on the device
/// too.
constexpr SpaceSet reachable(Residency residency, bool on_device) noexcept {
  if (!on_device) return SpaceSet::host();
  return residency == Residency::device ? SpaceSet().with(Space::cuda) : SpaceSet::all();
}

}  // namespace Kindred

#endif  // KINDRED_MATCHER_RESIDENCY_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_RESIDENCY_HPP
#define KINDRED_MATCHER_RESIDENCY_HPP

#include <cstdint>

namespace Kindred {

/// \brief Where a store keeps its data. A host copy always stays behind what is on the device.
enum class Residency : std::uint8_t {
  automatic,  ///< both where the context can use a device and the data fits there, else host
  host,       ///< host only; calls on `cuda` are refused
  both        ///< host and device; \throws SpaceUnavailable or OutOfMemory where that cannot be
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_RESIDENCY_HPP

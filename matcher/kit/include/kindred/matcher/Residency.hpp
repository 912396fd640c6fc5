// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_RESIDENCY_HPP
#define KINDRED_MATCHER_RESIDENCY_HPP

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

}  // namespace Kindred

#endif  // KINDRED_MATCHER_RESIDENCY_HPP

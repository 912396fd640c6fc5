// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_KIT_PLACEMENT_HPP
#define KINDRED_MATCHER_KIT_PLACEMENT_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/backends/Dispatcher.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Residency.hpp>

#include <string>

namespace Kindred::Impl {

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

/// \param what such as "the graph", for messages
/// \throws SpaceUnavailable if \p residency requires a device and there is none
inline void check_placement(const Context& context, Residency residency, const char* what) {
  if (!needs_device(residency) || context.is_usable(Space::cuda)) return;
  throw SpaceUnavailable("space cuda cannot hold " + std::string(what) + ": " +
                         context.info(Space::cuda).why_not);
}

/// \brief Calls `place()`, which copies data to the device, if \p residency asks for that. If there
/// is no device, it is lost or has no memory left, the data is on the host alone, unless
/// \p residency requires the device.
/// \param what as for `check_placement`
/// \returns whether the data is on the device
/// \throws SpaceUnavailable, OutOfMemory or DeviceLost if the device is required
template <class Place>
bool place_on_device(const Context& context, Residency residency, const char* what,
                     const Place& place) {
  check_placement(context, residency, what);
  if (residency == Residency::host || !context.is_usable(Space::cuda)) return false;
  const auto stay = [&](const Error& error) {
    if (needs_device(residency)) throw;
    context.log(LogLevel::info, std::string(what) + ": only on the host: " + error.what());
    return false;
  };
  try {
    place();
    return true;
  } catch (const OutOfMemory& error) {
    return stay(error);
  } catch (const DeviceLost& error) {
    return stay(error);
  }
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_KIT_PLACEMENT_HPP

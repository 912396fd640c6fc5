// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_KIT_PLACE_ON_DEVICE_HPP
#define KINDRED_MATCHER_KIT_PLACE_ON_DEVICE_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Residency.hpp>

#include <string>

namespace Kindred::Impl {

/// \brief Calls `place()`, which copies data to the device. If there is no memory or the device is
/// lost, the data stays on the host, as the log says, unless \p residency requires the device.
/// \param stays the beginning of the message, such as "rows stay on the host"
template <class Place>
void place_on_device(const Context& context, Residency residency, LogLevel level, const char* stays,
                     const Place& place) {
  const auto stay = [&](const Error& error) {
    if (needs_device(residency)) throw;
    context.log(level, std::string(stays) + ": " + error.what());
  };
  try {
    place();
  } catch (const OutOfMemory& error) {
    stay(error);
  } catch (const DeviceLost& error) {
    stay(error);
  }
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_KIT_PLACE_ON_DEVICE_HPP

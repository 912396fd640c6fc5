// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_DEVICE_ARGUMENTS_HPP
#define KINDRED_PYTHON_DEVICE_ARGUMENTS_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Error.hpp>

#include "Arrays.hpp"
#include "Errors.hpp"

#include <optional>
#include <string>

namespace Kindred::Python {

/// \brief Checks where \p first, the first array of a call, lies: on the host without a stream, or
/// on the device of \p context. \throws InvalidArgument, SpaceUnavailable
inline void require_place(const Context& context, const Borrowed& first,
                          const std::optional<Space>& space, bool has_stream) {
  if (!first.on_device()) {
    if (has_stream)
      refuse(std::string(first.name()) + " is " + first.text() +
             " and lies on the host; stream is only for arrays on a device");
    return;
  }
  const SpaceInfo& info = context.info(Space::cuda);
  if (!info.usable)
    throw SpaceUnavailable(std::string(first.name()) +
                           " lies on a device, and space cuda cannot be used: " + info.why_not);
  if (first.device() != info.device_index)
    throw SpaceUnavailable(std::string(first.name()) + " is " + first.text() +
                           ", and the context uses device " + std::to_string(info.device_index) +
                           "; use a context of that device, or copy the array");
  if (space && *space != Space::cuda)
    refuse(std::string(first.name()) + " is " + first.text() + " and space is '" +
           std::string(to_string(*space)) + "'; arrays on a device need the space 'cuda' or None");
}

/// \throws InvalidArgument unless \p other lies where \p first does
inline void require_same_place(const Borrowed& first, const Borrowed& other) {
  if (other.on_device() == first.on_device() && other.device() == first.device()) return;
  refuse(std::string(other.name()) + " is " + other.text() + " and " + first.name() + " is " +
         first.text() + "; all arrays of a call must lie on the host, or on one device");
}

}  // namespace Kindred::Python

#endif  // KINDRED_PYTHON_DEVICE_ARGUMENTS_HPP

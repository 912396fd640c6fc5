// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LAUNCH_START_HPP
#define KINDRED_CORE_LAUNCH_START_HPP

#include <string>

namespace Kindred::Launch::Impl {

/// \brief \p label for Kokkos, which reads it only for a profiling tool: empty, without an
/// allocation, while none is loaded.
std::string tool_label(const char* label);

/// Throws the exception in flight as the library's own. \throws OutOfMemory, SpaceUnavailable,
/// DeviceLost
[[noreturn]] void rethrow_failure(const char* label);

/// Calls `begin(label)`, which starts a kernel. \throws OutOfMemory, SpaceUnavailable or DeviceLost
/// if the device refuses it
template <class Begin>
void start(const char* label, const Begin& begin) {
  try {
    begin(tool_label(label));
  } catch (...) {
    rethrow_failure(label);
  }
}

}  // namespace Kindred::Launch::Impl

#endif  // KINDRED_CORE_LAUNCH_START_HPP

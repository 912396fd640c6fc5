// SPDX-License-Identifier: Apache-2.0
// The one function that a plugin exports. KINDRED_PLUGIN_LIBRARY names the function of
// HostLibrary.hpp whose library the plugin contains.
#include "HostLibrary.hpp"

#include <kindred/Version.hpp>

#include <cstring>

/// Null for another version of Kindred, whose `HostLibrary` may differ.
extern "C" __attribute__((visibility("default"))) const Kindred::Impl::HostLibrary*
kindred_host_library(const char* version) {
  if (std::strcmp(version, KINDRED_VERSION_STRING) != 0) return nullptr;
  return &Kindred::Impl::KINDRED_PLUGIN_LIBRARY();
}

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_VENDOR_SRC_HOST_PLUGIN_HPP
#define KINDRED_BACKENDS_VENDOR_SRC_HOST_PLUGIN_HPP

#include "HostLibrary.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace Kindred::Impl {

/// \brief A vendor's library in a file of its own, which is loaded when the program runs, so that
/// programs start on a machine without the vendor's library.
struct HostPlugin {
  const HostLibrary* library = nullptr;  ///< lives as long as the process
  std::string why_not;                   ///< the reason if there is none
};

/// Loads the plugin \p file, which must be of this version of Kindred.
HostPlugin open_host_plugin(const std::filesystem::path& file);

/// Loads `libkindred_<name>.so` from the first of `plugin_folders` that contains it.
HostPlugin find_host_plugin(const std::string& name);

/// \brief Where the plugins of the library or program \p loader are: `kindred` beside a library,
/// also if that is in a folder `glibc-hwcaps/<level>` or, one with CUDA, in
/// `kindred/cuda-<number>`, or in the library folder that belongs to the folder of a program.
std::vector<std::filesystem::path> plugin_folders(const std::filesystem::path& loader);

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_VENDOR_SRC_HOST_PLUGIN_HPP

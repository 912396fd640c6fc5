// SPDX-License-Identifier: Apache-2.0
#include "HostPlugin.hpp"
#include "LibraryFolder.hpp"

#include <kindred/Version.hpp>
#include <kindred/core/common/LibraryFile.hpp>

#include <dlfcn.h>

#include <string_view>
#include <system_error>

namespace Kindred::Impl {

namespace {

namespace fs = std::filesystem;

/// What `dlopen` reports, shortened if a library that the plugin needs is missing.
std::string why_not_loaded() {
  const char* reported = ::dlerror();
  std::string text = reported == nullptr ? "unknown error" : reported;
  const std::string_view missing = ": cannot open shared object file: No such file or directory";
  if (text.ends_with(missing))
    text.replace(text.size() - missing.size(), missing.size(), " not found");
  return text;
}

}  // namespace

HostPlugin open_host_plugin(const fs::path& file) {
  void* plugin = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) return {nullptr, why_not_loaded()};
  using Entry = const HostLibrary* (*)(const char* version);
  const auto entry = reinterpret_cast<Entry>(::dlsym(plugin, "kindred_host_library"));
  const HostLibrary* library = entry == nullptr ? nullptr : entry(KINDRED_VERSION_STRING);
  if (library != nullptr) return {library, {}};
  ::dlclose(plugin);
  return {nullptr, file.string() + " is not of Kindred " KINDRED_VERSION_STRING};
}

HostPlugin find_host_plugin(const std::string& name) {
  const std::string file = "libkindred_" + name + ".so";
  std::string searched;
  for (const fs::path& folder : plugin_folders(library_file())) {
    std::error_code error;
    if (fs::exists(folder / file, error)) return open_host_plugin(folder / file);
    searched += (searched.empty() ? " in " : ", ") + folder.string();
  }
  return {nullptr, file + " not found" + searched};
}

std::vector<fs::path> plugin_folders(const fs::path& loader) {
  if (loader.empty()) return {};
  const fs::path folder = loader.parent_path();
  std::vector<fs::path> folders{folder / "kindred"};
  if (folder.parent_path().filename() == "glibc-hwcaps")
    folders.push_back(folder.parent_path().parent_path() / "kindred");
  if (folder.parent_path().filename() == "kindred") folders.push_back(folder.parent_path());
  // The library folder, seen from the folder of programs: `../lib`.
  folders.push_back((folder / KINDRED_LIBRARIES_FROM_PROGRAMS / "kindred").lexically_normal());
  return folders;
}

}  // namespace Kindred::Impl

// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/LibraryFile.hpp>

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <system_error>

namespace KINDRED_PUBLIC Kindred {

std::string library_file() {
  Dl_info info{};
  void* loaded = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(&library_file), &info, &loaded, RTLD_DL_LINKMAP) == 0)
    return {};
  // The name of the program itself is empty.
  const std::string name = static_cast<const link_map*>(loaded)->l_name;
  std::error_code failed;
  return std::filesystem::canonical(name.empty() ? "/proc/self/exe" : name, failed).string();
}

}  // namespace Kindred

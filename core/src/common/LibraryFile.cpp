// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/LibraryFile.hpp>

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <system_error>

namespace KINDRED_PUBLIC Kindred {

std::string library_file() {
  // Not the address of this function, which may be that of a stub in the program.
  static const char here = 0;
  Dl_info info{};
  void* loaded = nullptr;
  if (dladdr1(&here, &info, &loaded, RTLD_DL_LINKMAP) == 0) return {};
  // The name of the program itself is empty.
  const std::string name = static_cast<const link_map*>(loaded)->l_name;
  std::error_code failed;
  return std::filesystem::canonical(name.empty() ? "/proc/self/exe" : name, failed).string();
}

}  // namespace Kindred

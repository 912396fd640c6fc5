// SPDX-License-Identifier: Apache-2.0
#include <kindred/loader/LibraryChoice.hpp>

#include <dlfcn.h>

#include <stdexcept>

namespace Kindred::Loader {

namespace {

/// Why the driver cannot run the kernels of \p library; empty: it can.
std::string why_not(const InstalledLibrary& library, const Driver& driver) {
  if (!library.why_not.empty()) return library.why_not;
  if (driver.architecture < library.architecture)
    return "its kernels are for compute capability " + capability_text(library.architecture) +
           " and newer";
  const bool same_machine_code = driver.architecture / 10 == library.architecture / 10;
  // With the machine code, any driver of the same major version of CUDA.
  const int needed = same_machine_code ? library.cuda / 1000 * 1000 : library.cuda;
  if (driver.cuda < needed)
    return "it needs a driver for CUDA " + cuda_text(needed) +
           " or newer, and this one is for CUDA " + cuda_text(driver.cuda) + ": update the driver";
  return {};
}

std::string device_text(const Driver& driver) {
  return driver.device + ", compute capability " + capability_text(driver.architecture);
}

/// Opens \p path, and before it \p needed, for the rest of the process. Returns the reason if it
/// cannot be opened.
std::string open(const std::string& path, const std::vector<std::string>& needed) {
  // What is missing is in the message of the last one.
  for (const std::string& file : needed) dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) return {};
  return dlerror();
}

LibraryChoice open_requested(const std::vector<InstalledLibrary>& libraries,
                             const std::string& requested, const std::vector<std::string>& needed) {
  LibraryChoice choice{requested, requested, "requested by KINDRED_LIBRARY"};
  if (requested == "host") {
    choice.path.clear();
    return choice;
  }
  if (requested.find('/') == std::string::npos) {
    choice.path.clear();
    std::string names = "host";
    for (const InstalledLibrary& library : libraries) {
      names += ", " + library.name;
      if (library.name == requested) choice.path = library.path;
    }
    if (choice.path.empty())
      throw std::invalid_argument("KINDRED_LIBRARY is '" + requested + "'; installed are " + names +
                                  "; a path of a library has a slash");
  }
  if (const std::string reason = open(choice.path, needed); !reason.empty())
    throw std::runtime_error("KINDRED_LIBRARY is '" + requested +
                             "', which cannot be opened: " + reason);
  return choice;
}

}  // namespace

LibraryChoice choose_library(const std::vector<InstalledLibrary>& libraries, const Driver& driver) {
  LibraryChoice choice;
  if (!driver.why_not.empty()) {
    choice.why = driver.why_not;
    return choice;
  }
  std::string refused;
  for (const InstalledLibrary& library : libraries) {
    const std::string reason = why_not(library, driver);
    if (reason.empty()) {
      choice.name = library.name;
      choice.path = library.path;
      choice.why = "the newest for device 0 (" + device_text(driver) + "; driver for CUDA " +
                   cuda_text(driver.cuda) + ")";
      if (driver.architecture / 10 != library.architecture / 10)
        choice.why += ", for which the driver compiles the kernels";
      if (!refused.empty()) choice.why += "; not " + refused;
      return choice;
    }
    refused += (refused.empty() ? "" : "; ") + library.name + ": " + reason;
  }
  choice.why = "device 0 (" + device_text(driver) + ") runs none of the libraries: " + refused;
  return choice;
}

LibraryChoice open_library(const std::string& folder, const char* requested, const char* driver,
                           const char* file, const std::vector<std::string>& needed) {
  const std::vector<InstalledLibrary> libraries = installed_libraries(folder, file);
  if (requested != nullptr && *requested != '\0')
    return open_requested(libraries, requested, needed);
  if (libraries.empty()) {
    LibraryChoice choice;
    choice.why = "no library with CUDA is installed in " + folder;
    return choice;
  }
  LibraryChoice choice = choose_library(libraries, query_driver(driver));
  if (choice.path.empty()) return choice;
  if (const std::string reason = open(choice.path, needed); !reason.empty()) {
    LibraryChoice host;
    host.why = choice.name + " cannot be opened: " + reason;
    return host;
  }
  return choice;
}

}  // namespace Kindred::Loader

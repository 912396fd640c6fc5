// SPDX-License-Identifier: Apache-2.0
#include "Library.hpp"

#include <kindred/Version.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/loader/LibraryChoice.hpp>

#include "Errors.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>

namespace Kindred::C {

namespace {

constexpr const char* file_name = "libkindred_c.so.0";

std::atomic<const char*> served_by{"host"};
std::atomic<const char*> served_because{"no context was created yet"};

/// The folder that contains the folders `cuda-*`: `kindred` beside this library.
std::string folder_of_libraries() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&kindred_c_functions), &info) == 0 ||
      info.dli_fname == nullptr)
    return "kindred";
  std::string folder = info.dli_fname;
  const std::size_t slash = folder.rfind('/');
  folder = slash == std::string::npos ? "." : folder.substr(0, slash);
  // A library for a level of x86-64 is in a folder of its own.
  if (const std::size_t level = folder.rfind("/glibc-hwcaps/"); level != std::string::npos)
    folder.resize(level);
  return folder + "/kindred";
}

/// The functions of an opened library. \throws SpaceUnavailable
const Functions* functions_of_library(const Loader::LibraryChoice& choice, const Opener& opener) {
  const auto refuse = [&](const std::string& why) {
    throw SpaceUnavailable("the library " + choice.path + " cannot be used: " + why);
  };
  void* const library = dlopen(choice.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) refuse(dlerror());
  const auto entry =
      reinterpret_cast<decltype(&kindred_c_functions)>(dlsym(library, "kindred_c_functions"));
  if (entry == nullptr) refuse("it is not a " + std::string(file_name));
  const Functions* const functions = entry(&opener);
  if (functions->version != KINDRED_VERSION || functions->size != sizeof(Functions))
    refuse("it is of another version of Kindred than this one, " KINDRED_VERSION_STRING
           ": install the same version of all packages");
  return functions;
}

const Functions* choose() {
  // Never destroyed: handles may be used until the process ends.
  static Loader::LibraryChoice& choice = *new Loader::LibraryChoice;
  static Opener& opener = *new Opener{};
  const auto use_own = [](const char* name) {
    choice.name = name;
    set_library_names({choice.name.c_str(), choice.why.c_str()});
    return &own_functions();
  };
  if (!KINDRED_C_OPENS_LIBRARIES) {
    choice.why = "this library is built for GPUs itself, and opens no other one";
    return use_own("built-in");
  }
  const char* const requested = std::getenv("KINDRED_LIBRARY");
  try {
    choice = Loader::open_library(folder_of_libraries(), requested, "libcuda.so.1", file_name);
  } catch (const std::exception& error) {
    throw SpaceUnavailable(error.what());
  }
  if (choice.path.empty()) return use_own("host");
  opener = {&store_error, choice.name.c_str(), choice.why.c_str()};
  try {
    return functions_of_library(choice, opener);
  } catch (const SpaceUnavailable& error) {
    if (requested != nullptr && *requested != '\0') throw;
    choice.why = error.what();
    return use_own("host");
  }
}

}  // namespace

const Functions& chosen_functions() {
  static std::mutex mutex;
  static const Functions* chosen = nullptr;
  const std::lock_guard lock(mutex);
  if (chosen == nullptr) chosen = choose();
  return *chosen;
}

LibraryNames library_names() noexcept { return {served_by, served_because}; }

void set_library_names(LibraryNames names) noexcept {
  served_by = names.name;
  served_because = names.why;
}

}  // namespace Kindred::C

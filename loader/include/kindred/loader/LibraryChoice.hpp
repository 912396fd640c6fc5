// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_LOADER_LIBRARY_CHOICE_HPP
#define KINDRED_LOADER_LIBRARY_CHOICE_HPP

#include <kindred/loader/Driver.hpp>
#include <kindred/loader/InstalledLibrary.hpp>

#include <string>
#include <vector>

namespace Kindred::Loader {

/// The build of libkindred.so that a process uses, and why.
struct LibraryChoice {
  std::string name = "host";  ///< `host`, the name of an installed library, or a path
  std::string path;  ///< file of the library; empty for `host`, which the system's loader finds
  std::string why;   ///< for people
};

/// \brief Chooses the library for the newest architecture whose kernels the driver can run on the
/// device; `host` if there is none.
///
/// Machine code runs on devices of the same major version. For a newer one the driver compiles the
/// kernels from PTX, for which it must support the CUDA version of the library, not only its major
/// version.
/// \param libraries as of `installed_libraries`
LibraryChoice choose_library(const std::vector<InstalledLibrary>& libraries, const Driver& driver);

/// \brief Chooses a library and opens it in this process. What is loaded afterwards and needs
/// `libkindred.so.0` is bound to it, because glibc compares the SONAME with those of libraries that
/// are already loaded.
///
/// A library that was chosen but cannot be opened is replaced by `host`, with the reason.
/// \param folder that contains the folders `cuda-*`
/// \param requested value of the environment variable KINDRED_LIBRARY: `host`, the name of an
///        installed library or, with a slash, a path. Null or empty: `choose_library`
/// \param driver as of `query_driver`
/// \param file as of `installed_libraries`
/// \param needed files of libraries that those for GPUs need and the system may not find, such as
///        those in Python packages of NVIDIA: opened before the chosen one, where they can be
/// \throws std::invalid_argument for a requested name that is not installed
/// \throws std::runtime_error for a requested library that cannot be opened
LibraryChoice open_library(const std::string& folder, const char* requested,
                           const char* driver = "libcuda.so.1",
                           const char* file = "libkindred.so.0",
                           const std::vector<std::string>& needed = {});

}  // namespace Kindred::Loader

#endif  // KINDRED_LOADER_LIBRARY_CHOICE_HPP

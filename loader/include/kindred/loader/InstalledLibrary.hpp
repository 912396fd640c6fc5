// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_LOADER_INSTALLED_LIBRARY_HPP
#define KINDRED_LOADER_INSTALLED_LIBRARY_HPP

#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Loader {

/// \brief A build of libkindred.so, or of libkindred_c.so, for one GPU architecture, as the package
/// with CUDA installs it in a folder of its own. All builds have the same SONAME and the same
/// binary interface.
struct InstalledLibrary {
  std::string name;      ///< of its folder, such as `cuda-90`
  std::string path;      ///< of the file to open
  std::string why_not;   ///< why it cannot be used here; empty: it can, if the driver can run it
  int architecture = 0;  ///< 10 × the compute capability of its machine code, such as 90
  int cuda = 0;  ///< version of the toolkit that compiled it: 1000 × major + 10 × minor, as drivers
                 ///< count
};

/// \brief Parses the description that is installed beside a library, `libkindred.txt` beside
/// `libkindred.so.0`: one pair of words per line,
/// `kindred 0.1.0`, `architecture 9.0`, `cuda 13.0`. Sets `why_not` if it is incomplete or names
/// another version of Kindred.
void describe(InstalledLibrary& library, std::string_view description);

/// \brief The libraries in the folders `cuda-*` of \p folder, those for the newest architecture
/// first. A folder that cannot be read holds none. \param file name of the library in each folder
std::vector<InstalledLibrary> installed_libraries(const std::string& folder,
                                                  const char* file = "libkindred.so.0");

/// `9.0` for 90
std::string capability_text(int architecture);
/// `13.0` for 13000
std::string cuda_text(int version);

}  // namespace Kindred::Loader

#endif  // KINDRED_LOADER_INSTALLED_LIBRARY_HPP

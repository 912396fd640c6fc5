// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_PROGRAM_LOADED_LIBRARY_HPP
#define KINDRED_TOOLS_PROGRAM_LOADED_LIBRARY_HPP

#include <string>

namespace Kindred::Tools {

/// The build of libkindred.so that a packaged `kindred` opened; empty for a program that contains
/// the library.
struct LoadedLibrary {
  std::string name;  ///< `host`, or of the folder of a library with CUDA: `cuda-90`
  std::string why;   ///< why it was chosen, for people

  bool is_for_hosts() const { return name == "host"; }
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_PROGRAM_LOADED_LIBRARY_HPP

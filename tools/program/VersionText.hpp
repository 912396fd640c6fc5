// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_PROGRAM_VERSION_TEXT_HPP
#define KINDRED_TOOLS_PROGRAM_VERSION_TEXT_HPP

#include "program/LoadedLibrary.hpp"

namespace Kindred::Tools {

/// The version of this program, what it was built from and with, and its spaces or the library in
/// use, one line each.
std::string version_text(const LoadedLibrary& library);
/// The version and the commit of this program.
std::string version_and_commit();

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_PROGRAM_VERSION_TEXT_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_VERSION_TEXT_HPP
#define KINDRED_TOOLS_VERSION_TEXT_HPP

#include <string>

namespace Kindred::Tools {

/// The version of this program, and what it was built from and with, one line each.
std::string version_text();
/// The version and the commit of this program.
std::string version_and_commit();

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_VERSION_TEXT_HPP

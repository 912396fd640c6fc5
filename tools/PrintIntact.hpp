// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_PRINT_INTACT_HPP
#define KINDRED_TOOLS_PRINT_INTACT_HPP

#include <cstdint>
#include <string>

#include "program/Options.hpp"

namespace Kindred::Tools {

/// Prints that a verified file is intact, as the `verify` commands do.
/// \param kind key of \p path in JSON
/// \param contents what the file holds, such as "3 rows"
void print_intact(const GlobalOptions& global, const char* kind, const std::string& path,
                  const std::string& contents, std::uint64_t bytes);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_PRINT_INTACT_HPP

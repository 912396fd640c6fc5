// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_PROGRAM_MAN_PAGE_HPP
#define KINDRED_TOOLS_PROGRAM_MAN_PAGE_HPP

#include <CLI/CLI.hpp>

#include <string>

namespace Kindred::Tools {

/// The manual page of \p command in the language of `man`.
std::string man_page(const CLI::App& command);

/// The name of that page: `kindred` or `kindred-graph-build`.
std::string man_page_name(const CLI::App& command);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_PROGRAM_MAN_PAGE_HPP

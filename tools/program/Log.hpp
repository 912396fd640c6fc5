// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_PROGRAM_LOG_HPP
#define KINDRED_TOOLS_PROGRAM_LOG_HPP

#include <kindred/backends/Context.hpp>

#include <string_view>

namespace Kindred::Tools::Log {

/// Whether only errors are printed from now on.
void set_quiet(bool quiet);

void error(std::string_view message);
void warning(std::string_view message);
void info(std::string_view message);
/// Prints a message of the library.
void library(LogLevel level, std::string_view message);
/// Prints a machine-readable line, also with --quiet.
void line(std::string_view text);

}  // namespace Kindred::Tools::Log

#endif  // KINDRED_TOOLS_PROGRAM_LOG_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_LOG_HPP
#define KINDRED_TOOLS_LOG_HPP

#include <kindred/backends/Context.hpp>

#include <string_view>

namespace Kindred::Tools::Log {

/// Whether errors only are told from now on.
void set_quiet(bool quiet);

void error(std::string_view message);
void warning(std::string_view message);
void info(std::string_view message);
/// A message of the library.
void library(LogLevel level, std::string_view message);
/// A line for programs: printed as it is, however quiet.
void line(std::string_view text);

}  // namespace Kindred::Tools::Log

#endif  // KINDRED_TOOLS_LOG_HPP

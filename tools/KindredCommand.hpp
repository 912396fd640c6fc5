// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_KINDRED_COMMAND_HPP
#define KINDRED_TOOLS_KINDRED_COMMAND_HPP

#include "LoadedLibrary.hpp"

#include <exception>

namespace Kindred::Tools {

/// Exit statuses of the process.
enum class ExitStatus : int { ok = 0, runtime = 1, usage = 2, input = 3, out_of_memory = 4 };

/// The exit status for \p error.
ExitStatus exit_status(const std::exception& error) noexcept;

/// Runs the `kindred` command: parses the arguments, runs the subcommand, and converts every
/// exception to a line on stderr and an exit status.
/// \param library the build of libkindred.so in use; not set if the program is linked statically
int run(int argc, const char* const* argv, const LoadedLibrary& library = {});

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_KINDRED_COMMAND_HPP

// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_COMMAND_HPP
#define KINDRED_TOOLS_COMMAND_HPP

#include <exception>

namespace Kindred::Tools {

/// What the process returns.
enum class ExitStatus : int { ok = 0, runtime = 1, usage = 2, input = 3, out_of_memory = 4 };

/// The status that \p error stands for.
ExitStatus exit_status(const std::exception& error) noexcept;

/// The `kindred` command: parses, runs, turns every exception into a line on stderr and a status.
int run(int argc, const char* const* argv);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_COMMAND_HPP

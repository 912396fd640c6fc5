// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_LAUNCHER_COMMAND_ENTRY_HPP
#define KINDRED_TOOLS_LAUNCHER_COMMAND_ENTRY_HPP

/// Name of the function of libkindred_command.so and libkindred_demo_command.so that runs the
/// program.
#define KINDRED_COMMAND_ENTRY "kindred_command"

namespace Kindred::Tools {

/// \brief Type of that function.
/// \param library name of the build of libkindred.so that is in use, such as `cuda-90`
/// \param why why it was chosen
/// \return the exit status
using CommandEntry = int(int argc, char** argv, const char* library, const char* why);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_LAUNCHER_COMMAND_ENTRY_HPP

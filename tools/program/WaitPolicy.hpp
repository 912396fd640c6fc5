// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_PROGRAM_WAIT_POLICY_HPP
#define KINDRED_TOOLS_PROGRAM_WAIT_POLICY_HPP

namespace Kindred::Tools {

/// \brief Makes idle threads of an OpenMP runtime that is loaded later sleep after a few tens of
/// microseconds, unless the environment already sets their wait policy. Returns whether it set
/// variables.
///
/// By default they spin for milliseconds; if another process needs one of the processors, every
/// parallel region then waits for a thread that is not running.
bool prefer_passive_waiting() noexcept;

/// \brief The same for a program that is linked with the runtime.
///
/// The runtime reads its settings when it is loaded, so this function executes the program again in
/// the same process. It returns if there is nothing to set, or if the program cannot be executed
/// again.
/// \param argv of `main`
void wait_passively(char** argv) noexcept;

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_PROGRAM_WAIT_POLICY_HPP
